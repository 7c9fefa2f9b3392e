"""Wheel of an assistance controller, and the speed of the road under it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, maximum

LEAST_SPEED = 1.0
"""[m/s] below which slips are referred to this speed."""


class AssistedWheel(NamedTuple):
    """A wheel as controllers know it.

    Attributes
    ----------
    corner : str
    radius : float
        [m]
    y : float
        Of its centre, to the left of the middle [m].
    driven : bool
    """

    corner: str
    radius: Scalar
    y: Scalar
    driven: bool

    @property
    def release(self) -> str:
        """Input: part of the brake's pressure that is let go, 0 … 1."""
        return f"{self.corner}.brake_release"

    @property
    def addition(self) -> str:
        """Input: pressure added to the pedal's, 0 … 1."""
        return f"{self.corner}.brake_addition"

    def slip(self, sensors: Mapping[str, Scalar]) -> Scalar:
        """(ω R − v)/max(v, 1 m/s): −1 locked, positive when driven, at the speed v of the ground below it."""
        speed = sensors["vx"] - sensors["yaw_rate"] * self.y
        rolling = sensors[f"{self.corner}.wheel_rate"] * self.radius
        return (rolling - speed) / maximum(speed, LEAST_SPEED)
