"""ROS2 (Verwer et al., 1999): of order 2 whatever the matrix, L-stable with the exact Jacobian."""

from __future__ import annotations

import math

from ce_dynamics.simulation.integrators.linearly_implicit import LinearlyImplicit

ROSENBROCK = LinearlyImplicit(
    name="rosenbrock",
    order=2,
    gamma=1.0 - math.sqrt(0.5),  # L-stable, and with the smaller of the two possible error constants
    c=(0.0, 1.0),
    A=((), (1.0,)),
    mixing=((), (-2.0,)),
    b=(1.5, 0.5),
)
