"""Hinge coordinates, rates and generalised forces read off the absolute motion of two bodies.

The embedded formulation puts coordinates in and gets poses out; here it is the other way round, and nothing
of `Hinge.pose`, `Hinge.H` or `Hinge.bias` is used.
"""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, concatenate, cross, dot, zeros
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.augmented.states import BodyState, point_of
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import across
from ce_dynamics.mechanism.hinges import (
    Cylindrical,
    Free,
    Hinge,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from ce_dynamics.mechanism.hinges.rolling import RollingOnPlane

NOTHING = zeros(3)


class RelativeMotion(NamedTuple):
    """Motion of a hinge's child as seen by its parent, in the parent's axes."""

    R: Array  # (3, 3): Child's axes to the parent's
    d: Array  # (3,), displacement of the child's hinge point from the parent's
    w: Array  # (3,): Relative angular velocity
    v: Array  # (3,), its rate


def relative_motion(body: Body, parent: BodyState, child: BodyState) -> RelativeMotion:
    """Return the motion of a body relative to the parent of its inboard hinge."""
    hinge = body.inboard
    x_p, v_p = point_of(body.carrier, parent, hinge.at_parent)
    x_c, v_c = point_of(body, child, hinge.at_child)
    delta, R_T = x_c - x_p, parent.R.T
    return RelativeMotion(
        R_T @ child.R, R_T @ delta, R_T @ (child.w - parent.w), R_T @ (v_c - v_p - cross(parent.w, delta))
    )


def measure_turn(axis: Array, start: Array, end: Array) -> Scalar:
    """Return angle about ``axis`` from ``start`` to ``end``, both perpendicular to it up to a common part."""
    start = start - axis * dot(axis, start)
    return arctan2(dot(axis, cross(start, end)), dot(start, end))


@singledispatch
def coordinates(hinge: Hinge, relative: RelativeMotion) -> Array:
    """Return coordinates of a hinge, in the order of its ``coordinate_names``; angles in (−π, π].

    A hinge of your own is taught by ``@coordinates.register``; others raise `ModelError`.
    """
    raise ModelError(
        f"the reference has no coordinates for a {type(hinge).__name__} hinge; register a function of the "
        "hinge and its relative motion with ce_dynamics.augmented.hinge_coordinates.coordinates.register"
    )


@coordinates.register
def _(hinge: Revolute, relative: RelativeMotion) -> Array:
    return array((angle_about(hinge.axis, relative.R),))


@coordinates.register
def _(hinge: Prismatic, relative: RelativeMotion) -> Array:
    return array((dot(hinge.axis, relative.d),))


@coordinates.register
def _(hinge: Cylindrical, relative: RelativeMotion) -> Array:
    return array((angle_about(hinge.axis, relative.R), dot(hinge.axis, relative.d)))


@coordinates.register
def _(hinge: Screw, relative: RelativeMotion) -> Array:
    along = dot(hinge.axis, relative.d)
    return array((angle_about(hinge.axis, relative.R) if hinge.pitch == 0.0 else along / hinge.pitch,))


@coordinates.register
def _(hinge: Planar, relative: RelativeMotion) -> Array:
    d = relative.d
    return array((dot(hinge.e1, d), dot(hinge.e2, d), angle_about(hinge.normal, relative.R)))


@coordinates.register
def _(hinge: Universal, relative: RelativeMotion) -> Array:
    # R = Rot(axis1, q1) Rot(axis2, q2): R axis2 is axis2 turned by q1, Rᵀ axis1 is axis1 turned by −q2
    q1 = measure_turn(hinge.axis1, hinge.axis2, relative.R @ hinge.axis2)
    q2 = measure_turn(hinge.axis2, hinge.axis1, relative.R.T @ hinge.axis1)
    return array((q1, -q2))


@coordinates.register
def _(hinge: Free, relative: RelativeMotion) -> Array:
    return relative.d


@coordinates.register
def _(hinge: RollingOnPlane, relative: RelativeMotion) -> Array:
    return array((dot(hinge.e1, relative.d), dot(hinge.e2, relative.d)))


def angle_about(axis: Array, R: Array) -> Scalar:
    """Return the angle of a rotation about a known axis."""
    e1, _ = across(axis)
    return measure_turn(axis, e1, R @ e1)


@singledispatch
def rate_rows(hinge: Hinge, R: Array) -> Array:
    """Return the rows ℓ_k (n_v, 6) with v_k = ℓ_k [w; v] of the relative motion, where the hinge holds.

    They are also the wrench on the child, at its hinge point and in the parent's axes, of a generalised unit
    force: Q_k ℓ_k does the power Q_k v_k in every motion that the hinge allows.  A hinge of your own is
    taught by ``@rate_rows.register``; others raise `ModelError`.
    """
    raise ModelError(
        f"the reference has no rates for a {type(hinge).__name__} hinge; register a function of the hinge "
        "and its relative rotation with ce_dynamics.augmented.hinge_coordinates.rate_rows.register"
    )


@rate_rows.register(Revolute)
@rate_rows.register(Screw)
def _(hinge: Revolute | Screw, R: Array) -> Array:
    return array((concatenate((hinge.axis, NOTHING)),))


@rate_rows.register
def _(hinge: Prismatic, R: Array) -> Array:
    return array((concatenate((NOTHING, hinge.axis)),))


@rate_rows.register
def _(hinge: Cylindrical, R: Array) -> Array:
    return array((concatenate((hinge.axis, NOTHING)), concatenate((NOTHING, hinge.axis))))


@rate_rows.register
def _(hinge: Planar, R: Array) -> Array:
    along = (concatenate((NOTHING, hinge.e1)), concatenate((NOTHING, hinge.e2)))
    return array((*along, concatenate((hinge.normal, NOTHING))))


@rate_rows.register
def _(hinge: Universal, R: Array) -> Array:
    # ω = axis1 q̇1 + a2 q̇2: the dual basis in the plane of the two axes
    a1, a2 = hinge.axis1, R @ hinge.axis2
    cosine = float(hinge.axis1 @ hinge.axis2)
    scale = 1.0 / (1.0 - cosine * cosine)
    duals = ((a1 - cosine * a2) * scale, (a2 - cosine * a1) * scale)
    return array(concatenate((dual, NOTHING)) for dual in duals)


@rate_rows.register(Spherical)
@rate_rows.register(RollingOnPlane)
def _(hinge: Spherical | RollingOnPlane, R: Array) -> Array:
    return array(concatenate((row, NOTHING)) for row in IDENTITY)


@rate_rows.register
def _(hinge: Free, R: Array) -> Array:
    return array(
        [concatenate((row, NOTHING)) for row in IDENTITY] + [concatenate((NOTHING, row)) for row in IDENTITY]
    )
