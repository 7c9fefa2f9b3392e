"""Describes an axle for the rig: two wheels on their carriers, their steering and their supports.

The description is independent of the kind of suspension: any system with two wheels on revolute hinges fits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.base import ForceElement
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System

BodyPoint = tuple[str, Array]
"""Name of a body and a point fixed on it, in the design pose."""


@dataclass(frozen=True, eq=False)
class Wheel:
    """A wheel of the axle.

    Attributes
    ----------
    body : str
        Turns on its carrier about the spin axis by a revolute hinge at the wheel's centre.
    kingpin : pair of (str, (3,) array), optional
        Lower and upper point of the steering axis, each on its body; where there is none, the instantaneous
        axis is taken, about which steering turns the carrier while springs keep their lengths.
    loaded_radius : float
        Height of the wheel's centre above the road along the wheel's plane [m].
    tyre_rate : float
        Vertical stiffness of the tyre [N/m]; infinite for none.
    prefix : str
        Of the names of force elements that belong to this wheel; that of the body if not given.
    """

    body: str
    loaded_radius: float
    kingpin: tuple[BodyPoint, BodyPoint] | None = None
    tyre_rate: float = float("inf")
    prefix: str = ""

    def __post_init__(self) -> None:
        owner = f"wheel {checks.text('wheel: body', self.body, DataError)!r}"
        finite_number(self.loaded_radius, owner, "loaded_radius", above=0.0)
        checks.number(f"{owner}: tyre_rate", self.tyre_rate, above=0.0, infinite=True)
        for end in (
            () if self.kingpin is None else checks.items(f"{owner}: kingpin", self.kingpin, 2, DataError)
        ):
            body, point = checks.items(f"{owner}: kingpin", end, 2, DataError)
            checks.text(f"{owner}: kingpin: body", body, DataError)
            checks.vector(f"{owner}: kingpin: point", nominal(point), 3, DataError)
        if self.prefix != "":
            checks.text(f"{owner}: prefix", self.prefix, DataError)

    @property
    def elements(self) -> str:
        """Prefix of the names of the wheel's own force elements."""
        return self.prefix or self.body.rpartition(".")[0]


@dataclass(frozen=True, eq=False)
class Axle:
    """An axle to be tried on the rig.

    Attributes
    ----------
    name : str
    left, right : Wheel
    chassis : str
        The body that is held in its design pose.
    steered_by : str, optional
        Name of the prescribed body that steers; none if the axle cannot be steered.
    full_lock : float
        Coordinate of that body at full lock to the left [rad or m].
    steering_unit : str
        Of the coordinate.
    bars : tuple of str
        Force elements that are anti-roll bars: rates are also given without them.
    wheelbase : float
        Distance from the other axle [m]; NaN if unknown.
    centre_of_mass : (x, z above the road) [m]
        Of the vehicle, NaN if unknown; by default x decides whether the axle is in front.
    in_front : bool, optional
        Whether the wheelbase grows as the wheels go forward; axles of trailers are behind their hitch.
    brake_share, drive_share : float
        Parts of the vehicle's brake and drive force at this axle.
    drive_torque_on_carrier : bool
        Whether the carriers bear the drive torque (gears in the hub or on a rigid axle).
    brake_torque_on_carrier : bool
        Whether the carriers bear the brake torque: so with brakes at the wheels.
    """

    name: str
    left: Wheel
    right: Wheel
    chassis: str = "chassis"
    steered_by: str | None = None
    full_lock: float = 1.0
    steering_unit: str = "rad"
    bars: tuple[str, ...] = ()
    wheelbase: float = float("nan")
    centre_of_mass: tuple[float, float] = (float("nan"), float("nan"))
    brake_share: float = 1.0
    drive_share: float = 1.0
    drive_torque_on_carrier: bool = False
    brake_torque_on_carrier: bool = True
    in_front: bool | None = None
    sides: tuple[str, str] = field(default=("left", "right"), repr=False)

    def __post_init__(self) -> None:
        owner = f"axle {checks.text('axle: name', self.name, DataError)!r}"
        for side in ("left", "right"):
            checks.instance(f"{owner}: {side}", getattr(self, side), Wheel, "a kc.Wheel", DataError)
        checks.text(f"{owner}: chassis", self.chassis, DataError)
        if self.steered_by is not None:
            checks.text(f"{owner}: steered_by", self.steered_by, DataError)
        finite_number(self.full_lock, owner, "full_lock")
        for name in ("brake_share", "drive_share"):
            finite_number(getattr(self, name), owner, name, at_least=0.0, at_most=1.0, unit="1")
        checks.unit(f"{owner}: steering_unit", self.steering_unit, DataError)
        checks.texts(f"{owner}: bars", self.bars, DataError)
        for name in ("drive_torque_on_carrier", "brake_torque_on_carrier"):
            checks.flag(f"{owner}: {name}", getattr(self, name), DataError)
        if self.in_front is not None:
            checks.flag(f"{owner}: in_front", self.in_front, DataError)
        if not math.isnan(checks.as_float(f"{owner}: wheelbase", nominal(self.wheelbase), DataError)):
            finite_number(self.wheelbase, owner, "wheelbase", above=0.0, unit="m", error=DataError)
        for k, x in enumerate(checks.items(f"{owner}: centre_of_mass", self.centre_of_mass, 2, DataError)):
            if not math.isnan(checks.as_float(f"{owner}: centre_of_mass: entry {k}", nominal(x), DataError)):
                finite_number(x, owner, f"centre_of_mass: entry {k}", unit="m", error=DataError)

    @property
    def wheels(self) -> tuple[Wheel, Wheel]:
        """Left, right."""
        return self.left, self.right


def spin_hinge(system: System, wheel: Wheel) -> Revolute:
    """Return the hinge on which a wheel turns."""
    body = system.find(wheel.body)
    if body.is_ground or not isinstance(body.inboard, Revolute):
        kind = "the ground" if body.is_ground else type(body.inboard).__name__
        raise DataError(
            f"wheel {wheel.body!r} is on {kind}; a wheel turns on its carrier by a Revolute hinge at its "
            "centre"
        )
    return body.inboard


def spin_axis(hinge: Revolute) -> Array:
    """Return the spin axis in the design pose, to the left on both sides."""
    axis = hinge.axis
    return axis if nominal(axis)[1] >= 0.0 else -axis


def supports(system: System, axle: Axle, moving: Iterable[Body]) -> dict[str, ForceElement]:
    """Return force elements that store energy as the wheels travel: between moving bodies and chassis.

    Tyres, brakes and drives act on the wheels themselves or on the ground, and are left out.
    """
    own = {body.name for body in moving}
    outside = {wheel.body for wheel in axle.wheels} | ({"ground"} - {axle.chassis})
    found = {}
    for element in system.forces:
        bodies = {body.name for body, _ in element.attachments}
        if bodies & own and not bodies & outside:
            found[element.name] = element
    return found
