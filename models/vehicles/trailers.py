"""Trailers as written and as built: a body on a hitch, in the coordinates of the whole train.

A hitch is a hinge of the tree, so that no loop has to be closed.  A hitch of one's own is a section with
`add` and an entry of `HITCHES`.  Data files name the hitch of each trailer, and the unit ahead of it::

    trailers:
      dolly: {hitch: {kind: pintle, ...}, mass: 2 t, ...}
      semi: {hitch: {kind: fifth-wheel, ...}, behind: dolly, ...}
    axles:
      dolly_axle: {suspension: {kind: leaf-spring, ...}, trailer: dolly}
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from pydantic import create_model, model_validator

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import HingeElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import ParameterQuantity, PositiveFraction
from ce_dynamics.models.data.reading import Assignment
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.aerodynamics import AerodynamicsData
from ce_dynamics.models.vehicles.bodies import (
    BodyParameters,
    ChassisData,
    Vector,
    add_rigid_body,
    body,
    massless,
)
from ce_dynamics.models.vehicles.steering.base import ActuatorData, add_position


class TurningDamper(HingeElement):
    """A torque −d v on one velocity v of a hinge, whatever coordinates it has; d in N m s/rad."""

    outputs: Mapping[str, str] = MappingProxyType({"torque": "N*m"})

    def __init__(self, name: str, body: Body, component: int, damping: float) -> None:
        self.name, self.body, self.component, self.damping = name, body, component, damping

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        torque = -self.damping * observer.rate(self.body, self.component)
        return Response((HingeLoad(self.body, self.component, torque),), outputs={"torque": torque})


X, Y, Z = np.eye(3)

AngularStiffness = Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
AngularDamping = Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]


class HitchData(Section):
    """Place of a trailer's hitch: ``x`` and ``z`` in the coordinates of the towing unit, in its mid-plane."""

    x: Annotated[float, ParameterQuantity("m")]
    z: Annotated[float, ParameterQuantity("m")]

    @abstractmethod
    def add(self, system: System, name: str, tower: Body, body: BodyParameters, at: Vector) -> Body:
        """Add the trailer's body on what tows it, coupled at a point in vehicle coordinates [m]."""


class BallData(HitchData):
    """A ball: the trailer turns any way about it.

    ``yaw_damping`` is that of a stabiliser, about the vertical of what tows; none if left out.
    """

    yaw_damping: AngularDamping | None = None

    def add(self, system: System, name: str, tower: Body, body: BodyParameters, at: Vector) -> Body:
        trailer = add_rigid_body(system, name, body, tower, Spherical(at))
        if self.yaw_damping is not None:
            system.add_force(TurningDamper(f"{name}.stabiliser", trailer, 2, self.yaw_damping))
        return trailer


class PintleData(HitchData):
    """A pintle and its eye: the trailer turns any way about it; the play of a real one is left out."""

    def add(self, system: System, name: str, tower: Body, body: BodyParameters, at: Vector) -> Body:
        return add_rigid_body(system, name, body, tower, Spherical(at))


class FifthWheelData(HitchData):
    """A fifth wheel: the plate pitches on what tows, the kingpin turns in the plate about its normal.

    It transmits roll stiffly, or with ``roll_stiffness`` and ``roll_damping`` by a plate that rocks.
    """

    yaw_damping: AngularDamping | None = None
    roll_stiffness: AngularStiffness | None = None
    roll_damping: AngularDamping | None = None

    @model_validator(mode="after")
    def _whole(self) -> FifthWheelData:
        if (self.roll_stiffness is None) != (self.roll_damping is None):
            raise ValueError("roll_stiffness and roll_damping belong together; give both or none")
        return self

    def add(self, system: System, name: str, tower: Body, body: BodyParameters, at: Vector) -> Body:
        """Add the trailer on a universal hinge, if it rocks on a plate without mass."""
        carrier = tower
        if self.roll_stiffness is not None and self.roll_damping is not None:
            carrier = add_rigid_body(system, f"{name}.plate", massless(at), tower, Revolute(X, at))
            laws = self.roll_stiffness, self.roll_damping
            system.add_force(
                TorsionSpringDamper(f"{name}.plate.spring", carrier, spring=laws[0], damper=laws[1])
            )
        trailer = add_rigid_body(system, name, body, carrier, Universal(Y, Z, at))
        if self.yaw_damping is not None:
            system.add_force(TurningDamper(f"{name}.stabiliser", trailer, 1, self.yaw_damping))
        return trailer


class TorsionHitchData(HitchData):
    """A shaft along the vehicle that twists: roll alone is free, held by ``roll_stiffness`` and damping."""

    roll_stiffness: AngularStiffness
    roll_damping: AngularDamping

    def add(self, system: System, name: str, tower: Body, body: BodyParameters, at: Vector) -> Body:
        rear = add_rigid_body(system, name, body, tower, Revolute(X, at))
        law = TorsionSpringDamper(f"{name}.shaft", rear, spring=self.roll_stiffness, damper=self.roll_damping)
        system.add_force(law)
        return rear


class ArticulatedData(HitchData):
    """A vertical pin at which the vehicle is folded to steer: by ``max_angle`` at full lock, either way.

    ``ratio`` is the angle of a steering wheel over that.
    """

    max_angle: Annotated[float, ParameterQuantity("rad", above=0.0, below=math.pi / 2)]
    actuator: ActuatorData
    ratio: PositiveFraction | None = None

    def add(self, system: System, name: str, tower: Body, body: BodyParameters, at: Vector) -> Body:
        """Add the rear on a vertical hinge whose angle an actuator leads: to the left, it turns right."""
        rear = add_rigid_body(system, name, body, tower, Revolute(Z, at))
        system.prescribe(rear, self.actuator.drive(-self.max_angle))
        add_position(system, FOLDING_STEERING, rear, -self.max_angle)
        return rear


FOLDING_STEERING = "steering"
"""Name that a hitch has as the steering of a vehicle that it folds."""
HITCHES: Mapping[str, type[HitchData]] = {
    "ball": BallData,
    "pintle": PintleData,
    "fifth-wheel": FifthWheelData,
    "torsion": TorsionHitchData,
    "articulated": ArticulatedData,
}
"""Hitches by the name that data files use."""
FOLDING = ("articulated",)
"""Hitches that steer the vehicle."""
STRAIGHT = ("torsion",)
"""Hitches about which nothing turns to the side."""


UNHELD: Mapping[type[Hinge], tuple[str, ...]] = {Spherical: ("qw", "qz", "wz"), Universal: ("2", "2_rate")}
"""Coordinates that no spring holds: those that turn a trailer about the vertical, and dependent ones."""


def unheld_coordinates(system: System) -> set[str]:
    """Return names of what turns trailers about the vertical, among coordinates and velocities."""
    names = system.groups.get("trailer", ())
    return {f"{name}.{what}" for name in names for what in UNHELD.get(type(system.find(name).inboard), ())}


TRAILER_EXAMPLE = "trailers: {caravan: {hitch: {kind: ball, x: -2.7 m, z: 0.1 m}}}"
MOST_TRAILERS = 4


@dataclass(frozen=True)
class TrailerLayout:
    """A trailer: its name, its hitch by name, and the trailer it is coupled to, if not to the vehicle."""

    name: str
    hitch: str
    behind: str | None = None


def trailers_of(words: Sequence[Assignment], label: str) -> tuple[TrailerLayout, ...]:
    """Return the trailers, each after what tows it."""
    sections: dict[str, dict[str, str]] = {}
    for (_, name, *rest), entry in (word for word in words if word.key[0] == "trailers"):
        if len(rest) != 1 or rest[0] not in ("hitch", "behind") or not isinstance(entry.value, str):
            shown = checks.show(".".join((name, *rest)))
            raise DataError(
                f"{entry.where}: trailers: {shown}: a trailer has hitch, behind; {TRAILER_EXAMPLE}"
            )
        if rest[0] == "hitch":
            entry.one_of(f"trailers.{name}.hitch", HITCHES)
        sections.setdefault(name, {})[rest[0]] = entry.value
    for name, chosen in sections.items():
        if "hitch" not in chosen:
            raise DataError(f"{label}: trailers.{name}: no hitch is named; known are {', '.join(HITCHES)}")
        if chosen.get("behind", name) not in sections or chosen.get("behind") == name:
            raise DataError(
                f"{label}: trailers.{name}.behind: {checks.show(chosen['behind'])} is no other trailer; "
                "leave it out for one that the vehicle itself tows"
            )
    if len(sections) > MOST_TRAILERS:
        raise DataError(f"{label}: trailers: {len(sections)} of them; at most {MOST_TRAILERS} are allowed")
    return sort_trailers([TrailerLayout(name, **chosen) for name, chosen in sections.items()], label)


def sort_trailers(trailers: list[TrailerLayout], label: str) -> tuple[TrailerLayout, ...]:
    """Return the trailers, each after the unit that tows it."""
    placed: list[TrailerLayout] = []
    left = trailers
    while left:
        there = {None, *(one.name for one in placed)}
        ready = [one for one in left if one.behind in there]
        if not ready:
            names = " and ".join(one.name for one in left)
            raise DataError(
                f"{label}: trailers: {names} are behind one another; leave out 'behind' of the first"
            )
        placed += ready
        left = [one for one in left if one not in ready]
    return tuple(placed)


CHASSIS = "chassis"
"""Name of the body that tows all."""


class TrailerData(ChassisData):
    """A trailer's body; points of the trailer and of its axles are relative to its coupling point."""

    hitch: HitchData
    aerodynamics: AerodynamicsData | None = None


@lru_cache(maxsize=16)
def trailer_section(hitch: str) -> type[TrailerData]:
    """Return the section of a trailer with a hitch of this kind."""
    fields: dict[str, Any] = {"hitch": (HITCHES[hitch], ...)}
    made: type[TrailerData] = create_model("TrailerDescription", __base__=TrailerData, **fields)
    return made


@dataclass(frozen=True, eq=False)
class Trailer:
    """A trailer in the coordinates of the vehicle, in line with it, ``behind`` the body that tows it.

    It is coupled at ``at``, the origin of its own coordinates [m].
    """

    name: str
    behind: str
    body: BodyParameters
    hitch: HitchData
    at: Vector
    aerodynamics: AerodynamicsData | None

    def add(self, system: System) -> Body:
        """Add the body on its hitch, and the air around it."""
        body = self.hitch.add(system, self.name, system.find(self.behind), self.body, self.at)
        if self.aerodynamics is not None:
            self.aerodynamics.add(system, body, self.at)
        return body


def build_trailers(layouts: Sequence[TrailerLayout], data: Any) -> dict[str, Trailer]:
    """Return all trailers by name, each after what tows it."""
    made: dict[str, Trailer] = {}
    for layout in layouts:
        written: TrailerData = getattr(data, layout.name)
        origin = np.zeros(3) if layout.behind is None else made[layout.behind].at
        at = origin + np.array((written.hitch.x, 0.0, written.hitch.z))
        name, behind = layout.name, layout.behind or CHASSIS
        made[name] = Trailer(name, behind, body(written, at), written.hitch, at, written.aerodynamics)
    return made
