"""Paths for a driver to follow, seen from a vehicle; a planned one bends as little as it can.

The second derivative of a planned path y(x) is a sum of cubic B-splines, so that y has four continuous
derivatives.  Of all such paths that keep both axles of a vehicle within the gates, with a part of the room to
spare, the one is taken whose largest bend, and largest change of it, is least: a linear programme.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, arctan, arctan2, cos, maximum, sin, sqrt, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.parts.rounding import smooth_step, smooth_step_curvature, smooth_step_slope


class PathView(NamedTuple):
    """A path relative to a driver.

    ``offset`` is the vehicle's distance from the path, positive to its left [m]; ``heading_error`` its yaw
    angle minus the direction of the path, in (−π, π] [rad]; ``aim`` the lateral position of the point of the
    path one preview distance ahead, in the vehicle's axes, positive to the left, and ``aim_on_path`` that if
    the vehicle were on the path and along it [m]; ``curvature`` that of the path one feed-forward distance
    ahead, positive to the left [1/m].
    """

    offset: Scalar
    heading_error: Scalar
    aim: Scalar
    aim_on_path: Scalar
    curvature: Scalar


class Path(ABC):
    """Contract of a path: `view` and `offset` for a vehicle anywhere near it, without branches."""

    @abstractmethod
    def view(self, x: Scalar, y: Scalar, yaw: Scalar, preview: Scalar, forward: Scalar) -> PathView:
        """Return the path as seen from a vehicle, at distances ahead for aiming and for the curvature [m]."""

    @abstractmethod
    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the distance from the path, positive to its left [m]."""


class LateralStep(NamedTuple):
    """A change of the lateral position by ``height`` between x = ``start`` and ``start + length`` [m]."""

    start: float
    length: float
    height: float


class LateralPath(Path):
    """y_ref(x), a sum of smooth lateral steps: straight ahead, lane changes.

    Steps are quintic: position, heading and curvature are continuous.
    """

    def __init__(self, steps: Sequence[LateralStep] = ()) -> None:
        for k, step in enumerate(steps):
            check_number("lateral path", f"start of step {k}", step.start)
            check_number("lateral path", f"length of step {k}", step.length, above=0.0)
            check_number("lateral path", f"height of step {k}", step.height)
        self.steps = tuple(steps)

    def y_ref(self, x: Scalar) -> Scalar:
        """Return the lateral position [m]."""
        total: Scalar = 0.0
        for step in self.steps:
            total = total + step.height * smooth_step((x - step.start) / step.length)
        return total

    def slope(self, x: Scalar) -> Scalar:
        """Return dy_ref/dx."""
        total: Scalar = 0.0
        for step in self.steps:
            total = total + step.height / step.length * smooth_step_slope((x - step.start) / step.length)
        return total

    def heading(self, x: Scalar) -> Scalar:
        """Return the direction of the path [rad]."""
        return arctan(self.slope(x))

    def bend(self, x: Scalar) -> Scalar:
        """Return d²y_ref/dx² [1/m]."""
        bend: Scalar = 0.0
        for step in self.steps:
            rate = step.height / (step.length * step.length)
            bend = bend + rate * smooth_step_curvature((x - step.start) / step.length)
        return bend

    def curvature(self, x: Scalar) -> Scalar:
        """Return curvature, positive to the left [1/m]."""
        bend, slope = self.bend(x), self.slope(x)
        stretch = 1.0 + slope * slope
        return bend / (stretch * sqrt(stretch))

    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        slope = self.slope(x)
        return (y - self.y_ref(x)) / sqrt(1.0 + slope * slope)

    def view(self, x: Scalar, y: Scalar, yaw: Scalar, preview: Scalar, forward: Scalar) -> PathView:
        slope = self.slope(x)
        c_path = 1.0 / sqrt(1.0 + slope * slope)
        s_path = slope * c_path
        c, s = cos(yaw), sin(yaw)
        dx = preview * c_path
        dy_path = self.y_ref(x + dx) - self.y_ref(x)
        dy = self.y_ref(x + dx) - y
        return PathView(
            offset=(y - self.y_ref(x)) * c_path,
            heading_error=arctan2(s * c_path - c * s_path, c * c_path + s * s_path),
            aim=c * dy - s * dx,
            aim_on_path=c_path * dy_path - s_path * dx,
            curvature=self.curvature(x + forward * c_path),
        )


class CirclePath(Path):
    """A circle that starts at the origin along +x; a positive radius [m] turns left, a negative one right."""

    def __init__(self, radius: float) -> None:
        self.radius = check_number("circle path", "radius", radius)
        if self.radius == 0.0:
            raise DataError("circle path: radius = 0; give a radius in metres, negative to turn right")

    def _from_centre(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Return the unit vector from the centre (0, R) towards the start side of the turn, and the distance.

        The vector is multiplied by the sign of −R, so that for both turns it is n = (sin θ, −cos θ) at polar
        progress θ; at the centre itself, where there is no direction, it is (0, −1).
        """
        px, py = x, y - self.radius
        distance = sqrt(px * px + py * py)
        at_centre = distance < 1e-9
        safe = where(at_centre, 1.0, distance)
        sign = 1.0 if self.radius > 0.0 else -1.0
        return where(at_centre, 0.0, sign * px / safe), where(at_centre, -1.0, sign * py / safe), distance

    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        _, _, distance = self._from_centre(x, y)
        sign = 1.0 if self.radius > 0.0 else -1.0
        return self.radius - sign * distance

    def view(self, x: Scalar, y: Scalar, yaw: Scalar, preview: Scalar, forward: Scalar) -> PathView:
        n_x, n_y, _ = self._from_centre(x, y)
        R = self.radius
        offset = self.offset(x, y)
        # Tangent t = (cos θ, sin θ) = (−n_y, n_x); leftward normal −n.
        t_x, t_y = -n_y, n_x
        c, s = cos(yaw), sin(yaw)
        angle = preview / R
        along, aside = R * sin(angle), R * (1.0 - cos(angle))
        # The aim relative to the vehicle: along the tangent, and to the left less the vehicle's own offset.
        cos_error, sin_error = c * t_x + s * t_y, s * t_x - c * t_y
        return PathView(
            offset=offset,
            heading_error=arctan2(sin_error, cos_error),
            aim=cos_error * (aside - offset) - sin_error * along,
            aim_on_path=aside,
            curvature=1.0 / R,
        )


DEGREE = 3
HAT = (1.0, -4.0, 6.0, -4.0, 1.0)
"""Coefficients of truncated powers of that degree, one knot apart, in a B-spline of spacing 1."""


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
    """y″(x) = Σ c_k (x − x_k)₊³/3!, straight on ahead of the first knot x_k [m]; jumps c_k [1/m⁴]."""

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
"""Spacing of the knots [m]."""
SETTLING = 15.0
"""Behind the last gate, in which the path becomes straight [m]."""
BEGIN = 1.0
"""Behind the start of the first gate [m]."""
CHANGE = 3.0
"""Weight of the change of the bend per metre beside the bend [m]."""
FINE = 1.0
"""Distance of the points at which conditions hold [m]."""


def plan_path(
    gates: Sequence[Gate], width: float, axles: Sequence[float], spared: float, lean: float = 0.0
) -> PlannedPath:
    """Return the path through gates, the first one around y = 0, that bends least.

    ``axles`` are how far the axles are ahead of the point that follows the path [m], ``spared`` the part of
    the room beside the vehicle in the narrowest gate that is kept free, ``lean`` by how much the vehicle is
    turned from the path where that bends, its side-slip [m]: yaw = y′ + lean y″.
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
