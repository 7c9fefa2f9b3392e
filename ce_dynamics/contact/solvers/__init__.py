"""Solvers for complementarity problems with friction: Newton, projected gradients, continuation, Lemke."""
