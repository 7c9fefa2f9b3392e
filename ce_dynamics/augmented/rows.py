"""Constraint rows over absolute velocities: hinges and loop closures.

Every row is g = 0 with ġ = G V + ∂g/∂t and g̈ = G V̇ + γ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate, cross, zeros
from ce_dynamics.augmented.states import BodyState
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, joints_in
from ce_dynamics.mechanism.hinges.conditions import Condition, JointEnd, Twist
from ce_dynamics.mechanism.system import System


class JoinedPoints(NamedTuple):
    """Two bodies and the conditions between two points of them (design positions)."""

    name: str
    parent: Body
    at_parent: Array
    child: Body
    at_child: Array
    conditions: tuple[Condition, ...]


class ConstraintRows(NamedTuple):
    """Constraint rows of a joint, a coupling or a prescribed motion."""

    g: Array  # (n,): Residuals: cosines [-] or lengths [m]
    blocks: dict[str, Array]  # (n, 6) by body: Jacobians over its absolute velocity [ω; v]
    drift: Array  # (n,): ∂g/∂t, from prescribed motion
    gamma: Array  # (n,): g̈ where no body is accelerated


class JointEnds(NamedTuple):
    """Both ends of a joint and how they move."""

    p: JointEnd
    c: JointEnd
    V_p: Twist
    V_c: Twist
    accelerations: Array  # (12,): Their derivative where no body is accelerated
    # e_parent, e_child (3,): From the centre of mass to the point, world axes
    e_parent: Array
    e_child: Array


def joints_of(system: System) -> list[JoinedPoints]:
    """Return all hinges that constrain something, then all closures between two points."""
    hinges = [
        JoinedPoints(
            f"hinge of {b.name}", b.carrier, b.inboard.at_parent, b, b.inboard.at_child, b.inboard.constraints
        )
        for b in system.bodies
    ]
    closures = [
        JoinedPoints(
            loop.name,
            loop.body_a,
            loop.closure.at_parent,
            loop.body_b,
            loop.closure.at_child,
            loop.closure.constraints,
        )
        for loop in joints_in(system.closures)
    ]
    return [joint for joint in (*hinges, *closures) if joint.conditions]


def ends_of(joint: JoinedPoints, states: Mapping[str, BodyState]) -> JointEnds:
    """Return positions and motions of the two points of a joint."""
    p, c = states[joint.parent.name], states[joint.child.name]
    e_p, e_c = p.R @ joint.parent.local(joint.at_parent), c.R @ joint.child.local(joint.at_child)
    swing_p, swing_c = cross(p.w, e_p), cross(c.w, e_c)
    return JointEnds(
        JointEnd(p.R, p.r + e_p),
        JointEnd(c.R, c.r + e_c),
        Twist(p.w, p.v + swing_p),
        Twist(c.w, c.v + swing_c),
        concatenate((zeros(3), cross(p.w, swing_p), zeros(3), cross(c.w, swing_c))),
        e_p,
        e_c,
    )


def joint_rows(joint: JoinedPoints, states: Mapping[str, BodyState]) -> ConstraintRows:
    """Return the rows of a hinge or closure."""
    ends = ends_of(joint, states)
    parts = []
    for condition in joint.conditions:
        A = condition.velocity_rows(ends.p, ends.c)
        bias = condition.acceleration_bias(ends.p, ends.c, ends.V_p, ends.V_c)
        parts.append(
            (
                condition.residual(ends.p, ends.c),
                at_centre_of_mass(A[:, :6], ends.e_parent),
                at_centre_of_mass(A[:, 6:], ends.e_child),
                A @ ends.accelerations + bias,
            )
        )
    g, on_parent, on_child, gamma = zip(*parts, strict=True)
    blocks = {
        body.name: array(row for part in each for row in part)
        for body, each in ((joint.parent, on_parent), (joint.child, on_child))
    }
    residuals = concatenate(g)
    return ConstraintRows(residuals, blocks, zeros(len(residuals)), concatenate(gamma))


def at_centre_of_mass(A: Array, e: Array) -> Array:
    """Return rows over [ω; velocity of the point] as rows over [ω; velocity of the centre of mass]."""
    return array(concatenate((row[:3] + cross(e, row[3:]), row[3:])) for row in A)


def row_names(
    joints: Sequence[JoinedPoints], prescribed: Sequence[str], couplings: Sequence[CutEdge] = ()
) -> tuple[str, ...]:
    """Return the joint, coupling or motion each constraint row belongs to."""
    names = [joint.name for joint in joints for condition in joint.conditions for _ in range(condition.rows)]
    names += [edge.name for edge in couplings for _ in range(edge.rows)]
    return (*names, *(f"motion of {name}" for name in prescribed))


def holonomic_rows(conditions: Sequence[Condition], n_g: int) -> Array:
    """Return the mask of constraint rows that are conditions on positions, (n_g,) bool.

    The rows of ``conditions`` come first; all rows after these are conditions on positions.
    """
    result = np.ones(n_g, dtype=bool)
    start = 0
    for condition in conditions:
        result[start : start + condition.rows] = condition.holonomic
        start += condition.rows
    return result


def dense(rows: Sequence[ConstraintRows], columns: Mapping[str, int]) -> Array:
    """Return G (n, 6 × bodies); ``columns`` are the first ones of the bodies that move."""
    G = np.zeros((sum(len(part.g) for part in rows), 6 * len(columns)), dtype=object)
    G[:] = 0.0
    start = 0
    for part in rows:
        stop = start + len(part.g)
        for name, block in part.blocks.items():
            if name in columns:
                G[start:stop, columns[name] : columns[name] + 6] = block
        start = stop
    return array(G.ravel()).reshape(G.shape)
