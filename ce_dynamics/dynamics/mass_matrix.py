"""The mass matrix M(θ), its innovations factors and its inverse (2), (3), and M⁻¹ T by O(N) sweeps.

Rows and columns are in the order of v.  An operator such as H φ K is built by taking columns from an
aggregated body towards the base: each body on the way contributes H of what arrives there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, zeros
from ce_dynamics.algebra.spatial import (
    phi_columns,
    phi_force,
    phi_inertia,
    phi_T_motion,
    rigid_inertia,
    rotate_inertia,
    rotate_vector,
    symmetric_product,
)
from ce_dynamics.dynamics.articulated_body import Articulated, armature_inertia
from ce_dynamics.dynamics.outward import Member, Outward
from ce_dynamics.embedding.aggregate import Aggregate, Embedding

Blocks = dict[tuple[str, str], Array]
"""Blocks of an n_v × n_v matrix by the names of two aggregated bodies; blocks left out are zero."""


class InnovationsFactors(NamedTuple):
    """M = L D Lᵀ (3)."""

    L: Array  # (n_v, n_v): I + H φ K, with a unit diagonal; block triangular over the tree
    D: Array  # (n_v, n_v): Block diagonal, one block D(S) for each aggregated body


def mass_matrix(outward: Outward) -> Array:
    """Return M(θ) = H φ M φᵀ Hᵀ (2) by composite bodies, with the armature of hinges, (n_v, n_v)."""
    members, composite = composite_inertias(outward)
    blocks: Blocks = {}
    for S in bodies_with_freedom(outward.embedding):
        U = zeros(6, S.N)  # φ(p, S) R Hᵀ(S), with R the composite inertias
        diagonal = zeros(S.N, S.N)
        for body in S.bodies:
            j = members[body.name]
            RJ = composite[body.name] @ j.J
            U = U + phi_columns(j.r, RJ)
            diagonal = diagonal + symmetric_product(j.J.T, RJ)
        armature = armature_inertia(outward, S)
        if armature is not None:
            diagonal = diagonal + armature
        blocks[S.name, S.name] = diagonal
        for name, rows in towards_base(outward.embedding, members, S, U).items():
            blocks[name, S.name] = rows
            blocks[S.name, name] = rows.T
    return assemble_blocks(outward.embedding, blocks)


def innovations_factors(outward: Outward, nodes: Mapping[str, Articulated]) -> InnovationsFactors:
    """Return L = I + H φ K and D with M = L D Lᵀ (3)."""
    members = members_of(nodes)
    L, D = identity_blocks(outward.embedding), {}
    for S in bodies_with_freedom(outward.embedding):
        D[S.name, S.name] = nodes[S.name].D_matrix
        for name, rows in towards_base(outward.embedding, members, S, nodes[S.name].G).items():
            L[name, S.name] = rows
    return InnovationsFactors(assemble_blocks(outward.embedding, L), assemble_blocks(outward.embedding, D))


def shift_gains(outward: Outward, nodes: Mapping[str, Articulated]) -> Array:
    """Return K (3), (6 n, n_v): φ(p, S) G(S) in the rows of p, at its centre of mass and in its axes."""
    embedding = outward.embedding
    rows = {body.name: 6 * i for i, body in enumerate(embedding.system.bodies)}
    K = np.zeros((6 * len(rows), embedding.n_v), dtype=object)
    for S in bodies_with_freedom(embedding):
        if not S.parent.is_ground:
            k = rows[S.parent.name]
            K[k : k + 6, embedding.places(S)] = nodes[S.name].G
    return array(K)


def inverse_mass_matrix(outward: Outward, nodes: Mapping[str, Articulated]) -> Array:
    """Return M⁻¹ = (I − H ψ K)ᵀ D⁻¹ (I − H ψ K) (3), (n_v, n_v)."""
    embedding = outward.embedding
    members = members_of(nodes)
    factor = identity_blocks(embedding)  # I − H ψ K
    for S in bodies_with_freedom(embedding):
        for name, rows in towards_base(embedding, members, S, nodes[S.name].G, nodes).items():
            factor[name, S.name] = -rows
    # D⁻¹ (I − H ψ K), row block by row block
    scaled = {(row, column): nodes[row].D.solve_columns(block) for (row, column), block in factor.items()}
    return symmetric_product(assemble_blocks(embedding, factor).T, assemble_blocks(embedding, scaled))


def solve_mass(outward: Outward, nodes: Mapping[str, Articulated], T: Array) -> Array:
    """Return M⁻¹ T by one sweep to the base and one back, (6) and (7) without velocity terms."""
    if T.ndim == 2:
        columns = [solve_mass(outward, nodes, T[:, k]) for k in range(T.shape[1])]
        return array(columns).reshape(T.shape[1], T.shape[0]).T
    return impulse_response(outward, nodes, impulse_gathered(outward, nodes, T))


def impulse_gathered(outward: Outward, nodes: Mapping[str, Articulated], T: Array) -> dict[str, Array]:
    """Return ν(S) of every aggregated body, (6) with a = b = 0."""
    embedding = outward.embedding
    z: dict[str, Array] = {}
    nu: dict[str, Array] = {}
    for S in reversed(embedding.aggregates):
        node = nodes[S.name]
        eps = T[embedding.places(S)]
        z_plus = zeros(6)
        for j in node.members:
            if j.body.name in z:
                z_j = rotate_vector(j.R, z[j.body.name])
                eps = eps - j.J.T @ z_j  # ε = T − H z
                z_plus = z_plus + phi_force(j.r, z_j)
        nu[S.name] = node.D.solve(eps)  # ν = D⁻¹ ε
        z[S.parent.name] = z.get(S.parent.name, zeros(6)) + z_plus + node.G @ eps  # z⁺ = z + G ε
    return nu


def impulse_response(outward: Outward, nodes: Mapping[str, Articulated], nu: Mapping[str, Array]) -> Array:
    """Return θ̈ of all aggregated bodies, (7) with a = 0 and no gravity."""
    embedding = outward.embedding
    carriers = {S.parent.name for S in embedding.aggregates}
    alpha = {"ground": zeros(6)}
    theta_ddot: dict[int, Scalar] = {}
    for S in embedding.aggregates:
        node = nodes[S.name]
        alpha_p = alpha[S.parent.name]
        ddot = nu[S.name] - node.G.T @ alpha_p  # θ̈ = ν − Gᵀ α⁺
        for j in node.members:
            if j.body.name in carriers:
                alpha_j = phi_T_motion(j.r, alpha_p) + j.J @ ddot  # α = φᵀ α(p) + Hᵀ θ̈
                alpha[j.body.name] = rotate_vector(j.R.T, alpha_j)
        theta_ddot |= dict(zip(embedding.places(S), ddot, strict=True))
    return array(theta_ddot[k] for k in range(embedding.n_v))


def composite_inertias(outward: Outward) -> tuple[dict[str, Member], dict[str, Array]]:
    """Return every body with its inertia including all it carries outside S, frozen to it, in p's axes."""
    members: dict[str, Member] = {}
    composite: dict[str, Array] = {}
    carried: dict[str, Array] = {}
    for S in reversed(outward.embedding.aggregates):
        for j in outward.members(S):
            name = j.body.name
            members[name] = j
            R_j = rigid_inertia(j.body.mass, j.body.principal.rotate(j.orientation).matrix)
            if name in carried:
                R_j = R_j + rotate_inertia(j.R, carried[name])
            composite[name] = R_j
            carried[S.parent.name] = carried.get(S.parent.name, zeros(6, 6)) + phi_inertia(j.r, R_j)
    return members, composite


def towards_base(
    embedding: Embedding,
    members: Mapping[str, Member],
    S: Aggregate,
    F: Array,
    gains: Mapping[str, Articulated] | None = None,
) -> dict[str, Array]:
    """Return H φ of columns that arrive at the parent of S, or H ψ of them where ``gains`` are given."""
    rows: dict[str, Array] = {}
    while not S.parent.is_ground:
        j = members[S.parent.name]
        S = embedding.owner[S.parent.name]
        f = array(rotate_vector(j.R, column) for column in F.T).reshape(-1, 6).T
        HF = j.J.T @ f
        F = phi_columns(j.r, f)
        if S.N == 0:
            continue
        rows[S.name] = HF
        if gains is not None:
            F = F - gains[S.name].G @ HF  # ψ = φ τ̄, τ̄ = I − G H
    return rows


def members_of(nodes: Mapping[str, Articulated]) -> dict[str, Member]:
    """Return every body as a member, by name."""
    return {j.body.name: j for node in nodes.values() for j in node.members}


def bodies_with_freedom(embedding: Embedding) -> Iterable[Aggregate]:
    """Return aggregated bodies with degrees of freedom."""
    return (S for S in embedding.aggregates if S.N > 0)


def identity_blocks(embedding: Embedding) -> Blocks:
    """Return the identity matrix."""
    return {
        (S.name, S.name): array([[float(i == k) for k in range(S.N)] for i in range(S.N)])
        for S in bodies_with_freedom(embedding)
    }


def assemble_blocks(embedding: Embedding, blocks: Blocks) -> Array:
    """Return blocks put in their places."""
    n = embedding.n_v
    matrix: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    places = {S.name: embedding.places(S) for S in bodies_with_freedom(embedding)}
    for (row, column), block in blocks.items():
        for i, values in zip(places[row], block, strict=True):
            for k, value in zip(places[column], values, strict=True):
                matrix[i][k] = value
    return array(matrix).reshape(n, n)
