"""Derivatives of shipped vehicles against differences, sampled."""
