"""Independent coordinates that belong to a loop and not to one of its hinges, and what stands for them."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Condition


class LoopCoordinate(Hinge):
    """Coordinates that move nothing by themselves: linkages read them."""

    def __init__(self, at: Array) -> None:
        self.at = at

    def configuration(self, q: Array) -> Array:
        """c = q."""
        return array(q)

    def coordinates(self, c: Array) -> Array:
        return c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return IDENTITY, zeros(3)

    def H(self, c: Array) -> Array:
        return zeros(self.n_v, 6)

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return ()


class LoopNumber(LoopCoordinate):
    """A single coordinate without unit."""

    n_q = 1
    n_v = 1
    coordinate_names = ("",)
    velocity_names = ("",)
    coordinate_units = ("1",)
    velocity_units = ("1/s",)


def coordinate_body(name: str, parent: Body, first: Body, kind: type[LoopCoordinate]) -> Body:
    """Return a massless virtual body for coordinates of the aggregated body that begins with ``first``."""
    return Body(
        name=f"{first.name}.{name}",
        mass=0.0,
        com=parent.com,
        inertia=np.zeros((3, 3)),
        parent=parent,
        hinge=kind(parent.com),
        index=first.index,
        depth=parent.depth + 1,
    )
