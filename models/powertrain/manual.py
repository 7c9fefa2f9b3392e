"""An engine behind a friction clutch and gears that the driver chooses."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import ClassVar

from ce_dynamics.algebra.arrays import Scalar, maximum, minimum
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.brake import ClutchData, brake_torque
from ce_dynamics.models.parts.rounding import unit_clip
from ce_dynamics.models.powertrain.base import THROTTLE, GearedData, Given, Inputs, ShaftDrive, States
from ce_dynamics.models.powertrain.engine import TurningEngineData
from ce_dynamics.models.powertrain.gear_choice import GearboxData, ReverseRatio

CLUTCH, GEAR = "clutch", "gear"
"""Names of inputs: 0 closed … 1 open; and the number of the gear, 0 in neutral, −1 reverse."""
CRUISING = 0.6
"""Engine speed in the gear of a vehicle that starts rolling, in parts of the highest speed."""


class ManualGearboxData(GearboxData):
    """Forward gears and a reverse gear."""

    reverse: ReverseRatio


class ManualData(GearedData):
    """Engine with inertia, clutch that sticks or slides, gears by the driver, elastic half-shafts.

    With i the gearbox' revolutions of the input per output and T_c the clutch's torque,

        J_e ω̇_e = T_e(ω_e, throttle) − T_c,      T = i T_c.

    The clutch sticks, elastically, or slides with what its pedal lets it hold, as `brake_torque` does at the
    difference of the speeds, ω_e − i ω_s.
    """

    engine: TurningEngineData
    clutch: ClutchData
    transmission: ManualGearboxData

    outputs: ClassVar[Mapping[str, str]] = {
        "engine_torque": "N*m",
        "clutch_torque": "N*m",
        "engine_power": "W",
        "clutch_loss": "W",
    }

    @property
    def inputs(self) -> Inputs:
        """Clutch, 0 closed; gear, 0 neutral, −1 reverse; 1 at rest unless given."""
        return {CLUTCH: (0.0, 0.0, 1.0), GEAR: (-1.0, 1.0, float(len(self.transmission.gears)))}

    def inputs_at(self, wheel_speed: float) -> Inputs:
        """Return the inputs in the gear in which a vehicle rolls at this speed."""
        least, _, most = self.inputs[GEAR]
        return {**self.inputs, GEAR: (least, float(self.gear_at(wheel_speed / self.axle_ratio)), most)}

    def gear_at(self, shaft_speed: float) -> int:
        """Return the lowest gear that turns the engine no faster than `CRUISING` of its highest speed."""
        most = CRUISING * self.engine.max_speed
        lower = [ratio for ratio in self.transmission.gears[:-1] if shaft_speed / ratio > most]
        return len(lower) + 1

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        turned = shaft_speed * float(self.turns(float(self.gear_at(shaft_speed))))
        engine = max(self.engine.idle_speed, turned)
        return StateDeclaration("engine_speed", "rad/s", engine), StateDeclaration("clutch_windup", "rad")

    def turns(self, gear: Scalar) -> Scalar:
        """Return the revolutions of the input per output; straight lines between gears, none in neutral."""
        turns = unit_clip(gear) / self.transmission.gears[0] + unit_clip(-gear) / self.transmission.reverse
        for k, (low, high) in enumerate(pairwise(self.transmission.gears), 1):
            turns = turns + (1.0 / high - 1.0 / low) * unit_clip(gear - k)
        return turns

    def drive(self, shaft_speed: Scalar, x: States, u: Given, chassis_spin: Scalar = 0.0) -> ShaftDrive:
        turning, windup = list(x)
        omega_e = turning - chassis_spin
        turns, engaged = self.turns(u[GEAR]), minimum(maximum(u[GEAR], -u[GEAR]), 1.0)
        c = self.clutch
        capacity = unit_clip(1.0 - u[CLUTCH]) * engaged * c.max_torque
        slip = omega_e - turns * shaft_speed
        T_c, windup_dot = brake_torque(c, capacity, windup, slip)
        T_e = self.engine.torque(omega_e, u[THROTTLE])
        J = self.engine.inertia
        return ShaftDrive(
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
