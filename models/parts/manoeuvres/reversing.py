"""Backwards from rest along a lane, or into the next one."""

from __future__ import annotations

from dataclasses import replace

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.backing import Train, last_axle
from ce_dynamics.models.parts.driver import DriverParameters, Sensors, steer_train
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, Manoeuvre, Option, duration_option
from ce_dynamics.models.parts.paths import LateralPath, LateralStep, Path
from ce_dynamics.models.parts.ramps import smooth_step

CLUTCH_TIME = 2.0
"""[s] that a driver takes to close the clutch, where there is one."""


class Reversing(Manoeuvre):
    """Backwards at a constant speed, with a change of lane on the way.

    The driver looks back: he sees a vehicle that drives along +x in a plane turned by half a turn, to which
    what lies ahead and to the left is what lies behind and to the right of his own.  Its yaw rate is his, and
    steering turns it the other way.  Of a train he sees the last axle, the way of which counts from where it
    begins; trailers he leads by `steer_train`, the rear half of a vehicle that folds to steer like a vehicle.
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
        ahead = replace(driver.response, arm=-driver.response.arm)  # to who looks back
        self.driver = replace(driver, response=ahead)
        if driver.train is not None and self.backwards > driver.train.fastest:
            raise DataError(
                f"{self.name}: speed = {self.backwards:g} m/s is too fast to back up "
                f"{' and '.join(one.name for one in driver.train.towed)}, which would fold; "
                f"give {driver.train.fastest:.2g} m/s at most"
            )

    def _path(self) -> Path:
        v = self.values
        return LateralPath((LateralStep(v["begin"], v["length"], v["shift"]),))

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        seen, train = self._looked_back(sensors), self.driver.train
        if train is None or train.folded:
            steering = 0.0 - self._follow(seen)
        else:
            assert self.path is not None, "backing up has a path"
            steering = steer_train(self.driver, train, self.path, seen)
        found = self._at_speed(steering, self.backwards, seen)
        for name in self.driver.reverse:
            found[name] = 1.0 - smooth_step(t / CLUTCH_TIME) if name == "clutch" else -1.0
        return found

    def _looked_back(self, sensors: Sensors) -> dict[str, Scalar]:
        """Return the sensors' values in axes turned to look back."""
        train = self.driver.train
        seen = {**sensors, **{name: 0.0 - sensors[name] for name in ("vx", "vy")}, **place(train, sensors)}
        response = self.driver.response
        if response.position:
            for name in (response.position, response.position_rate):
                seen[name] = 0.0 - sensors[name]
        if train is not None and train.folded:  # the rear half's axle does not slip sideways
            seen |= {"vy": 0.0, "yaw_rate": sensors[f"{train.towed[0].name}.trailer_yaw_rate"]}
        return seen

    def path_error(self, sensors: Sensors) -> Scalar | None:
        train = self.driver.train  # a run that is over is told in plain numbers
        return super().path_error(place(None if train is None else train.nominal, sensors))


def place(train: Train | None, sensors: Sensors) -> dict[str, Scalar]:
    """Return the position of the leading end, in axes turned to look back."""
    if train is None:
        return {"x": 0.0 - sensors["x"], "y": 0.0 - sensors["y"]}
    x, y, yaw = last_axle(train, sensors)
    return {"x": train.last - x, "y": 0.0 - y, "yaw": yaw}
