"""Automatic choice of gears with hysteresis, by states of first order.

Between gears k and k+1 a state z_k goes from 0 to 1: it is pushed up where the gearbox' output turns faster
than gear k may drive it at the upshift speed, down where it turns slower than gear k+1 would at the downshift
speed, and in between stays at the end where it is, which both are stable there:

    ż_k = [u (1 − z_k) − d z_k − (1 − u − d) z_k (1 − z_k)(1 − 2 z_k)] / τ.

That is memory without events: equations that every integrator sees as smooth, u and d being smooth steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.ramps import smooth_step, smooth_step_slope

BAND = 0.02
"""Of a shift speed, over which the push sets in."""
FINISHED = 5.0
"""Time constants in one shift time: what is left of a shift then is 0.7 % of it."""


@dataclass(frozen=True)
class GearParameters:
    """Gears and when they are shifted.

    Attributes
    ----------
    ratios : tuple of float
        Output speed over input speed of the forward gears, increasing.
    reverse : float
        That of the reverse gear, negative.
    upshift, downshift : float or tuple of float
        Speeds of the gearbox' input at which the next gear up or down is chosen [rad/s]: one for all gears,
        or of ``upshift`` one for every gear but the last, of ``downshift`` one for every gear but the first.
    shift_time : float
        Of one shift [s].
    """

    ratios: tuple[float, ...]
    reverse: float
    upshift: float | tuple[float, ...]
    downshift: float | tuple[float, ...]
    shift_time: float

    def __post_init__(self) -> None:
        check_number("gears", "shift_time", self.shift_time, above=0.0)
        if not self.ratios:
            raise DataError("gears: ratios is empty; give at least one forward gear")
        for k, ratio in enumerate(self.ratios):
            check_number("gears", f"ratios[{k}]", ratio, above=0.0)
        if check_number("gears", "reverse", self.reverse) >= 0.0:
            raise DataError(f"gears: reverse = {self.reverse:g} must be below 0")
        ups, downs = (self.of_every_shift(name) for name in ("upshift", "downshift"))
        for k, ((low, high), up, down) in enumerate(zip(pairwise(self.ratios), ups, downs, strict=True), 1):
            if not low < high:
                raise DataError("gears: ratios must increase from first to last (output over input speed)")
            if down * high >= up * low:
                raise DataError(
                    f"gears: shifted up at {up:g} rad/s, gear {k + 1} turns the input at "
                    f"{up * low / high:g} rad/s, below downshift = {down:g}; it would be "
                    "shifted to and fro: lower downshift or raise upshift"
                )

    def of_every_shift(self, name: str) -> tuple[float, ...]:
        """The speeds of ``upshift`` or ``downshift``, one for every pair of gears [rad/s]."""
        value: float | tuple[float, ...] = getattr(self, name)
        shifts = len(self.ratios) - 1
        speeds = value if isinstance(value, tuple) else (value,) * max(shifts, 1)
        for speed in speeds:
            check_number("gears", name, speed, above=0.0)
        if isinstance(value, tuple) and len(value) != shifts:
            raise DataError(
                f"gears: {name} has {len(value)} speeds for {len(self.ratios)} gears; "
                f"give one for all or {shifts}"
            )
        return speeds[:shifts]

    def shifts(self) -> tuple[tuple[float, float], ...]:
        """Return the shift speeds at the output for each pair of gears.

        The lower gear is chosen below the first speed, the upper gear above the second.
        """
        speeds = zip(self.of_every_shift("downshift"), self.of_every_shift("upshift"), strict=True)
        pairs = zip(pairwise(self.ratios), speeds, strict=True)
        return tuple((down * high, up * low) for (low, high), (down, up) in pairs)

    def states(self, z: Sequence[float]) -> tuple[StateDeclaration, ...]:
        """The states as a force element declares them, with their values at the start."""
        return tuple(StateDeclaration(f"shift_{k}_{k + 1}", "1", state) for k, state in enumerate(z, 1))

    def at_speed(self, output: float) -> tuple[float, ...]:
        """The states of a vehicle that has accelerated to a speed of the gearbox' output [rad/s]."""
        return tuple(1.0 if output > up else 0.0 for _, up in self.shifts())

    def rates(self, z: Sequence[Scalar], output: Scalar) -> tuple[Scalar, ...]:
        """ż at a speed of the gearbox' output [rad/s]."""
        tau = self.shift_time / FINISHED
        rates = []
        for state, (down, up) in zip(z, self.shifts(), strict=True):
            u, d = smooth_step((output - up) / (BAND * up)), smooth_step((down - output) / (BAND * down))
            kept = (1.0 - u - d) * state * (1.0 - state) * (1.0 - 2.0 * state)
            rates.append((u * (1.0 - state) - d * state - kept) / tau)
        return tuple(rates)

    def gear(self, z: Sequence[Scalar]) -> Scalar:
        """Number of the gear; between two while it is shifted."""
        number: Scalar = 1.0
        for state in z:
            number = number + smooth_step(state)
        return number

    def turns(self, z: Sequence[Scalar]) -> Scalar:
        """Revolutions of the input per revolution of the output, forwards."""
        turns: Scalar = 1.0 / self.ratios[0]
        for state, (low, high) in zip(z, pairwise(self.ratios), strict=True):
            turns = turns + (1.0 / high - 1.0 / low) * smooth_step(state)
        return turns

    def turns_rate(self, z: Sequence[Scalar], rates: Sequence[Scalar]) -> Scalar:
        """Rate of `turns` while a gear is shifted [1/s]."""
        total: Scalar = 0.0
        for state, rate, (low, high) in zip(z, rates, pairwise(self.ratios), strict=True):
            total = total + (1.0 / high - 1.0 / low) * smooth_step_slope(state) * rate
        return total
