"""An engine behind a friction clutch and gears that the driver chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

from ce_dynamics.algebra.arrays import Array, Scalar, maximum, minimum
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.brake import BrakeParameters, brake_torque
from ce_dynamics.models.parts.drive_units.base import THROTTLE, Drive, DriveUnit
from ce_dynamics.models.parts.engine import EngineParameters
from ce_dynamics.models.parts.ramps import unit_clip

CLUTCH, GEAR = "clutch", "gear"
"""Names of inputs: 0 closed … 1 open; and the number of the gear, 0 in neutral, −1 reverse."""
CRUISING = 0.6
"""Of the engine's highest speed: in the gear of a vehicle that starts rolling."""


@dataclass(frozen=True)
class ClutchParameters:
    """A dry clutch.

    Attributes
    ----------
    max_torque : float
        That it holds when closed [N m].
    stiffness, damping : float
        Of its torsion springs [N m/rad, N m s/rad].
    """

    max_torque: float
    stiffness: float
    damping: float

    def __post_init__(self) -> None:
        for f in fields(self):
            check_number("clutch", f.name, getattr(self, f.name), above=0.0)


class ManualUnit(DriveUnit):
    """A clutch that sticks or slides.

    With i the gearbox' revolutions of the input per output and T_c the clutch's torque,

        J_e ω̇_e = T_e(ω_e, throttle) − T_c,      T = i T_c.

    The clutch sticks, elastically, or slides with what its pedal lets it hold, as `brake_torque` does at the
    difference of the speeds, ω_e − i ω_s.

    Parameters
    ----------
    engine : EngineParameters
        With an inertia and an idle speed.
    clutch : ClutchParameters
    ratios : tuple of float
        Output speed over input speed of the forward gears, increasing.
    reverse : float
        That of the reverse gear, negative.
    """

    inputs = (THROTTLE, CLUTCH, GEAR)
    outputs: Mapping[str, str] = {
        "engine_torque": "N*m",
        "clutch_torque": "N*m",
        "engine_power": "W",
        "clutch_loss": "W",
    }

    def __init__(
        self, engine: EngineParameters, clutch: ClutchParameters, ratios: tuple[float, ...], reverse: float
    ) -> None:
        if not ratios or any(not low < high for low, high in pairwise((0.0, *ratios))):
            raise DataError(f"gears: ratios {ratios} must be positive and increase; give one at least")
        if not check_number("gears", "reverse", reverse) < 0.0:
            raise DataError(f"gears: reverse = {reverse:g} must be below 0")
        self.engine, self.clutch, self.ratios, self.reverse = engine, clutch, ratios, reverse

    def gear_at(self, shaft_speed: float) -> int:
        """The lowest forward gear that turns the engine no faster than `CRUISING` of its highest speed."""
        most = CRUISING * self.engine.max_speed
        lower = [ratio for ratio in self.ratios[:-1] if shaft_speed / ratio > most]
        return len(lower) + 1

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        turned = shaft_speed * float(self.turns(float(self.gear_at(shaft_speed))))
        engine = max(self.engine.idle_speed or 0.0, turned)
        return StateDeclaration("engine_speed", "rad/s", engine), StateDeclaration("clutch_windup", "rad")

    def turns(self, gear: Scalar) -> Scalar:
        """Revolutions of the input per output; straight lines between gears, nothing in neutral."""
        turns = unit_clip(gear) / self.ratios[0] + unit_clip(-gear) / self.reverse
        for k, (low, high) in enumerate(pairwise(self.ratios), 1):
            turns = turns + (1.0 / high - 1.0 / low) * unit_clip(gear - k)
        return turns

    def drive(
        self,
        shaft_speed: Scalar,
        x: Array | Sequence[Scalar],
        u: Mapping[str, Scalar],
        chassis_spin: Scalar = 0.0,
    ) -> Drive:
        turning, windup = list(x)
        omega_e = turning - chassis_spin
        turns, engaged = self.turns(u[GEAR]), minimum(maximum(u[GEAR], -u[GEAR]), 1.0)
        c = self.clutch
        capacity = unit_clip(1.0 - u[CLUTCH]) * engaged * c.max_torque
        parameters = BrakeParameters(c.max_torque, c.stiffness, c.damping)
        slip = omega_e - turns * shaft_speed
        T_c, windup_dot = brake_torque(parameters, capacity, windup, slip)
        T_e = self.engine.torque(omega_e, u[THROTTLE])
        J = self.engine.inertia
        return Drive(
            torque=turns * T_c,
            x_dot=((T_e - T_c) / J, windup_dot),
            energy=0.5 * (J * turning * turning + c.stiffness * windup * windup),
            spin=J * turning,
            spin_rate=T_e - T_c,
            outputs={
                "engine_torque": T_e,
                "clutch_torque": T_c,
                "engine_power": T_e * omega_e,
                "clutch_loss": T_c * slip - c.stiffness * windup * windup_dot,
            },
        )
