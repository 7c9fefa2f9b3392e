"""The O(N) recursions of the paper, one sweep per function."""
