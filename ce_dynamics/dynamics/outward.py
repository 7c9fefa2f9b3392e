"""Base-to-tip kinematics sweep: the motion of every body relative to the parent of its aggregated body.

The result is also the `Observer` of force elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, cross, zeros
from ce_dynamics.algebra.spatial import IDENTITY, spatial
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.motion import BodyMotion, SubgraphMotion, at_rest, carry
from ce_dynamics.mechanism.body import Body, chain_between, common_ancestor
from ce_dynamics.mechanism.drives import Prescribed
from ce_dynamics.mechanism.forces.base import PointState
from ce_dynamics.mechanism.orientation import Orientation


class Placement(NamedTuple):
    """A body's frame relative to another body, in that body's axes."""

    R: Array  # (3, 3): Body axes to the other's axes
    # r, v (3,): Centre of mass from the other's, and its relative velocity
    r: Array
    v: Array
    w: Array  # (3,): Relative angular velocity


class Member(NamedTuple):
    """Body j of an aggregated body S, as the recursions need it: at its centre of mass, in p's axes."""

    body: Body
    orientation: Orientation  # Body axes to p's axes
    r: Array  # (3,): Centre of mass from p's: the shift of φ(p, j)
    J: Array  # (6, N): Its block of Hᵀ(S) = φ_Sᵀ H_Sᵀ X_S
    drift: Array  # (6,): The same for η_S: relative velocity at θ̇(S) = 0
    a: Array  # (6,): Its block of a(S), with the Coriolis terms of p's rotation
    omega: Array  # (3,): Its angular velocity in inertial space

    @property
    def R(self) -> Array:
        """Body axes to p's axes (3, 3)."""
        return self.orientation.R


class Outward:
    """Motion of a system at independent (q, v) with its prescribed motions, by body name."""

    def __init__(
        self, embedding: Embedding, q: Array, v: Array, prescribed: Mapping[str, Prescribed]
    ) -> None:
        self.embedding = embedding
        self._q = q
        self._prescribed = prescribed
        self.motions: dict[str, SubgraphMotion] = {}
        self._omega: dict[str, Array] = {"ground": zeros(3)}
        self._placements: dict[tuple[str, str], Placement] = {}
        for S in embedding.aggregates:
            mark()
            self.motions[S.name] = self._visit(S, q, v, prescribed)

    def _visit(
        self, S: Aggregate, q: Array, v: Array, prescribed: Mapping[str, Prescribed]
    ) -> SubgraphMotion:
        theta_dot = self.embedding.part_of(S, v)
        siblings = self.siblings(S)
        bodies = (*S.bodies, *S.virtual)
        motion = SubgraphMotion(S.parent, bodies, theta_dot, siblings)
        for body in S.independent:
            motion.independent(body.name, q[self.embedding.q_of[body.name]], S.columns(body))
        for body in S.prescribed:
            motion.prescribe(body.name, prescribed[body.name])
        for linkage in S.linkages:
            linkage.solve(motion)
        omega_p = self._omega[S.parent.name]
        for body in S.bodies:
            j = motion.body(body.name)
            self._omega[body.name] = j.R.T @ (omega_p + j.w_total)
        return motion

    def relative_to_p(self, body: Body) -> BodyMotion:
        """Return the motion of a body relative to the parent of its aggregated body."""
        return self.motions[self.embedding.owner[body.name].name].body(body.name)

    def siblings(self, S: Aggregate) -> dict[str, BodyMotion]:
        """Return motion relative to p of what closures of S attach to outside S."""
        return {body.name: self._relative_to(S.parent, body) for body in S.siblings}

    def _relative_to(self, p: Body, body: Body) -> BodyMotion:
        """Return the motion of a body relative to one below whose hinges up to it move in a prescribed way.

        Where p is inside of the aggregated body of the other, the latter's motion is known from farther
        below, with rates that p and the body share; so it is made again from p.
        """
        owner = self.embedding.owner
        if owner[body.name].parent is p:
            return self.relative_to_p(body)
        motion = at_rest(p.com, 0)
        for link in reversed(chain_between(body, p)[:-1]):
            hinge = self.motions[owner[link.name].name].hinge_motions[link.name]
            prescribed = hinge._replace(X=zeros(len(hinge.eta), 0), directions=None)
            motion = carry(link.inboard, motion, prescribed, zeros(0))
        return motion

    def members(self, S: Aggregate) -> list[Member]:
        """Return the terms of every body of S for the recursions."""
        return [self._member(S, body) for body in S.bodies]

    def _member(self, S: Aggregate, body: Body) -> Member:
        motion = self.motions[S.name]
        j, com = motion.body(body.name), motion.point(body.name, body.com)
        omega_p = self._omega[S.parent.name]
        coriolis = cross(omega_p, 2.0 * com.v + cross(omega_p, com.r))  # 2 ω × v + ω × (ω × r)
        return Member(
            body,
            j.orientation,
            com.r,
            np.concatenate((j.w, com.J)),
            spatial(j.w_drift, com.drift),
            spatial(j.alpha + cross(omega_p, j.w_total), com.a + coriolis),
            omega_p + j.w_total,
        )

    def placement(self, body: Body, frame: Body) -> Placement:
        """Position, orientation and velocity of a body relative to any other."""
        key = (body.name, frame.name)
        if key not in self._placements:
            self._placements[key] = self._placement(body, frame)
        return self._placements[key]

    def _placement(self, body: Body, frame: Body) -> Placement:
        if body is frame:
            return Placement(IDENTITY, zeros(3), zeros(3), zeros(3))
        if body.is_ground or common_ancestor(body, frame) is not frame:
            return self._seen_from(body, frame)
        S = self.embedding.owner[body.name]
        p = self._carrier(S, frame)
        mark()
        j, com = self.relative_to_p(body), self.motions[S.name].point(body.name, body.com)
        at = carry_point(p, PointState(com.r, com.v))
        return Placement(p.R @ j.R, at.r, at.v, p.w + p.R @ j.w_total)

    def _carrier(self, S: Aggregate, frame: Body) -> Placement:
        """Return the placement of p; carriers come first, lest a long chain is a deep recursion."""
        waiting = [S.parent]
        while waiting[-1].depth > frame.depth and (waiting[-1].name, frame.name) not in self._placements:
            waiting.append(self.embedding.owner[waiting[-1].name].parent)
        return [self.placement(p, frame) for p in reversed(waiting)][-1]

    def _seen_from(self, body: Body, frame: Body) -> Placement:
        root = common_ancestor(body, frame)
        j, f = self.placement(body, root), self.placement(frame, root)
        at = seen_from(f, PointState(j.r, j.v))
        return Placement(f.R.T @ j.R, at.r, at.v, f.R.T @ (j.w - f.w))

    # Observer

    def point(self, body: Body, at: Array, frame: Body) -> PointState:
        """Return a point; see `Observer.point`."""
        if body is frame:
            return PointState(body.local(at), zeros(3))
        root = common_ancestor(body, frame)
        if root is not frame:
            return seen_from(self.placement(frame, root), self.point(body, at, root))
        S = self.embedding.owner[body.name]
        point = self.motions[S.name].point(body.name, at)
        return carry_point(self.placement(S.parent, frame), PointState(point.r, point.v))

    def direction(self, body: Body, axis: Array, frame: Body) -> Array:
        """Return a direction; see `Observer.direction`."""
        seen: Array = self.placement(body, frame).R @ axis
        return seen

    def angular_velocity(self, body: Body, frame: Body) -> Array:
        """Return an angular velocity; see `Observer.angular_velocity`."""
        return self.placement(body, frame).w

    def coordinate(self, body: Body, k: int = 0) -> Scalar:
        """Return a coordinate; see `Observer.coordinate`."""
        if body.name in self.embedding.q_of:
            return self._q[self.embedding.q_of[body.name]][k]
        if body.name in self._prescribed:
            return self._prescribed[body.name].position
        return self._motion(body).coordinates(body.name)[k]

    def rate(self, body: Body, k: int = 0) -> Scalar:
        """Return a rate; see `Observer.rate`."""
        motion = self._motion(body)
        hinge_motion = motion.hinge_motions[body.name]
        return (hinge_motion.X @ motion.theta_dot + hinge_motion.eta)[k]

    def _motion(self, body: Body) -> SubgraphMotion:
        return self.motions[self.embedding.owner[body.name].name]


def axes(outward: Outward, body: Body) -> Array:
    """Return a body's axes in the world, as columns."""
    return outward.placement(body, outward.embedding.system.ground).R


def carry_point(p: Placement, point: PointState) -> PointState:
    """Return a point known relative to p, relative to what p is placed on."""
    e = p.R @ point.r
    return PointState(p.r + e, p.v + cross(p.w, e) + p.R @ point.v)


def seen_from(frame: Placement, point: PointState) -> PointState:
    """Return a point known relative to what ``frame`` is placed on, relative to ``frame``."""
    e = point.r - frame.r
    return PointState(frame.R.T @ e, frame.R.T @ (point.v - frame.v - cross(frame.w, e)))
