"""Compiled models out of Python: C source, functional mock-up units."""
