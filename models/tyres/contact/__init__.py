"""Computes the contact of a wheel with the road: an effective plane, and the wheel's motion in it."""
