"""Robots from URDF and URDF+ files."""
