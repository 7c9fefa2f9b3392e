"""A driver's hand and foot: gears shifted with the clutch, at speeds of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, where
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.rounding import unit_clip

OPENS = 3.0
"""A third of the time of a shift opens the clutch, a third shifts, a third closes it."""


class ShiftingData(Section):
    """Parameters of the gear shifts.

    Attributes
    ----------
    period
        Time between samples [s].
    upshift, downshift
        Speeds of the engine beyond which the next gear is engaged [rad/s].
    time
        Duration of a shift [s].
    bite_speed
        Speed of the engine above which the clutch may be closed, open at 0.8 of it [rad/s].
    """

    period: Annotated[float, ParameterQuantity("s", above=0.0)]
    upshift: Annotated[float, ParameterQuantity("rad/s", above=0.0)]
    downshift: Annotated[float, ParameterQuantity("rad/s", above=0.0)]
    time: Annotated[float, ParameterQuantity("s", above=0.0)]
    bite_speed: Annotated[float, ParameterQuantity("rad/s", above=0.0)]

    @model_validator(mode="after")
    def _shifts_up_and_down(self) -> ShiftingData:
        if not self.downshift < self.upshift:
            raise ValueError(
                f"downshift {self.downshift:g} rad/s must be below upshift {self.upshift:g} rad/s"
            )
        return self


class Shifting(Controller):
    """Shifts the forward gears; neutral and reverse are as they are given.

    Given is the lowest gear that may be taken.  A shift opens the clutch and lets go the throttle, changes
    the gear, and closes the clutch again; below the bite speed the clutch slips, lest the engine stalls.

    Parameters
    ----------
    gears : int
        Number of forward gears.
    parameters : ShiftingData
    first : float
        Gear at the start.
    """

    name = "shifting"
    answers = ("gear", "clutch", "throttle")

    def __init__(self, gears: int, parameters: ShiftingData, first: float = 1.0) -> None:
        self.gears, self.parameters, self.period = gears, parameters, parameters.period
        self.sampled = (
            StateDeclaration("chosen", "1", first),
            StateDeclaration("target", "1", first),
            StateDeclaration("left", "1", 0.0),
        )

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        p, given = self.parameters, sensors["gear"]
        forwards = given > 0.5
        opened = where(forwards, unit_clip(minimum(OPENS * x["left"], OPENS * (1.0 - x["left"]))), 0.0)
        opened = where(x["left"] > 0.0, opened, 0.0)
        slipping = 1.0 - unit_clip((sensors["driveline.engine_speed"] / p.bite_speed - 0.8) / 0.2)
        return {
            "gear": where(forwards, x["chosen"], given),
            "clutch": unit_clip(maximum(sensors["clutch"], maximum(opened, slipping))),
            "throttle": sensors["throttle"] * (1.0 - opened),
        }

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        p, omega = self.parameters, sensors["driveline.engine_speed"]
        lowest = minimum(maximum(sensors["gear"], 1.0), float(self.gears))
        free = x["left"] <= 0.0
        higher = where(omega > p.upshift, 1.0, 0.0)
        lower = where(omega < p.downshift, 1.0, 0.0)
        wanted = minimum(maximum(x["chosen"] + higher - lower, lowest), float(self.gears))
        target = where(free, wanted, x["target"])
        begins = where(free, where(absolute(wanted - x["chosen"]) > 0.5, 1.0, 0.0), 0.0)
        left = maximum(where(free, begins, x["left"] - p.period / p.time), 0.0)
        gear = where(left < 0.5, target, x["chosen"])  # in the middle of the time the clutch is open
        return gear, target, left
