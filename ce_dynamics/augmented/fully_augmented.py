"""The fully augmented model (8): every body free, every hinge a set of constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import Array, concatenate, cross, zeros
from ce_dynamics.augmented.augmented import (
    Augmented,
    AugmentedInstant,
    Constraints,
    Inputs,
)
from ce_dynamics.augmented.coupling_rows import (
    columns_of,
    coupling_rows,
    couplings_of,
    impose_motion,
    is_holonomic,
)
from ce_dynamics.augmented.observer import Applied, apply_elements, free_force, inertia_matrix
from ce_dynamics.augmented.rows import (
    ConstraintRows,
    JoinedPoints,
    dense,
    holonomic_rows,
    joint_rows,
    joints_of,
    row_names,
)
from ce_dynamics.augmented.states import (
    AT_REST,
    POSITIONS,
    VELOCITIES,
    BodyState,
    body_states,
    compute_states,
    position_rate,
    position_vector,
    velocity_vector,
)
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.forces.base import Response
from ce_dynamics.mechanism.system import System


@dataclass(frozen=True, eq=False)
class FreeBodiesInstant(AugmentedInstant):
    """The fully augmented model at one instant."""

    joints: tuple[JoinedPoints, ...]
    couplings: tuple[CutEdge, ...]

    @cached_property
    def states(self) -> dict[str, BodyState]:
        return body_states(self.system.bodies, self.p, self.V)

    @cached_property
    def loads(self) -> Applied:
        """Loads of the force elements."""
        return apply_elements(self.system, self.states, self.x, self.u)

    @property
    def responses(self) -> Mapping[str, Response]:
        return self.loads.responses

    @cached_property
    def rows(self) -> list[ConstraintRows]:
        """Rows of every joint, coupling and prescribed motion."""
        motions = self.prescribed.items()
        return [
            *(joint_rows(joint, self.states) for joint in self.joints),
            *(coupling_rows(edge, self.states) for edge in self.couplings),
            *(impose_motion(self.system.find(name), self.states, motion) for name, motion in motions),
        ]

    @cached_property
    def constraints(self) -> Constraints:
        g = concatenate([part.g for part in self.rows])
        drift = concatenate([part.drift for part in self.rows])
        gamma = concatenate([part.gamma for part in self.rows])
        columns = {body.name: VELOCITIES * k for k, body in enumerate(self.system.bodies)}
        G = dense(self.rows, columns)
        return Constraints(g, G @ self.V + drift if len(G) else drift, G, gamma)

    @cached_property
    def inertia(self) -> Array:
        """M, block diagonal: the mass matrices of free bodies; armature couples those it is between."""
        M = np.zeros((len(self.V), len(self.V)), dtype=object)
        M[:] = 0.0
        for k, body in enumerate(self.system.bodies):
            where = slice(VELOCITIES * k, VELOCITIES * (k + 1))
            M[where, where] = inertia_matrix(body, self.states[body.name])
        for hinge in self.armature:  # ℓᵀ A ℓ
            places = columns_of(hinge.names, self.system.bodies)
            M[np.ix_(places, places)] += hinge.rows.T @ (hinge.A[:, None] * hinge.rows)
        return M

    @cached_property
    def force(self) -> Array:
        wrenches, bodies = self.loads.wrenches, self.system.bodies
        states, gravity = self.states, self.system.gravity
        free = [free_force(body, states[body.name], wrenches[body.name], gravity) for body in bodies]
        force = concatenate(free)
        for hinge in self.armature:  # −ℓᵀ A ℓ̇ V
            places = columns_of(hinge.names, bodies)
            force[places] = force[places] - hinge.rows.T @ (hinge.A * hinge.bias)
        return force

    def position_rate(self, W: Array) -> Array:
        return position_rate(self.p, W)


class FullyAugmented(Augmented):
    """Free bodies with absolute coordinates, held together by constraints only.

    Per body p holds [x y z, qw qx qy qz] (centre of mass in the world, unit quaternion body to world) and V
    [ω, v] in world axes, in the order in which bodies were added.  The constraint rows are those of all
    inboard hinges, of all loop closures and one per prescribed motion.

    Parameters
    ----------
    system : System
    """

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.joints = tuple(joints_of(system))
        self.n_p = POSITIONS * len(system.bodies)
        self.quaternions = {
            body.name: POSITIONS * k + np.arange(3, POSITIONS) for k, body in enumerate(system.bodies)
        }
        self.n_V = VELOCITIES * len(system.bodies)
        self.couplings = tuple(couplings_of(system))
        self.row_names = row_names(self.joints, tuple(system.prescribed), self.couplings)
        conditions = [condition for joint in self.joints for condition in joint.conditions]
        self.holonomic = holonomic_rows(conditions, self.n_g)
        for edge in self.couplings:
            self.holonomic[[name == edge.name for name in self.row_names]] = is_holonomic(edge)

    def instant(self, p: Array, V: Array, x: Array, u: Array) -> FreeBodiesInstant:
        states, inputs = self.states_of(x), self.inputs_of(u)
        motions = self.find_prescribed(states, inputs)
        parts = self.system, p, V, states, inputs, motions, self.joints, self.couplings
        return FreeBodiesInstant(*parts)

    def design_state(self) -> Array:
        """Return the design pose at rest, with the initial first-order states."""
        states = {body.name: AT_REST._replace(r=body.com) for body in self.system.bodies}
        p, V = position_vector(self.system.bodies, states), velocity_vector(self.system.bodies, states)
        return np.concatenate((p, V, self.x0))

    def state_from_embedded(
        self, embedding: Embedding, q: Array, v: Array, x: Array, u: Inputs = None
    ) -> Array:
        layout, q, v, x, given = self.check_embedded(embedding, q, v, x, u)
        states = compute_states(embedding, layout, q, v, x, given)
        p, V = position_vector(self.system.bodies, states), velocity_vector(self.system.bodies, states)
        return np.concatenate((p, V, x))

    def normalise(self, p: Array) -> Array:
        result = np.array(p)
        for at in self.quaternions.values():
            result[at] = result[at] / np.linalg.norm(result[at])
        return result

    def reactions(self, y: Array, u: Inputs = None) -> dict[str, Array]:
        """Compute the wrench of every joint, coupling and prescribed motion on its child.

        Returns
        -------
        dict of str to (6,) array
            [torque; force] on the child (a closure's second body, a coupling's last one) at its hinge point
            [N m; N], in world axes, by the names in ``row_names``.  The wrenches follow from the multipliers
            of least norm where rows are redundant.
        """
        instant = self.at(y, u)
        assert isinstance(instant, FreeBodiesInstant)
        multipliers = self.solve(instant).multipliers
        ends = [(joint.name, joint.child, joint.at_child) for joint in self.joints]
        last = [(edge.name, edge.body_b) for edge in self.couplings]
        ends += [(name, body, body.com if body.is_ground else body.inboard.at_child) for name, body in last]
        driven = [self.system.find(name) for name in self.system.prescribed]
        ends += [(f"motion of {body.name}", body, body.inboard.at_child) for body in driven]
        result, start = {}, 0
        for (name, child, at), part in zip(ends, instant.rows, strict=True):
            stop = start + len(part.g)
            block = part.blocks.get(child.name, zeros(len(part.g), VELOCITIES))
            wrench = block.T @ multipliers[start:stop]
            e = instant.states[child.name].R @ child.local(at)
            result[name] = concatenate((wrench[:3] - cross(e, wrench[3:]), wrench[3:])).astype(float)
            start = stop
        return result
