"""What a compiled model answers besides its equations of motion."""
