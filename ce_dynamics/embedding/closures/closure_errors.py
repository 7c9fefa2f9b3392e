"""Closure errors of a sub-graph and the generic loop kinematics (12)-(14)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, zeros
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.embedding.motion import BodyMotion, PointMotion, SubgraphMotion, moving_columns
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.components import ConstraintView
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.hinges.conditions import Closure, JointEnd, Twist


class MovingView(ConstraintView):
    """A written constraint's view of a moving sub-graph, measured from its parent p."""

    def __init__(self, edge: Written, motion: SubgraphMotion) -> None:
        super().__init__(edge.name, edge.bodies)
        self.motion = motion

    def _R(self, body: Body) -> Array:
        columns = [self._direction(body, axis) for axis in IDENTITY]
        return np.array(columns, dtype=object).T

    def _direction(self, body: Body, axis: Array) -> Array:
        """Return R e with (R e)˙ = ω × R e and (R e)¨ = α × R e + ω × (ω × R e)."""
        j = self.motion.body(body.name)
        e = j.R @ axis
        return components(
            PointMotion(
                e,
                array([cross(j.w[:, k], e) for k in range(self.motion.N)]).reshape(self.motion.N, 3).T,
                cross(j.w_drift, e),
                cross(j.w_total, e),
                cross(j.alpha, e) + cross(j.w_total, cross(j.w_total, e)),
            )
        )

    def _x(self, body: Body, at: Array) -> Array:
        return components(self.motion.point(body.name, at))

    def _q(self, body: Body, k: int) -> Scalar:
        return self.motion.coordinate(body.name, k)


def components(point: PointMotion) -> Array:
    """Return the three coordinates of a moving point as moving scalars."""
    r, J, drift, v, a = point
    return np.array([ScalarMotion(r[i], J[i], drift[i], v[i], a[i]) for i in range(3)], dtype=object)


@singledispatch
def moving_residuals(edge: CutEdge, motion: SubgraphMotion) -> list[ScalarMotion]:
    """Return residuals of a coupling or a written constraint, with their derivatives."""
    raise NotImplementedError(f"how a {type(edge).__name__} moves is not registered")


@moving_residuals.register
def _(edge: Written, motion: SubgraphMotion) -> list[ScalarMotion]:
    return moving(edge.residual(MovingView(edge, motion)), motion)


@moving_residuals.register
def _(edge: Coupled, motion: SubgraphMotion) -> list[ScalarMotion]:
    q = [motion.coordinate(body.name, k) for body, k in edge.coordinates]
    return moving([edge.coupling.residual(q)], motion)


def moving(values: Iterable[Scalar], motion: SubgraphMotion) -> list[ScalarMotion]:
    """Return numbers with their derivatives, zero where they have none."""
    return [ScalarMotion.of(value, motion.N) for value in values]


class ClosureErrors(NamedTuple):
    """Closures of a sub-graph, row by row, along a given motion."""

    residual: Array  # (rows,), position errors: lengths [m] or cosines [-]
    Y: Array  # (rows, N), velocity errors per independent rate, A (J_o − J_p) of (12)
    drift: Array  # (rows,), velocity errors at θ̇ = 0, from prescribed motion
    delta_dot: Array  # (rows,), acceleration errors at θ̈ = 0, δ̇_S of (14)


def closure_errors(motion: SubgraphMotion, closures: Sequence[CutEdge]) -> ClosureErrors:
    """Evaluate (12) for every closure along the motion."""
    parts = [one_closure(loop, motion) for loop in closures]
    return ClosureErrors(
        concatenate([part.residual for part in parts]),
        np.concatenate([part.Y for part in parts]),
        concatenate([part.drift for part in parts]),
        concatenate([part.delta_dot for part in parts]),
    )


@singledispatch
def one_closure(loop: CutEdge, motion: SubgraphMotion) -> ClosureErrors:
    """Return the rows of one closure."""
    return stack_rows(moving_residuals(loop, motion), motion.N)


@one_closure.register
def _(loop: LoopClosure, motion: SubgraphMotion) -> ClosureErrors:
    return joint_errors(motion, loop.body_a.name, loop.body_b.name, loop.closure)


def joint_errors(motion: SubgraphMotion, body_a: str, body_b: str, closure: Closure) -> ClosureErrors:
    """Return the rows of a joint between two bodies."""
    o, p = motion.body(body_a), motion.body(body_b)
    o_at, p_at = motion.point(body_a, closure.at_parent), motion.point(body_b, closure.at_child)
    ends = JointEnd(o.R, o_at.r), JointEnd(p.R, p_at.r)
    twists = Twist(o.w_total, o_at.v), Twist(p.w_total, p_at.v)
    columns, drift, acceleration = stack_twists(o, o_at, p, p_at)
    live = slice(None) if columns.dtype == np.float64 else moving_columns(columns)
    residual, Y, drifts, delta_dot = [zeros(0)], [zeros(0, motion.N)], [zeros(0)], [zeros(0)]
    for condition in closure.constraints:
        A = condition.velocity_rows(*ends)
        residual.append(condition.residual(*ends))
        product = A @ columns[:, live]
        rows = zeros(len(A), motion.N).astype(product.dtype)
        rows[:, live] = product
        Y.append(rows)
        drifts.append(A @ drift)
        delta_dot.append(A @ acceleration + condition.acceleration_bias(*ends, *twists))
    return ClosureErrors(
        concatenate(residual), np.concatenate(Y), concatenate(drifts), concatenate(delta_dot)
    )


def stack_rows(rows: Sequence[ScalarMotion], N: int) -> ClosureErrors:
    """Return residuals that carry their derivatives, row by row."""
    return ClosureErrors(
        array(row.value for row in rows),
        array(entry for row in rows for entry in row.J).reshape(len(rows), N),
        array(row.drift for row in rows),
        array(row.acceleration for row in rows),
    )


def stack_twists(
    o: BodyMotion, o_at: PointMotion, p: BodyMotion, p_at: PointMotion
) -> tuple[Array, Array, Array]:
    """Return the twists of both closure nodes, stacked: columns (12, N), drift (12,), acceleration (12,)."""
    return (
        np.vstack((o.w, o_at.J, p.w, p_at.J)),
        concatenate((o.w_drift, o_at.drift, p.w_drift, p_at.drift)),
        concatenate((o.alpha, o_at.a, p.alpha, p_at.a)),
    )


def numerical_rank(Y: Array, tolerance: float = 1e-9) -> int:
    """Rank of a closure Jacobian; rows that are combinations of others (planar loops) do not count."""
    if Y.size == 0:
        return 0
    singular = np.linalg.svd(Y, compute_uv=False)
    return int(np.sum(singular > tolerance * max(1.0, singular[0])))
