"""Fixed hinge: no relative motion."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, zeros
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Coincident, Condition, parallel_axes


class Fixed(Hinge):
    """The child moves as if it were part of the parent; q, v and c are empty.

    Parameters
    ----------
    at : sequence of 3 floats
        The point reactions are reported at, in the design pose [m].
    """

    n_q = 0
    n_v = 0
    coordinate_names = ()
    velocity_names = ()
    coordinate_units = ()
    velocity_units = ()
    turns = False

    def __init__(self, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.at = finite_vector(at, "Fixed", "at")

    def configuration(self, q: Array) -> Array:
        return q

    def coordinates(self, c: Array) -> Array:
        return c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return IDENTITY, zeros(3)

    def H(self, c: Array) -> Array:
        return zeros(0, 6)

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return (Coincident(), *parallel_axes())
