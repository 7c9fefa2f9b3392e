"""A corner of the vehicle ready for modelling: arrays in vehicle coordinates, right corners mirrored.

The mirror image in y of a point is S r and of an inertia S I S, with S = diag(1, −1, 1): sign changes only,
so left and right corners agree to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Scalar, cross, norm
from ce_dynamics.compiler.free_numbers import decided, is_free, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.free_inertia import negative
from ce_dynamics.models.data.quantities import inertia_matrix
from ce_dynamics.models.vehicles.hmmwv.sections import (
    ArmData,
    BodyData,
    BrakeData,
    ChassisData,
    CornerData,
    GroundSpringData,
    RodData,
    ShockHalfData,
    SpringData,
    TyreData,
    WheelData,
)

Vector: TypeAlias = NDArray[np.float64]
"""(3,) unless said otherwise."""

SMALLEST_LENGTH = 1e-3
"""Points of a linkage that are closer than this (m) count as coincident."""

_S = np.array([1.0, -1.0, 1.0])


@dataclass(frozen=True, eq=False)
class BodyParameters:
    """Mass (kg), centre of mass (vehicle coordinates), 3×3 inertia about it (vehicle axes)."""

    mass: float
    com: Vector
    inertia: Vector

    def mirrored(self) -> BodyParameters:
        """The mirror image in y."""
        return BodyParameters(self.mass, _S * self.com, _S[:, None] * self.inertia * _S)


@dataclass(frozen=True, eq=False)
class ArmParameters(BodyParameters):
    """A control arm and its two chassis pivots."""

    front_pivot: Vector
    rear_pivot: Vector

    @property
    def axis(self) -> Vector:
        """Unit vector of the arm's axis, from the rear to the front pivot (towards +x, on both sides)."""
        along = self.front_pivot - self.rear_pivot
        return np.asarray(along / magnitude(along))

    def mirrored(self) -> ArmParameters:
        """The mirror image in y."""
        body = super().mirrored()
        return ArmParameters(body.mass, body.com, body.inertia, _S * self.front_pivot, _S * self.rear_pivot)


@dataclass(frozen=True, eq=False)
class SpringParameters:
    """Coil spring between two points, see `SpringData` for its law."""

    chassis: Vector
    arm: Vector
    free_length: float
    linear: float
    cubic: float
    min_length: float
    max_length: float
    stop_stiffness: float
    stop_progression: float

    @property
    def design_length(self) -> Scalar:
        """Distance of the two points in the design position (m)."""
        return magnitude(self.chassis - self.arm)


@dataclass(frozen=True, eq=False)
class DamperParameters:
    """Damper between J (`chassis`) and B (`arm`) with its coefficient (N s/m)."""

    chassis: Vector
    arm: Vector
    coefficient: float

    @property
    def design_length(self) -> Scalar:
        """Distance of the two points in the design position (m)."""
        return magnitude(self.chassis - self.arm)


@dataclass(frozen=True, eq=False)
class WheelParameters(BodyParameters):
    """The wheel assembly: its COM is W, its inertia excludes the axle shaft.

    Parameters
    ----------
    axis : (3,)
        Spin axis in the design position, +y on both sides.
    axle_inertia : float
        Inertia of the axle shaft about the spin axis (kg m²).
    tyre_mass : float
        Share of the tyre in `mass`.
    """

    axis: Vector
    axle_inertia: float
    tyre_mass: float


@dataclass(frozen=True, eq=False)
class TyreParameters:
    """TMeasy tyre in SI; arrays (2,) are the values at the loads pn | 2 pn, slopes and forces in N."""

    radius: float
    width: float
    rim_radius: float
    pn: float
    pn_max: float
    mu0: float
    rolling_resistance: float
    slip_speed: float
    cz: float
    dz: float
    cx: float
    dx: float
    cy: float
    dy: float
    dfx0: Vector
    fxm: Vector
    sxm: Vector
    fxs: Vector
    sxs: Vector
    dfy0: Vector
    fym: Vector
    sym: Vector
    fys: Vector
    sys: Vector
    nL0: Vector
    sq0: Vector
    sqe: Vector


@dataclass(frozen=True, eq=False)
class CornerParameters:
    """One corner in vehicle coordinates, design position.

    D, F: lower and upper ball joint; K, L: outer and inner tie-rod joint; W: wheel centre.  The paper's seven
    bodies are `lower_arm` (AD), `upright_link` (DF), `upper_arm` (FG), `shock_lower` (BI),
    `shock_upper` (HJ), `spindle` (EK) and `tie_rod` (KL); `upright` is the published whole, not a
    body of the model.
    """

    name: str
    side: int  # +1 left, -1 right
    steered: bool  # L is carried by the steering link
    origin: Vector
    D: Vector
    F: Vector
    K: Vector
    L: Vector
    W: Vector
    lower_arm: ArmParameters
    upper_arm: ArmParameters
    upright: BodyParameters  # the whole: upright_link and spindle together
    upright_link: BodyParameters
    spindle: BodyParameters
    tie_rod: BodyParameters
    shock_lower: BodyParameters
    shock_upper: BodyParameters
    spring: SpringParameters
    damper: DamperParameters
    wheel: WheelParameters
    tyre: TyreParameters
    brake: BrakeData
    ground_spring: GroundSpringData | None

    def mirrored(self, name: str) -> CornerParameters:
        """The mirror image in y, under another name; spin axis and arm angles keep their sense."""
        return replace(
            self,
            name=name,
            side=-self.side,
            **{key: _S * getattr(self, key) for key in ("origin", "D", "F", "K", "L", "W")},
            **{key: getattr(self, key).mirrored() for key in _BODIES},
            spring=replace(self.spring, chassis=_S * self.spring.chassis, arm=_S * self.spring.arm),
            damper=replace(self.damper, chassis=_S * self.damper.chassis, arm=_S * self.damper.arm),
            wheel=replace(self.wheel, com=_S * self.wheel.com, inertia=_S[:, None] * self.wheel.inertia * _S),
        )


_BODIES = (
    "lower_arm",
    "upper_arm",
    "upright",
    "upright_link",
    "spindle",
    "tie_rod",
    "shock_lower",
    "shock_upper",
)


def corner(name: str, data: CornerData) -> CornerParameters:
    """The corner called `name` (``front_left`` … ``rear_right``) from its left-side data.

    Raises
    ------
    DataError
        If points coincide or lie so that the linkage is none; the message names corner and points.
    """
    check_geometry(name, data)
    left = _left(name, data)
    return left.mirrored(name) if name.endswith("_right") else left


def _left(name: str, data: CornerData) -> CornerParameters:
    o = np.array(data.origin)
    D, F, K, L, W = (o + np.array(point) for point in (data.D, data.F, data.K, data.L, data.W))
    J, B = o + np.array(data.damper.chassis), o + np.array(data.damper.arm)
    upright, upright_link = body(data.upright, o), rod(data.upright_link, D, F)
    return CornerParameters(
        name=name,
        side=1,
        steered=name.startswith("front"),
        origin=o,
        D=D,
        F=F,
        K=K,
        L=L,
        W=W,
        lower_arm=_arm(data.lower_arm, o),
        upper_arm=_arm(data.upper_arm, o),
        upright=upright,
        upright_link=upright_link,
        spindle=_remainder(name, upright, upright_link),
        tie_rod=rod(data.tie_rod, L, K),
        shock_lower=_shock_half(data.shock_lower, B, J),
        shock_upper=_shock_half(data.shock_upper, J, B),
        spring=_spring(data.spring, o),
        damper=DamperParameters(J, B, data.damper.coefficient),
        wheel=_wheel(data.wheel, W),
        tyre=tyre(data.tyre),
        brake=data.brake,
        ground_spring=data.ground_spring,
    )


def body(data: BodyData | ChassisData, origin: Vector) -> BodyParameters:
    """A body whose data are relative to `origin`."""
    return BodyParameters(data.mass, origin + np.array(data.com), inertia_matrix(data.inertia))


def _arm(data: ArmData, o: Vector) -> ArmParameters:
    b = body(data, o)
    return ArmParameters(
        b.mass, b.com, b.inertia, o + np.array(data.front_pivot), o + np.array(data.rear_pivot)
    )


def rod(data: RodData, start: Vector, end: Vector) -> BodyParameters:
    """A uniform solid cylinder from `start` to `end`."""
    length = magnitude(end - start)
    u = (end - start) / length
    axial = 0.5 * data.mass * data.radius**2
    across = data.mass * (length**2 / 12.0 + data.radius**2 / 4.0)
    inertia = across * np.eye(3) + (axial - across) * np.outer(u, u)
    return BodyParameters(data.mass, 0.5 * (start + end), inertia)


def _shock_half(data: ShockHalfData, joint: Vector, other: Vector) -> BodyParameters:
    u = (other - joint) / magnitude(other - joint)
    return rod(data, joint, joint + data.length * u)


def _remainder(name: str, whole: BodyParameters, part: BodyParameters) -> BodyParameters:
    """`whole` without `part`: masses, first and second moments about any point add up to those of `whole`."""
    mass = whole.mass - part.mass
    if part.mass == 0.0:
        return whole
    if not decided(mass > 0.0, f"{name}.upright_link.mass leaves nothing of upright.mass for the spindle"):
        raise DataError(
            f"{name}.upright_link.mass: {part.mass:g} kg leaves nothing of upright.mass {whole.mass:g} kg "
            f"for the spindle; it must be less"
        )
    com = whole.com + (part.mass / mass) * (whole.com - part.com)
    inertia = whole.inertia - _moved(part, whole.com) - mass * _steiner(com - whole.com)
    more = f"{name}.upright_link: it has more inertia than the whole upright"
    if is_free(inertia):
        negative(inertia, more)
    if np.linalg.eigvalsh(nominal(inertia))[0] < 0.0:
        raise DataError(
            f"{name}.upright_link: with {part.mass:g} kg it has more inertia than the whole upright; "
            f"reduce upright_link.mass or increase upright.inertia"
        )
    return BodyParameters(mass, com, inertia)


def _moved(b: BodyParameters, to: Vector) -> Vector:
    """Inertia of a body about the point `to`."""
    return np.asarray(b.inertia + b.mass * _steiner(b.com - to))


def _steiner(r: Vector) -> Vector:
    return np.asarray((r @ r) * np.eye(3) - np.outer(r, r))


def _spring(data: SpringData, o: Vector) -> SpringParameters:
    ends = {"chassis": o + np.array(data.chassis), "arm": o + np.array(data.arm)}
    return SpringParameters(**{**data.model_dump(), **ends})


def _wheel(data: WheelData, W: Vector) -> WheelParameters:
    parts = (data.hub, data.rim, data.tyre)
    return WheelParameters(
        mass=sum(part.mass for part in parts),
        com=W,
        inertia=np.asarray(sum(inertia_matrix(part.inertia) for part in parts)),
        axis=np.array([0.0, 1.0, 0.0]),
        axle_inertia=data.axle_inertia,
        tyre_mass=data.tyre.mass,
    )


def tyre(data: TyreData) -> TyreParameters:
    """TMeasy parameters with slopes and forces in N."""
    values: dict[str, Any] = {
        key: np.array(v) if isinstance(v, tuple) else v for key, v in data.model_dump().items()
    }
    loads = data.pn * np.array([1.0, 2.0])
    for key in ("dfx0", "fxm", "fxs", "dfy0", "fym", "fys"):
        values[key] = values[key] * loads
    return TyreParameters(**values)


def check_geometry(name: str, data: CornerData) -> None:
    """Refuse a corner that is no double wishbone (left-side coordinates)."""
    lower, upper = data.lower_arm, data.upper_arm
    for first, a, second, b in (
        ("lower_arm.front_pivot", lower.front_pivot, "lower_arm.rear_pivot", lower.rear_pivot),
        ("upper_arm.front_pivot", upper.front_pivot, "upper_arm.rear_pivot", upper.rear_pivot),
        ("D", data.D, "F", data.F),
        ("K", data.K, "L", data.L),
        ("spring.chassis", data.spring.chassis, "spring.arm", data.spring.arm),
        ("damper.chassis", data.damper.chassis, "damper.arm", data.damper.arm),
    ):
        coincide = f"{name}: {first} and {second} coincide; they must be 1 mm apart or more"
        if decided(norm(np.subtract(a, b)) < SMALLEST_LENGTH, coincide):
            raise DataError(
                f"{name}: {first} and {second} coincide at {_at(a)}; they must be 1 mm apart or more"
            )
    for point, at, line, a, b in (
        ("D", data.D, "the lower arm's axis", lower.front_pivot, lower.rear_pivot),
        ("F", data.F, "the upper arm's axis", upper.front_pivot, upper.rear_pivot),
        ("K", data.K, "the steering axis DF", data.D, data.F),
    ):
        off = f"{name}.{point} lies on {line}; it must be 1 mm off or more"
        if decided(_distance_to_line(at, a, b) < SMALLEST_LENGTH, off):
            raise DataError(f"{name}.{point}: {_at(at)} lies on {line}; it must be 1 mm off or more")
    for arm, pivots in (("lower_arm", lower), ("upper_arm", upper)):
        ahead = f"{name}.{arm}: front_pivot must lie ahead of rear_pivot"
        if not decided(pivots.front_pivot[0] > pivots.rear_pivot[0], ahead):
            raise DataError(
                f"{name}.{arm}: front_pivot at x = {pivots.front_pivot[0]:g} m must lie ahead of "
                f"rear_pivot at x = {pivots.rear_pivot[0]:g} m"
            )
    _check_side(name, data)
    _check_shock(name, data)


def _check_side(name: str, data: CornerData) -> None:
    left = f"{name}.W.y: the wheel centre is not on the left"
    if not decided(data.origin[1] + data.W[1] > 0.0, left):
        raise DataError(
            f"{name}.W.y: {data.W[1]:g} m is not on the left; corner values are always given as for the "
            f"left side (y > 0), right corners are mirrored"
        )


def _check_shock(name: str, data: CornerData) -> None:
    length = magnitude(np.subtract(data.damper.chassis, data.damper.arm))
    halves = (("shock_lower", data.shock_lower.length), ("shock_upper", data.shock_upper.length))
    for half, own in halves:
        if decided(own > length, f"{name}.{half}.length: longer than the whole shock in the design position"):
            raise DataError(
                f"{name}.{half}.length: {own:g} m is longer than the whole shock "
                f"in the design position, {length:.4g} m"
            )
    apart = f"{name}: shock_lower.length and shock_upper.length do not overlap"
    if decided(halves[0][1] + halves[1][1] < length, apart):
        raise DataError(
            f"{name}: shock_lower.length {halves[0][1]:g} m and shock_upper.length {halves[1][1]:g} m do not "
            f"overlap: the shock is {length:.4g} m long in the design position"
        )


def _distance_to_line(point: tuple[float, ...], a: tuple[float, ...], b: tuple[float, ...]) -> Scalar:
    along = np.subtract(b, a)
    return magnitude(cross(np.subtract(point, a), along)) / magnitude(along)


def _at(point: tuple[float, ...]) -> str:
    return f"({', '.join(f'{x:g}' for x in point)}) m"
