"""An electric motor with a fixed gear, and the battery that feeds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, sqrt
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.quantities import MomentOfInertia, ParameterQuantity, PositiveFraction
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.rounding import unit_clip
from ce_dynamics.models.powertrain.base import SELECTOR, THROTTLE, GearedData, Given, ShaftDrive, States, Tied
from ce_dynamics.models.powertrain.engine import TorqueCurve

STANDING = 1.0
"""Motor speed over which the drag builds up [rad/s]."""


class MotorData(Section):
    """The largest torque over speed, drag, losses c_T T² and c_ω ω², inertia of the rotor."""

    full_throttle: TorqueCurve
    drag: Annotated[float, ParameterQuantity("N*m", at_least=0.0)]
    copper_loss: Annotated[float, ParameterQuantity("W/N^2/m^2", at_least=0.0)]
    iron_loss: Annotated[float, ParameterQuantity("W*s^2/rad^2", at_least=0.0)]
    inertia: MomentOfInertia

    @model_validator(mode="after")
    def _pulls_forwards(self) -> MotorData:
        for name in ("speed", "torque"):
            for k, value in enumerate(getattr(self.full_throttle, name)):
                if value < 0.0:
                    raise ValueError(f"full_throttle.{name}[{k}] = {value:g} must be at least 0")
        return self

    def power(self, torque: Scalar, speed: Scalar) -> Scalar:
        """Return the power that the motor takes from the battery [W]."""
        return torque * speed + self.copper_loss * torque * torque + self.iron_loss * speed * speed


class BatteryData(Section):
    """Open-circuit voltage U behind a resistance R."""

    voltage: Annotated[float, ParameterQuantity("V", above=0.0)]
    resistance: Annotated[float, ParameterQuantity("ohm", above=0.0)]

    @property
    def most(self) -> float:
        """The largest power that it has, U²/4R [W]."""
        return self.voltage**2 / (4.0 * self.resistance)

    def current(self, power: Scalar) -> Scalar:
        """Return the current at which it gives a power P at its poles [A]: P = U I − R I², the smaller root.

        Beyond U²/4R, which is all it has, it gives U/2R: of a motor beyond its table, that may be.
        """
        U, R = self.voltage, self.resistance
        return (U - sqrt(maximum(U * U - 4.0 * R * power, 0.0))) / (2.0 * R)


class FixedGearData(Section):
    """Output speed over motor speed."""

    ratio: PositiveFraction


class ElectricData(GearedData):
    """Motor with a fixed gear, battery, elastic half-shafts.

    The motor turns i times as fast as the shaft; the throttle gives that part of its largest torque.  A
    negative throttle, −1 … 0, brakes with it and charges the battery.  The charge taken is a state.
    """

    motor: MotorData
    battery: BatteryData
    transmission: FixedGearData

    @model_validator(mode="after")
    def _battery_feeds_the_motor(self) -> ElectricData:
        curve, battery = self.motor.full_throttle, self.battery
        speed = np.linspace(curve.speed[0], curve.speed[-1], 1001)
        taken = self.motor.power(np.interp(speed, curve.speed, curve.torque), speed)
        k = int(np.argmax(taken))
        if taken[k] > battery.most:
            raise ValueError(
                f"battery: at {speed[k]:.4g} rad/s the motor takes {taken[k]:.4g} W, of a battery of "
                f"{battery.voltage:g} V behind {battery.resistance:g} ohm there are at most "
                f"{battery.most:.4g} W (U²/4R); lower its resistance or the motor's torque, or raise its "
                "voltage"
            )
        return self

    outputs: ClassVar[Mapping[str, str]] = {
        "motor_torque": "N*m",
        "motor_speed": "rad/s",
        "battery_current": "A",
        "battery_power": "W",
        "motor_power": "W",
        "drag_loss": "W",
    }

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        return (StateDeclaration("charge_taken", "C"),)

    def tie_to_shaft(self, x: States, u: Given) -> Tied:
        return Tied(self.motor.inertia, 1.0 / self.transmission.ratio)

    def drive(self, shaft_speed: Scalar, x: States, u: Given, chassis_spin: Scalar = 0.0) -> ShaftDrive:
        m = self.motor
        omega = shaft_speed / self.transmission.ratio
        speed = absolute(omega)
        largest = m.full_throttle.table()(speed)
        pedal = unit_clip(u[THROTTLE]) * u[SELECTOR] - unit_clip(-u[THROTTLE]) * omega / (speed + STANDING)
        T_m = pedal * largest
        drag = m.drag * omega / (speed + STANDING)
        power = m.power(T_m, omega)
        current = self.battery.current(power)
        return ShaftDrive(
            torque=(T_m - drag) / self.transmission.ratio,
            x_dot=(current,),
            outputs={
                "motor_torque": T_m,
                "motor_speed": omega,
                "battery_current": current,
                "battery_power": power,
                "motor_power": T_m * omega,
                "drag_loss": drag * omega,
            },
        )
