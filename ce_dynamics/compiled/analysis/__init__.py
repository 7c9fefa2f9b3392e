"""Analyses of a compiled model other than its equations of motion."""
