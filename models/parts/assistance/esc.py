"""Electronic stability control: single wheels are braked where the vehicle turns as it was not asked to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from ce_dynamics.algebra.arrays import Scalar, absolute, arctan2, maximum, minimum, where
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.assistance.wheels import LEAST_SPEED, AssistedWheel
from ce_dynamics.models.parts.rounding import unit_clip


class StabilityData(Section):
    """A stability control.

    Attributes
    ----------
    period
        Time between samples [s].
    understeer
        Of the vehicle that is wanted: wheel angle per lateral acceleration [rad s²/m].
    lateral_acceleration
        Largest that is asked for [m/s²].
    dead_band
        Deviation of the yaw rate that is let pass [rad/s].
    gain
        Brake pressure per deviation beyond it [s/rad].
    sideslip
        Angle of sideslip that is let pass [rad].
    sideslip_gain
        Deviation of the yaw rate that an angle beyond it counts as [1/s].
    rate
        Fastest change of pressure [1/s].
    least_speed
        Below it nothing is done [m/s].
    """

    period: Annotated[float, Quantity("s", above=0.0)]
    understeer: Annotated[float, Quantity("rad*s^2/m", at_least=0.0)]
    lateral_acceleration: Annotated[float, Quantity("m/s^2", above=0.0)]
    dead_band: Annotated[float, Quantity("rad/s", at_least=0.0)]
    gain: Annotated[float, Quantity("s/rad", above=0.0)]
    sideslip: Annotated[float, Quantity("rad", above=0.0)]
    sideslip_gain: Annotated[float, Quantity("1/s", at_least=0.0)]
    rate: Annotated[float, Quantity("1/s", above=0.0)]
    least_speed: Annotated[float, Quantity("m/s", above=0.0)]


class StabilityControl(Controller):
    """Brakes single wheels towards the yaw rate that the driver asks for.

    It is that of the linear single-track model,

        ψ̇* = v δ / (l + K v²),   |ψ̇*| ≤ a_y/v.

    Of e = ψ̇ − ψ̇* and the sideslip beyond what is let pass follows the turning moment that is missing.  A
    vehicle that turns too much is braked at the outer front wheel, one that turns too little at the inner
    rear wheel, and the throttle is taken back as much.  Pressures follow at a limited rate.

    Parameters
    ----------
    wheels : sequence of AssistedWheel
        Left and right of every axle in turn, from front to rear.
    wheelbase, max_wheel_angle : scalar
        [m], and the angle of the steered wheels at full lock [rad].
    parameters : StabilityData
    """

    name = "esc"

    def __init__(
        self,
        wheels: Sequence[AssistedWheel],
        wheelbase: Scalar,
        max_wheel_angle: Scalar,
        parameters: StabilityData,
    ) -> None:
        self.parameters, self.period = parameters, parameters.period
        self.wheelbase, self.max_wheel_angle = wheelbase, max_wheel_angle
        self.front, self.rear = (wheels[0], wheels[1]), (wheels[-2], wheels[-1])
        self.braked = (*self.front, *self.rear)
        self.answers = ("throttle", *(wheel.addition for wheel in self.braked))
        self.sampled = tuple(StateDeclaration(f"{wheel.corner}.braking", "1") for wheel in self.braked)

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        pressures = [x[state.name] for state in self.sampled]
        answer = {
            wheel.addition: unit_clip(sensors[wheel.addition] + pressure)
            for wheel, pressure in zip(self.braked, pressures, strict=True)
        }
        return {"throttle": sensors["throttle"] * (1.0 - unit_clip(sum(pressures))), **answer}

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        p = self.parameters
        v = maximum(sensors["vx"], LEAST_SPEED)
        most = p.lateral_acceleration / v
        asked = v * sensors["steering"] * self.max_wheel_angle / (self.wheelbase + p.understeer * v * v)
        asked = minimum(maximum(asked, -most), most)
        beta = arctan2(sensors["vy"], v)
        sliding = maximum(beta - p.sideslip, 0.0) + minimum(beta + p.sideslip, 0.0)
        e = sensors["yaw_rate"] - asked - p.sideslip_gain * sliding
        turns_too_much = e * sensors["yaw_rate"] > 0.0
        wanted = p.gain * maximum(absolute(e) - p.dead_band, 0.0) * where(v > p.least_speed, 1.0, 0.0)
        front, rear = where(turns_too_much, wanted, 0.0), where(turns_too_much, 0.0, wanted)
        left = where(e < 0.0, 1.0, 0.0)  # a moment to the left is missing
        targets = (front * left, front * (1.0 - left), rear * left, rear * (1.0 - left))
        step = p.rate * p.period
        return [
            unit_clip(x[s.name] + minimum(maximum(minimum(target, 1.0) - x[s.name], -step), step))
            for target, s in zip(targets, self.sampled, strict=True)
        ]
