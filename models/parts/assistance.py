"""Controllers that assist a driver: anti-lock brakes, traction control, stability control, shifting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Annotated, NamedTuple

from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar, absolute, arctan2, maximum, minimum, where
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.data.quantities import ParameterQuantity, PositiveFraction
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.rounding import unit_clip

LEAST_SPEED = 1.0
"""[m/s] below which slips are referred to this speed."""


class AssistedWheel(NamedTuple):
    """Quantities of a wheel for controllers: y of its centre to the left of the middle [m]."""

    corner: str
    radius: Scalar
    y: Scalar
    driven: bool

    @property
    def release(self) -> str:
        """Input: part of the brake's pressure that is let go, 0 … 1."""
        return f"{self.corner}.brake_release"

    @property
    def addition(self) -> str:
        """Input: pressure added to the pedal's, 0 … 1."""
        return f"{self.corner}.brake_addition"

    def slip(self, sensors: Mapping[str, Scalar]) -> Scalar:
        """Return (ω R − v)/max(v, 1 m/s): −1 locked, positive when driven; v is the speed of the ground."""
        speed = sensors["vx"] - sensors["yaw_rate"] * self.y
        rolling = sensors[f"{self.corner}.wheel_rate"] * self.radius
        return (rolling - speed) / maximum(speed, LEAST_SPEED)


class AntiLockData(Section):
    """An anti-lock system.

    Attributes
    ----------
    period
        Time between samples [s].
    slip
        Allowed brake slip, 0 … 1.
    gain
        Part of the pressure released per sliding speed beyond it [s/m].
    reset_time
        Time in which it releases as much again while the sliding lasts [s].
    least_speed
        Speed below which wheels may lock [m/s].
    """

    period: Annotated[float, ParameterQuantity("s", above=0.0)]
    slip: PositiveFraction
    gain: Annotated[float, ParameterQuantity("s/m", above=0.0)]
    reset_time: Annotated[float, ParameterQuantity("s", above=0.0)]
    least_speed: Annotated[float, ParameterQuantity("m/s", above=0.0)]


class AntiLock(Controller):
    """Proportional-integral control of every wheel's sliding speed.

    Every T, with e = −s v − s* v the sliding speed beyond the slip s* that is allowed, and e' that of the
    sample before,

        r ← min(max(r + g (e − e' + e T/T_i), 0), 1).

    The brake keeps the part 1 − r of its pressure.  (What the pressure does to the sliding speed does not
    depend on how fast the vehicle is, as it does to the slip.)
    """

    name = "abs"

    def __init__(self, wheels: Sequence[AssistedWheel], parameters: AntiLockData) -> None:
        self.wheels, self.parameters = tuple(wheels), parameters
        self.period = parameters.period
        self.answers = tuple(wheel.release for wheel in wheels)
        self.held_back = tuple(f"{wheel.corner}.held_back" for wheel in wheels)
        self.excess = tuple(f"{wheel.corner}.excess" for wheel in wheels)
        self.sampled = (
            *(StateDeclaration(name, "1") for name in self.held_back),
            *(StateDeclaration(name, "m/s") for name in self.excess),
        )

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {
            wheel.release: unit_clip(sensors[wheel.release] + x[name])
            for wheel, name in zip(self.wheels, self.held_back, strict=True)
        }

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        p, v = self.parameters, sensors["vx"]
        excess = [(-wheel.slip(sensors) - p.slip) * maximum(v, LEAST_SPEED) for wheel in self.wheels]
        held_back = [
            where(
                v > p.least_speed,
                unit_clip(x[name] + p.gain * (e - x[before] + e * p.period / p.reset_time)),
                0.0,
            )
            for e, name, before in zip(excess, self.held_back, self.excess, strict=True)
        ]
        return (*held_back, *excess)


class TractionData(Section):
    """A traction control.

    Attributes
    ----------
    period
        Time between samples [s].
    slip
        Allowed drive slip.
    gain
        Part of the throttle taken back per second and unit of slip beyond it [1/s].
    brake_gain
        Brake pressure on a wheel that spins faster than its fellow on the axle, per second and unit of
        slip between the two beyond the allowed [1/s].
    """

    period: Annotated[float, ParameterQuantity("s", above=0.0)]
    slip: PositiveFraction
    gain: Annotated[float, ParameterQuantity("1/s", above=0.0)]
    brake_gain: Annotated[float, ParameterQuantity("1/s", above=0.0)]


class TractionControl(Controller):
    """Takes back the throttle, and brakes the wheel that spins.

    Every T, with the largest slip s of the driven wheels and the slip s* that is allowed,

        c ← min(max(c + g T (s − s*), 0), 1),

    and the engine gets the part 1 − c of the throttle.  The faster wheel of a driven axle is braked likewise
    by the slip between the two, so that an open differential sends torque to the other.  Wheels are left and
    right of every axle in turn.
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


class StabilityData(Section):
    """A stability control.

    Attributes
    ----------
    period
        Time between samples [s].
    understeer
        Target understeer of the vehicle: wheel angle per lateral acceleration [rad s²/m].
    lateral_acceleration
        Largest target [m/s²].
    dead_band
        Allowed deviation of the yaw rate [rad/s].
    gain
        Brake pressure per deviation beyond it [s/rad].
    sideslip
        Allowed angle of sideslip [rad].
    sideslip_gain
        Deviation of the yaw rate that an angle beyond it counts as [1/s].
    rate
        Fastest change of pressure [1/s].
    least_speed
        Speed below which it does not act [m/s].
    """

    period: Annotated[float, ParameterQuantity("s", above=0.0)]
    understeer: Annotated[float, ParameterQuantity("rad*s^2/m", at_least=0.0)]
    lateral_acceleration: Annotated[float, ParameterQuantity("m/s^2", above=0.0)]
    dead_band: Annotated[float, ParameterQuantity("rad/s", at_least=0.0)]
    gain: Annotated[float, ParameterQuantity("s/rad", above=0.0)]
    sideslip: Annotated[float, ParameterQuantity("rad", above=0.0)]
    sideslip_gain: Annotated[float, ParameterQuantity("1/s", at_least=0.0)]
    rate: Annotated[float, ParameterQuantity("1/s", above=0.0)]
    least_speed: Annotated[float, ParameterQuantity("m/s", above=0.0)]


class StabilityControl(Controller):
    """Brakes single wheels towards the yaw rate of the driver's steering.

    It is that of the linear single-track model,

        ψ̇* = v δ / (l + K v²),   |ψ̇*| ≤ a_y/v.

    Of e = ψ̇ − ψ̇* and the sideslip beyond what is let pass follows the turning moment that is missing.  A
    vehicle that turns too much is braked at the outer front wheel, one that turns too little at the inner
    rear wheel, and the throttle is taken back as much.  Pressures follow at a limited rate.

    Wheels are left and right of every axle in turn, from front to rear; δ at full lock is
    ``max_wheel_angle`` [rad].
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
        intended = v * sensors["steering"] * self.max_wheel_angle / (self.wheelbase + p.understeer * v * v)
        intended = minimum(maximum(intended, -most), most)
        beta = arctan2(sensors["vy"], v)
        sliding = maximum(beta - p.sideslip, 0.0) + minimum(beta + p.sideslip, 0.0)
        e = sensors["yaw_rate"] - intended - p.sideslip_gain * sliding
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
    the gear, and closes the clutch again; below the bite speed the clutch slips, lest the engine stalls. It
    starts in the gear ``first``.
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


class AssistanceData(Section):
    """Data of anti-lock brakes, traction control, stability control and shifting."""

    abs: AntiLockData | None = None
    traction: TractionData | None = None
    esc: StabilityData | None = None
    shifting: ShiftingData | None = None
