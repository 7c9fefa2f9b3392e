"""A driver without memory: follows a path by preview, holds a speed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from ce_dynamics.algebra.arrays import Scalar, arctan, maximum, minimum, tan
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.backing import Train, curvature_to_steer
from ce_dynamics.models.parts.paths import Path
from ce_dynamics.models.parts.ramps import saturate_symmetric, saturate_unit
from ce_dynamics.models.parts.torque_table import TorqueTable

Sensors = Mapping[str, Scalar]
"""What a driver perceives.

``x``, ``y`` [m] and ``yaw`` [rad] of the vehicle on the ground; ``speed`` over ground and its components
``vx`` forward, ``vy`` leftward [m/s]; ``yaw_rate`` [rad/s], positive to the left.
"""

SOFTNESS = 0.02
"""Width of the rounded corners of the pedals' and steering's limits."""

CREEP = 1.0
"""[m/s]; below it the direction of motion is not trusted."""
SPIN = 0.5
"""[rad] of side-slip, beyond which the vehicle spins: it soon moves sideways, then backwards."""


@dataclass(frozen=True)
class DriverParameters:
    """What a driver knows of the vehicle, and how he drives.

    Attributes
    ----------
    wheelbase : float
        [m].
    max_wheel_angle : float
        Angle of the front wheels at full lock [rad].
    understeer : float
        Understeer gradient: wheel angle per lateral acceleration beyond wheelbase × curvature [rad s²/m].
    preview_time : float
        How far ahead the driver aims [s].
    min_preview : float
        Least preview distance [m].
    feedforward_time : float
        How far ahead he takes the path's curvature: the lag of steering and vehicle [s].
    aim_gain : float
        Correction relative to the arc through the aimed-at point (1: steer along that arc).
    yaw_damping : float
        Wheel angle per yaw rate in excess of that of the wanted curvature [s].
    throttle_gain, brake_gain : float
        Pedal per speed error [s/m].
    hold_throttle : float
        Throttle that about balances the resistances.
    brake_margin : float
        Excess speed that is left to the engine before the brake is used [m/s].
    reverse : tuple of str
        Inputs that he uses to drive backwards: -1 is reverse, but of a ``clutch``; none without such a gear.
    train : Train, optional
        What follows when he backs up; none if the vehicle is not articulated.
    """

    wheelbase: float
    max_wheel_angle: float
    understeer: float
    preview_time: float
    min_preview: float
    feedforward_time: float
    aim_gain: float
    yaw_damping: float
    throttle_gain: float
    brake_gain: float
    hold_throttle: float
    brake_margin: float
    reverse: tuple[str, ...] = ()
    train: Train | None = None

    def __post_init__(self) -> None:
        positive = {"wheelbase", "max_wheel_angle", "preview_time", "min_preview"}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("reverse", "train"):
                continue
            if field.name in positive:
                check_number("driver", field.name, value, above=0.0)
            elif field.name == "understeer":
                check_number("driver", field.name, value)
            else:
                check_number("driver", field.name, value, at_least=0.0)


def steer(p: DriverParameters, path: Path, sensors: Sensors) -> Scalar:
    """Steering input in [−1, 1], positive to the left, that follows a path.

    The curvature of the path a moment ahead, plus a correction from where the point of the path one preview
    distance ahead appears beside where it would appear if the vehicle were on the path: 2/d² times that
    distance is the curvature of the arc leading to it.  Heading counts in the direction of motion, so that
    the side-slip of a steady corner is no error.
    """
    speed = sensors["speed"]
    preview = maximum(p.preview_time * speed, p.min_preview)
    view = path.view(sensors["x"], sensors["y"], course(sensors), preview, p.feedforward_time * speed)
    correction = 2.0 * p.aim_gain * (view.aim - view.aim_on_path) / (preview * preview)
    curvature = view.curvature + correction
    angle = curvature * (p.wheelbase + p.understeer * speed * speed)
    angle = angle + p.yaw_damping * (speed * curvature - sensors["yaw_rate"])
    return saturate_symmetric(angle / p.max_wheel_angle, SOFTNESS)


def course(sensors: Sensors) -> Scalar:
    """Direction in which the vehicle moves [rad]; `SPIN` from where it points of one that spins."""
    slip = sensors["vy"] * sensors["vx"] / (sensors["vx"] * sensors["vx"] + CREEP * CREEP)
    return sensors["yaw"] + minimum(maximum(slip, -SPIN), SPIN)


def steer_by_heart(
    p: DriverParameters, path: Path, steering: TorqueTable, yaw_rate: TorqueTable, sensors: Sensors
) -> Scalar:
    """Steering input in [−1, 1] of a driver who knows what to steer where, and corrects the rest.

    The correction is that of `steer`, from the error of place e and of course ε: the curvature
    −2 (e + d ε)/d² with the preview distance d; and yaw damping against the yaw rate that he knows.
    """
    speed = sensors["speed"]
    preview = maximum(p.preview_time * speed, p.min_preview)
    view = path.view(sensors["x"], sensors["y"], course(sensors), preview, 0.0)
    curvature = -2.0 * p.aim_gain * (view.offset + preview * view.heading_error) / (preview * preview)
    angle = curvature * (p.wheelbase + p.understeer * speed * speed)
    angle = angle + p.yaw_damping * (yaw_rate(sensors["x"]) - sensors["yaw_rate"])
    return saturate_symmetric(steering(sensors["x"]) + angle / p.max_wheel_angle, SOFTNESS)


def steer_train(p: DriverParameters, train: Train, path: Path, seen: Sensors) -> Scalar:
    """Steering input in [−1, 1] that backs trailers up along a path; ``seen`` as of `curvature_to_steer`."""
    sharpest = tan(p.max_wheel_angle) / p.wheelbase
    preview = p.preview_time * seen["speed"]
    curvature = curvature_to_steer(train, path, seen, sharpest, preview, p.aim_gain)
    return saturate_symmetric(arctan(p.wheelbase * curvature) / p.max_wheel_angle, SOFTNESS)


def hold_speed(p: DriverParameters, target: Scalar, sensors: Sensors) -> tuple[Scalar, Scalar]:
    """Throttle and brake in [0, 1] that hold a forward speed [m/s]; never both at once."""
    lacking = target - sensors["vx"]
    throttle = saturate_unit(p.hold_throttle + p.throttle_gain * lacking, SOFTNESS)
    brake = saturate_unit(p.brake_gain * (-lacking - p.brake_margin), SOFTNESS)
    return throttle, brake
