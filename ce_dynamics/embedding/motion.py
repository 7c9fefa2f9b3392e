"""Motion inside an aggregated body S, relative to its parent p: the columns of Hᵀ(S) and the bias a(S).

Everything is expressed in p's axes with positions from p's centre of mass.  The bodies of S are visited
along their spanning tree, which is the factor φ_S of H(S) = X_Sᵀ H_S φ_S: `SubgraphMotion.set` adds one
hinge's term of H_Sᵀ X_S and carries it outward.  All accelerations are classical (second time derivatives of
positions).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import PLAIN, Array, array, cross, dot, zeros
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.drives import Prescribed
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import JointEnd
from ce_dynamics.mechanism.orientation import AS_DESIGNED, Directions, Orientation, from_directions

NOWHERE = zeros(3)


class PointMotion(NamedTuple):
    """Motion of a point relative to p, as a function of the N independent rates θ̇(S)."""

    r: Array  # (3,), position from p's centre of mass
    J: Array  # (3, N), velocity columns
    drift: Array  # (3,), velocity at θ̇(S) = 0: what prescribed motion alone (η_S) causes
    v: Array  # (3,), velocity J θ̇(S) + drift
    a: Array  # (3,), acceleration at θ̈(S) = 0


class BodyMotion(NamedTuple):
    """Motion of a body relative to p."""

    R: Array  # (3, 3), body axes to p's axes
    # (3,), design position of the reference point ``origin`` (the inboard hinge point; on p its centre
    # of mass)
    at: Array
    origin: PointMotion  # motion of that point
    w: Array  # (3, N), angular velocity columns
    w_drift: Array  # (3,), angular velocity at θ̇(S) = 0
    w_total: Array  # (3,), angular velocity w θ̇ + w_drift
    alpha: Array  # (3,), angular acceleration at θ̈(S) = 0
    directions: Directions | None = None  # R once more, by directions, where those are known

    @property
    def orientation(self) -> Orientation:
        """R and, where they are known, directions."""
        return Orientation(self.R, self.directions)

    def rotate(self, vector: Array) -> Array:
        """Return a body-fixed vector, given in the design pose, in p's axes."""
        return self.orientation.rotate(vector)

    def point(self, at: Array, theta_dot: Array) -> PointMotion:
        """Return the motion of the body-fixed point that is at ``at`` in the design pose."""
        return self.offset(self.rotate(at - self.at), theta_dot)

    def offset(self, e: Array, theta_dot: Array) -> PointMotion:
        """Return the motion of the body-fixed point that is ``e`` (p's axes) away from the origin."""
        columns = cross_columns(self.w, e)
        drift = cross(self.w_drift, e)
        swing = columns @ theta_dot + drift
        return PointMotion(
            self.origin.r + e,
            self.origin.J + columns,
            self.origin.drift + drift,
            self.origin.v + swing,
            self.origin.a + cross(self.alpha, e) + cross(self.w_total, swing),
        )


class HingeMotion(NamedTuple):
    """Motion of one hinge, as a linkage sets it."""

    c: Array  # configuration (see `Hinge.configuration`)
    X: Array  # (n_v, N), the hinge's rows of X_S
    eta: Array  # (n_v,), the hinge's part of η_S: the velocity at θ̇(S) = 0
    bias: Array  # (n_v,), the hinge's part of Ẋ_S θ̇(S) + η̇_S: the acceleration at θ̈(S) = 0
    # the body's orientation in p's axes, where the linkage has it at less cost than from c
    directions: Directions | None = None
    # (n_q,), coordinates with whole turns, which c does not contain; None where the turns are unknown
    q: Array | None = None

    def at_rest(self, N: int) -> HingeMotion:
        """Return the hinge where it is, without motion."""
        n_v = len(self.eta)
        return self._replace(X=zeros(n_v, N), eta=zeros(n_v), bias=zeros(n_v))


def distribute_rows(
    hinges: Mapping[str, HingeMotion], X: Array, eta: Array, bias: Array
) -> dict[str, HingeMotion]:
    """Return the hinges with their rows of X, η and the bias."""
    found: dict[str, HingeMotion] = {}
    start = 0
    for name, hinge in hinges.items():
        part = slice(start, start + len(hinge.eta))
        found[name] = hinge._replace(X=X[part], eta=eta[part], bias=bias[part])
        start = part.stop
    return found


def free_hinges(hinges: Mapping[str, HingeMotion]) -> dict[str, HingeMotion]:
    """Return the hinges where they are, with a rate of its own for each of their velocities."""
    plain = {name: hinge._replace(directions=None) for name, hinge in hinges.items()}
    n = sum(len(hinge.eta) for hinge in hinges.values())
    return distribute_rows(plain, np.eye(n), zeros(n), zeros(n))


def cross_columns(w: Array, e: Array) -> Array:
    """Return w_k × e for every column k of w."""
    if w.shape[1] == 0:
        return zeros(3, 0)
    if w.dtype == e.dtype == np.float64:
        (w0, w1, w2), (e0, e1, e2) = w, e
        return np.array((w1 * e2 - w2 * e1, w2 * e0 - w0 * e2, w0 * e1 - w1 * e0))
    found = zeros(*w.shape).astype(object)
    for k in moving_columns(w):
        found[:, k] = cross(w[:, k], e)
    return found


def moving_columns(columns: Array) -> list[int]:
    """Return the columns of an array of traced scalars that are not zero by structure."""
    moving = [[not isinstance(entry, PLAIN) or entry != 0.0 for entry in column] for column in columns.T]
    return [k for k, column in enumerate(moving) if any(column)]


class SubgraphMotion:
    """Builds the motion of the bodies of S on p along their spanning tree, for independent rates θ̇ (N,).

    Siblings are bodies outside S with prescribed motion relative to p, which closures of S may attach to.
    """

    def __init__(
        self,
        parent: Body,
        bodies: Sequence[Body],
        theta_dot: Array,
        siblings: Mapping[str, BodyMotion] | None = None,
    ) -> None:
        self.parent = parent
        self.theta_dot = theta_dot
        self.N = len(theta_dot)
        self._bodies = {body.name: body for body in bodies}
        self._waiting: list[str] = []
        self.hinge_motions: dict[str, HingeMotion] = {}
        self._motions = {parent.name: at_rest(parent.com, self.N)}
        for name, motion in (siblings or {}).items():
            self._motions[name] = widen(motion, self.N)
        for body in bodies:  # of a mechanism: what is welded moves with its carrier
            if not body.inboard.n_v:
                c = body.inboard.configuration(body.inboard.neutral)
                self.set(body.name, HingeMotion(c, zeros(0, self.N), zeros(0), zeros(0)))

    def hinge(self, name: str) -> Hinge:
        """Return the inboard hinge of a body of S."""
        return self._bodies[name].inboard

    def carrier(self, name: str) -> BodyMotion:
        """Return the motion of the body that carries the inboard hinge of a body of S."""
        return self._motions[self._bodies[name].carrier.name]

    def carrier_of(self, name: str) -> str:
        """Name of the body that carries a body of S."""
        return self._bodies[name].carrier.name

    def body(self, name: str) -> BodyMotion:
        """Return the motion of p, of a sibling, or of a body of S set so far."""
        return self._motions[name]

    def point(self, name: str, at: Array) -> PointMotion:
        """Return the motion of a body-fixed point given by its design position."""
        return self._motions[name].point(at, self.theta_dot)

    def ends(self, loop: LoopClosure) -> tuple[JointEnd, JointEnd]:
        """Return the two ends of a closure: the first two arguments of its conditions."""
        a, b = loop.body_a.name, loop.body_b.name
        o_at, p_at = self.point(a, loop.closure.at_parent), self.point(b, loop.closure.at_child)
        return JointEnd(self.body(a).R, o_at.r), JointEnd(self.body(b).R, p_at.r)

    def independent(self, name: str, q: Array, columns: slice) -> None:
        """Set an independent hinge, whose velocities are the given entries of θ̇(S)."""
        hinge = self.hinge(name)
        X = zeros(hinge.n_v, self.N)
        X[:, columns] = np.eye(hinge.n_v, columns.stop - columns.start)
        self.set(name, HingeMotion(hinge.configuration(q), X, zeros(hinge.n_v), zeros(hinge.n_v), q=q))

    def prescribe(self, name: str, motion: Prescribed) -> None:
        """Set a hinge whose coordinate, rate and acceleration are given: the source of η_S and η̇_S."""
        q = array((motion.position,))
        rate, acceleration = array((motion.rate,)), array((motion.acceleration,))
        self.set(
            name, HingeMotion(self.hinge(name).configuration(q), zeros(1, self.N), rate, acceleration, q=q)
        )

    def set(self, name: str, hinge_motion: HingeMotion) -> None:
        """Set the inboard hinge of a body of S and carry the motion out to that body.

        A hinge whose carrier is not known yet waits until a linkage has found that.
        """
        self.hinge_motions[name] = hinge_motion
        self._waiting.append(name)
        while ready := [n for n in self._waiting if self._bodies[n].carrier.name in self._motions]:
            for waiting in ready:
                self._waiting.remove(waiting)
                self._motions[waiting] = carry(
                    self.hinge(waiting), self.carrier(waiting), self.hinge_motions[waiting], self.theta_dot
                )

    def coordinates(self, name: str) -> Array:
        """Return coordinates of the inboard hinge of a body of S, with their turns where these are known."""
        hinge_motion = self.hinge_motions[name]
        return self.hinge(name).coordinates(hinge_motion.c) if hinge_motion.q is None else hinge_motion.q

    def coordinate(self, name: str, k: int = 0) -> ScalarMotion:
        """Return the motion of a coordinate whose rate is one of the hinge's velocities."""
        _, X, eta, bias, _, _ = self.hinge_motions[name]
        j = self.hinge(name).velocity_of(k)
        assert j is not None, f"coordinate {k} of {name!r} has no velocity of its own"
        rate = dot(X[j], self.theta_dot) + eta[j]
        return ScalarMotion(self.coordinates(name)[k], X[j], eta[j], rate, bias[j])

    def trial(self, hinges: Mapping[str, HingeMotion]) -> SubgraphMotion:
        """Return the same motion with more hinges set; this one stays as it is."""
        other = copy.copy(self)
        other.hinge_motions, other._motions = dict(self.hinge_motions), dict(self._motions)
        other._waiting = list(self._waiting)
        for name, hinge_motion in hinges.items():
            other.set(name, hinge_motion)
        return other

    def at_rest(self, N: int) -> SubgraphMotion:
        """Return the same pose with nothing moving, whatever N independent rates are."""
        other = self.trial({})
        other.theta_dot, other.N = zeros(N), N
        other.hinge_motions = {name: hinge.at_rest(N) for name, hinge in self.hinge_motions.items()}
        other._motions = {
            name: at_rest(body.at, N, body.origin.r, body.orientation) for name, body in self._motions.items()
        }
        return other

    def free_bodies(self, names: Sequence[str]) -> SubgraphMotion:
        """Return the same pose in which each of some bodies has six velocities of its own, of its origin."""
        other = self.at_rest(6 * len(names))
        for k, name in enumerate(names):
            columns, body = np.eye(6, other.N, 6 * k), other._motions[name]
            other._motions[name] = body._replace(w=columns[:3], origin=body.origin._replace(J=columns[3:]))
        return other


def carry(hinge: Hinge, carrier: BodyMotion, hinge_motion: HingeMotion, theta_dot: Array) -> BodyMotion:
    """Return the motion of a body from that of its carrier and of the hinge between them."""
    c, X, eta, bias, known, _ = hinge_motion
    child = None if known is None else from_directions(known)
    H_w, H_v = hinge_axes(hinge, carrier, hinge_motion)
    v_h = X @ theta_dot + eta
    H_dot_w, H_dot_v = hinge.rotate_bias(c, v_h, carrier.orientation, child)
    w_h, linear_h = H_w @ v_h, H_v @ v_h
    # The point of the carrier that the hinge point of the body is at now.
    d = carrier.R @ hinge.pose(c)[1] if hinge.turns else H_v @ c
    foot = carrier.offset(carrier.rotate(hinge.at - carrier.at) + d, theta_dot)
    origin = PointMotion(
        foot.r,
        foot.J + H_v @ X,
        foot.drift + H_v @ eta,
        foot.v + linear_h,
        foot.a + H_v @ bias + H_dot_v + 2.0 * cross(carrier.w_total, linear_h),
    )
    R, directions = orient(carrier.orientation, hinge, c) if child is None else child
    return BodyMotion(
        R,
        hinge.at,
        origin,
        carrier.w + H_w @ X,
        carrier.w_drift + H_w @ eta,
        carrier.w_total + w_h,
        carrier.alpha + H_w @ bias + H_dot_w + cross(carrier.w_total, w_h),
        directions,
    )


def hinge_axes(hinge: Hinge, carrier: BodyMotion, hinge_motion: HingeMotion) -> tuple[Array, Array]:
    """Return columns of Hᵀ of a hinge, angular and linear, (3, n_v) each, in p's axes."""
    known = hinge_motion.directions
    return hinge.axes(hinge_motion.c, carrier.orientation, None if known is None else from_directions(known))


def orient(carrier: Orientation, hinge: Hinge, c: Array) -> Orientation:
    """Return the orientation of the body behind a hinge; that of its carrier where it does not turn."""
    if not hinge.turns:
        return carrier
    if carrier.directions is not None:
        revolved = hinge.revolve(carrier.directions, c)
        if revolved is not None:
            return from_directions(revolved)
    return Orientation(carrier.R @ hinge.pose(c)[0])


def at_rest(at: Array, N: int, r: Array = NOWHERE, orientation: Orientation = AS_DESIGNED) -> BodyMotion:
    """Return the motion of a body that does not move relative to p: of p itself, if its pose is not given."""
    still = PointMotion(r, zeros(3, N), zeros(3), zeros(3), zeros(3))
    R, directions = orientation
    return BodyMotion(R, at, still, zeros(3, N), zeros(3), zeros(3), zeros(3), directions)


def widen(motion: BodyMotion, N: int) -> BodyMotion:
    """Return a purely prescribed motion as seen by a sub-graph with N independent rates: zero columns."""
    return motion._replace(w=zeros(3, N), origin=motion.origin._replace(J=zeros(3, N)))
