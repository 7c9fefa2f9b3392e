"""Anti-lock brakes: pressure is let go where a wheel slips more than it should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from ce_dynamics.algebra.arrays import Scalar, maximum, where
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.quantities import PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.assistance.wheels import LEAST_SPEED, AssistedWheel
from ce_dynamics.models.parts.rounding import unit_clip


class AntiLockData(Section):
    """An anti-lock system.

    Attributes
    ----------
    period
        Time between samples [s].
    slip
        Brake slip that it allows, 0 … 1.
    gain
        Part of the pressure let go per sliding speed beyond it [s/m].
    reset_time
        Time in which it lets go as much again while the sliding lasts [s].
    least_speed
        Below it the wheels may lock [m/s].
    """

    period: Annotated[float, Quantity("s", above=0.0)]
    slip: PositiveFraction
    gain: Annotated[float, Quantity("s/m", above=0.0)]
    reset_time: Annotated[float, Quantity("s", above=0.0)]
    least_speed: Annotated[float, Quantity("m/s", above=0.0)]


class AntiLock(Controller):
    """Proportional-integral control of every wheel's sliding speed.

    Every T, with e = −s v − s* v the sliding speed beyond the slip s* that is allowed, and e' that of the
    sample before,

        r ← min(max(r + g (e − e' + e T/T_i), 0), 1).

    The brake keeps the part 1 − r of its pressure.  (What the pressure does to the sliding speed does not
    depend on how fast the vehicle is, as it does to the slip.)

    Parameters
    ----------
    wheels : sequence of AssistedWheel
    parameters : AntiLockData
    """

    name = "abs"

    def __init__(self, wheels: Sequence[AssistedWheel], parameters: AntiLockData) -> None:
        self.wheels, self.parameters = tuple(wheels), parameters
        self.period = parameters.period
        self.answers = tuple(wheel.release for wheel in wheels)
        self.held_back = tuple(f"{wheel.corner}.held_back" for wheel in wheels)
        self.excess = tuple(f"{wheel.corner}.excess" for wheel in wheels)
        self.sampled = (
            *(StateDeclaration(name, "1") for name in self.held_back),
            *(StateDeclaration(name, "m/s") for name in self.excess),
        )

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {
            wheel.release: unit_clip(sensors[wheel.release] + x[name])
            for wheel, name in zip(self.wheels, self.held_back, strict=True)
        }

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        p, v = self.parameters, sensors["vx"]
        excess = [(-wheel.slip(sensors) - p.slip) * maximum(v, LEAST_SPEED) for wheel in self.wheels]
        held_back = [
            where(
                v > p.least_speed,
                unit_clip(x[name] + p.gain * (e - x[before] + e * p.period / p.reset_time)),
                0.0,
            )
            for e, name, before in zip(excess, self.held_back, self.excess, strict=True)
        ]
        return (*held_back, *excess)
