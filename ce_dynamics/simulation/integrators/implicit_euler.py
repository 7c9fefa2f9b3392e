"""The linearly implicit Euler method: of order 1 whatever the matrix, L-stable with the exact Jacobian."""

from __future__ import annotations

from ce_dynamics.simulation.integrators.linearly_implicit import LinearlyImplicit

IMPLICIT_EULER = LinearlyImplicit(
    name="implicit-euler", order=1, gamma=1.0, c=(0.0,), A=((),), mixing=((),), b=(1.0,)
)
