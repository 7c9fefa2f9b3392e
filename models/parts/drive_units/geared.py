"""An engine that gears tie to the shaft, without clutch or converter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.algebra.arrays import Array, Scalar, absolute
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.drive_units.base import SELECTOR, THROTTLE, Drive, DriveUnit, directions
from ce_dynamics.models.parts.engine import EngineParameters
from ce_dynamics.models.parts.gear_choice import GearParameters


class GearedUnit(DriveUnit):
    """The engine turns i times as fast as the shaft, i being that of gears that shift by themselves.

    On the shaft act

        T = i (T_e(i ω_s, throttle) − J_e i̇ ω_s),      and the inertia  i² J_e.

    The engine stands when the vehicle stands; it needs neither idle speed nor inertia.

    Parameters
    ----------
    engine : EngineParameters
    gears : GearParameters
    """

    inputs = (THROTTLE, SELECTOR)
    outputs: Mapping[str, str] = {"engine_torque": "N*m", "engine_speed": "rad/s", "gear": "1"}

    def __init__(self, engine: EngineParameters, gears: GearParameters) -> None:
        self.engine, self.gears = engine, gears

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        return self.gears.states(self.gears.at_speed(shaft_speed))

    def drive(self, shaft_speed: Scalar, x: Array | Sequence[Scalar], u: Mapping[str, Scalar]) -> Drive:
        z = list(x)
        forwards, backwards = directions(u[SELECTOR])
        turns = forwards * self.gears.turns(z) + backwards / self.gears.reverse
        rates = self.gears.rates(z, shaft_speed)
        omega_e, J = turns * shaft_speed, self.engine.inertia
        T_e = self.engine.torque(absolute(omega_e), u[THROTTLE])
        shifting: Scalar = 0.0
        if J > 0.0:
            shifting = J * forwards * self.gears.turns_rate(z, rates) * shaft_speed
        return Drive(
            torque=turns * (T_e - shifting),
            inertia=turns * turns * J,
            x_dot=rates,
            energy=0.5 * J * omega_e * omega_e,
            outputs={
                "engine_torque": T_e,
                "engine_speed": omega_e,
                "gear": forwards * self.gears.gear(z) - backwards,
            },
        )
