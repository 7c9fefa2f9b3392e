"""Backwards from rest along a lane, or into the next one."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.models.parts.driver import DriverParameters, Sensors
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, Manoeuvre, Option, duration_option
from ce_dynamics.models.parts.paths import LateralPath, LateralStep, Path
from ce_dynamics.models.parts.ramps import smooth_step

CLUTCH_TIME = 2.0
"""[s] that a driver takes to close the clutch, where there is one."""


class Reversing(Manoeuvre):
    """Backwards at a constant speed, with a change of lane on the way.

    The driver looks back: he sees a vehicle that drives along +x in a plane turned by half a turn, to which
    what lies ahead and to the left is what lies behind and to the right of his own.  Its yaw rate is his, and
    steering turns it the other way.
    """

    name = "reverse"
    title = "backwards along a lane"
    options = (
        Option("speed", "m/s", 2.0, "speed backwards, from rest", above=0.0, at_most=10.0),
        duration_option(15.0),
        FRICTION,
        Option("shift", "m", 0.0, "sideways on the way, positive to the left of who looks back"),
        Option("begin", "m", 5.0, "way before that", at_least=0.0),
        Option("length", "m", 15.0, "way that it takes", above=0.0),
    )

    def __init__(self, driver: DriverParameters, **values: float) -> None:
        super().__init__(driver, **values)
        self.backwards, self.speed = self.speed, 0.0

    def _path(self) -> Path:
        v = self.values
        return LateralPath((LateralStep(v["begin"], v["length"], v["shift"]),))

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        seen = {**sensors, **{name: 0.0 - sensors[name] for name in ("x", "y", "vx", "vy")}}
        found = self._at_speed(0.0 - self._follow(seen), self.backwards, seen)
        for name in self.driver.reverse:
            found[name] = 1.0 - smooth_step(t / CLUTCH_TIME) if name == "clutch" else -1.0
        return found

    def path_error(self, sensors: Sensors) -> Scalar | None:
        return super().path_error({"x": 0.0 - sensors["x"], "y": 0.0 - sensors["y"]})
