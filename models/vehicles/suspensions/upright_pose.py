"""Pose of an upright on five rods whose far ends are given, with its wheel centre at its height."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, concatenate, cross, dot
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.algebra.rotation import normalised, quaternion_rate, rotation_from_quaternion
from ce_dynamics.compiler.free_numbers import number
from ce_dynamics.models.vehicles.bodies import Vector
from ce_dynamics.models.vehicles.suspensions.kingpin import wheel_frame

STEPS = 8
"""From the design pose to the far ends; each ends with a Newton step, the last with three more."""


def turned_upright(rods: Sequence[tuple[Vector, Vector, Vector]], W: Vector, axis: Vector) -> Scalar:
    """Angle of the wheel about the vertical, positive to the left [rad]; far from 0 or NaN if out of reach.

    Parameters
    ----------
    rods : sequence of (U, C, C_now)
        Five rods from U on the upright to C; where C is now.
    W : (3,) array
        A point of the upright in the design pose whose height stays, such as the wheel centre.
    axis : (3,) array
        Spin axis in the design pose.
    """
    shift, quaternion = np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0))
    for k in range(1, STEPS + 4):
        s = min(k / STEPS, 1.0)
        R = rotation_from_quaternion(quaternion)
        rows, errors = [array((0.0, 0.0, 1.0, 0.0, 0.0, 0.0))], [shift[2]]
        for U, C, now in rods:
            arm, before = R @ (U - W), U - C
            d = W + shift + arm - (C + s * (now - C))
            rows.append(concatenate((d, cross(arm, d))))
            errors.append(0.5 * (dot(d, d) - dot(before, before)))
        step = -PivotedLU(np.stack(rows)).solve(array(errors))
        shift = shift + step[:3]
        quaternion = normalised(quaternion + quaternion_rate(quaternion, step[3:]))
    forward, left = wheel_frame(axis)
    turned: Array = rotation_from_quaternion(quaternion) @ left
    return number(arctan2(-dot(turned, forward), dot(turned, left)))
