"""Coordinates of a loop with several freedoms on a chart: a plane that touches its configurations somewhere.

What the chart touches, and along which directions, is part of the coordinates: [θ; q_r; T].  Only θ changes
in time; a state therefore says by itself which chart it is on, and can be taken to another one.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ce_dynamics.algebra.arrays import Array, concatenate, zeros
from ce_dynamics.embedding.loop_coordinate import LoopCoordinate, coordinate_body
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import CoordinateRole


class ChartHinge(LoopCoordinate):
    """N coordinates that move nothing by themselves, and the n + n N numbers of their chart."""

    start: ClassVar[Array]

    @property
    def neutral(self) -> Array:
        return np.array(self.start)

    def role_of(self, k: int) -> CoordinateRole:
        return "quantity" if k < self.n_v else "chart"

    def q_dot(self, q: Array, v: Array) -> Array:
        """The chart stays."""
        return concatenate((v, zeros(self.n_q - self.n_v)))


def chart_body(parent: Body, first: Body, n: int, start: Array) -> Body:
    """Return the virtual body of the chart's coordinates, for the aggregated body that begins with ``first``.

    Parameters
    ----------
    parent, first : Body
    n : int
        Number of coordinates of all hinges.
    start : array
        [θ; q_r; T] of the design pose.
    """
    N = (len(start) - n) // (n + 1)
    names = [
        *(f"{k + 1}" for k in range(N)),
        *(f"at.{k + 1}" for k in range(n)),
        *(f"along.{k + 1}.{j + 1}" for k in range(n) for j in range(N)),
    ]
    members = {
        "n_q": len(start),
        "n_v": N,
        "coordinate_names": tuple(names),
        "velocity_names": tuple(names[:N]),
        "coordinate_units": ("1",) * len(start),
        "velocity_units": ("1/s",) * N,
        "start": start,
    }
    kind = type("ChartHinge", (ChartHinge,), members)
    return coordinate_body("chart", parent, first, kind)
