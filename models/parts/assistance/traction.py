"""Traction control: the throttle is taken back where a driven wheel spins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from ce_dynamics.algebra.arrays import Scalar, maximum
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.assistance.wheels import AssistedWheel
from ce_dynamics.models.parts.ramps import unit_clip


@dataclass(frozen=True)
class TractionParameters:
    """A traction control.

    Attributes
    ----------
    period : float
        Time between samples [s].
    slip : float
        Drive slip that it allows.
    gain : float
        Part of the throttle taken back per second and unit of slip beyond it [1/s].
    brake_gain : float
        Brake pressure on a wheel that spins faster than its fellow on the axle, per second and unit of
        slip between the two beyond the allowed [1/s].
    """

    period: float
    slip: float
    gain: float
    brake_gain: float


class TractionControl(Controller):
    """Takes back the throttle, and brakes the wheel that spins.

    Every T, with the largest slip s of the driven wheels and the slip s* that is allowed,

        c ← min(max(c + g T (s − s*), 0), 1),

    and the engine gets the part 1 − c of the throttle.  The faster wheel of a driven axle is braked likewise
    by the slip between the two, so that an open differential sends torque to the other.

    Parameters
    ----------
    wheels : sequence of AssistedWheel
        Left and right of every axle in turn.
    parameters : TractionParameters
    """

    name = "traction"

    def __init__(self, wheels: Sequence[AssistedWheel], parameters: TractionParameters) -> None:
        self.parameters, self.period = parameters, parameters.period
        pairs = zip(wheels[::2], wheels[1::2], strict=True)
        self.pairs = tuple(pair for pair in pairs if pair[0].driven)
        self.driven = tuple(wheel for pair in self.pairs for wheel in pair)
        self.answers = ("throttle", *(wheel.addition for wheel in self.driven))
        self.sampled = (
            StateDeclaration("taken_back", "1"),
            *(StateDeclaration(f"{wheel.corner}.braking", "1") for wheel in self.driven),
        )

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        braked = {
            wheel.addition: unit_clip(sensors[wheel.addition] + x[f"{wheel.corner}.braking"])
            for wheel in self.driven
        }
        return {"throttle": sensors["throttle"] * (1.0 - x["taken_back"]), **braked}

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        p = self.parameters
        slips = {wheel.corner: wheel.slip(sensors) for wheel in self.driven}
        worst = reduce(maximum, slips.values())
        braking = []
        for pair in self.pairs:
            for wheel, other in (pair, pair[::-1]):
                between = slips[wheel.corner] - slips[other.corner]
                braking.append(
                    unit_clip(x[f"{wheel.corner}.braking"] + p.brake_gain * p.period * (between - p.slip))
                )
        return (unit_clip(x["taken_back"] + p.gain * p.period * (worst - p.slip)), *braking)
