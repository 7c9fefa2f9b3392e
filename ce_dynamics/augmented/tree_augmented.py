"""The tree-augmented model: coordinates of the spanning tree, constraints for the cut edges only."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, singledispatch

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.augmented.augmented import (
    Augmented,
    AugmentedInstant,
    Constraints,
    Inputs,
)
from ce_dynamics.augmented.rows import holonomic_rows
from ce_dynamics.augmented.states import BodyState, observe_states
from ce_dynamics.compiled.tangent import Tangent
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from ce_dynamics.dynamics.mass_matrix import mass_matrix
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.closures.loop import ClosureErrors, closure_errors
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.embedding.whole_loop import neutral_state
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.forces.base import Response
from ce_dynamics.mechanism.system import System


@dataclass(frozen=True, eq=False)
class CutTree(AugmentedInstant):
    """The tree-augmented model at one instant: M V̇ = T − C + Gᵀ λ.

    The embedded path solves by articulated bodies; here M comes from composite bodies and T − C from Newton
    and Euler's recursion.
    """

    tree: Instant

    @cached_property
    def states(self) -> dict[str, BodyState]:
        return observe_states(self.tree.outward)

    @property
    def responses(self) -> Mapping[str, Response]:
        return self.tree.loads.responses

    @cached_property
    def closures(self) -> ClosureErrors:
        """The cut edges along the motion of the whole tree."""
        embedding = self.tree.embedding
        motion = SubgraphMotion(self.system.ground, self.system.bodies, self.V)
        for body in self.system.bodies:
            if body.name in self.prescribed:
                motion.prescribe(body.name, self.prescribed[body.name])
            else:
                motion.independent(body.name, self.p[embedding.q_of[body.name]], embedding.v_of[body.name])
        return closure_errors(motion, self.system.closures)

    @cached_property
    def constraints(self) -> Constraints:
        if not self.system.closures:
            return Constraints(zeros(0), zeros(0), zeros(0, len(self.V)), zeros(0))
        errors = self.closures
        return Constraints(errors.residual, errors.Y @ self.V + errors.drift, errors.Y, errors.delta_dot)

    @cached_property
    def inertia(self) -> Array:
        return mass_matrix(self.tree.outward)

    @cached_property
    def force(self) -> Array:
        return -self.momentum(zeros(len(self.V)), zeros(len(self.V)))

    def momentum(self, V_dot: Array, reaction: Array) -> Array:
        loads = self.tree.loads
        return inverse_dynamics(self.tree.outward, loads.wrenches, loads.torques, V_dot).T - reaction

    def position_rate(self, W: Array) -> Array:
        embedding = self.tree.embedding
        return array(
            entry
            for name, where in embedding.q_of.items()
            for entry in self.system.find(name).inboard.q_dot(self.p[where], W[embedding.v_of[name]])
        )


class TreeAugmented(Augmented):
    """The spanning tree of a system, all of its hinges independent, with the closures as constraints.

    p and V are the coordinates and velocities of all hinges that are not prescribed, in the order in which
    their bodies were added.  Bodies at the tips of the tree need mass and inertia of their own.

    Parameters
    ----------
    system : System
    """

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.embedding = embed(without_closures(system))
        self.layout = Layout(self.embedding)
        self.n_p, self.n_V = self.embedding.n_q, self.embedding.n_v
        self.quaternions = Tangent(self.embedding).quaternions
        self.row_names = tuple(loop.name for loop in system.closures for _ in range(loop.rows))
        self.holonomic = np.concatenate(
            [np.ones(0, dtype=bool), *(holonomic_of(loop) for loop in system.closures)]
        )

    def instant(self, p: Array, V: Array, x: Array, u: Array) -> CutTree:
        tree = Instant(self.embedding, self.layout, p, V, x, u)
        return CutTree(self.system, p, V, self.states_of(x), self.inputs_of(u), tree.prescribed, tree)

    def initial_state(self) -> Array:
        """Return the design pose at rest, or the values given to `System.start`; not assembled."""
        return np.concatenate((*neutral_state(self.embedding), self.x0))

    def state_from_embedded(
        self, embedding: Embedding, q: Array, v: Array, x: Array, u: Inputs = None
    ) -> Array:
        layout, q, v, x, given = self.check_embedded(embedding, q, v, x, u)
        outward = Instant(embedding, layout, q, v, x, given).outward
        p, V = np.zeros(self.n_p), np.zeros(self.n_V)
        for name, where in self.embedding.q_of.items():
            motion = outward.motions[embedding.owner[name].name]
            hinge = motion.hinge_motions[name]
            own = embedding.q_of.get(name)
            p[where] = motion.coordinates(name) if own is None else q[own]
            V[self.embedding.v_of[name]] = hinge.X @ motion.theta_dot + hinge.eta
        return np.concatenate((p, V, x))


@singledispatch
def holonomic_of(loop: CutEdge) -> Array:
    """Return the mask of closure rows that are conditions on positions, (n,) bool.

    All rows of a coupling are such conditions, on hinge coordinates.
    """
    return np.ones(loop.rows, dtype=bool)


@holonomic_of.register
def _(loop: LoopClosure) -> Array:
    return holonomic_rows(loop.closure.constraints, loop.rows)


def without_closures(system: System) -> System:
    """Return the same bodies, forces and motions without loop closures."""
    tree = copy.copy(system)
    tree.closures, tree.linkages = [], []
    return tree
