"""An engine that gears tie to the wheels, shifted at speeds of its own for every gear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.powertrain.base import SELECTOR, THROTTLE, GearedData, Given, ShaftDrive, States, Tied
from ce_dynamics.models.powertrain.engine import TiedEngineData
from ce_dynamics.models.powertrain.gear_choice import ScheduledGearboxData, directions


class GearedEngineData(GearedData):
    """Engine tied to the wheels by gears, elastic half-shafts.

    The engine turns i times as fast as the shaft, i being that of gears that shift by themselves.
    On the shaft act

        T = i (T_e(i ω_s, throttle) − J_e i̇ ω_s),      and the inertia  i² J_e.

    The engine stands when the vehicle stands, and is turned backwards by one that rolls against its gear; it
    needs neither idle speed nor inertia.  While i changes, the part of that term which belongs to the
    chassis' own turning is left out.
    """

    engine: TiedEngineData
    transmission: ScheduledGearboxData

    outputs: ClassVar[Mapping[str, str]] = {
        "engine_torque": "N*m",
        "engine_speed": "rad/s",
        "gear": "1",
        "engine_power": "W",
    }

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        return self.transmission.states(self.transmission.states_at_speed(shaft_speed))

    def tie_to_shaft(self, x: States, u: Given) -> Tied:
        return Tied(self.engine.inertia or 0.0, self.transmission.turns_by(u[SELECTOR], list(x)))

    def drive(self, shaft_speed: Scalar, x: States, u: Given, chassis_spin: Scalar = 0.0) -> ShaftDrive:
        z = list(x)
        forwards, backwards = directions(u[SELECTOR])
        turns = self.transmission.turns_by(u[SELECTOR], z)
        rates = self.transmission.rates(z, shaft_speed)
        omega_e, J = turns * shaft_speed, self.engine.inertia or 0.0
        T_e = self.engine.find_geared_torque(omega_e, u[THROTTLE])
        turns_rate: Scalar = 0.0
        if J > 0.0:
            turns_rate = forwards * self.transmission.turns_rate(z, rates)
        return ShaftDrive(
            torque=turns * (T_e - J * turns_rate * shaft_speed),
            x_dot=rates,
            tied_rate=turns_rate,
            outputs={
                "engine_torque": T_e,
                "engine_speed": omega_e,
                "gear": forwards * self.transmission.gear(z) - backwards,
                "engine_power": T_e * omega_e,
            },
        )
