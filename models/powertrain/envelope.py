"""An ideal gearbox: engine, gears and driveline reduced to a traction envelope over the mean wheel speed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.algebra.tables import Table
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, Response
from ce_dynamics.models.data.quantities import Numbers
from ce_dynamics.models.parts.roads.grid import Axis, cubic_weights
from ce_dynamics.models.parts.rounding import unit_clip
from ce_dynamics.models.powertrain.base import THROTTLE, PowertrainData
from ce_dynamics.models.powertrain.differentials import Drivetrain
from ce_dynamics.models.powertrain.engine import IdlingEngineData, TorqueCurve, oppose_turning, turning_sign
from ce_dynamics.models.powertrain.gear_choice import GearboxData

CELLS = 800
"""Cells of the wheel speed, from stand-still to the end of the table."""
BEYOND_TOP = 1.1
"""End of the table, in highest speeds of the top gear."""


class EnvelopeData(PowertrainData):
    """An ideal gearbox: always the gear that pulls most, no inertia.

    Beyond the engine's highest speed no gear is used but the top one; at full throttle the engine does not
    fall below its idle speed, since the torque converter slips.
    """

    engine: IdlingEngineData
    transmission: GearboxData

    reacts: ClassVar[bool] = False

    @property
    def overall_ratios(self) -> tuple[float, ...]:
        """Wheel speed over engine speed in each gear, from the lowest gear."""
        return tuple(sorted(ratio * self.axle_ratio for ratio in self.transmission.gears))

    def element(self, train: Drivetrain) -> ForceElement:
        return Driveline("driveline", self, train)


def points(curve: TorqueCurve) -> tuple[Numbers, Numbers]:
    """Return the abscissae and the values of a curve."""
    return curve.speed, curve.torque


def gear_torques(p: EnvelopeData, wheel_speed: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the torque of all wheels in each gear at full and closed throttle; −∞ where over-revved.

    Engine maps are linear between their points and constant beyond them; an engine that stands does not drag.
    """
    ratios = np.array(p.overall_ratios)
    engine = wheel_speed / ratios
    driven = np.interp(np.maximum(engine, p.engine.idle_speed), *points(p.engine.full_throttle)) / ratios
    braked = np.interp(engine, *points(p.engine.closed_throttle))
    standing = [oppose_turning(float(T), turning_sign(float(w))) for T, w in zip(braked, engine, strict=True)]
    usable = engine <= p.engine.max_speed
    usable[-1] = True
    return np.where(usable, driven, -np.inf), np.array(standing) / ratios


def envelope(p: EnvelopeData, wheel_speed: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the torque of all wheels [N m] at full and closed throttle in the gear that pulls most.

    The wheels turn at mean speeds [rad/s].
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
    """

    def __init__(self, p: EnvelopeData) -> None:
        top = BEYOND_TOP * p.engine.max_speed * p.overall_ratios[-1]
        step = top / CELLS
        self.axis = Axis(-2.0 * step, step, CELLS + 5)  # two cells more on both sides, in which it levels out
        coefficients = np.linspace(-3.0 * step, top + 3.0 * step, CELLS + 7)
        full, zero = envelope(p, np.clip(coefficients, 0.0, top))
        self.full, self.zero = Table(full, reach=3), Table(zero, reach=3)

    def torque(self, wheel_speed: Scalar, throttle: Scalar) -> Scalar:
        """Return the torque of all wheels together [N m]; the throttle counts within [0, 1]."""
        place = self.axis.place(wheel_speed)
        shares = list(enumerate(cubic_weights(place.s)))
        full, zero = (sum(w * table.at(place.cell, k) for k, w in shares) for table in (self.full, self.zero))
        return zero + unit_clip(throttle) * (full - zero)


class Driveline(ForceElement):
    """Wheels driven through open differentials, which split the torque in fixed parts (`DrivenWheels`).

    The inertia of engine and shafts is not modelled here.
    """

    outputs: Mapping[str, str] = {"torque": "N*m", "speed": "rad/s", "power": "W"}

    def __init__(self, name: str, powertrain: EnvelopeData, train: Drivetrain) -> None:
        self.name = name
        self.driven = train.join(f"driveline {name}", powertrain.axle_ratio)
        self.traction = Traction(powertrain)
        self.inputs = (THROTTLE,)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return self.driven.attachments

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        parts, mean = self.driven.observe(observer)
        total = self.traction.torque(mean, u[THROTTLE])
        outputs = {"torque": total, "speed": mean, "power": total * mean}
        return Response(loads=self.driven.loads(observer, parts, total), outputs=outputs)
