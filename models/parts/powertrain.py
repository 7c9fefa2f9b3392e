"""Engine, gearbox and driveline reduced to a traction envelope over the mean wheel speed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.algebra.tables import Table
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, Response
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.differentials import DrivenWheel, DrivenWheels, Propeller
from ce_dynamics.models.parts.engine import dragging, way_of_turning
from ce_dynamics.models.parts.ramps import unit_clip
from ce_dynamics.models.parts.roads.grid import Axis, cubic_weights

CELLS = 800
"""Of the wheel speed, from stand-still to the end of the table."""
BEYOND_TOP = 1.1
"""Where the table ends, in highest speeds of the top gear."""


@dataclass(frozen=True)
class PowertrainParameters:
    """Engine maps, gear ratios and axle ratio.

    Attributes
    ----------
    full_speed, full_torque : tuple of float
        Engine speeds, increasing [rad/s], and torques at full throttle [N m].
    zero_speed, zero_torque : tuple of float
        The same with the throttle closed.
    max_speed : float
        Highest engine speed at which a gear is used [rad/s]; the top gear may be driven beyond it.
    idle_speed : float
        Speed below which the engine does not fall at full throttle: the torque converter slips [rad/s].
    gear_ratios : tuple of float
        Output speed over input speed of each forward gear.
    axle_ratio : float
        Wheel speed over gearbox output speed.
    """

    full_speed: tuple[float, ...]
    full_torque: tuple[float, ...]
    zero_speed: tuple[float, ...]
    zero_torque: tuple[float, ...]
    max_speed: float
    idle_speed: float
    gear_ratios: tuple[float, ...]
    axle_ratio: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Sequence):
                for k, number in enumerate(value):
                    check_number("powertrain", f"{field.name}[{k}]", number)
            else:
                check_number("powertrain", field.name, value, above=0.0)
        for kind in ("full", "zero"):
            self._check_map(kind)
        if not self.gear_ratios:
            raise DataError("powertrain: gear_ratios is empty; give at least one forward gear")
        for k, ratio in enumerate(self.gear_ratios):
            check_number("powertrain", f"gear_ratios[{k}]", ratio, above=0.0)
        if self.idle_speed >= self.max_speed:
            raise DataError(
                f"powertrain: idle_speed = {self.idle_speed:g} rad/s must be below "
                f"max_speed = {self.max_speed:g} rad/s"
            )

    def _check_map(self, kind: str) -> None:
        speed, torque = getattr(self, f"{kind}_speed"), getattr(self, f"{kind}_torque")
        if len(speed) != len(torque) or len(speed) < 2:
            raise DataError(
                f"powertrain: {kind}_speed has {len(speed)} and {kind}_torque {len(torque)} values; "
                "give as many of each, at least two"
            )
        if any(b <= a for a, b in pairwise(speed)):
            raise DataError(f"powertrain: {kind}_speed must increase from value to value")

    @property
    def overall_ratios(self) -> tuple[float, ...]:
        """Wheel speed over engine speed in each gear, from the lowest gear."""
        return tuple(sorted(ratio * self.axle_ratio for ratio in self.gear_ratios))


def gear_torques(
    p: PowertrainParameters, wheel_speed: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Torque of all wheels in each gear at full and closed throttle; −∞ where over-revved.

    Engine maps are linear between their points and constant beyond them; an engine that stands does not drag.
    """
    ratios = np.array(p.overall_ratios)
    engine = wheel_speed / ratios
    driven = np.interp(np.maximum(engine, p.idle_speed), p.full_speed, p.full_torque) / ratios
    braked = np.interp(engine, p.zero_speed, p.zero_torque)
    standing = [dragging(float(T), way_of_turning(float(w))) for T, w in zip(braked, engine, strict=True)]
    usable = engine <= p.max_speed
    usable[-1] = True
    return np.where(usable, driven, -np.inf), np.array(standing) / ratios


def envelope(
    p: PowertrainParameters, wheel_speed: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Torque of all wheels [N m] at full and closed throttle in the gear that pulls most.

    Parameters
    ----------
    p : PowertrainParameters
        Engine and gears.
    wheel_speed : array_like
        Mean wheel speed [rad/s].
    """
    full, zero = [], []
    for omega in np.atleast_1d(np.asarray(wheel_speed, dtype=float)):
        driven, braked = gear_torques(p, float(omega))
        gear = int(np.argmax(driven))
        full.append(driven[gear])
        zero.append(braked[gear])
    return np.array(full), np.array(zero)


class Traction:
    """Torque of all wheels over the mean wheel speed, tabulated once.

    The gear is the one that pulls most at full throttle (an ideal gearbox that shifts without loss of
    torque); engine braking is that of the same gear.  The throttle blends both linearly.

    Values of the envelope are coefficients of uniform cubic B-splines: the straight lines between them,
    rounded by convolution.  Curvature is continuous, nothing overshoots, and what jumps at a shift goes over
    within two cells on both sides.

    Parameters
    ----------
    p : PowertrainParameters
    """

    def __init__(self, p: PowertrainParameters) -> None:
        top = BEYOND_TOP * p.max_speed * p.overall_ratios[-1]
        step = top / CELLS
        self.axis = Axis(-2.0 * step, step, CELLS + 5)  # two cells more on both sides, in which it levels out
        coefficients = np.linspace(-3.0 * step, top + 3.0 * step, CELLS + 7)
        full, zero = envelope(p, np.clip(coefficients, 0.0, top))
        self.full, self.zero = Table(full, reach=3), Table(zero, reach=3)

    def torque(self, wheel_speed: Scalar, throttle: Scalar) -> Scalar:
        """Torque of all wheels together [N m]; the throttle counts within [0, 1]."""
        place = self.axis.place(wheel_speed)
        shares = list(enumerate(cubic_weights(place.s)))
        full, zero = (sum(w * table.at(place.cell, k) for k, w in shares) for table in (self.full, self.zero))
        return zero + unit_clip(throttle) * (full - zero)


class Driveline(ForceElement):
    """Wheels driven through open differentials, which split the torque in fixed parts.

    See `DrivenWheels` for the split.  The inertia of engine and shafts is not modelled here.

    Parameters
    ----------
    name : str
        Unique in the system.
    chassis : Body
        The body that carries engine and differentials.
    wheels : sequence of DrivenWheel
    parameters : PowertrainParameters
        Engine and gears.
    throttle : str
        Name of the input, 0 … 1.
    shares : sequence of float, optional
        Part of the torque that each wheel gets; their sum is 1, equal parts if not given.
    axis : (3,) array_like
        About which the propeller shaft turns forwards, in the design pose.

    Raises
    ------
    DataError
        If there are no wheels, or the shares are not one per wheel with sum 1.
    """

    outputs: Mapping[str, str] = {"torque": "N*m", "speed": "rad/s", "power": "W"}

    def __init__(
        self,
        name: str,
        chassis: Body,
        wheels: Sequence[DrivenWheel],
        parameters: PowertrainParameters,
        throttle: str = "throttle",
        shares: Sequence[float] | None = None,
        axis: object = (-1.0, 0.0, 0.0),
    ) -> None:
        self.name = name
        propeller = Propeller(parameters.axle_ratio, axis)
        self.driven = DrivenWheels(f"driveline {name}", chassis, wheels, shares, propeller)
        self.traction = Traction(parameters)
        self.throttle = throttle
        self.inputs = (throttle,)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return self.driven.attachments

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        axes, mean = self.driven.observed(observer)
        total = self.traction.torque(mean, u[self.throttle])
        outputs = {"torque": total, "speed": mean, "power": total * mean}
        return Response(loads=self.driven.loads(observer, axes, total), outputs=outputs)


def rpm(*speeds: float) -> tuple[float, ...]:
    """Revolutions per minute as radians per second."""
    return tuple(speed * math.pi / 30.0 for speed in speeds)
