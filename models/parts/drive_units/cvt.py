"""An engine behind a gearbox whose ratio follows the speed without steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from ce_dynamics.algebra.arrays import Array, Scalar, absolute
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.drive_units.base import SELECTOR, THROTTLE, Drive, DriveUnit, directions
from ce_dynamics.models.parts.engine import EngineParameters, way_of_turning
from ce_dynamics.models.parts.rounding import rounded_absolute, rounded_clip

RATIO_ROUNDING = 0.05
"""Half width of the corners where the ratio begins and ceases to grow, of the speeds between."""
TORQUE_ROUNDING = 5.0
"""[N m]: half width of the corner between driving and being driven."""


@dataclass(frozen=True)
class CvtParameters:
    """A continuously variable gearbox.

    Attributes
    ----------
    lowest, highest : float
        Output speed over input speed at and below ``begin``, at and beyond ``end``.
    begin, end : float
        Speeds of the output between which the ratio grows linearly [rad/s].
    efficiency : float
        Part of the power that gets through, in either direction.
    """

    lowest: float
    highest: float
    begin: float
    end: float
    efficiency: float

    def __post_init__(self) -> None:
        for f in fields(self):
            check_number("cvt", f.name, getattr(self, f.name), above=0.0)
        check_number("cvt", "efficiency", self.efficiency, at_most=1.0)
        for low, high, unit in (("lowest", "highest", ""), ("begin", "end", " rad/s")):
            a, b = getattr(self, low), getattr(self, high)
            if not a < b:
                raise DataError(f"cvt: {low} = {a:g}{unit} must be below {high} = {b:g}{unit}")

    def ratio(self, output: Scalar) -> Scalar:
        """Output speed over input speed."""
        part = rounded_clip((absolute(output) - self.begin) / (self.end - self.begin), RATIO_ROUNDING)
        return self.lowest + (self.highest - self.lowest) * part

    def loss(self, torque: Scalar, way: Scalar) -> Scalar:
        """Return the loss of an engine's torque: T (1 − η) driving, T (1 − 1/η) driven [N m].

        ``way`` is `way_of_turning`: the power lost is never negative.
        """
        eta = self.efficiency
        unequal = (1.0 / eta - eta) * rounded_absolute(torque, TORQUE_ROUNDING)
        return 0.5 * way * (unequal - (1.0 / eta + eta - 2.0) * way * torque)


class CvtUnit(DriveUnit):
    """With g the ratio, the engine turns at ω_s/g and its torque T_e gives T_e η/g, its drag T_e/(η g).

    In reverse it turns at −ω_s/g; a vehicle that rolls against its selector turns it backwards.

    Parameters
    ----------
    engine : EngineParameters
        Its inertia is left out: the ratio follows the speed at once.
    gears : CvtParameters
    """

    inputs = (THROTTLE, SELECTOR)
    outputs: Mapping[str, str] = {
        "engine_torque": "N*m",
        "engine_speed": "rad/s",
        "ratio": "1",
        "engine_power": "W",
        "gear_loss": "W",
    }

    def __init__(self, engine: EngineParameters, gears: CvtParameters) -> None:
        self.engine, self.gears = engine, gears

    def drive(
        self,
        shaft_speed: Scalar,
        x: Array | Sequence[Scalar],
        u: Mapping[str, Scalar],
        chassis_spin: Scalar = 0.0,
    ) -> Drive:
        forwards, backwards = directions(u[SELECTOR])
        turns = (forwards - backwards) / self.gears.ratio(shaft_speed)
        omega_e = turns * shaft_speed
        T_e = self.engine.tied_torque(omega_e, u[THROTTLE])
        loss = self.gears.loss(T_e, way_of_turning(omega_e))
        torque = turns * (T_e - loss)
        return Drive(
            torque=torque,
            outputs={
                "engine_torque": T_e,
                "engine_speed": omega_e,
                "ratio": self.gears.ratio(shaft_speed),
                "engine_power": T_e * omega_e,
                "gear_loss": loss * omega_e,
            },
        )
