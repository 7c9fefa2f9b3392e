"""How far the front wheels turn for a steering input, from the hardpoints alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Scalar, arctan2, array, cross
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.compiler.free_numbers import decided, nominal, number
from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.vehicles.hmmwv.corner import CornerParameters
from ce_dynamics.models.vehicles.hmmwv.schema import HmmwvParameters, SteeringParameters

Vector = NDArray[np.float64]


def max_wheel_angle(parameters: HmmwvParameters) -> Scalar:
    """Angle of the front wheels at full lock, mean of inner and outer wheel [rad].

    Raises
    ------
    AssemblyError
        If the steering linkage cannot reach full lock.
    DataError
        If full steering to the left does not turn both wheels to the left.
    """
    angles = []
    for name in ("front_left", "front_right"):
        corner = parameters.corners[name]
        with np.errstate(invalid="ignore"):
            for lock in (1.0, -1.0):
                reached = wheel_angle(parameters, corner, lock)
                open_at_lock = f"{name}: the steering linkage cannot be assembled at full lock"
                if not decided(reached == reached, open_at_lock):  # NaN
                    reach = math.degrees(
                        steering_reach(parameters, corner, lock) * parameters.steering.max_angle
                    )
                    locked = math.degrees(parameters.steering.max_angle)
                    raise AssemblyError(
                        f"{open_at_lock}, steering.max_angle = {locked:.4g} deg; admissible is up to "
                        f"{reach:.4g} deg"
                    )
        angle = wheel_angle(parameters, corner, 1.0)
        wrong = f"{name}: full steering to the left does not turn the wheel to the left"
        if decided(angle <= 0.0, wrong):
            degrees = np.degrees(nominal(angle))
            raise DataError(
                f"{name}: full steering to the left turns the wheel by {degrees:.3g} deg to the "
                "left, must be above 0; move the tie rod's outer joint K behind the axis through D and F"
            )
        angles.append(angle)
    return 0.5 * sum(angles)


def steering_reach(parameters: HmmwvParameters, corner: CornerParameters, lock: float) -> float:
    """How far the steering input can go from 0 towards a lock at which the linkage cannot be assembled."""
    reached, beyond = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (reached + beyond)
        if math.isnan(nominal(wheel_angle(parameters, corner, lock * middle))):
            beyond = middle
        else:
            reached = middle
    return reached


def wheel_angle(parameters: HmmwvParameters, corner: CornerParameters, steering: float) -> Scalar:
    """Angle of a front wheel about the vertical, positive to the left [rad].

    Parameters
    ----------
    parameters : HmmwvParameters
    corner : CornerParameters
        A front corner, its arms at the design position.
    steering : float
        The steering input, −1 … 1.

    Returns
    -------
    float
        NaN where the linkage cannot be assembled.
    """
    link = parameters.steering
    L = link_point(link, corner.L, -steering * link.max_angle)  # the sign: see `vehicle.add_steering`
    kingpin = Revolute(corner.F - corner.D, at=corner.D)
    spindle = RotationToDistance(kingpin, corner.K, corner.L, f"{corner.name} spindle", "KL")
    forward, left = wheel_frame(corner)
    c, s = spindle.configuration(L - corner.D)
    axis = rotate_about(kingpin.axis, c, s, left)
    return number(arctan2(-(axis @ forward), axis @ left))


def link_point(steering: SteeringParameters, L: Vector, angle: float) -> Vector:
    """Where a point of the steering link is when the Pitman arm has turned by an angle."""
    T, U, V, W = (p for p in (steering.T, steering.U, steering.V, steering.W))
    idler_hinge = Revolute(steering.axis, at=W)
    idler = RotationToDistance(idler_hinge, V, U, "steering idler arm", "VU")
    n = idler_hinge.axis
    U_now = T + rotate_about(n, math.cos(angle), math.sin(angle), U - T)
    c, s = idler.configuration(U_now - W)
    V_now = W + rotate_about(n, c, s, V - W)
    before, now = (d - n * (n @ d) for d in (V - U, V_now - U_now))
    c, s = before @ now, n @ cross(before, now)
    length = magnitude(array((c, s)))
    return U_now + rotate_about(n, c / length, s / length, L - U)


def wheel_frame(corner: CornerParameters) -> tuple[Vector, Vector]:
    """Forward and left of the wheel in the design position, horizontal unit vectors."""
    y = np.array([corner.wheel.axis[0], corner.wheel.axis[1], 0.0])
    left = y / magnitude(y)
    return np.array([left[1], -left[0], 0.0]), left
