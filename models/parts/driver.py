"""A driver without memory: follows a path by preview, holds a speed.

The wanted steering w reaches the wheels by a driver's arms: with a lag T, a largest rate, no overshoot,

    s̈ = (4/T) (clip((w − s)/T, ±rate) − ṡ),                                                             (D1)

natural frequency 2/T.  A driver without memory has them by the actuator of the steering, s̈ = ω² (u − s) −
2 ζ ω ṡ, solved for its input u, and by the steering's position s and rate ṡ.  Motions of the body that the
steering itself excites then meet the gain 4/T² instead of ω².

With e beside the path and the course ε = ψ + β against it, d = v t ahead, the steering law is the curvature
κ = −2 (e + d ε)/d².  With ė = v ε and a lag τ from wanted curvature to ε̇ = v κ, p = s t:

    (τ/t) p³ + p² + 2 p + 2 = 0,                                                                         (D2)

stable for t > τ; at t = 3 τ its oscillation has the damping ratio 0.36 and the loop a phase margin of 30°.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, arctan, maximum, minimum, tan
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.data.quantities import Fraction, Length, ParameterQuantity, check_number
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.backing import Train, curvature_to_steer
from ce_dynamics.models.parts.paths import Path
from ce_dynamics.models.parts.rounding import RoundedTable, saturate_symmetric, saturate_unit

Sensors = Mapping[str, Scalar]
"""Quantities that a driver model observes.

``x``, ``y`` [m] and ``yaw`` [rad] of the vehicle on the ground; ``speed`` over ground and its components
``vx`` forward, ``vy`` leftward [m/s]; ``yaw_rate`` [rad/s], positive to the left.
"""

SOFTNESS = 0.02
"""Width of the rounded corners of the pedals' and steering's limits."""

PREVIEW_PER_LAG = 3.0
"""Least t/τ of (D2)."""
LEAST_ANGLE = 0.25
"""Least (L + K v²)/L: at this part the yaw rate lags four times as long as that of a neutral vehicle."""
CREEP = 3.0
"""Least `SteeringResponse.rocking` [m/s]: below it tyres that stick at rest let the body rock.

It is the end of the blend of `ce_dynamics.models.tyres.chrono`."""
EXCESS_PART = 0.1
"""Largest part of a speed by which an engine may exceed it before the driver brakes."""
WALKING = 1.0
"""Speed below which the driver brakes no harder per excess, and leaves yaw more and more to itself [m/s]."""
SPIN = 0.5
"""[rad] of side-slip, beyond which the vehicle spins: it soon moves sideways, then backwards."""


@dataclass(frozen=True)
class SteeringResponse:
    """Lag of the driver's arms, and response of a vehicle to steering; zero is immediate.

    ``position`` is the sensor of the steering's position, 1 at full lock to the left, empty for none, which
    steers at once; ``position_rate`` that of its rate [1/s].  ``lag`` is T of (D1) [s]; of a column it is
    that of the hands, which are part of the vehicle.  ``omega`` [rad/s] and ``zeta`` are those of the
    actuator, zero for a column; ``rate`` is the largest rate of the steering in full locks per second.
    ``arm`` is the distance of the sensed point ahead of the axles that are not steered, ``relaxation`` that
    in which the tyres build up their side forces [m]; ``yaw_lag`` the lag of a neutral vehicle's yaw rate,
    over the speed [s²/m].
    """

    position: str = ""
    position_rate: str = ""
    lag: float = 0.0
    omega: float = 0.0
    zeta: float = 0.0
    rate: float = math.inf
    arm: float = 0.0
    relaxation: float = 0.0
    yaw_lag: float = 0.0

    @property
    def rocking(self) -> float:
        """Speed below which the side-slip comes from the body rocking on its tyres [m/s].

        On tyres of stiffness C/σ the body of mass m rocks with √(C/(m σ)), and that is slower than the tyres'
        relaxation, v/σ, above √(σ C/m); a neutral vehicle has C/m = 2/`yaw_lag`.
        """
        return max(CREEP, math.sqrt(2.0 * self.relaxation / self.yaw_lag)) if self.yaw_lag else CREEP


class DriverData(Section):
    """A driver that looks ahead on the path and holds a speed, see `ce_dynamics.models.parts.driver`.

    The aimed-at point is ``preview_time`` ahead, ``min_preview`` at least, which must be longer than the
    preview of a vehicle at rest; the path's curvature is taken ``feedforward_time`` ahead, the lag of
    steering and vehicle.  ``aim_gain`` is the correction relative to the arc through that point (1: steer
    along it).  ``throttle_gain`` and ``brake_gain`` are pedal per speed error, ``hold_throttle`` roughly
    balances the resistances, ``brake_margin`` is excess speed left to the engine before the brake is used.

    ``understeer`` is the wheel angle per lateral acceleration beyond wheelbase × curvature, ``yaw_damping``
    that per yaw rate in excess of the target curvature's; if they are left out, they follow from the vehicle.
    """

    understeer: Annotated[float, ParameterQuantity("rad*s^2/m")] | None = None
    preview_time: Annotated[float, ParameterQuantity("s", above=0.0)]
    min_preview: Length = 5.0
    feedforward_time: Annotated[float, ParameterQuantity("s", at_least=0.0)]
    aim_gain: Fraction
    yaw_damping: Annotated[float, ParameterQuantity("s", at_least=0.0)] | None = None
    throttle_gain: Annotated[float, ParameterQuantity("s/m", at_least=0.0)]
    brake_gain: Annotated[float, ParameterQuantity("s/m", at_least=0.0)]
    hold_throttle: Fraction
    brake_margin: Annotated[float, ParameterQuantity("m/s", at_least=0.0)]


@dataclass(frozen=True)
class Driver:
    """A driver of a vehicle: the driver's own data, and what follows from the vehicle.

    ``max_wheel_angle`` is the angle of the front wheels at full lock [rad]; ``understeer`` [rad s²/m] and
    ``yaw_damping`` [s] are those of the data or of the vehicle.

    ``reverse`` are inputs for driving backwards (-1 is reverse, except of a ``clutch``), none without such a
    gear; ``shifts`` is False if gears are inputs that no driver model sets; ``train`` are trailers for
    driving backwards; ``straight`` is the steering input that keeps the vehicle straight on, ``pull`` what it
    takes besides per brake pedal [1].
    """

    data: DriverData
    wheelbase: float
    max_wheel_angle: float
    understeer: float
    yaw_damping: float
    reverse: tuple[str, ...] = ()
    shifts: bool = True
    train: Train | None = None
    response: SteeringResponse = SteeringResponse()
    straight: float = 0.0
    pull: float = 0.0

    def __post_init__(self) -> None:
        for name in ("wheelbase", "max_wheel_angle"):
            check_number("driver", name, getattr(self, name), above=0.0)
        for name in ("understeer", "straight", "pull"):
            check_number("driver", name, getattr(self, name))
        check_number("driver", "yaw_damping", self.yaw_damping, at_least=0.0)


def steer(p: Driver, path: Path, sensors: Sensors, brake: Scalar = 0.0) -> Scalar:
    """Return the steering input in [−1, 1], positive to the left, that follows a path.

    The curvature of the path a moment ahead, plus a correction from where the point of the path one preview
    distance ahead appears beside where it would appear if the vehicle were on the path: 2/d² times that
    distance is the curvature of the arc leading to it.  Heading counts in the direction of motion, so that
    the side-slip of a steady corner is no error.  ``brake`` is the pedal whose pull arms with their
    lag counter.
    """
    speed, straight = sensors["speed"], p.straight + p.pull * brake if p.pull else p.straight
    ahead = preview(p, speed)
    forward = (p.data.feedforward_time + p.response.lag) * speed
    view = path.view(sensors["x"], sensors["y"], course(p, straight, sensors), ahead, forward)
    correction = 2.0 * p.data.aim_gain * (view.aim - view.aim_on_path) / (ahead * ahead)
    curvature = view.curvature + correction
    angle = curvature * angle_per_curvature(p, speed)
    angle = angle + damping(p, speed) * (speed * curvature - sensors["yaw_rate"])
    angle = angle - countersteer(p, speed) * sensors["yaw_rate"]
    return turn_steering(p, saturate_symmetric(straight + angle / p.max_wheel_angle, SOFTNESS), sensors)


def preview(p: Driver, speed: Scalar) -> Scalar:
    """Return the distance d [m] that keeps (D2) stable: that of the data, or more where lag needs it.

    v τ is what the arms take, v T, the tyres, σ, and the yaw rate, v² `yaw_lag` L/(L + K v²), less the lead
    of a point ahead of the axle.  That point also moves aside with the steering at once, which d of twice
    its distance leaves below the path's own error.
    """
    r, squared = p.response, speed * speed
    slowed = p.wheelbase / angle_per_curvature(p, speed)
    late = r.lag * speed + r.relaxation + r.yaw_lag * squared * slowed - r.arm
    least = maximum(p.data.min_preview, 2.0 * p.data.aim_gain * abs(r.arm))
    return maximum(maximum(p.data.preview_time * speed, least), PREVIEW_PER_LAG * late)


def angle_per_curvature(p: Driver, speed: Scalar) -> Scalar:
    """Return L + K v² [m]; at least `LEAST_ANGLE` of L, below which a vehicle is all but unstable."""
    return maximum(p.wheelbase + p.understeer * speed * speed, LEAST_ANGLE * p.wheelbase)


def damping(p: Driver, speed: Scalar) -> Scalar:
    """Return the wheel angle per yaw rate [s].

    It fades below `WALKING`: standing tyres yaw the vehicle with the rate of steering, not with its angle.
    """
    return p.yaw_damping * minimum(speed / WALKING, 1.0)


def countersteer(p: Driver, speed: Scalar) -> Scalar:
    """Return the wheel angle against the yaw rate [s] by which an oversteering vehicle has `LEAST_ANGLE`.

    With c v the missing angle per curvature, δ = (L + K v²) κ + c (v κ − r) makes r/v = κ of what turns in by
    itself above its critical speed, L + K v² < 0, and its answer to δ that of the positive L + K v² + c v.
    """
    missing = angle_per_curvature(p, speed) - (p.wheelbase + p.understeer * speed * speed)
    return missing / maximum(speed, CREEP)


def course(p: Driver, straight: Scalar, sensors: Sensors) -> Scalar:
    """Return the direction in which the vehicle moves [rad]; `SPIN` from where it points of one that spins.

    Below the speed of `SteeringResponse.rocking` the side-slip is that of wheels that roll where they are
    steered.
    """
    r = p.response
    trusted = r.rocking * r.rocking
    squared = sensors["vx"] * sensors["vx"]
    slip = sensors["vy"] * sensors["vx"]
    if r.position:
        steered = p.max_wheel_angle * (sensors[r.position] - straight)
        slip = slip + trusted * r.arm * tan(steered) / p.wheelbase
    return sensors["yaw"] + minimum(maximum(slip / (squared + trusted), -SPIN), SPIN)


def turn_steering(p: Driver, wanted: Scalar, sensors: Sensors) -> Scalar:
    """Return the steering input by which the arms move the steering to its target: (D1)."""
    r = p.response
    if not r.position:
        return wanted
    at, rate = sensors[r.position], sensors[r.position_rate]
    most = r.lag * r.rate
    towards = most * saturate_symmetric((wanted - at) / most, SOFTNESS)
    if not r.omega:
        return at + towards
    acceleration = 4.0 / r.lag * (towards / r.lag - rate)
    given = at + 2.0 * r.zeta / r.omega * rate + acceleration / (r.omega * r.omega)
    return minimum(maximum(given, -1.0), 1.0)


def invert_arms(p: Driver, steering: Floats, position: Floats, rate: Floats) -> Floats:
    """Return the w of (D1) behind steering inputs, as far as their rate lets arms follow it."""
    r = p.response
    if not r.omega:
        return steering
    acceleration = r.omega * r.omega * (steering - position) - 2.0 * r.zeta * r.omega * rate
    return np.asarray(position + r.lag * (rate + 0.25 * r.lag * acceleration))


def steer_by_heart(
    p: Driver, path: Path, steering: RoundedTable, yaw_rate: RoundedTable, sensors: Sensors
) -> Scalar:
    """Return the steering input in [−1, 1] of feed-forward along the path plus corrections.

    ``steering`` is added to `Driver.straight`.
    The correction is that of `steer`, from the error of place e and of course ε: the curvature
    −2 (e + d ε)/d² with the preview distance d; and yaw damping against the yaw rate that it measures.
    """
    speed = sensors["speed"]
    ahead = preview(p, speed)
    view = path.view(sensors["x"], sensors["y"], course(p, p.straight, sensors), ahead, 0.0)
    curvature = -2.0 * p.data.aim_gain * (view.offset + ahead * view.heading_error) / (ahead * ahead)
    angle = curvature * angle_per_curvature(p, speed)
    error = yaw_rate(sensors["x"]) - sensors["yaw_rate"]
    angle = angle + (damping(p, speed) + countersteer(p, speed)) * error
    known = p.straight + steering(sensors["x"])
    wanted = saturate_symmetric(known + angle / p.max_wheel_angle, SOFTNESS)
    return turn_steering(p, wanted, sensors)


def steer_train(p: Driver, train: Train, path: Path, seen: Sensors) -> Scalar:
    """Return the target steering in [−1, 1] that backs trailers up along a path.

    ``seen`` is that of `curvature_to_steer`; the caller applies the arms, `turned`.
    """
    sharpest = tan(p.max_wheel_angle) / p.wheelbase
    ahead = p.data.preview_time * seen["speed"]
    curvature = curvature_to_steer(train, path, seen, sharpest, ahead, p.data.aim_gain)
    return saturate_symmetric(arctan(p.wheelbase * curvature) / p.max_wheel_angle, SOFTNESS)


def reversals_at_limits(p: Driver, steering: Floats, rate: Floats | None) -> int:
    """Count the changes of steering from a limit, full lock or the largest rate, to the opposite one.

    The rate (n,) is that of the steering; None if it answers at once.
    """
    limited = np.where(np.abs(steering) > 1.0 - SOFTNESS, np.sign(steering), 0.0)
    if rate is not None:
        quick = np.abs(rate) > (1.0 - SOFTNESS) * p.response.rate
        limited = np.where(quick, np.sign(rate), limited)
    return int(np.count_nonzero(np.diff(limited[limited != 0.0])))


def hold_speed(p: Driver, target: Scalar, sensors: Sensors) -> tuple[Scalar, Scalar]:
    """Return the throttle and brake in [0, 1] that hold a forward speed [m/s]; never both at once.

    The excess left to the engine is at most a part of the speed, `EXCESS_PART`: idling engines creep.
    By half as much as it is less than `brake_margin`, the pedal is steeper.
    """
    lacking = target - sensors["vx"]
    excess = minimum(p.data.brake_margin, EXCESS_PART * target)
    throttle = saturate_unit(p.data.hold_throttle + p.data.throttle_gain * lacking, SOFTNESS)
    steeper = maximum(0.5 * p.data.brake_margin / (EXCESS_PART * maximum(target, WALKING)), 1.0)
    brake = saturate_unit(steeper * p.data.brake_gain * (-lacking - excess), SOFTNESS)
    return throttle, brake
