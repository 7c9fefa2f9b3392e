"""Derivatives of traced functions, as traced functions."""
