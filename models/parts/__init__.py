"""What vehicles are made of, and what they are driven on and by."""
