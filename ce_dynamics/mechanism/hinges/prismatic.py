"""Prismatic hinge: sliding along one direction fixed on both bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.algebra.spatial import IDENTITY, spatial
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Condition, on_line, parallel_axes


class Prismatic(Hinge):
    """Displacement by q − q₀ along ``axis``, without rotation.

    Parameters
    ----------
    axis : sequence of 3 floats
        Direction of sliding in the design pose; need not be normalised.
    at : sequence of 3 floats
        Hinge point in the design pose [m].
    q_design : float
        q₀, the coordinate in the design pose [m].
    """

    n_q = 1
    n_v = 1
    coordinate_names = ("",)
    velocity_names = ("",)
    coordinate_units = ("m",)
    velocity_units = ("m/s",)
    directions = ("axis",)
    turns = False

    def __init__(self, axis: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0), *, q_design: float = 0.0) -> None:
        self.axis = unit_axis(axis, "Prismatic")
        self.at = finite_vector(at, "Prismatic", "at")
        self.q_design = finite_number(q_design, "Prismatic", "q_design")

    @property
    def neutral(self) -> Array:
        return np.array((self.q_design,))

    def configuration(self, q: Array) -> Array:
        """Return c = (q − q₀,)."""
        return array((q[0] - self.q_design,)) if self.q_design else q

    def coordinates(self, c: Array) -> Array:
        return array((c[0] + self.q_design,)) if self.q_design else c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return IDENTITY, self.axis * c[0]

    def H(self, c: Array) -> Array:
        return array((spatial(zeros(3), self.axis),))

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return (*on_line(self.axis), *parallel_axes())
