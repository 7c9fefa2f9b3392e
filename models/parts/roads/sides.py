"""Obstacles on both sides of the road or on one."""

from __future__ import annotations

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.ramps import smooth_step, smooth_step_slope

TRACKS = {"both": 0.0, "left": 1.0, "right": -1.0}

EDGE = 0.2
"""Width around y = 0 over which what is on one side fades out [m]."""


class Side:
    """Side of the road with an obstacle: left is y > 0.

    Parameters
    ----------
    owner : str
        For messages.
    track : {"both", "left", "right"}
    """

    def __init__(self, owner: str, track: str) -> None:
        self.track = checks.choice(f"{owner}: track", track, TRACKS, DataError)
        self.sign = TRACKS[track]

    def share(self, y: Scalar) -> Scalar:
        """1 where the obstacle is, 0 on the other side."""
        return 1.0 if self.track == "both" else smooth_step(0.5 + self.sign * y / EDGE)

    def slope(self, y: Scalar) -> Scalar:
        """Derivative of `share`."""
        if self.track == "both":
            return 0.0
        return self.sign / EDGE * smooth_step_slope(0.5 + self.sign * y / EDGE)

    def sharpness(self, height: float) -> float:
        """Curvature across, of an obstacle of a height [1/m]: the quintic step has at most 10/√3."""
        return 0.0 if self.track == "both" else abs(height) * STEP_CURVATURE / EDGE**2


STEP_CURVATURE = 10.0 / 3.0**0.5
"""Largest second derivative of `smooth_step`."""
