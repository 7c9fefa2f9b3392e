"""Steady cornering at constant speed with slowly rising steering (ISO 4138)."""

from __future__ import annotations

from ce_dynamics.models.handling.metrics.steady_state import lateral_acceleration_gain, yaw_rate_gain
from ce_dynamics.models.handling.outcome import DEGREES
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.procedures.cornering import DIRECTION, STANDARD, G, judge, points_of
from ce_dynamics.models.handling.procedures.steering_ramp import BEGIN, ramp
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option


class ConstantSpeedTest(Procedure):
    """The steering rises slowly to the limit while the speed is held."""

    name = "constant-speed"
    title = "steady cornering, constant speed"
    standard = STANDARD
    options = (speed_option(80.0 / 3.6), DIRECTION, FRICTION)
    LAG = 1.0
    """Time after the beginning from which points count [s]."""

    def perform(self) -> None:
        v = self.values
        run = ramp(self, v["speed"], 1.1 * v["friction"] * self.subject.gravity, v["direction"], 1.3)
        judge(self, points_of(self, [run], BEGIN + self.LAG, v["direction"]))
        K, L = self.outcome["understeer_gradient"] / (DEGREES * G), self.subject.wheelbase
        self.outcome.add(
            "yaw_rate_gain", "yaw rate gain at this speed", yaw_rate_gain(v["speed"], L, K), "1/s"
        )
        gain = lateral_acceleration_gain(v["speed"], L, K)
        self.outcome.add(
            "lateral_acceleration_gain", "lateral acceleration gain", gain / DEGREES, "m/s^2/deg"
        )
