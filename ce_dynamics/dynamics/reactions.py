"""Hinge reactions and cut-hinge multipliers, once the accelerations are known.

Every body needs a force; a backward Newton–Euler pass over the spanning tree hands it from body to body.  The
multipliers λ of the cut hinges are those for which the dependent hinges of the tree transmit along their own
freedoms what is applied there and nothing else: Y₁ᵀ λ = the residual on the dependent coordinates.
Redundant closures (planar loops with spatial hinges) leave λ undetermined; then the smallest λ is taken.

For floats only: least squares have no place in compiled code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatchmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Array, concatenate, cross, zeros
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.algebra.spatial import phi_force, rotate_vector, spatial
from ce_dynamics.dynamics.articulated_body import Accelerations, with_armature
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.loads import Loads, coupling_forces, wrench_along_hinge
from ce_dynamics.dynamics.outward import Outward, axes
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.closures.loop import closure_errors, numerical_rank, rows_of
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion, free_hinges
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.parameters import Values

Floats = NDArray[np.float64]


class Reaction(NamedTuple):
    """A spatial force between two bodies that are joined.

    Attributes
    ----------
    at : (3,) array
        Point of the body it acts on: world position [m].
    torque, force : (3,) arrays
        In the axes of the chosen frame, about that point [N m], [N].
    along : array
        Its generalised forces.  For a hinge, (n_v,): along the hinge's own velocities, which is the force of
        the drive (and any torque applied there) of a prescribed hinge and what force elements apply to any
        other, less what accelerates the hinge's armature.  For a closure, λ of its rows.  For a coupling, the
        generalised force on each of its coordinates [N m] or [N], in order.
    """

    at: Floats
    torque: Floats
    force: Floats
    along: Floats


@dataclass(frozen=True)
class Reactions:
    """All reactions of a system at one instant.

    Attributes
    ----------
    hinges : dict of str to Reaction
        By body name: what its carrier transmits to the body at the body's hinge point.
    closures : dict of str to Reaction
        By closure name: what the closure exerts on ``body_b`` at its closure point; a coupling on the last
        of its bodies at the hinge point, as part of what the hinge transmits; a written constraint on the
        last body it was declared for.
    redundant : dict of str to int
        By the name of the aggregated body: how many of its closure rows depend on others, so that the
        multipliers (not the motion) are a choice, the one of least Σ λ².  Only where there are any.
    residual : float
        Largest generalised force left over on a dependent hinge [N m] or [N]: rounding, if the accelerations
        belong to the loads.
    """

    hinges: dict[str, Reaction]
    closures: dict[str, Reaction]
    redundant: dict[str, int]
    residual: float


def reactions(
    outward: Outward,
    loads: Loads,
    accelerations: Accelerations,
    frame: Body | None = None,
    values: Values | None = None,
) -> Reactions:
    """Return reactions of all hinges and closures."""
    return BackwardPass(outward, loads, accelerations, frame, values or Values()).run()


class BackwardPass:
    """Backward Newton–Euler over the spanning tree, in world axes, spatial forces at centres of mass.

    ``needed`` has the forces that bodies need from their inboard hinges, as far as they have been gathered.
    """

    def __init__(
        self, outward: Outward, loads: Loads, accelerations: Accelerations, frame: Body | None, values: Values
    ) -> None:
        self.outward, self.loads, self.values = outward, loads, values
        self.system = outward.embedding.system
        self.torques = with_armature(outward, loads.torques, accelerations.v_dot)
        self.to_frame = np.eye(3) if frame is None else values(axes(outward, frame)).T
        self.R = {body.name: self._place(body).R for body in (self.system.ground, *self.system.bodies)}
        self.r = {body.name: self._place(body).r for body in (self.system.ground, *self.system.bodies)}
        self.needed = {body.name: self._newton_euler(body, accelerations) for body in self.system.bodies}
        self.needed["ground"] = zeros(6)
        self.result = Reactions({}, {}, {}, 0.0)

    def run(self) -> Reactions:
        """Visit the aggregated bodies from tip to base: first their closures, then their hinges."""
        residual = 0.0
        for S in reversed(self.outward.embedding.aggregates):
            if S.closures:
                residual = max(residual, self._close(S))
            for body in reversed(S.bodies):
                self.result.hinges[body.name] = self._cross(body)
        order = {body.name: self.result.hinges[body.name] for body in self.system.bodies}
        return Reactions(order, self.result.closures, self.result.redundant, residual)

    def _place(self, body: Body) -> BodyPlacement:
        placement = self.outward.placement(body, self.system.ground)
        return BodyPlacement(self.values(placement.R), self.values(placement.r))

    def _newton_euler(self, body: Body, accelerations: Accelerations) -> Floats:
        """Return [I α + ω × I ω; m (a − g)] less the applied wrench: the load that the hinges provide."""
        R = self.R[body.name]
        alpha, inertia = self.values(accelerations.alpha[body.name]), self.values(body.inertia)
        omega = R.T @ self.values(self.outward.placement(body, self.system.ground).w)
        torque = inertia @ alpha[:3] + cross(omega, inertia @ omega)
        f = rotate_vector(R, spatial(torque, self.values(body.mass) * alpha[3:]))
        if body.name in self.loads.wrenches:
            p = self.outward.embedding.owner[body.name].parent
            f = f - rotate_vector(self.R[p.name], self.values(self.loads.wrenches[body.name]))
        return f

    def _cross(self, body: Body) -> Reaction:
        """Return the force through the inboard hinge of a body, which is handed to the carrier."""
        f, at = self._at_hinge(body, self.needed[body.name])
        carrier = body.carrier.name
        self.needed[carrier] = self.needed[carrier] + phi_force(at - self.r[carrier], f)
        return self._reaction(at, f, self._along(body, f))

    def _at_hinge(self, body: Body, f: Array) -> tuple[Array, Array]:
        """Return a force at the centre of mass taken to the body's hinge point, and that point."""
        at = self.values(self.outward.point(body, body.inboard.at, self.system.ground).r)
        return phi_force(self.r[body.name] - at, f), at

    def _along(self, body: Body, f: Array) -> Array:
        """Return H f: generalised force of a spatial force at the hinge point."""
        c = self.outward.motions[self.outward.embedding.owner[body.name].name].hinge_motions[body.name].c
        along: Array = self.values(body.inboard.H(c)) @ rotate_vector(self.R[body.carrier.name].T, f)
        return along

    def _reaction(self, at: Array, f: Array, along: Array) -> Reaction:
        torque, force = self.to_frame @ f[:3], self.to_frame @ f[3:]
        return Reaction(*(np.array(part, dtype=float) for part in (at, torque, force, along)))

    # Closures

    def _close(self, S: Aggregate) -> float:
        """Find λ of the closures of S and apply them; the residual that they leave is returned."""
        free = [body for body in S.bodies if body not in S.prescribed]
        motion = unlock_hinges(self.outward, S, free)
        Y = self.values(closure_errors(motion, S.closures).Y)  # over all unprescribed hinges
        excess = self._excess(S, free)
        lam = self._multipliers(S, free, Y, excess)
        for loop, rows in rows_of(S.closures):
            self._apply(loop, S, motion, lam[rows])
        return self._residual(excess - Y.T @ lam)

    def _multipliers(self, S: Aggregate, free: list[Body], Y: Floats, excess: Floats) -> Floats:
        """Return λ of least squares of Y₁ᵀ λ = excess; takes note of redundant closures."""
        dependent = dependent_columns(S, free)
        Y_1 = Y[:, dependent]
        dropped = len(Y_1) - numerical_rank(Y_1)
        if dropped:
            self.result.redundant[S.name] = dropped
        found = least_squares(Y_1.T, excess[dependent], rcond=RANK_TOLERANCE)
        return np.asarray(found, dtype=float)

    def _residual(self, left: Floats) -> float:
        """Return the size of what multipliers leave."""
        return float(np.max(np.abs(left), initial=0.0))

    def _excess(self, S: Aggregate, free: list[Body]) -> Floats:
        """Return H f less the applied torque of every unprescribed hinge of S, were its closures cut."""
        needed = {body.name: self.needed[body.name] for body in S.bodies}
        excess: dict[str, Array] = {}
        for body in reversed(S.bodies):
            f, at = self._at_hinge(body, needed[body.name])
            carrier = body.carrier.name
            if carrier in needed:
                needed[carrier] = needed[carrier] + phi_force(at - self.r[carrier], f)
            applied = self.values(self.torques.get(body.name, zeros(body.inboard.n_v)))
            excess[body.name] = self._along(body, f) - applied
        return self.values(concatenate([excess[body.name] for body in free]))

    @singledispatchmethod
    def _apply(self, loop: CutEdge, S: Aggregate, motion: SubgraphMotion, lam: Floats) -> None:
        """Take what a closure exerts on its bodies off what these need from their hinges."""
        raise NotImplementedError(f"what a {type(loop).__name__} exerts is not registered")

    @_apply.register
    def _(self, loop: LoopClosure, S: Aggregate, motion: SubgraphMotion, lam: Floats) -> None:
        o, p = motion.ends(loop)
        rows = (condition.velocity_rows(o, p) for condition in loop.closure.constraints)
        A = np.concatenate([zeros(0, 12), *rows])
        pair = self.values(A).T @ lam  # forces on both closure points, in the axes of the parent of S
        for body, f_p, x in ((loop.body_a, pair[:6], o.x), (loop.body_b, pair[6:], p.x)):
            f, at = self._subtract_wrench(S, body.name, f_p, x)
        self.result.closures[loop.name] = self._reaction(at, f, lam)

    @_apply.register
    def _(self, edge: Written, S: Aggregate, motion: SubgraphMotion, lam: Floats) -> None:
        for name, f_p in coupling_forces(edge, motion, lam, self.values).wrenches.items():
            f, at = self._subtract_wrench(S, name, f_p, motion.body(name).origin.r)
            if name == edge.body_b.name:
                self.result.closures[edge.name] = self._reaction(at, f, lam)

    @_apply.register
    def _(self, edge: Coupled, S: Aggregate, motion: SubgraphMotion, lam: Floats) -> None:
        """Take off what a coupling exerts along hinges, which transmit it (and any drive's torque)."""
        last, generalised = edge.body_b, coupling_forces(edge, motion, lam, self.values).generalised
        H = self.values(last.inboard.H(motion.hinge_motions[last.name].c))
        along = wrench_along_hinge(H, edge.coordinates[-1].k, generalised[-1])
        at = self.values(self.outward.point(last, last.inboard.at, self.system.ground).r)
        f = rotate_vector(self.R[last.carrier.name], along)
        self.result.closures[edge.name] = self._reaction(at, f, generalised)

    def _subtract_wrench(self, S: Aggregate, name: str, f_p: Floats, x: Array) -> tuple[Floats, Floats]:
        """Subtract a wrench at a point, given in the axes of S's parent; return it in world axes."""
        R_p, r_p = self.R[S.parent.name], self.r[S.parent.name]
        f, at = rotate_vector(R_p, f_p), r_p + R_p @ self.values(x)
        self.needed[name] = self.needed[name] - phi_force(at - self.r[name], f)
        return f, at


class BodyPlacement(NamedTuple):
    """Axes of a body as columns and its centre of mass, in the world."""

    R: Floats
    r: Floats


RANK_TOLERANCE = 1e-9  # singular values of Y₁ below this part of the largest count as zero


def dependent_columns(S: Aggregate, free: list[Body]) -> NDArray[np.bool_]:
    """Return the mask of velocities of unprescribed hinges that belong to dependent hinges, (n,) bool."""
    return np.concatenate([np.full(body.inboard.n_v, body in S.dependent) for body in free])


def unlock_hinges(outward: Outward, S: Aggregate, free: list[Body]) -> SubgraphMotion:
    """Return S in its present pose, with the velocities of all unprescribed hinges as independent columns."""
    known: Mapping[str, HingeMotion] = outward.motions[S.name].hinge_motions
    freed = free_hinges({body.name: known[body.name] for body in free})
    n = sum(body.inboard.n_v for body in free)
    motion = SubgraphMotion(S.parent, S.bodies, zeros(n), outward.siblings(S))
    for body in S.bodies:
        still = known[body.name]._replace(directions=None)
        motion.set(body.name, freed[body.name] if body in free else still.at_rest(n))
    return motion


class AsTheyAre(Values):
    """Arrays of traced scalars stay what they are."""

    def __call__(self, value: Array) -> Array:
        return np.asarray(value)


class Transmitted(NamedTuple):
    """Spatial forces [torque; force] in world axes, about the points they act on."""

    hinges: dict[str, Array]  # (6,): By body, what its carrier transmits to it at its hinge point
    closures: dict[str, Array]  # (6,): By closure, what it exerts on its second body at its closure point


def trace_reactions(instant: Instant) -> Transmitted:
    """Return all reactions at an instant of traced scalars (or floats)."""
    found = TracedPass(instant).run()
    return Transmitted(
        {name: concatenate((one.torque, one.force)) for name, one in found.hinges.items()},
        {name: concatenate((one.torque, one.force)) for name, one in found.closures.items()},
    )


class TracedPass(BackwardPass):
    """The backward pass on traced scalars."""

    def __init__(self, instant: Instant) -> None:
        super().__init__(instant.outward, instant.loads, instant.accelerations, None, AsTheyAre())

    def _reaction(self, at: Array, f: Array, along: Array) -> Reaction:
        return Reaction(at, f[:3], f[3:], along)

    def _multipliers(self, S: Aggregate, free: list[Body], Y: Array, excess: Array) -> Array:
        led_by_hinges = not S.virtual
        if led_by_hinges:
            dependent = dependent_columns(S, free)
            Y, excess = Y[:, dependent], excess[dependent]
        normal = Y.T @ Y
        if not led_by_hinges:
            known = self.outward.motions[S.name].hinge_motions
            X = np.concatenate([known[body.name].X for body in free])
            normal = normal + X @ X.T
        lam: Array = Y @ LDL(normal).solve(excess)
        return lam

    def _residual(self, left: Array) -> float:
        return 0.0  # of whole systems: not needed
