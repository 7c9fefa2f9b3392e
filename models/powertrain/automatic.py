"""An engine that turns by itself, a torque converter and an automatic gearbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, where
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.quantities import MomentOfInertia, Numbers, ParameterQuantity, check_function
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.rounding import ROUNDED, RoundedTable, round_absolute, round_ramp
from ce_dynamics.models.powertrain.base import (
    SELECTOR,
    THROTTLE,
    GearedData,
    Given,
    Ratios,
    ShaftDrive,
    States,
    Tied,
)
from ce_dynamics.models.powertrain.engine import TurningEngineData
from ce_dynamics.models.powertrain.gear_choice import AutomaticGearboxData, directions

COUPLING_BAND = 0.02
"""Band of the speed ratio on both sides of 1 in which the torque changes its sign continuously."""
COUPLING_ROUNDING = 0.005
"""Half width of that band's rounded corners in speed ratio, and the largest one of the tables."""
LEAST_SPEED = 1.0
"""[rad/s] of the impeller, by which the speed ratio is formed when the engine stands."""


class ConverterData(Section):
    """A torque converter over the ratio of turbine to impeller speed, from 0 to 1.

    ``capacity`` is the impeller's torque over the square of its speed, ``torque_ratio`` turbine over impeller
    torque.  ``turbine_inertia`` is that of all that turns between converter and gears; none if not given.
    """

    speed_ratio: Annotated[Numbers, ParameterQuantity("1", curve=True, at_least=0.0)]
    capacity: Annotated[Numbers, ParameterQuantity("N*m*s^2/rad^2", curve=True, above=0.0)]
    torque_ratio: Ratios
    turbine_inertia: MomentOfInertia | None = None

    @model_validator(mode="after")
    def _gives_no_power(self) -> ConverterData:
        nu = self.speed_ratio
        for name in ("capacity", "torque_ratio"):
            check_function("speed_ratio", nu, name, getattr(self, name))
        if (nu[0], nu[-1]) != (0.0, 1.0):
            raise ValueError("speed_ratio must go from 0 to 1")
        if self.torque_ratio[-1] != 1.0:
            raise ValueError(f"torque_ratio at speed ratio 1 is {self.torque_ratio[-1]:g}; it must be 1")
        points = np.linspace(0.0, 1.0, 1001)
        gain = points * np.interp(points, nu, self.torque_ratio)
        if np.max(gain) > 1.0:
            worst = float(points[int(np.argmax(gain))])
            raise ValueError(
                f"at speed ratio {worst:g} it hands on {np.max(gain):.3g} of the power it takes; "
                "lower torque_ratio there"
            )
        return self

    def torques(self, impeller: Scalar, turbine: Scalar) -> tuple[Scalar, Scalar]:
        """Return the torques on the impeller and from the turbine [N m], at their speeds [rad/s].

        Where the turbine is the faster one it drives the engine: the flow is reversed, with the capacity of
        the mirrored speed ratio and no multiplication, but for what the corner of `torque_ratio` at equal
        speeds, which is rounded just beyond them, leaves off 1.  An engine that is turned backwards is braked
        by the housing, however the turbine turns, and hands nothing on.
        """
        nu = turbine / maximum(impeller, LEAST_SPEED)
        slip = round_absolute(1.0 - nu, COUPLING_ROUNDING)
        full = 1.0 - round_ramp(1.0 - absolute(1.0 - nu) / COUPLING_BAND, COUPLING_ROUNDING / COUPLING_BAND)
        ahead, back = maximum(impeller, 0.0), minimum(impeller, 0.0)
        strength = where(nu < 1.0, full, -full) * extend_ends(self.speed_ratio, self.capacity)(1.0 - slip)
        taken = strength * (ahead * ahead)
        braked = taken - self.capacity[0] * (back * back)
        return braked, taken * extend_ends(self.speed_ratio, self.torque_ratio)(nu)


def extend_ends(x: tuple[float, ...], y: tuple[float, ...]) -> RoundedTable:
    """Return a table whose ends are moved outwards along its lines: they are rounded beyond where they were.

    At stall it then has the written value; at equal speeds there is no corner, nor more power than comes in.
    No end is moved so far that more than half of its value is lost, nor that roundings reach back over it.
    """
    reach, ends = COUPLING_ROUNDING, []
    for end, inner in ((0, 1), (-1, -2)):
        outwards, rise = x[end] - x[inner], y[end] - y[inner]
        part = min(COUPLING_ROUNDING / abs(outwards), ROUNDED / (1.0 - ROUNDED))
        if rise != 0.0:
            part = min(part, 0.5 * y[end] / abs(rise))
        reach = min(reach, part * abs(outwards))
        ends.append((x[end] + part * outwards, y[end] + part * rise))
    (first, low), (last, high) = ends
    return RoundedTable((first, *x[1:-1], last), (low, *y[1:-1], high), reach)


class AutomaticData(GearedData):
    """Engine with inertia, torque converter, automatic gearbox, elastic half-shafts.

    With ω_e the speed of the engine, which turns by itself, and i the gearbox' revolutions of the input per
    output,

        J_e ω̇_e = T_e(ω_e, throttle) − T_p,      T = i (T_t − J_t i̇ ω_s),

    T_p and T_t being the torques of the converter at ω_e and i ω_s.  The turbine's inertia J_t turns with the
    shaft.
    """

    engine: TurningEngineData
    converter: ConverterData
    transmission: AutomaticGearboxData

    outputs: ClassVar[Mapping[str, str]] = {
        "engine_torque": "N*m",
        "gear": "1",
        "engine_power": "W",
        "converter_loss": "W",
    }

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        z = self.transmission.states_at_speed(shaft_speed)
        turned = shaft_speed * float(self.transmission.turns(z))
        engine = max(self.engine.idle_speed, turned)
        return (StateDeclaration("engine_speed", "rad/s", engine), *self.transmission.states(z))

    def tie_to_shaft(self, x: States, u: Given) -> Tied:
        J = self.converter.turbine_inertia
        return Tied() if J is None else Tied(J, self.transmission.turns_by(u[SELECTOR], list(x)[1:]))

    def drive(self, shaft_speed: Scalar, x: States, u: Given, chassis_spin: Scalar = 0.0) -> ShaftDrive:
        turning, *z = list(x)
        omega_e = turning - chassis_spin
        forwards, backwards = directions(u[SELECTOR])
        turns = self.transmission.turns_by(u[SELECTOR], z)
        engaged = forwards + backwards
        T_e = self.engine.torque(omega_e, u[THROTTLE])
        T_p, T_t = self.converter.torques(omega_e, turns * shaft_speed)
        J, T = self.engine.inertia, T_e - engaged * T_p
        rates, turns_rate, shaft_torque = self.transmission.rates(z, shaft_speed), 0.0, T_t
        if self.converter.turbine_inertia is not None:
            turns_rate = forwards * self.transmission.turns_rate(z, rates)
            shaft_torque = T_t - self.converter.turbine_inertia * turns_rate * shaft_speed
        return ShaftDrive(
            torque=turns * shaft_torque,
            x_dot=(T / J, *rates),
            tied_rate=turns_rate,
            energy=0.5 * J * turning * turning,
            spin=J * turning,
            spin_rate=T,
            outputs={
                "engine_torque": T_e,
                "gear": forwards * self.transmission.gear(z) - backwards,
                "engine_power": T_e * omega_e,
                "converter_loss": engaged * T_p * omega_e - T_t * turns * shaft_speed,
            },
        )
