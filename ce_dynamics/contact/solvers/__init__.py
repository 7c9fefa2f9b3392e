"""Solvers for complementarity problems with friction: Newton's method, proximal points, and their chain."""
