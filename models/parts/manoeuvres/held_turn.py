"""In a turn with the steering held: braking (ISO 7975), power off (ISO 9816)."""

from __future__ import annotations

from typing import ClassVar

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.models.parts.driver import Sensors
from ce_dynamics.models.parts.manoeuvres.base import (
    FRICTION,
    STEER,
    Manoeuvre,
    Option,
    duration_option,
    speed_option,
)
from ce_dynamics.models.parts.ramps import smooth_step

TURN_IN = 0.5, 2.0
"""When the steering begins, and the time it takes [s]."""
EVENT = Option(
    "start", "s", 9.0, "time at which the throttle is released, on a steady circle", above=sum(TURN_IN)
)


class PowerOff(Manoeuvre):
    """The steering is held on a circle, the speed too until the throttle is released (ISO 9816)."""

    name = "power-off"
    title = "power off in a turn, steering held"
    options: ClassVar[tuple[Option, ...]] = (
        speed_option(20.0),
        duration_option(13.0),
        FRICTION,
        STEER,
        EVENT,
        Option("rise", "s", 0.2, "time the pedal takes", above=0.0),
    )

    @property
    def event(self) -> float:
        """When the pedals begin to do what is looked at [s]."""
        return self.values["start"]

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        begin, takes = TURN_IN
        held = self._at_speed(v["steer"] * smooth_step((t - begin) / takes), self.speed, sensors)
        released = smooth_step((t - v["start"]) / v["rise"])
        return {
            "steering": held["steering"],
            "throttle": (1.0 - released) * held["throttle"],
            "brake": (1.0 - released) * held["brake"] + self._brake(t),
        }

    def _brake(self, t: Scalar) -> Scalar:
        """The pedal after the throttle has been released."""
        return 0.0


class BrakeInTurn(PowerOff):
    """The same, and when the throttle is released, the brake is pressed (ISO 7975)."""

    name = "brake-in-turn"
    title = "braking in a turn, steering held"
    options = (
        *PowerOff.options,
        Option("brake", "1", 0.3, "brake pedal", at_least=0.0, at_most=1.0),
    )

    @property
    def event(self) -> float:
        return self.values["start"] + self.values["rise"]

    def _brake(self, t: Scalar) -> Scalar:
        return self.values["brake"] * smooth_step((t - self.event) / self.values["rise"])
