"""The car axis of the IVP test set."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.algebra.arrays import Scalar, arctan2, cos, sin, sqrt
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.forces import SpringDamper
from ce_dynamics.mechanism.hinges import Distance, Prismatic, Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.published.mechanism import show_point

L, L0 = 1.0, 0.5
M, EPS, R, W, G = 10.0, 1e-2, 0.1, 10.0, 1.0


class RoughRoad:
    """One end of the axle goes up and down by y_b = 0.1 sin 10 t, the other rests: the axle's angle."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        y, y_dot, y_ddot = R * sin(W * t), R * W * cos(W * t), -R * W * W * sin(W * t)
        x = sqrt(L * L - y * y)
        rate = y_dot / x  # of L sin(angle) = y, differentiated once and twice
        return {"axle": arctan2(y, x), "axle_rate": rate, "axle_acceleration": (y_ddot + y * rate * rate) / x}


def car_axis() -> System:
    """A bar on two springs over an axle that moves as prescribed.

    The axle, of length 1 m, turns about its left end as a road under its right end makes it (`RoughRoad`).
    The bar, also of 1 m, is massless and carries a point mass of M ε²/2 at each end.  The left one slides
    along a line across the axle, through its left end; springs of 1 N/m stand between axle and bar on
    both sides.  The loop is closed by the bar.  Outputs ``xl``, ``yl``, ``xr``, ``yr`` are the masses [m].

    The test set's figure for xr is printed with the exponent 01, which some copies have lost.
    """
    system = System(gravity=(0.0, -G, 0.0), name="car axis")
    for what, unit in (("", "rad"), ("_rate", "rad/s"), ("_acceleration", "rad/s^2")):
        system.add_input("axle" + what, unit)
    mass = M * EPS**2 / 2.0
    left_at, right_at, end = (0.0, L0, 0.0), (L, L0, 0.0), (L, 0.0, 0.0)
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    axle = system.add_body("axle", mass=0.0, parent=system.ground, hinge=Revolute(z))
    system.prescribe(axle, Driven("axle"))
    left = system.add_body("left", mass=mass, parent=axle, hinge=Prismatic(y, left_at))
    level = system.add_body("right level", mass=0.0, parent=system.ground, hinge=Prismatic(x, right_at))
    right = system.add_body("right", mass=mass, parent=level, hinge=Prismatic(y, right_at))
    system.close_loop("bar", left, right, Distance(left_at, right_at), independent=[left, right])
    free = {"spring": 1.0, "free_length": L0}
    system.add_force(SpringDamper("left spring", system.ground, (0.0, 0.0, 0.0), left, left_at, **free))
    system.add_force(SpringDamper("right spring", axle, end, right, right_at, **free))
    show_point(system, left, left.com, {"xl": 0, "yl": 1})
    show_point(system, right, right.com, {"xr": 0, "yr": 1})
    return system
