"""Functions of arrays as graphs of scalar operations."""
