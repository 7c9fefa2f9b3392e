"""Traction control: the throttle is taken back where a driven wheel spins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Annotated

from ce_dynamics.algebra.arrays import Scalar, maximum
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.quantities import PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.assistance.wheels import AssistedWheel
from ce_dynamics.models.parts.rounding import unit_clip


class TractionData(Section):
    """A traction control.

    Attributes
    ----------
    period
        Time between samples [s].
    slip
        Drive slip that it allows.
    gain
        Part of the throttle taken back per second and unit of slip beyond it [1/s].
    brake_gain
        Brake pressure on a wheel that spins faster than its fellow on the axle, per second and unit of
        slip between the two beyond the allowed [1/s].
    """

    period: Annotated[float, Quantity("s", above=0.0)]
    slip: PositiveFraction
    gain: Annotated[float, Quantity("1/s", above=0.0)]
    brake_gain: Annotated[float, Quantity("1/s", above=0.0)]


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
    parameters : TractionData
    """

    name = "traction"

    def __init__(self, wheels: Sequence[AssistedWheel], parameters: TractionData) -> None:
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
