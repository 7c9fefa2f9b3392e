"""Springs, dampers and ground springs of the ride model as laws, for engines that are to move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.models.vehicles.hmmwv.parameters import HmmwvParameters
from tests.benchmarks.mechanism import Floats


class Strut(NamedTuple):
    """Tension k d + k₃ d³ + c ḋ between points of two bodies, d their distance beyond a length."""

    name: str
    a: str
    b: str
    at_a: Floats
    at_b: Floats
    length: float
    linear: float
    cubic: float
    damping: float

    def tension(self, apart: float, rate: float) -> float:
        """At a distance and its rate."""
        d = apart - self.length
        return self.linear * d + self.cubic * d**3 + self.damping * rate


class Ground(NamedTuple):
    """A vertical force −k (z − h) − c ż at a point of a body."""

    body: str
    at: Floats
    stiffness: float
    damping: float
    height: float

    def force(self, z: float, rate: float) -> float:
        """At a height and its rate."""
        return -self.stiffness * (z - self.height) - self.damping * rate


class RideLaws(NamedTuple):
    """All of them."""

    struts: tuple[Strut, ...]
    grounds: tuple[Ground, ...]


def ride_laws() -> RideLaws:
    """Those of the ride model, from the project's own parameters."""
    parameters = HmmwvParameters.load(variant="ride")
    up = np.array((0.0, 0.0, parameters.ride_height))
    struts: list[Strut] = []
    grounds: list[Ground] = []
    for name in CORNERS:
        corner = parameters.corners[name]
        s, d, g = corner.spring, corner.damper, corner.ground_spring
        assert g is not None, "the ride variant has ground springs"
        ends = "chassis", f"{name}.lower_arm"
        struts += [
            Strut(f"{name}.spring", *ends, s.chassis + up, s.arm + up, s.free_length, s.linear, s.cubic, 0.0),
            Strut(f"{name}.damper", *ends, d.chassis + up, d.arm + up, 0.0, 0.0, 0.0, d.coefficient),
        ]
        grounds.append(Ground(f"{name}.wheel", corner.W + up, g.stiffness, g.damping, g.height))
    return RideLaws(tuple(struts), tuple(grounds))
