"""The path coordinate: an independent coordinate that belongs to a loop and not to one of its hinges."""

from __future__ import annotations

import numpy as np

from ce_dynamics.arrays import Array, array, zeros
from ce_dynamics.body import Body
from ce_dynamics.hinges.base import Hinge
from ce_dynamics.hinges.conditions import Condition
from ce_dynamics.spatial import IDENTITY


class PathHinge(Hinge):
    """A coordinate that moves nothing by itself: linkages read it."""

    n_q = 1
    n_v = 1
    coordinate_names = ("",)
    velocity_names = ("",)
    coordinate_units = ("1",)
    velocity_units = ("1/s",)

    def __init__(self, at: Array) -> None:
        self.at = at

    def configuration(self, q: Array) -> Array:
        """c = (q,)."""
        return array(q)

    def coordinates(self, c: Array) -> Array:
        return c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return IDENTITY, zeros(3)

    def H(self, c: Array) -> Array:
        return zeros(1, 6)

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return ()


def path_body(parent: Body, first: Body) -> Body:
    """What stands for the path coordinate of the aggregated body that begins with ``first``: no real body."""
    return Body(
        name=f"{first.name}.path",
        mass=0.0,
        com=parent.com,
        inertia=np.zeros((3, 3)),
        parent=parent,
        hinge=PathHinge(parent.com),
        index=first.index,
        depth=parent.depth + 1,
    )
