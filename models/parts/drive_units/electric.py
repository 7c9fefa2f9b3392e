"""An electric motor with a fixed gear, and the battery that feeds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, maximum, sqrt
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.drive_units.base import SELECTOR, THROTTLE, Drive, DriveUnit, Tied
from ce_dynamics.models.parts.engine import check_table
from ce_dynamics.models.parts.ramps import unit_clip
from ce_dynamics.models.parts.torque_table import TorqueTable


@dataclass(frozen=True)
class MotorParameters:
    """A motor with its inverter.

    Attributes
    ----------
    speed, torque : tuple of float
        Speeds, increasing from zero [rad/s], and the largest torque there [N m].
    drag : float
        Torque against the motion without current [N m].
    copper, iron : float
        Losses: c_T T² and c_ω ω² [W/(N m)², W s²/rad²].
    inertia : float
        Of the rotor [kg m²].
    """

    speed: tuple[float, ...]
    torque: tuple[float, ...]
    drag: float
    copper: float
    iron: float
    inertia: float

    def __post_init__(self) -> None:
        check_table("motor", "torque", self.speed, self.torque)
        for name in ("speed", "torque"):
            for k, number in enumerate(getattr(self, name)):
                check_number("motor", f"{name}[{k}]", number, at_least=0.0)
        for name in ("drag", "copper", "iron", "inertia"):
            check_number("motor", name, getattr(self, name), at_least=0.0)

    def power(self, torque: Scalar, speed: Scalar) -> Scalar:
        """Return the power that the motor takes from the battery [W]."""
        return torque * speed + self.copper * torque * torque + self.iron * speed * speed


@dataclass(frozen=True)
class BatteryParameters:
    """A battery: open-circuit voltage [V] behind a resistance [Ω]."""

    voltage: float
    resistance: float

    def __post_init__(self) -> None:
        for name in ("voltage", "resistance"):
            check_number("battery", name, getattr(self, name), above=0.0)

    @property
    def most(self) -> float:
        """The largest power that it has, U²/4R [W]."""
        return self.voltage**2 / (4.0 * self.resistance)

    def check(self, motor: MotorParameters) -> None:
        """Refuse a motor that takes more, at a speed of its table.

        Raises
        ------
        DataError
        """
        speed = np.linspace(motor.speed[0], motor.speed[-1], 1001)
        taken = motor.power(np.interp(speed, motor.speed, motor.torque), speed)
        k = int(np.argmax(taken))
        if taken[k] > self.most:
            raise DataError(
                f"battery: at {speed[k]:.4g} rad/s the motor takes {taken[k]:.4g} W, of a battery of "
                f"{self.voltage:g} V behind {self.resistance:g} ohm there are at most {self.most:.4g} W "
                "(U²/4R); lower its resistance or the motor's torque, or raise its voltage"
            )

    def current(self, power: Scalar) -> Scalar:
        """Current at which it gives a power P at its poles [A]: P = U I − R I², the smaller root.

        Beyond U²/4R, which is all it has, it gives U/2R: of a motor beyond its table, that may be.
        """
        U, R = self.voltage, self.resistance
        return (U - sqrt(maximum(U * U - 4.0 * R * power, 0.0))) / (2.0 * R)


STANDING = 1.0
"""[rad/s] over which the drag sets in."""


class ElectricUnit(DriveUnit):
    """The motor turns i times as fast as the shaft; the throttle gives that part of its largest torque.

    A negative throttle, −1 … 0, brakes with it and charges the battery.  The charge taken is a state.

    Parameters
    ----------
    motor : MotorParameters
    battery : BatteryParameters
    ratio : float
        Output speed over motor speed.
    """

    inputs = (THROTTLE, SELECTOR)
    outputs: Mapping[str, str] = {
        "motor_torque": "N*m",
        "motor_speed": "rad/s",
        "battery_current": "A",
        "battery_power": "W",
        "motor_power": "W",
        "drag_loss": "W",
    }

    def __init__(self, motor: MotorParameters, battery: BatteryParameters, ratio: float) -> None:
        battery.check(motor)
        self.motor, self.battery = motor, battery
        self.ratio = check_number("motor", "ratio", ratio, above=0.0)

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        return (StateDeclaration("charge_taken", "C"),)

    def tied(self, x: Array | Sequence[Scalar], u: Mapping[str, Scalar]) -> Tied:
        return Tied(self.motor.inertia, 1.0 / self.ratio)

    def drive(
        self,
        shaft_speed: Scalar,
        x: Array | Sequence[Scalar],
        u: Mapping[str, Scalar],
        chassis_spin: Scalar = 0.0,
    ) -> Drive:
        m = self.motor
        omega = shaft_speed / self.ratio
        speed = absolute(omega)
        largest = TorqueTable(m.speed, m.torque)(speed)
        pedal = unit_clip(u[THROTTLE]) * u[SELECTOR] - unit_clip(-u[THROTTLE]) * omega / (speed + STANDING)
        T_m = pedal * largest
        drag = m.drag * omega / (speed + STANDING)
        power = m.power(T_m, omega)
        current = self.battery.current(power)
        return Drive(
            torque=(T_m - drag) / self.ratio,
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
