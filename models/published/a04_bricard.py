"""Benchmark A04: Bricard's mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.published.mechanism import bar_inertia, show_point

POINTS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))
SIDE = 0.1
"""Of the boxes' square section [m]."""


def bricard(independent: Sequence[str] = ("bar 1",)) -> System:
    """Five boxes of 1 m and 1 kg over the edges of a cube, on six hinges with axes along its edges.

    It moves with one degree of freedom although counting gives none: one of the five conditions that the last
    hinge sets is implied by the others.  At rest at the start, gravity 9.81 m/s² along −y.  Outputs ``x``,
    ``y``, ``z`` are the point that starts at (1, −1, 0) [m].

    Parameters
    ----------
    independent : sequence of str
        Independent coordinate, of "bar 1" to "bar 5".
    """
    system = System(gravity=(0.0, -9.81, 0.0), name="Bricard's mechanism")
    parent: Body = system.ground
    points = np.array(POINTS, dtype=float)
    bars = []
    for k in range(5):
        edge = points[k + 1] - points[k]
        parent = system.add_body(
            f"bar {k + 1}",
            mass=1.0,
            com=0.5 * (points[k] + points[k + 1]),
            inertia=bar_inertia(edge, mass=1.0, length=1.0, gyration_2=SIDE**2 / 12.0),
            parent=parent,
            hinge=Revolute(AXES[k], points[k]),
        )
        bars.append(parent)
    system.close_loop("last", parent, system.ground, Revolute(AXES[5], points[5]), independent)
    show_point(system, bars[1], points[2], {"x": 0, "y": 1, "z": 2})
    return system
