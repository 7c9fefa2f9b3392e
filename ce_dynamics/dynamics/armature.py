"""Armature of hinges: ½ θ̇_jᵀ A_j θ̇_j of the kinetic energy, whatever moves besides (T35).

With θ̇_j = X_j θ̇(S) + η_j it adds X_jᵀ A_j X_j to D(S), to the diagonal blocks of M, and to T(S) what
A_j θ̈_j takes, θ̈_j = X_j θ̈(S) + Ẋ_j θ̇(S) + η̇_j.  Between two bodies it acts as the force −A_j θ̈_j of an
element on the hinge would: nothing of it reaches the momentum of the system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ce_dynamics.algebra.arrays import Array, Scalar, array, dot, zeros
from ce_dynamics.algebra.spatial import symmetric_product
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.motion import HingeMotion
from ce_dynamics.mechanism.body import Body


def find_armed(outward: Outward, S: Aggregate) -> Iterator[tuple[Body, HingeMotion]]:
    """Bodies of S whose hinges have armature, with the motion of these."""
    for body in S.bodies:
        if body.has_armature:
            yield body, outward.motions[S.name].hinge_motions[body.name]


def armature_inertia(outward: Outward, S: Aggregate) -> Array | None:
    """Σ X_jᵀ A_j X_j, (N, N); None if no hinge of S has armature."""
    total = None
    for body, hinge in find_armed(outward, S):
        part = symmetric_product(hinge.X.T, body.armature[:, None] * hinge.X)
        total = part if total is None else total + part
    return total


def armature_bias(outward: Outward, S: Aggregate) -> Array:
    """Σ X_jᵀ A_j (Ẋ_j θ̇ + η̇_j), (N,)."""
    total = zeros(S.N)
    for body, hinge in find_armed(outward, S):
        total = total + hinge.X.T @ (body.armature * hinge.bias)
    return total


def armature_forces(outward: Outward, v_dot: Array) -> dict[str, Array]:
    """−A_j θ̈_j by body name: generalised forces on the hinges that have armature."""
    forces: dict[str, Array] = {}
    for S in outward.embedding.aggregates:
        found = list(find_armed(outward, S))
        if found:
            theta_ddot = independent_part(outward, S, v_dot)
            for body, hinge in found:
                forces[body.name] = -body.armature * (hinge.X @ theta_ddot + hinge.bias)
    return forces


def with_armature(outward: Outward, torques: Mapping[str, Array], v_dot: Array) -> dict[str, Array]:
    """Generalised forces on hinges, and what their armature takes of them."""
    total = dict(torques)
    for name, force in armature_forces(outward, v_dot).items():
        total[name] = total[name] + force if name in total else force
    return total


def armature_energy(outward: Outward) -> Scalar:
    """½ Σ θ̇_jᵀ A_j θ̇_j."""
    total: Scalar = 0.0
    for S in outward.embedding.aggregates:
        for body, _ in find_armed(outward, S):
            rate = hinge_rate(outward, S, body)
            total = total + 0.5 * dot(rate, body.armature * rate)
    return total


def armature_power(outward: Outward, v_dot: Array) -> Scalar:
    """Rate of `armature_energy`, Σ θ̇_jᵀ A_j θ̈_j."""
    total: Scalar = 0.0
    forces = armature_forces(outward, v_dot)
    for S in outward.embedding.aggregates:
        for body, _ in find_armed(outward, S):
            total = total - dot(hinge_rate(outward, S, body), forces[body.name])
    return total


def hinge_rate(outward: Outward, S: Aggregate, body: Body) -> Array:
    """θ̇_j."""
    motion = outward.motions[S.name]
    hinge = motion.hinge_motions[body.name]
    rate: Array = hinge.X @ motion.theta_dot + hinge.eta
    return rate


def independent_part(outward: Outward, S: Aggregate, v_dot: Array) -> Array:
    """θ̈(S)."""
    v_of = outward.embedding.v_of
    return array(entry for body in S.independent for entry in v_dot[v_of[body.name]])
