"""Automatic choice of gears with hysteresis, by states of first order.

Between gears k and k+1 a state z_k goes from 0 to 1: it is pushed up where the gearbox' output turns faster
than gear k may drive it at the upshift speed, down where it turns slower than gear k+1 would at the downshift
speed, and in between stays at the end where it is, which both are stable there:

    ż_k = [u (1 − z_k) − d z_k − (1 − u − d) z_k (1 − z_k)(1 − 2 z_k)] / τ.

That is memory without events: equations smooth for every integrator, u and d being smooth steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar, maximum
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.quantities import Numbers, ParameterQuantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.rounding import smooth_step, smooth_step_slope
from ce_dynamics.models.powertrain.engine import Spin

BAND = 0.02
"""Band over which the push sets in, in parts of the shift speed."""
FINISHED = 5.0
"""Time constants in one shift time: what is left of a shift then is 0.7 % of it."""

ReverseRatio = Annotated[float, ParameterQuantity("1", below=0.0)]
ShiftSpeeds = Annotated[Numbers, ParameterQuantity("rad/s", curve=True, above=0.0, fewest=1)]
ShiftTime = Annotated[float, ParameterQuantity("s", above=0.0)]


def directions(selector: Scalar) -> tuple[Scalar, Scalar]:
    """Return the shares, 0 … 1 each, of forwards and reverse in a selector's position."""
    return maximum(selector, 0.0), maximum(-selector, 0.0)


class GearboxData(Section):
    """Gear ratios: output speed over input speed."""

    gears: Annotated[Numbers, ParameterQuantity("1", curve=True, above=0.0)]

    @model_validator(mode="after")
    def _in_order(self) -> GearboxData:
        if not all(a < b for a, b in pairwise(self.gears)):
            raise ValueError("gears must increase from first to last (output speed over input speed)")
        return self


class ShiftedGearboxData(GearboxData):
    """A gearbox that shifts at speeds of its input, and has a reverse gear."""

    reverse: ReverseRatio

    @property
    def shift_speeds(self) -> tuple[Numbers, Numbers]:
        """Speeds of the input for each pair of gears at which it shifts down and up [rad/s]."""
        raise NotImplementedError

    @property
    def time_constant(self) -> float:
        """τ [s]."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _settles(self) -> ShiftedGearboxData:
        downs, ups = self.shift_speeds
        for k, ((low, high), up, down) in enumerate(zip(pairwise(self.gears), ups, downs, strict=True), 1):
            if down * high >= up * low:
                raise ValueError(
                    f"shifted up at {up:g} rad/s, gear {k + 1} turns the input at {up * low / high:g} rad/s, "
                    f"below downshift = {down:g}; it would be shifted to and fro: lower downshift or raise "
                    "upshift"
                )
        return self

    def shifts(self) -> tuple[tuple[float, float], ...]:
        """Return the shift speeds at the output for each pair of gears.

        The lower gear is chosen below the first speed, the upper gear above the second.
        """
        speeds = zip(*self.shift_speeds, strict=True)
        pairs = zip(pairwise(self.gears), speeds, strict=True)
        return tuple((down * high, up * low) for (low, high), (down, up) in pairs)

    def states(self, z: Sequence[float]) -> tuple[StateDeclaration, ...]:
        """Return the states as a force element declares them, with their values at the start."""
        return tuple(StateDeclaration(f"shift_{k}_{k + 1}", "1", state) for k, state in enumerate(z, 1))

    def states_at_speed(self, output: float) -> tuple[float, ...]:
        """Return the states of a vehicle that has accelerated to a speed of the gearbox' output [rad/s]."""
        return tuple(1.0 if output > up else 0.0 for _, up in self.shifts())

    def rates(self, z: Sequence[Scalar], output: Scalar) -> tuple[Scalar, ...]:
        """Return ż at a speed of the gearbox' output [rad/s]."""
        tau = self.time_constant
        rates = []
        for state, (down, up) in zip(z, self.shifts(), strict=True):
            u, d = smooth_step((output - up) / (BAND * up)), smooth_step((down - output) / (BAND * down))
            kept = (1.0 - u - d) * state * (1.0 - state) * (1.0 - 2.0 * state)
            rates.append((u * (1.0 - state) - d * state - kept) / tau)
        return tuple(rates)

    def gear(self, z: Sequence[Scalar]) -> Scalar:
        """Return the number of the gear; between two while it is shifted."""
        number: Scalar = 1.0
        for state in z:
            number = number + smooth_step(state)
        return number

    def turns(self, z: Sequence[Scalar]) -> Scalar:
        """Return revolutions of the input per revolution of the output, forwards."""
        turns: Scalar = 1.0 / self.gears[0]
        for state, (low, high) in zip(z, pairwise(self.gears), strict=True):
            turns = turns + (1.0 / high - 1.0 / low) * smooth_step(state)
        return turns

    def turns_by(self, selector: Scalar, z: Sequence[Scalar]) -> Scalar:
        """Return revolutions of the input per revolution of the output in a selector's position."""
        forwards, backwards = directions(selector)
        return forwards * self.turns(z) + backwards / self.reverse

    def turns_rate(self, z: Sequence[Scalar], rates: Sequence[Scalar]) -> Scalar:
        """Return the rate of `turns` while a gear is shifted [1/s]."""
        total: Scalar = 0.0
        for state, rate, (low, high) in zip(z, rates, pairwise(self.gears), strict=True):
            total = total + (1.0 / high - 1.0 / low) * smooth_step_slope(state) * rate
        return total


class AutomaticGearboxData(ShiftedGearboxData):
    """One speed to shift up; one to shift down, or in ``downshifts`` one for each gear but the first."""

    upshift: Spin
    downshift: Spin
    downshifts: ShiftSpeeds | None = None
    shift_time: ShiftTime

    @model_validator(mode="after")
    def _shifts_in_order(self) -> AutomaticGearboxData:
        if not self.downshift < self.upshift:
            raise ValueError("downshift must be at a lower speed than upshift")
        return self

    @property
    def shift_speeds(self) -> tuple[Numbers, Numbers]:
        shifts = len(self.gears) - 1
        downs = (self.downshift,) * shifts if self.downshifts is None else self.downshifts
        if len(downs) != shifts:
            raise ValueError(f"downshifts has {len(downs)} speeds for {len(self.gears)} gears; give {shifts}")
        return downs, (self.upshift,) * shifts

    @property
    def time_constant(self) -> float:
        return self.shift_time / FINISHED


class ScheduledGearboxData(ShiftedGearboxData):
    """Gears with shift speeds of their own.

    ``upshift`` are those of all gears but the last, ``downshift`` of all but the first.
    """

    gears: Annotated[Numbers, ParameterQuantity("1", curve=True, above=0.0, fewest=1)]
    upshift: ShiftSpeeds | None = None
    downshift: ShiftSpeeds | None = None
    shift_time: ShiftTime | None = None

    @property
    def shift_speeds(self) -> tuple[Numbers, Numbers]:
        shifts = len(self.gears) - 1
        for name in ("upshift", "downshift"):
            count = len(getattr(self, name) or ())
            if count != shifts:
                raise ValueError(
                    f"{name} has {count} speeds for {len(self.gears)} gears; give {shifts}"
                    if shifts
                    else f"{name} has no effect with a single gear; leave it out"
                )
        if (self.shift_time is None) != (shifts == 0):
            raise ValueError("shift_time belongs to two gears or more, and is needed there")
        return self.downshift or (), self.upshift or ()

    @property
    def time_constant(self) -> float:
        return (self.shift_time or 1.0) / FINISHED
