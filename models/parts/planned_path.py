"""A path through gates that bends as little as it can: what a driver plans who is fast.

The second derivative of y(x) is a sum of cubic B-splines, so that y has four continuous derivatives.  Of all
such paths that keep both axles of a vehicle within the gates, with a part of the room to spare, the one is
taken whose largest bend, and largest change of it, is least: a linear programme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, maximum
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.paths import LateralPath

DEGREE = 3
HAT = (1.0, -4.0, 6.0, -4.0, 1.0)
"""Of truncated powers of that degree, one knot apart, in a B-spline of spacing 1."""


class Gate(NamedTuple):
    """A section between cones: from x = ``start`` to ``end``, y between ``right`` and ``left`` [m]."""

    start: float
    end: float
    right: float
    left: float

    @property
    def centre(self) -> float:
        """y of the middle [m]."""
        return 0.5 * (self.right + self.left)


class PlannedPath(LateralPath):
    """y″(x) = Σ c_k (x − x_k)₊³/3!, straight on ahead of the first knot.

    Parameters
    ----------
    knots, jumps : sequence of float
        x_k [m], and c_k: by how much the third derivative of y″ jumps there [1/m⁴].
    """

    def __init__(self, knots: Sequence[float], jumps: Sequence[float]) -> None:
        super().__init__()
        self.knots, self.jumps = tuple(map(float, knots)), tuple(map(float, jumps))

    def _powers(self, x: Scalar, degree: int) -> Scalar:
        total: Scalar = 0.0
        for knot, jump in zip(self.knots, self.jumps, strict=True):
            beyond = maximum(x - knot, 0.0)
            power = beyond * beyond * beyond
            for _ in range(degree - DEGREE):
                power = power * beyond
            total = total + jump / math.factorial(degree) * power
        return total

    def y_ref(self, x: Scalar) -> Scalar:
        return self._powers(x, DEGREE + 2)

    def slope(self, x: Scalar) -> Scalar:
        return self._powers(x, DEGREE + 1)

    def bend(self, x: Scalar) -> Scalar:
        return self._powers(x, DEGREE)


SPACING = 5.0
"""Of the knots [m]."""
SETTLING = 15.0
"""Behind the last gate, in which the path becomes straight [m]."""
BEGIN = 1.0
"""Behind the start of the first gate [m]."""
CHANGE = 3.0
"""Weight of the change of the bend per metre beside the bend [m]."""
FINE = 1.0
"""Distance of the points at which conditions hold [m]."""


def planned(
    gates: Sequence[Gate], width: float, axles: Sequence[float], spared: float, lean: float = 0.0
) -> PlannedPath:
    """The path through gates that bends least.

    Parameters
    ----------
    gates : sequence of Gate
        The first one around y = 0.
    width : float
        Of the vehicle [m].
    axles : sequence of float
        How far the axles are ahead of the point that follows the path [m].
    spared : float
        Part of the room beside the vehicle in the narrowest gate that is kept free, 0 … 1.
    lean : float
        By how much the vehicle is turned from the path where that bends, its side-slip [m]:
        yaw = y′ + lean y″.

    Raises
    ------
    DataError
        If the vehicle does not fit.
    """
    from scipy.optimize import linprog  # here, because most runs do without

    room = min(0.5 * (gate.left - gate.right - width) for gate in gates)
    begin, end = gates[0].start + BEGIN, gates[-1].end + SETTLING
    count = round((end - begin) / SPACING)
    h = (end - begin) / count
    knots = begin + h * np.arange(count + 1)
    own = len(knots) - len(HAT) + 1

    def columns(x: Floats, degree: int) -> Floats:
        beyond = np.maximum(x[:, None] - knots, 0.0) ** degree / math.factorial(degree)
        hats = [beyond[:, k : k + len(HAT)] @ np.array(HAT) for k in range(own)]
        return np.array(hats).T / h**DEGREE

    rows: list[Floats] = []
    bounds: list[float] = []

    def at_most(parts: Floats, bend: float, change: float, bound: float) -> None:
        rows.append(np.column_stack((parts, np.tile((bend, change), (len(parts), 1)))))
        bounds.extend([bound] * len(parts))

    bends = columns(np.arange(begin, end, FINE), DEGREE)
    for sign in (1.0, -1.0):
        at_most(sign * bends, -1.0, 0.0, 0.0)
        at_most(sign * np.diff(bends, axis=0), 0.0, -FINE, 0.0)
        for gate in gates:
            edge = gate.left if sign > 0.0 else -gate.right
            for axle in axles:
                x = np.arange(gate.start, gate.end + 0.5 * FINE, FINE) - axle
                yaw = columns(x, DEGREE + 1) + lean * columns(x, DEGREE)
                aside = columns(x, DEGREE + 2) + axle * yaw
                at_most(sign * aside, 0.0, 0.0, edge - 0.5 * width - spared * room)
    straight = np.append(columns(np.array([end]), DEGREE + 1), [[0.0, 0.0]], axis=1)
    free = [(None, None)] * own + [(0.0, None)] * 2
    cost = np.append(np.zeros(own), (1.0, CHANGE))
    found = linprog(cost, np.vstack(rows), np.array(bounds), straight, [0.0], free, method="highs")
    if room < 0.0 or found.x is None:
        raise DataError(f"lanes: a vehicle {width:g} m wide does not get through; check vehicle_width")
    jumps = np.zeros(len(knots))
    for k, height in enumerate(found.x[:own]):
        jumps[k : k + len(HAT)] += height * np.array(HAT) / h**DEGREE
    return PlannedPath(knots.tolist(), jumps.tolist())
