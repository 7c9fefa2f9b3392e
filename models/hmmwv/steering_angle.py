"""How far the front wheels turn for a steering input, from the hardpoints alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.errors import AssemblyError
from ce_dynamics.hinges.revolute import Revolute
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.models.hmmwv.corner import CornerParameters
from ce_dynamics.models.hmmwv.schema import HmmwvParameters, SteeringParameters
from ce_dynamics.rotation import rotate_about

Vector = NDArray[np.float64]


def max_wheel_angle(parameters: HmmwvParameters) -> float:
    """Angle of the front wheels at full lock, mean of inner and outer wheel [rad].

    Raises
    ------
    AssemblyError
        If the steering linkage cannot reach full lock.
    """
    corners = parameters.corners
    left, right = (wheel_angle(parameters, corners[name], 1.0) for name in ("front_left", "front_right"))
    return 0.5 * (left + right)


def wheel_angle(parameters: HmmwvParameters, corner: CornerParameters, steering: float) -> float:
    """Angle of a front wheel about the vertical, positive to the left [rad].

    Parameters
    ----------
    parameters : HmmwvParameters
    corner : CornerParameters
        A front corner, its arms at the design position.
    steering : float
        The steering input, −1 … 1.
    """
    link = parameters.steering
    L = link_point(link, corner.L, -steering * link.max_angle)  # the sign: see `vehicle.add_steering`
    kingpin = Revolute(corner.F - corner.D, at=corner.D)
    spindle = RotationToDistance(kingpin, corner.K, corner.L, f"{corner.name} spindle", "KL")
    forward, left = wheel_frame(corner)
    cos_sin = spindle.configuration(L - corner.D)
    axis = rotate_about(kingpin.axis, *cos_sin, left)
    angle = float(np.arctan2(-(axis @ forward), axis @ left))
    if not np.isfinite(angle):
        raise AssemblyError(
            f"{corner.name}: the tie rod KL cannot be assembled at steering input {steering:g}; "
            "check steering.max_angle and the points K and L"
        )
    return angle


def link_point(steering: SteeringParameters, L: Vector, angle: float) -> Vector:
    """Where a point of the steering link is when the Pitman arm has turned by an angle."""
    T, U, V, W = (p for p in (steering.T, steering.U, steering.V, steering.W))
    idler_hinge = Revolute(steering.axis, at=W)
    idler = RotationToDistance(idler_hinge, V, U, "steering idler arm", "VU")
    n = idler_hinge.axis
    U_now = T + rotate_about(n, np.cos(angle), np.sin(angle), U - T)
    V_now = W + rotate_about(n, *idler.configuration(U_now - W), V - W)
    before, now = (d - n * (n @ d) for d in (V - U, V_now - U_now))
    c, s = before @ now, n @ np.cross(before, now)
    length = np.hypot(c, s)
    return U_now + rotate_about(n, c / length, s / length, L - U)


def wheel_frame(corner: CornerParameters) -> tuple[Vector, Vector]:
    """Forward and left of the wheel in the design position, horizontal unit vectors."""
    y = np.array([corner.wheel.axis[0], corner.wheel.axis[1], 0.0])
    left = y / np.linalg.norm(y)
    return np.array([left[1], -left[0], 0.0]), left
