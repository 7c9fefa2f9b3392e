"""Robots from MJCF files."""
