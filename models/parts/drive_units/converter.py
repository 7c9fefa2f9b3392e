"""An engine behind a torque converter and gears that shift by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.drive_units.base import SELECTOR, THROTTLE, Drive, DriveUnit, directions
from ce_dynamics.models.parts.engine import EngineParameters
from ce_dynamics.models.parts.gear_choice import GearParameters
from ce_dynamics.models.parts.torque_converter import ConverterParameters


class ConverterUnit(DriveUnit):
    """An engine that turns by itself.

    With ω_e its speed and i the gearbox' revolutions of the input per output,

        J_e ω̇_e = T_e(ω_e, throttle) − T_p,      T = i T_t,

    T_p and T_t being the torques of the converter at ω_e and i ω_s.

    Parameters
    ----------
    engine : EngineParameters
        With an inertia and an idle speed.
    converter : ConverterParameters
    gears : GearParameters
    """

    inputs = (THROTTLE, SELECTOR)
    outputs: Mapping[str, str] = {
        "engine_torque": "N*m",
        "gear": "1",
        "engine_power": "W",
        "converter_loss": "W",
    }

    def __init__(
        self, engine: EngineParameters, converter: ConverterParameters, gears: GearParameters
    ) -> None:
        self.engine, self.converter, self.gears = engine, converter, gears

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        z = self.gears.at_speed(shaft_speed)
        turned = shaft_speed * float(self.gears.turns(z))
        engine = max(self.engine.idle_speed or 0.0, turned)
        return (StateDeclaration("engine_speed", "rad/s", engine), *self.gears.states(z))

    def drive(
        self,
        shaft_speed: Scalar,
        x: Array | Sequence[Scalar],
        u: Mapping[str, Scalar],
        chassis_spin: Scalar = 0.0,
    ) -> Drive:
        turning, *z = list(x)
        omega_e = turning - chassis_spin
        forwards, backwards = directions(u[SELECTOR])
        turns = forwards * self.gears.turns(z) + backwards / self.gears.reverse
        engaged = forwards + backwards
        T_e = self.engine.torque(omega_e, u[THROTTLE])
        T_p, T_t = self.converter.torques(omega_e, turns * shaft_speed)
        J, T = self.engine.inertia, T_e - engaged * T_p
        return Drive(
            torque=turns * T_t,
            x_dot=(T / J, *self.gears.rates(z, shaft_speed)),
            energy=0.5 * J * turning * turning,
            spin=J * turning,
            spin_rate=T,
            outputs={
                "engine_torque": T_e,
                "gear": forwards * self.gears.gear(z) - backwards,
                "engine_power": T_e * omega_e,
                "converter_loss": engaged * T_p * omega_e - T_t * turns * shaft_speed,
            },
        )
