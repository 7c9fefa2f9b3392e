"""O(N) forward dynamics (4)-(7) over a tree of aggregated bodies.

An aggregated body never forms its 6n×6n blocks: with J_j the j-th block of Hᵀ(S) and P_j the articulated
inertia of its body j, every quantity of (4)-(7) is a sum over its bodies, so the cost is linear in their
number and cubic only in N(S).  An ordinary body is the case n(S) = 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, dot, zeros
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.algebra.spatial import (
    phi_columns,
    phi_force,
    phi_inertia,
    phi_T_motion,
    rigid_inertia,
    rotate_inertia,
    rotate_vector,
    spatial,
    symmetric_product,
)
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.dynamics.outward import Member, Outward
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion, cross_columns, hinge_axes
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.inertia import PrincipalInertia


def find_armed(outward: Outward, S: Aggregate) -> Iterator[tuple[Body, HingeMotion]]:
    """Yield bodies of S whose hinges have armature, with the motion of these."""
    for body in S.bodies:
        if body.has_armature:
            yield body, outward.motions[S.name].hinge_motions[body.name]


def armature_inertia(outward: Outward, S: Aggregate) -> Array | None:
    """Return Σ X_jᵀ A_j X_j, (N, N); None if no hinge of S has armature."""
    total = None
    for body, hinge in find_armed(outward, S):
        part = symmetric_product(hinge.X.T, body.armature[:, None] * hinge.X)
        total = part if total is None else total + part
    return total


def armature_bias(outward: Outward, S: Aggregate) -> Array:
    """Return Σ X_jᵀ A_j (Ẋ_j θ̇ + η̇_j), (N,)."""
    total = zeros(S.N)
    for body, hinge in find_armed(outward, S):
        total = total + hinge.X.T @ (body.armature * hinge.bias)
    return total


def armature_forces(outward: Outward, v_dot: Array) -> dict[str, Array]:
    """Return −A_j θ̈_j by body name: generalised forces on the hinges that have armature."""
    forces: dict[str, Array] = {}
    for S in outward.embedding.aggregates:
        found = list(find_armed(outward, S))
        if found:
            theta_ddot = outward.embedding.part_of(S, v_dot)
            for body, hinge in found:
                forces[body.name] = -body.armature * (hinge.X @ theta_ddot + hinge.bias)
    return forces


def with_armature(outward: Outward, torques: Mapping[str, Array], v_dot: Array) -> dict[str, Array]:
    """Return generalised forces on hinges, and what their armature takes of them."""
    total = dict(torques)
    for name, force in armature_forces(outward, v_dot).items():
        total[name] = total[name] + force if name in total else force
    return total


def armature_energy(outward: Outward) -> Scalar:
    """Return ½ Σ θ̇_jᵀ A_j θ̇_j."""
    total: Scalar = 0.0
    for S in outward.embedding.aggregates:
        for body, _ in find_armed(outward, S):
            rate = hinge_rate(outward, S, body)
            total = total + 0.5 * dot(rate, body.armature * rate)
    return total


def armature_power(outward: Outward, v_dot: Array) -> Scalar:
    """Return the rate of `armature_energy`, Σ θ̇_jᵀ A_j θ̈_j."""
    total: Scalar = 0.0
    forces = armature_forces(outward, v_dot)
    for S in outward.embedding.aggregates:
        for body, _ in find_armed(outward, S):
            total = total - dot(hinge_rate(outward, S, body), forces[body.name])
    return total


def hinge_rate(outward: Outward, S: Aggregate, body: Body) -> Array:
    """Return θ̇_j."""
    motion = outward.motions[S.name]
    hinge = motion.hinge_motions[body.name]
    rate: Array = hinge.X @ motion.theta_dot + hinge.eta
    return rate


class Sums(NamedTuple):
    """Sums over the bodies j of an aggregated body S."""

    # P, z (6, 6), (6,): Σ φ(p,j) P_j φᵀ(p,j) and Σ φ(p,j) z_j
    P: Array
    z: Array
    U: Array  # (6, N): φ(p,S) P Hᵀ(S)
    D: Array  # (N, N): H P Hᵀ
    eps: Array  # (N,): ε = T − H z


def summed_by_composites(
    motion: SubgraphMotion, terms: Iterable[tuple[Member, Array, Array]], T: Array
) -> Sums:
    """Return the sums over the bodies of S, each of which carries what lies behind it in the tree of S."""
    members: list[Member] = []
    inertia: dict[str, Array] = {}
    force: dict[str, Array] = {}
    for j, P_j, z_j in terms:
        members.append(j)
        inertia[j.body.name], force[j.body.name] = P_j, z_j
    places, n_v = {}, 0
    for j in members:
        places[j.body.name] = slice(n_v, n_v + j.body.inboard.n_v)
        n_v = places[j.body.name].stop
    r = {j.body.name: j.r for j in members}
    P_sum, z_sum = zeros(6, 6), zeros(6)
    U, M, Hz = (np.full(shape, 0.0, dtype=object) for shape in ((6, n_v), (n_v, n_v), n_v))
    H = {j.body.name: axes_at_com(motion, j) for j in members}
    for j in reversed(members):
        mark()
        name, own = j.body.name, places[j.body.name]
        Hz[own] = H[name].T @ force[name]
        F = inertia[name] @ H[name]
        below = name
        while below in places:  # F is what moves the composite body, seen where each hinge below it is
            M[places[below], own] = H[below].T @ F
            M[own, places[below]] = M[places[below], own].T
            carrier = motion.carrier_of(below)
            F = phi_columns(r[below] - r[carrier] if carrier in r else r[below], F)
            below = carrier
        U[:, own] = F
        carrier = motion.carrier_of(name)
        if carrier in places:
            arm = r[name] - r[carrier]
            inertia[carrier] = inertia[carrier] + phi_inertia(arm, inertia[name])
            force[carrier] = force[carrier] + phi_force(arm, force[name])
        else:
            P_sum, z_sum = (
                P_sum + phi_inertia(r[name], inertia[name]),
                z_sum + phi_force(r[name], force[name]),
            )
    X = np.concatenate([motion.hinge_motions[j.body.name].X for j in members])
    found = (U @ X, symmetric_product(X.T, M @ X), T - X.T @ Hz)
    return Sums(P_sum, z_sum, *(array(values.flat).reshape(values.shape) for values in found))


def axes_at_com(motion: SubgraphMotion, j: Member) -> Array:
    """Return the velocity of a body's centre of mass per rate of its own hinge, (6, n_v), in p's axes."""
    name = j.body.name
    H_w, H_v = hinge_axes(j.body.inboard, motion.carrier(name), motion.hinge_motions[name])
    return np.concatenate((H_w, H_v + cross_columns(H_w, j.r - motion.body(name).origin.r)))


MANY = 8
"""Coordinates N from which on composite bodies cost less.  For n ≈ N hinges in a row they take 6 N² products
and some 30 for each body; single bodies take 12 for each column of J_j and 6 for each two, N³ in all."""


class Articulated(NamedTuple):
    """Result of the tip-to-base sweep at an aggregated body S, in the axes of its parent p."""

    members: list[Member]
    # (6, 6): Articulated inertia P_j of every body with the bodies outside S that it carries.  The inertia of
    # the body is that of `Aggregate.inertia`
    P: list[Array]
    f: list[Array]  # (6,): z_j = b_j + P_j a_j of every body with the bodies outside S that it carries
    D: LDL  # D(S) = H(S) P H(S)ᵀ, factorised
    D_matrix: Array  # (N, N)
    G: Array  # (6, N): φ(p, S) P Hᵀ(S) D⁻¹, Kalman gain as seen at p: φ(p, S) K's column
    nu: Array  # (N,): ν(S) = D⁻¹ ε
    # P_plus, z_plus (6, 6), (6,): Terms passed to p: φ P⁺ φᵀ and φ z⁺
    P_plus: Array
    z_plus: Array
    armature: Array | None = None  # (N, N): Part of D(S) due to the armature of the hinges of S


class Accelerations(NamedTuple):
    """Result of the forward dynamics."""

    v_dot: Array  # (n_v,): θ̈ of all independent hinges
    # (6,): Acceleration of every body's centre of mass less gravity, in the body's axes
    alpha: dict[str, Array]


def tip_to_base(
    outward: Outward, wrenches: Mapping[str, Array], torques: Mapping[str, Array]
) -> dict[str, Articulated]:
    """Gather articulated inertias and bias forces, (4) and (6)."""
    carried: dict[str, tuple[Array, Array]] = {}
    result: dict[str, Articulated] = {}
    for S in reversed(outward.embedding.aggregates):
        mark()
        node = gather(S, outward, wrenches, torques, carried)
        result[S.name] = node
        P, z = carried.get(S.parent.name, (zeros(6, 6), zeros(6)))
        carried[S.parent.name] = (P + node.P_plus, z + node.z_plus)
    return result


def gather(
    S: Aggregate,
    outward: Outward,
    wrenches: Mapping[str, Array],
    torques: Mapping[str, Array],
    carried: Mapping[str, tuple[Array, Array]],
) -> Articulated:
    """Return one step of (4) and (6) for an aggregated body."""
    members = outward.members(S)
    P, f = [], []

    def terms() -> Iterator[tuple[Member, Array, Array]]:
        for j in members:
            inertia = S.inertia[j.body.name]
            if j.body.name in carried:
                P_j, b_j = carrying_terms(j, inertia, wrenches, *carried[j.body.name])
            else:
                P_j, b_j = rigid_terms(j, inertia, wrenches)
            P.append(P_j)
            f.append(b_j + P_j @ j.a)
            yield j, P_j, f[-1]

    T = project_torques(S, outward, torques)
    if S.N < MANY:
        P_sum, z_sum, U, D, eps = sum_bodies(terms(), T)
    else:
        P_sum, z_sum, U, D, eps = summed_by_composites(outward.motions[S.name], terms(), T)
    armature = armature_inertia(outward, S)
    if armature is not None:  # (T35)
        D, eps = D + armature, eps - armature_bias(outward, S)
    factors = LDL(D, mark)
    nu = factors.solve(eps)  # ν = D⁻¹ ε
    G = factors.solve_columns(U.T).T  # G = P Hᵀ D⁻¹
    P_plus = P_sum - symmetric_product(G, U.T)  # P⁺ = (I − G H) P
    z_plus = z_sum + U @ nu  # z⁺ = z + G ε
    return Articulated(members, P, f, factors, D, G, nu, P_plus, z_plus, armature)


def sum_bodies(terms: Iterable[tuple[Member, Array, Array]], T: Array) -> Sums:
    """Return the sums over the bodies j of S with their P_j and z_j, each by itself, and T − H z."""
    N, eps = len(T), T
    P_sum, z_sum, U, D = zeros(6, 6), zeros(6), zeros(6, N), zeros(N, N)
    for j, P_j, z_j in terms:
        PJ = P_j @ j.J
        P_sum, z_sum = P_sum + phi_inertia(j.r, P_j), z_sum + phi_force(j.r, z_j)
        U = U + phi_columns(j.r, PJ)
        D = D + symmetric_product(j.J.T, PJ)  # D = H P Hᵀ
        eps = eps - j.J.T @ z_j  # ε = T − H z
    return Sums(P_sum, z_sum, U, D, eps)


def project_torques(S: Aggregate, outward: Outward, torques: Mapping[str, Array]) -> Array:
    """Return T(S) = X_Sᵀ col T(j)."""
    hinge_motions = outward.motions[S.name].hinge_motions
    T = zeros(S.N)
    for body in S.bodies:
        if body.name in torques:
            T = T + hinge_motions[body.name].X.T @ torques[body.name]
    return T


def rigid_terms(j: Member, inertia: PrincipalInertia, wrenches: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return M(j) and b(j) at the centre of mass in p's axes: inertia, gyroscopic and external forces."""
    turned = inertia.rotate(j.orientation)
    b = spatial(turned.gyroscopic(j.omega), zeros(3))
    return rigid_inertia(j.body.mass, turned.matrix), b - wrenches.get(j.body.name, zeros(6))


def carrying_terms(
    j: Member, inertia: PrincipalInertia, wrenches: Mapping[str, Array], P_c: Array, z_c: Array
) -> tuple[Array, Array]:
    """Return the sum of `rigid_terms` and of P⁺ and z⁺, which are given in the body's axes.

    Inertias and gyroscopic terms are added in the body's axes and rotated to p's axes once.
    """
    gyroscopic = inertia.gyroscopic(j.R.T @ j.omega)
    P = rotate_inertia(j.R, rigid_inertia(j.body.mass, inertia.matrix) + P_c)
    b = rotate_vector(j.R, spatial(gyroscopic, zeros(3)) + z_c)
    return P, b - wrenches.get(j.body.name, zeros(6))


def base_to_tip(outward: Outward, nodes: Mapping[str, Articulated], gravity: Array) -> Accelerations:
    """Return generalised and body accelerations, (7); gravity enters as the acceleration −g of the ground."""
    embedding = outward.embedding
    alpha: dict[str, Array] = {"ground": spatial(zeros(3), -gravity)}
    theta_ddot: dict[str, Array] = {}
    for S in embedding.aggregates:
        mark()
        node = nodes[S.name]
        alpha_p = alpha[S.parent.name]
        ddot = node.nu - node.G.T @ alpha_p  # θ̈ = ν − Gᵀ α⁺
        for j in node.members:
            alpha_j = phi_T_motion(j.r, alpha_p) + j.J @ ddot + j.a  # α = φᵀ α(p) + Hᵀ θ̈ + a
            alpha[j.body.name] = rotate_vector(j.R.T, alpha_j)
        for body in S.independent:
            theta_ddot[body.name] = ddot[S.columns(body)]
    v_dot = array(entry for name in embedding.v_of for entry in theta_ddot[name])
    return Accelerations(v_dot, alpha)


def forward_dynamics(
    outward: Outward, wrenches: Mapping[str, Array], torques: Mapping[str, Array]
) -> Accelerations:
    """Return accelerations (5) under the given loads and the system's gravity."""
    nodes = tip_to_base(outward, wrenches, torques)
    return base_to_tip(outward, nodes, outward.embedding.system.gravity)


def smallest_inertia(node: Articulated) -> float:
    """Return the smallest eigenvalue of D(S) as numbers, rates scaled so that each inertia is at most 1.

    That most is what the inertia would be if the heaviest body went along with the fastest.
    """
    fastest = np.max([np.abs(nominal(j.J).astype(float)) for j in node.members], axis=0)
    heaviest = np.max([np.abs(nominal(P).astype(float)) for P in node.P], axis=0)
    with np.errstate(all="ignore"):
        most = np.einsum("ik,ij,jk->k", fastest, heaviest, fastest)
        if node.armature is not None:
            most = most + np.diag(nominal(node.armature).astype(float))
        scale = 1.0 / np.sqrt(most)
        D = nominal(node.D_matrix).astype(float) * np.outer(scale, scale)
    return float(np.linalg.eigvalsh(D)[0]) if np.all(np.isfinite(D)) else 0.0
