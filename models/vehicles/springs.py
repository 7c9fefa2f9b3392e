"""Springs and dampers between the chassis and a link: as written, and as built."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import CubicStiffness, Damping, Length, Point, Stiffness
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.spring import StoppedSpring
from ce_dynamics.models.vehicles.bodies import Mirrored, Vector


class SpringData(Section):
    """Coil spring: tension a d + b d³ at d = length − free length, and stops beyond both its lengths.

    A stop compressed by δ pushes with stop_stiffness δ + stop_progression δ³.
    """

    chassis: Point
    arm: Point
    free_length: Length
    linear: Stiffness
    cubic: CubicStiffness
    min_length: Length
    max_length: Length
    stop_stiffness: Stiffness
    stop_progression: CubicStiffness

    @model_validator(mode="after")
    def _stops_in_order(self) -> SpringData:
        if not self.min_length < self.max_length:
            raise ValueError(
                f"min_length {self.min_length:g} m must be less than max_length {self.max_length:g} m"
            )
        return self


class DamperData(Section):
    """Shock absorber between J (chassis) and B (lower arm), force proportional to the rate of its length."""

    chassis: Point
    arm: Point
    coefficient: Damping


@dataclass(frozen=True, eq=False)
class SpringParameters(Mirrored):
    """A spring between two points in vehicle coordinates, see `SpringData` for its law."""

    chassis: Vector
    arm: Vector
    free_length: float
    linear: float
    cubic: float
    min_length: float
    max_length: float
    stop_stiffness: float
    stop_progression: float

    @classmethod
    def of(cls, data: SpringData, origin: Vector) -> SpringParameters:
        """As built, from what is written relative to `origin`."""
        ends = {"chassis": origin + np.array(data.chassis), "arm": origin + np.array(data.arm)}
        return cls(**{**data.model_dump(), **ends})

    @property
    def design_length(self) -> Scalar:
        """Distance of the two points in the design position (m)."""
        return magnitude(self.chassis - self.arm)

    def add(self, system: System, name: str, chassis: Body, arm: Body) -> None:
        """Add the force element."""
        law = StoppedSpring(
            self.linear,
            self.cubic,
            self.min_length - self.free_length,
            self.max_length - self.free_length,
            self.stop_stiffness,
            self.stop_progression,
        )
        system.add_force(
            SpringDamper(name, chassis, self.chassis, arm, self.arm, spring=law, free_length=self.free_length)
        )


@dataclass(frozen=True, eq=False)
class DamperParameters(Mirrored):
    """Damper between J (`chassis`) and B (`arm`) with its coefficient (N s/m)."""

    chassis: Vector
    arm: Vector
    coefficient: float

    @classmethod
    def of(cls, data: DamperData, origin: Vector) -> DamperParameters:
        """As built, from what is written relative to `origin`."""
        return cls(origin + np.array(data.chassis), origin + np.array(data.arm), data.coefficient)

    @property
    def design_length(self) -> Scalar:
        """Distance of the two points in the design position (m)."""
        return magnitude(self.chassis - self.arm)

    def add(self, system: System, name: str, chassis: Body, arm: Body) -> None:
        """Add the force element."""
        system.add_force(SpringDamper(name, chassis, self.chassis, arm, self.arm, damper=self.coefficient))
