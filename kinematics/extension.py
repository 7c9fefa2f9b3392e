"""Slide the outer half of a telescope so that its length is the distance of two points.

With d from B to J, ℓ = |d| and u = d / ℓ: r = ℓ − ℓ0, ṙ = u · v and r̈ = u · a + (|v|² − ṙ²) / ℓ.  (The second
row of the printed (30) has ṙ divided by r, which is an error: it would be singular at zero compression.)
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, dot, sqrt
from ce_dynamics.embedding.motion import HingeMotion, PointMotion
from ce_dynamics.kinematics.hardpoints import length_between
from ce_dynamics.mechanism.hinges.prismatic import Prismatic


class Extension:
    """A prismatic hinge along the line from B to J whose displacement is r = |BJ| − its design length.

    Parameters
    ----------
    start, finish : (3,) arrays
        Design positions of B, fixed on the carrier, and of J [m].
    owner, names : str
        Name the linkage and the two points in messages.

    Attributes
    ----------
    hinge : Prismatic
        The hinge that the outer half must be added with; its hinge point is J.
    """

    def __init__(self, start: Array, finish: Array, owner: str, names: str) -> None:
        self.length = length_between(start, finish, owner, names)
        self.hinge = Prismatic(axis=(finish - start).tolist(), at=finish.tolist())

    def solve(self, start: PointMotion, finish: PointMotion) -> HingeMotion:
        """Motion of the hinge."""
        d, v, a = finish.r - start.r, finish.v - start.v, finish.a - start.a
        length = sqrt(dot(d, d))
        per_length = length * (1.0 / dot(d, d))
        u = d * per_length
        r_dot = dot(u, v)
        return HingeMotion(
            array((length - self.length,)),
            (u @ (finish.J - start.J))[np.newaxis],
            array((dot(u, finish.drift - start.drift),)),
            array((dot(u, a) + (dot(v, v) - r_dot * r_dot) * per_length,)),
        )
