"""Paths for a driver to follow, seen from a vehicle."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, arctan, arctan2, cos, sin, sqrt, where
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.ramps import smooth_step, smooth_step_curvature, smooth_step_slope


class PathView(NamedTuple):
    """A path as a driver sees it.

    Attributes
    ----------
    offset : scalar
        Lateral error: the vehicle's distance from the path, positive to its left [m].
    heading_error : scalar
        Yaw angle minus direction of the path, in (−π, π] [rad].
    aim : scalar
        Lateral position of the point of the path one preview distance ahead, in the vehicle's axes, positive
        to the left [m].
    aim_on_path : scalar
        What `aim` would be if the vehicle were on the path and along it [m].
    curvature : scalar
        Curvature of the path one feed-forward distance ahead, positive to the left [1/m].
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
        """The path as seen from a vehicle.

        Parameters
        ----------
        x, y, yaw : scalar
            Position [m] and yaw angle [rad] of the vehicle.
        preview, forward : scalar
            Distances [m] ahead at which the driver aims and takes the curvature.
        """

    @abstractmethod
    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        """Distance from the path, positive to its left [m]."""


class LateralStep(NamedTuple):
    """A change of the lateral position by ``height`` between x = ``start`` and ``start + length`` [m]."""

    start: float
    length: float
    height: float


class LateralPath(Path):
    """y_ref(x), a sum of smooth lateral steps: straight ahead, lane changes.

    Parameters
    ----------
    steps : sequence of LateralStep
        Quintic steps: position, heading and curvature are continuous.
    """

    def __init__(self, steps: Sequence[LateralStep] = ()) -> None:
        for k, step in enumerate(steps):
            check_number("lateral path", f"start of step {k}", step.start)
            check_number("lateral path", f"length of step {k}", step.length, above=0.0)
            check_number("lateral path", f"height of step {k}", step.height)
        self.steps = tuple(steps)

    def y_ref(self, x: Scalar) -> Scalar:
        """Lateral position [m]."""
        total: Scalar = 0.0
        for step in self.steps:
            total = total + step.height * smooth_step((x - step.start) / step.length)
        return total

    def slope(self, x: Scalar) -> Scalar:
        """dy_ref/dx."""
        total: Scalar = 0.0
        for step in self.steps:
            total = total + step.height / step.length * smooth_step_slope((x - step.start) / step.length)
        return total

    def heading(self, x: Scalar) -> Scalar:
        """Direction of the path [rad]."""
        return arctan(self.slope(x))

    def bend(self, x: Scalar) -> Scalar:
        """d²y_ref/dx² [1/m]."""
        bend: Scalar = 0.0
        for step in self.steps:
            rate = step.height / (step.length * step.length)
            bend = bend + rate * smooth_step_curvature((x - step.start) / step.length)
        return bend

    def curvature(self, x: Scalar) -> Scalar:
        """Curvature, positive to the left [1/m]."""
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
    """A circle that starts at the origin along +x.

    Parameters
    ----------
    radius : float
        [m]; positive turns left, negative right.
    """

    def __init__(self, radius: float) -> None:
        self.radius = check_number("circle path", "radius", radius)
        if self.radius == 0.0:
            raise DataError("circle path: radius = 0; give a radius in metres, negative to turn right")

    def _from_centre(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Unit vector from the centre (0, R) towards the start side of the turn, and the distance.

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
