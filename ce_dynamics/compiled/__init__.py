"""Models: systems whose questions are answered by machine code."""
