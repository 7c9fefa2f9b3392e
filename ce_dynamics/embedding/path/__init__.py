"""Loops with one freedom, followed along their path."""
