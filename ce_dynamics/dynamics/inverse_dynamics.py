"""Inverse dynamics: the generalised forces that given accelerations need, by recursive Newton–Euler.

T = M(θ) θ̈ + C(θ, θ̇) (1), where C holds the velocity-dependent terms, gravity, the applied loads and
prescribed motion.  An aggregated body needs T(S) = H(S) f = Σ Jⱼᵀ fⱼ with fⱼ the force on its body j.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, array, dot, zeros
from ce_dynamics.algebra.spatial import phi_force, phi_T_motion, rotate_vector, spatial
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.dynamics.articulated_body import project_torques, rigid_terms, with_armature
from ce_dynamics.dynamics.outward import Member, Outward
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.mechanism.drives import Prescribed


class InverseDynamics(NamedTuple):
    """Forces that given accelerations need.

    Attributes
    ----------
    T : (n_v,) array
        Generalised forces on the independent hinges in addition to the loads, in the order of v.
    forces : dict of str to (6,) array
        Spatial force fⱼ that body j needs, with all bodies outside its aggregated body that j carries.
        fⱼ acts at the centre of mass of j, in the axes of the parent of the aggregated body.
    alpha : dict of str to (6,) array
        Spatial acceleration of every body at its centre of mass less gravity, in the body's axes.
    """

    T: Array
    forces: dict[str, Array]
    alpha: dict[str, Array]


def inverse_dynamics(
    outward: Outward, wrenches: Mapping[str, Array], torques: Mapping[str, Array], v_dot: Array
) -> InverseDynamics:
    """Return the generalised forces T = M θ̈ + C for given accelerations."""
    members = {S.name: outward.members(S) for S in outward.embedding.aggregates}
    alpha = body_accelerations(outward, members, v_dot)
    torques = with_armature(outward, torques, v_dot)
    forces, T = gather_forces(outward, members, alpha, wrenches, torques)
    return InverseDynamics(T, forces, alpha)


def body_accelerations(
    outward: Outward, members: Mapping[str, list[Member]], v_dot: Array
) -> dict[str, Array]:
    """Return accelerations of all bodies, base to tip; gravity is the acceleration −g of the ground."""
    embedding = outward.embedding
    alpha = {"ground": spatial(zeros(3), -embedding.system.gravity)}
    for S in embedding.aggregates:
        mark()
        theta_ddot = embedding.part_of(S, v_dot)
        alpha_p = alpha[S.parent.name]
        for j in members[S.name]:
            alpha_j = phi_T_motion(j.r, alpha_p) + j.J @ theta_ddot + j.a  # α = φᵀ α(p) + Hᵀ θ̈ + a
            alpha[j.body.name] = rotate_vector(j.R.T, alpha_j)
    return alpha


def gather_forces(
    outward: Outward,
    members: Mapping[str, list[Member]],
    alpha: Mapping[str, Array],
    wrenches: Mapping[str, Array],
    torques: Mapping[str, Array],
) -> tuple[dict[str, Array], Array]:
    """Return forces on all bodies, tip to base, and T."""
    embedding = outward.embedding
    carried: dict[str, Array] = {}
    forces: dict[str, Array] = {}
    T: dict[str, Array] = {}
    for S in reversed(embedding.aggregates):
        mark()
        T_S = -project_torques(S, outward, torques)
        f_p = carried.get(S.parent.name, zeros(6))
        for j in members[S.name]:
            name = j.body.name
            inertia, b_j = rigid_terms(j, j.body.principal, wrenches)
            f_j = inertia @ rotate_vector(j.R, alpha[name]) + b_j  # f = M α + b + Σ φ f(child)
            if name in carried:
                f_j = f_j + rotate_vector(j.R, carried[name])
            forces[name] = f_j
            T_S = T_S + j.J.T @ f_j  # T = H f
            f_p = f_p + phi_force(j.r, f_j)
        carried[S.parent.name] = f_p
        T |= {body.name: T_S[S.columns(body)] for body in S.independent}
    return forces, array(entry for name in embedding.v_of for entry in T[name])


def compute_drive_forces(
    outward: Outward,
    q: Array,
    prescribed: Mapping[str, Prescribed],
    forces: Mapping[str, Array],
    torques: Mapping[str, Array],
) -> dict[str, Scalar]:
    """Return the generalised force that the drive of every prescribed hinge delivers, by virtual work.

    A unit rate of one prescribed hinge, all other rates zero, moves every body by its drift; the drive does
    the work of the forces fⱼ on it, less what the given torques contribute.
    """
    at_rest = {name: Prescribed(motion.position, 0.0, 0.0) for name, motion in prescribed.items()}
    result: dict[str, Scalar] = {}
    for name in prescribed:
        unit_rate = at_rest | {name: at_rest[name]._replace(rate=1.0)}
        virtual = Outward(outward.embedding, q, zeros(outward.embedding.n_v), unit_rate)
        work: Scalar = 0.0
        for S in outward.embedding.aggregates:
            work = work + virtual_work(virtual, S, forces, torques)
        result[name] = work
    return result


def virtual_work(
    virtual: Outward, S: Aggregate, forces: Mapping[str, Array], torques: Mapping[str, Array]
) -> Scalar:
    """Return Σ drift · f − Σ η · T over the bodies of S: the work of its drives per time."""
    work: Scalar = 0.0
    if not (S.prescribed or S.siblings):  # η_S = 0
        return work
    for j in virtual.members(S):
        work = work + dot(j.drift, forces[j.body.name])
        if j.body.name in torques:
            work = work - dot(virtual.motions[S.name].hinge_motions[j.body.name].eta, torques[j.body.name])
    return work
