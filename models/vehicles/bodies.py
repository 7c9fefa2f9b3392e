"""Rigid bodies and wheels of a vehicle: as written in left-side coordinates, as built in vehicle coordinates.

The mirror image in y of a point is S r and of an inertia S I S, with S = diag(1, −1, 1): sign changes only,
so left and right corners agree to the last bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from math import radians
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.compiler.free_numbers import decide, is_free, nominal
from ce_dynamics.errors import DataError, PhysicalityWarning
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.inertia import negative
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import (
    XYZ,
    InertiaTensor,
    Length,
    Mass,
    MomentOfInertia,
    ParameterQuantity,
    Point,
    PositiveMass,
    inertia_matrix,
)
from ce_dynamics.models.data.schema import Section, fields_of

if TYPE_CHECKING:
    from typing_extensions import Self

Vector: TypeAlias = NDArray[np.float64]
"""(3,) unless stated otherwise."""

SMALLEST_LENGTH = 1e-3
"""Points of a linkage that are closer than this (m) count as coincident."""

_S = np.array([1.0, -1.0, 1.0])


class BodyData(Section):
    """A rigid body; its inertia is about its centre of mass, in vehicle axes at the design position."""

    mass: Mass
    com: Point
    inertia: InertiaTensor


class ChassisData(Section):
    """The sprung body without suspension, wheels and steering link, in the vehicle's own coordinates."""

    mass: PositiveMass
    com: Point
    inertia: InertiaTensor


class RodData(Section):
    """A uniform solid cylinder between two joints of the linkage: centre and inertia follow from these."""

    mass: Mass
    radius: Length


AnySection = TypeVar("AnySection", bound=Section)


def points_of(section: Section) -> list[str]:
    """Return the names of the points that a section gives itself."""
    kinds = fields_of(type(section)).items()
    points = [name for name, kind in kinds if isinstance(kind, ParameterQuantity) and kind.components == XYZ]
    return [name for name in points if getattr(section, name) is not None]


def shift_points(section: AnySection, by: Vector) -> AnySection:
    """Return the section with its ``origin`` moved by a vector [m], or all its points where it has none."""
    points = points_of(section)
    moved = ["origin"] if "origin" in points else points
    return section.model_copy(update={name: tuple(by + np.array(getattr(section, name))) for name in moved})


class Mirrored:
    """A frozen dataclass in vehicle coordinates: what it has of points and bodies has a mirror image in y."""

    def mirror(self) -> Self:
        thing: Any = self
        return replace(thing, **{f.name: image(getattr(self, f.name)) for f in fields(thing)})  # type: ignore[no-any-return]  # replace keeps the type


def image(thing: Any) -> Any:
    """Return the mirror image in y of a point, the points of a section, a `Mirrored`, or a set of these."""
    if isinstance(thing, np.ndarray):
        return _S * thing
    if isinstance(thing, Mapping):
        return {name: image(part) for name, part in thing.items()}
    if isinstance(thing, Section):
        mirrored = {name: tuple(_S * np.array(getattr(thing, name))) for name in points_of(thing)}
        return thing.model_copy(update=mirrored)
    if isinstance(thing, Mirrored):
        return thing.mirror()
    if is_dataclass(thing) and not isinstance(thing, type):
        points = {f.name: getattr(thing, f.name) for f in fields(thing)}
        if all(point is None or isinstance(point, np.ndarray) for point in points.values()):
            return type(thing)(**{name: image(point) for name, point in points.items()})
    return thing


@dataclass(frozen=True, eq=False)
class BodyParameters(Mirrored):
    """Mass (kg), centre of mass (vehicle coordinates), 3×3 inertia about it (vehicle axes)."""

    mass: float
    com: Vector
    inertia: Vector

    def mirror(self) -> Self:
        return replace(self, com=_S * self.com, inertia=_S[:, None] * self.inertia * _S)


def body(data: BodyData | ChassisData, origin: Vector) -> BodyParameters:
    """Return a body whose data are relative to `origin`."""
    return BodyParameters(data.mass, origin + np.array(data.com), inertia_matrix(data.inertia))


def massless(at: Vector) -> BodyParameters:
    """Return a body without mass."""
    return BodyParameters(0.0, at, np.zeros((3, 3)))


def rod(data: RodData, start: Vector, end: Vector) -> BodyParameters:
    """Return a uniform solid cylinder from `start` to `end`."""
    length = magnitude(end - start)
    with np.errstate(invalid="ignore"):  # of ends that coincide, which are refused where they are joined
        u = (end - start) / length
    axial = 0.5 * data.mass * data.radius**2
    across = data.mass * (length**2 / 12.0 + data.radius**2 / 4.0)
    inertia = across * np.eye(3) + (axial - across) * np.outer(u, u)
    return BodyParameters(data.mass, 0.5 * (start + end), inertia)


def remainder(owner: str, whole: str, part: str, a: BodyParameters, b: BodyParameters) -> BodyParameters:
    """Return `a` without `b`: masses, first and second moments about any point add up to those of `a`."""
    mass = a.mass - b.mass
    if b.mass == 0.0:
        return a
    if not decide(mass > 0.0, f"{owner}.{part}.mass leaves nothing of {whole}.mass for the spindle"):
        raise DataError(
            f"{owner}.{part}.mass: {b.mass:g} kg leaves nothing of {whole}.mass {a.mass:g} kg "
            f"for the spindle; it must be less"
        )
    com = a.com + (b.mass / mass) * (a.com - b.com)
    inertia = a.inertia - (b.inertia + b.mass * steiner(b.com - a.com)) - mass * steiner(com - a.com)
    more = f"{owner}.{part}: it has more inertia than the whole {whole}"
    if is_free(inertia):
        negative(inertia, more)
    if np.linalg.eigvalsh(nominal(inertia))[0] < 0.0:
        raise DataError(
            f"{owner}.{part}: with {b.mass:g} kg it has more inertia than the whole {whole}; "
            f"reduce {part}.mass or increase {whole}.inertia"
        )
    return BodyParameters(mass, com, inertia)


def steiner(r: Vector) -> Vector:
    """Return r² 1 − r rᵀ, which times a mass is the inertia of a point at r."""
    return np.asarray((r @ r) * np.eye(3) - np.outer(r, r))


def add_rigid_body(
    system: System,
    name: str,
    parameters: BodyParameters,
    parent: Body | str,
    hinge: Hinge,
    armature: Sequence[Any] | None = None,
) -> Body:
    """Add a body with its published inertia; the data file has warned where that is not physical."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicalityWarning)
        return system.add_body(
            name,
            mass=parameters.mass,
            com=parameters.com,
            inertia=parameters.inertia,
            parent=parent,
            hinge=hinge,
            armature=armature,
        )


Lean = Annotated[float, ParameterQuantity("rad", above=-radians(30.0), below=radians(30.0))]
"""Beyond that, another angle was meant, or another unit."""
Spacing = Annotated[float, ParameterQuantity("m", above=0.0, below=2.0)]
"""Between the middles of two tyres on a hub; beyond that, another unit was meant."""


class WheelPartData(Section):
    """A body of revolution on the wheel's axis; its inertia is about its centre of mass."""

    mass: Mass
    inertia: InertiaTensor


class WheelData(Section):
    """The wheel assembly, all parts centred at W; the hub is what Project Chrono calls the spindle.

    With a ``twin_spacing`` there are two rims with a tyre each, W in the middle between them; rim and tyre
    are then those of one.  ``camber`` (top outwards) and ``toe`` (front inwards) lean the spin axis in the
    design position; without them it is along y.
    """

    hub: WheelPartData
    rim: WheelPartData
    tyre: WheelPartData
    axle_inertia: MomentOfInertia
    twin_spacing: Spacing | None = None
    camber: Lean | None = None
    toe: Lean | None = None

    @model_validator(mode="after")
    def _has_mass(self) -> WheelData:
        if not self.hub.mass + self.rim.mass + self.tyre.mass > 0.0:
            raise ValueError("hub.mass + rim.mass + tyre.mass must be above 0 kg")
        return self


@dataclass(frozen=True, eq=False)
class WheelParameters(BodyParameters):
    """The wheel assembly: its COM is W, its inertia excludes the axle shaft.

    ``axis`` is the spin axis in the design position, to the left on both sides; ``axle_inertia`` that of the
    axle shaft about it [kg m²]; ``tyre_mass`` the share of the tyre, or of both [kg]; ``twin_spacing`` the
    distance of the two tyres' middle planes, if there are two [m].
    """

    axis: Vector
    axle_inertia: float
    tyre_mass: float
    twin_spacing: float | None = None

    @classmethod
    def of(cls, data: WheelData, W: Vector) -> WheelParameters:
        """Build the wheel from its data and its centre in vehicle coordinates."""
        count = 1 if data.twin_spacing is None else 2
        parts = (data.hub, *count * (data.rim, data.tyre))
        inertia = np.asarray(sum(inertia_matrix(part.inertia) for part in parts))
        if data.twin_spacing is not None:  # m (s/2)² of each about the axes across the spin axis
            beside = 2.0 * (data.rim.mass + data.tyre.mass) * (0.5 * data.twin_spacing) ** 2
            inertia = inertia + beside * np.diag([1.0, 0.0, 1.0])
        R = wheel_axes(data.camber or 0.0, data.toe or 0.0)
        return cls(
            mass=sum(part.mass for part in parts),
            com=W,
            inertia=R @ inertia @ R.T,
            axis=R[:, 1],
            axle_inertia=data.axle_inertia,
            tyre_mass=count * data.tyre.mass,
            twin_spacing=data.twin_spacing,
        )

    def mirror(self) -> Self:
        """Return the mirror image in y; its axis is to the left too, so it turns as the original does."""
        return replace(super().mirror(), axis=self.axis * (-1.0, 1.0, -1.0) + 0.0)


def wheel_axes(camber: float, toe: float) -> Vector:
    """Return axes of a left wheel as columns, R_z(−toe) R_x(−camber): top outwards, front inwards."""
    X, _, Z = np.eye(3)
    inwards = rotation_about(Z, np.cos(toe), -np.sin(toe))
    return np.asarray(inwards @ rotation_about(X, np.cos(camber), -np.sin(camber))) + 0.0  # no −0
