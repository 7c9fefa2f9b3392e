"""Closure errors of sub-graphs, and the loop kinematics (12)-(14), along motions and for trial coordinates.

The columns of a trial are [dependent | given]: every dependent velocity counts as a rate of its own beside
the rates that are given, so that Y comes out partitioned as [Y₁, Y₂] (12)-(14).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, zeros
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.algebra.rotation import normalise
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.embedding.motion import (
    BodyMotion,
    HingeMotion,
    PointMotion,
    SubgraphMotion,
    at_rest as body_at_rest,
    free_hinges,
    moving_columns,
)
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.components import ConstraintView
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure, JointEnd, Twist
from ce_dynamics.mechanism.parameters import to_nominal


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
    return with_derivatives(edge.residual(MovingView(edge, motion)), motion)


@moving_residuals.register
def _(edge: Coupled, motion: SubgraphMotion) -> list[ScalarMotion]:
    q = [motion.coordinate(body.name, k) for body, k in edge.coordinates]
    return with_derivatives([edge.coupling.residual(q)], motion)


def with_derivatives(values: Iterable[Scalar], motion: SubgraphMotion) -> list[ScalarMotion]:
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


EPSILON = float(np.finfo(float).eps)
ROUNDINGS = 1.5
"""Units in the last place that a far position loses in a body of a loop: half a unit in each of the two sums
that lead across its hinge, and in the point of the hinge as written.  An end of a closure takes as much."""
FAR = 10.0  # sizes of the loop from where positions are measured: what is nearer does not count

Coordinates = dict[str, Array]  # coordinates q of inboard hinges by body name


@dataclass(frozen=True, eq=False)
class Loop:
    """A sub-graph with closures, and which of its hinges are to be found."""

    parent: Body  # p
    bodies: tuple[Body, ...]  # S in spanning-tree order
    closures: tuple[CutEdge, ...]
    dependent: tuple[Body, ...]  # bodies whose inboard hinges are found by the closures

    @property
    def name(self) -> str:
        """Name of the first body."""
        return self.bodies[0].name

    @cached_property
    def m(self) -> int:
        """Number of dependent velocities."""
        return sum(body.inboard.n_v for body in self.dependent)

    @property
    def given(self) -> tuple[Body, ...]:
        """Bodies whose inboard hinges are independent or prescribed."""
        return tuple(body for body in self.bodies if body not in self.dependent)

    @property
    def size(self) -> float:
        """Characteristic length: the extent of the hinge and closure points [m]."""
        points = [body.inboard.at for body in self.bodies]
        for loop in self.closures:
            points += [at for _, at in loop.attachments]
        extent = float(np.linalg.norm(np.ptp(nominal(np.array(points, dtype=object)), axis=0)))
        return extent if extent > 0.0 else 1.0

    @property
    def tolerance(self) -> float:
        """Residual that counts as closed: rounding of lengths of the loop's size, and of where it lies."""
        return 1e-13 * max(1.0, self.size) + self.rounding

    @property
    def rounding(self) -> float:
        """Rounding error of positions that are measured from the parent's centre of mass [m]."""
        points = nominal(np.array([body.inboard.at for body in self.bodies], dtype=object))
        distance = np.max(np.abs(points.astype(float) - nominal(self.parent.com)), initial=0.0)
        return ROUNDINGS * (len(self.bodies) + 2) * EPSILON * max(0.0, float(distance) - FAR * self.size)

    @property
    def has_free_geometry(self) -> bool:
        """True if hinges or closures depend on free parameters."""
        geometry = (
            *(body.inboard for body in self.bodies),
            *(getattr(loop, "closure", getattr(loop, "coupling", None)) for loop in self.closures),
        )
        return to_nominal(geometry) is not geometry

    @property
    def scales(self) -> Array:
        """Scale of each dependent velocity, (m,): the size for lengths, 1 rad for angles."""
        return velocity_scales(self.dependent, self.size)

    def split(self, q: Array) -> Coordinates:
        """Split dependent coordinates, stacked in the order of ``dependent``, by body."""
        return split(q, self.dependent)

    def neutral(self) -> Array:
        """Return dependent coordinates of the design pose."""
        return stack_neutral(self.dependent)

    def advance(self, q: Array, step: Array) -> Array:
        """Return dependent coordinates after a small step of the dependent velocities, to first order."""
        return advance_coordinates(self.dependent, q, step)

    def residual(
        self, q: Array, given: Mapping[str, HingeMotion], siblings: Mapping[str, BodyMotion]
    ) -> Array:
        """Position errors of all closures: positions only, no columns."""
        motion = SubgraphMotion(self.parent, self.bodies, zeros(0), siblings)
        for name, hinge_motion in given.items():
            motion.set(name, hinge_at_rest(hinge_motion.c, hinge_motion.eta.shape[0], 0, hinge_motion.q))
        for body, at, _ in parts_of(self.dependent):
            hinge = body.inboard
            motion.set(body.name, hinge_at_rest(hinge.configuration(q[at]), hinge.n_v, 0, q[at]))
        return closure_errors(motion, self.closures).residual

    def errors(
        self,
        q: Array,
        rates: Array,
        given: Mapping[str, HingeMotion],
        siblings: Mapping[str, BodyMotion],
    ) -> ClosureErrors:
        """Return errors over the columns [dependent | given] at rates in that order, unaccelerated."""
        motion = SubgraphMotion(self.parent, self.bodies, rates, siblings)
        for name, hinge in given.items():
            motion.set(name, hinge._replace(X=np.hstack((zeros(len(hinge.eta), self.m), hinge.X))))
        for body, at, columns in parts_of(self.dependent):
            motion.independent(body.name, q[at], columns)
        return closure_errors(motion, self.closures)


def surroundings(members: Sequence[Body], closures: Sequence[CutEdge]) -> tuple[Body, tuple[Body, ...]]:
    """Return the carrier of a sub-graph, and the other bodies outside of it that closures attach to."""
    inside = {body.name for body in members}
    parent = min((b.carrier for b in members if b.carrier.name not in inside), key=lambda body: body.depth)
    ends = (end for loop in closures for end in loop.bodies)
    return parent, tuple(dict.fromkeys(e for e in ends if e.name not in inside and e is not parent))


def hinge_at_rest(c: Array, n_v: int, N: int, q: Array | None = None) -> HingeMotion:
    """Return a hinge in a given configuration that does not move."""
    return HingeMotion(c, zeros(n_v, N), zeros(n_v), zeros(n_v), q=q)


def moving(bodies: Sequence[Body], q: Array) -> dict[str, HingeMotion]:
    """Return hinges at coordinates q (stacked), each of whose velocities is a column of its own."""
    resting = {
        body.name: hinge_at_rest(body.inboard.configuration(q[at]), body.inboard.n_v, 0, q[at])
        for body, at, _ in parts_of(bodies)
    }
    return free_hinges(resting)


def parts_of(bodies: Iterable[Body]) -> Iterator[tuple[Body, slice, slice]]:
    """Yield bodies with the places of their hinges' coordinates, and velocities, in a stack of all."""
    q_start = v_start = 0
    for body in bodies:
        q_end, v_end = q_start + body.inboard.n_q, v_start + body.inboard.n_v
        yield body, slice(q_start, q_end), slice(v_start, v_end)
        q_start, v_start = q_end, v_end


def rows_of(closures: Iterable[CutEdge]) -> Iterator[tuple[CutEdge, slice]]:
    """Yield closures with the places of their rows in a stack of all."""
    start = 0
    for edge in closures:
        yield edge, slice(start, start + edge.rows)
        start += edge.rows


def split(q: Array, bodies: Iterable[Body]) -> Coordinates:
    """Return stacked coordinates by body."""
    return {body.name: q[at] for body, at, _ in parts_of(bodies)}


def advance_coordinates(bodies: Sequence[Body], q: Array, step: Array) -> Array:
    """Return stacked coordinates after a small step of the velocities, q + q̇(q, step).

    First order is enough under Newton's iteration, whose errors are of second order anyway.
    """
    return concatenate([q[at] + body.inboard.q_dot(q[at], step[part]) for body, at, part in parts_of(bodies)])


def with_unit_quaternions(bodies: Sequence[Body], q: Array) -> Array:
    """Return stacked coordinates (floats) with quaternions of unit length, which small steps do not keep."""
    if all(body.inboard.quaternion is None for body in bodies):
        return q
    parts = []
    for body, at, _ in parts_of(bodies):
        coordinates, w = q[at], body.inboard.quaternion
        if w is not None:
            coordinates = concatenate((coordinates[:w], normalise(coordinates[w:])))
        parts.append(coordinates)
    return concatenate(parts)


def has_own_velocities(hinge: Hinge) -> bool:
    """Return True if a hinge's velocities are no rates of its coordinates (a quaternion)."""
    return type(hinge).q_dot is not Hinge.q_dot


def stack_neutral(bodies: Sequence[Body]) -> Array:
    """Return coordinates of some hinges in the design pose."""
    return np.concatenate([np.zeros(0), *(body.inboard.neutral for body in bodies)])


def velocity_scales(bodies: Sequence[Body], size: float) -> Array:
    """Return the velocity scales, (n_v,): ``size`` [m] for lengths, otherwise 1."""
    units = [unit for body in bodies for unit in body.inboard.velocity_units]
    return np.array([size if unit.startswith("m") else 1.0 for unit in units])


def coordinate_scales(bodies: Sequence[Body], size: float) -> Array:
    """Return the coordinate scales, (n_q,): ``size`` [m] for lengths, 1 for angles, 0.5 for quaternions."""
    scale = {"r": 1.0, "m": size, "1": 0.5}
    return np.array([scale[unit[0]] for body in bodies for unit in body.inboard.coordinate_units])


def held_at_design(bodies: Sequence[Body], parent: Body) -> dict[str, BodyMotion]:
    """Return siblings resting in their design pose relative to p."""
    return {body.name: body_at_rest(parent.com, 0) for body in bodies}
