"""An engine that gears tie to the shaft, without clutch or converter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.drive_units.base import (
    SELECTOR,
    THROTTLE,
    Drive,
    DriveUnit,
    Tied,
    directions,
)
from ce_dynamics.models.parts.engine import EngineParameters
from ce_dynamics.models.parts.gear_choice import GearParameters


class GearedUnit(DriveUnit):
    """The engine turns i times as fast as the shaft, i being that of gears that shift by themselves.

    On the shaft act

        T = i (T_e(i ω_s, throttle) − J_e i̇ ω_s),      and the inertia  i² J_e.

    The engine stands when the vehicle stands, and is turned backwards by one that rolls against its gear; it
    needs neither idle speed nor inertia.  While i changes, the
    part of that term which belongs to the chassis' own turning is left out.

    Parameters
    ----------
    engine : EngineParameters
    gears : GearParameters
    """

    inputs = (THROTTLE, SELECTOR)
    outputs: Mapping[str, str] = {
        "engine_torque": "N*m",
        "engine_speed": "rad/s",
        "gear": "1",
        "engine_power": "W",
    }

    def __init__(self, engine: EngineParameters, gears: GearParameters) -> None:
        self.engine, self.gears = engine, gears

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        return self.gears.states(self.gears.at_speed(shaft_speed))

    def tied(self, x: Array | Sequence[Scalar], u: Mapping[str, Scalar]) -> Tied:
        return Tied(self.engine.inertia, self.turns(list(x), u))

    def turns(self, z: Sequence[Scalar], u: Mapping[str, Scalar]) -> Scalar:
        """i: revolutions of the engine per revolution of the shaft."""
        forwards, backwards = directions(u[SELECTOR])
        return forwards * self.gears.turns(z) + backwards / self.gears.reverse

    def drive(
        self,
        shaft_speed: Scalar,
        x: Array | Sequence[Scalar],
        u: Mapping[str, Scalar],
        chassis_spin: Scalar = 0.0,
    ) -> Drive:
        z = list(x)
        forwards, backwards = directions(u[SELECTOR])
        turns = self.turns(z, u)
        rates = self.gears.rates(z, shaft_speed)
        omega_e, J = turns * shaft_speed, self.engine.inertia
        T_e = self.engine.tied_torque(omega_e, u[THROTTLE])
        turns_rate: Scalar = 0.0
        if J > 0.0:
            turns_rate = forwards * self.gears.turns_rate(z, rates)
        return Drive(
            torque=turns * (T_e - J * turns_rate * shaft_speed),
            x_dot=rates,
            tied_rate=turns_rate,
            outputs={
                "engine_torque": T_e,
                "engine_speed": omega_e,
                "gear": forwards * self.gears.gear(z) - backwards,
                "engine_power": T_e * omega_e,
            },
        )
