"""An engine behind a gearbox whose ratio follows the speed without steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar, absolute
from ce_dynamics.models.data.quantities import ParameterQuantity, PositiveFraction
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.rounding import round_absolute, round_clip
from ce_dynamics.models.powertrain.base import SELECTOR, THROTTLE, GearedData, Given, ShaftDrive, States
from ce_dynamics.models.powertrain.engine import EngineData, Spin, turning_sign
from ce_dynamics.models.powertrain.gear_choice import directions

RATIO_ROUNDING = 0.05
"""Half width of the corners where the ratio begins and ceases to grow, of the speeds between."""
TORQUE_ROUNDING = 5.0
"""[N m]: half width of the corner between driving and being driven."""


class CvtGearboxData(Section):
    """A ratio (output over input speed) that grows linearly between two speeds of the output.

    ``efficiency`` is the part of the power that is transmitted, in either direction.
    """

    lowest: PositiveFraction
    highest: PositiveFraction
    begin: Spin
    end: Spin
    efficiency: Annotated[float, ParameterQuantity("1", above=0.0)]

    @model_validator(mode="after")
    def _in_order(self) -> CvtGearboxData:
        for low, high, unit in (("lowest", "highest", ""), ("begin", "end", " rad/s")):
            a, b = getattr(self, low), getattr(self, high)
            if not a < b:
                raise ValueError(f"{low} = {a:g}{unit} must be below {high} = {b:g}{unit}")
        if self.efficiency > 1.0:
            raise ValueError(f"efficiency = {self.efficiency:g} must be at most 1")
        return self

    def ratio(self, output: Scalar) -> Scalar:
        part = round_clip((absolute(output) - self.begin) / (self.end - self.begin), RATIO_ROUNDING)
        return self.lowest + (self.highest - self.lowest) * part

    def loss(self, torque: Scalar, way: Scalar) -> Scalar:
        """Return the loss of an engine's torque: T (1 − η) driving, T (1 − 1/η) driven [N m].

        ``way`` is `turning_sign`: the power lost is never negative.
        """
        eta = self.efficiency
        unequal = (1.0 / eta - eta) * round_absolute(torque, TORQUE_ROUNDING)
        return 0.5 * way * (unequal - (1.0 / eta + eta - 2.0) * way * torque)


class CvtData(GearedData):
    """Engine, continuously variable gearbox, elastic half-shafts.

    With g the ratio, the engine turns at ω_s/g and its torque T_e becomes T_e η/g, its drag T_e/(η g).
    In reverse it turns at −ω_s/g; a vehicle that rolls against its selector turns it backwards.
    The engine has no inertia here: the ratio follows the speed at once.
    """

    engine: EngineData
    transmission: CvtGearboxData

    outputs: ClassVar[Mapping[str, str]] = {
        "engine_torque": "N*m",
        "engine_speed": "rad/s",
        "ratio": "1",
        "engine_power": "W",
        "gear_loss": "W",
    }

    def drive(self, shaft_speed: Scalar, x: States, u: Given, chassis_spin: Scalar = 0.0) -> ShaftDrive:
        forwards, backwards = directions(u[SELECTOR])
        turns = (forwards - backwards) / self.transmission.ratio(shaft_speed)
        omega_e = turns * shaft_speed
        T_e = self.engine.find_geared_torque(omega_e, u[THROTTLE])
        loss = self.transmission.loss(T_e, turning_sign(omega_e))
        torque = turns * (T_e - loss)
        return ShaftDrive(
            torque=torque,
            outputs={
                "engine_torque": T_e,
                "engine_speed": omega_e,
                "ratio": self.transmission.ratio(shaft_speed),
                "engine_power": T_e * omega_e,
                "gear_loss": loss * omega_e,
            },
        )
