"""Rigid bodies towed by inextensible cables."""
