"""Stepping from outside, and keeping pace with a clock."""
