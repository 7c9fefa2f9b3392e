"""Sums over the bodies of an aggregated body with many coordinates, by composite bodies.

With X_S the rates of all hinges of S per independent rate, D(S) = X_Sᵀ M_S X_S.  M_S is the mass matrix of
the spanning tree of S, which has entries only where one hinge carries the other: n hinges in a row cost n²/2
products of 6-vectors, where Σ J_jᵀ P_j J_j costs n N²/2.  X_S is the identity but for the rows of the m
dependent rates, so that D costs m N² more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.algebra.spatial import phi_columns, phi_force, phi_inertia, symmetric_product
from ce_dynamics.compiler.tracing.cut_points import mark
from ce_dynamics.dynamics.outward import Member
from ce_dynamics.embedding.motion import SubgraphMotion, cross_columns, hinge_axes


class Sums(NamedTuple):
    """Sums over the bodies j of an aggregated body S.

    Attributes
    ----------
    P, z : (6, 6), (6,) arrays
        Σ φ(p,j) P_j φᵀ(p,j) and Σ φ(p,j) z_j.
    U : (6, N) array
        φ(p,S) P Hᵀ(S).
    D : (N, N) array
        H P Hᵀ.
    eps : (N,) array
        ε = T − H z.
    """

    P: Array
    z: Array
    U: Array
    D: Array
    eps: Array


def summed_by_composites(
    motion: SubgraphMotion, terms: Iterable[tuple[Member, Array, Array]], T: Array
) -> Sums:
    """Return the sums over the bodies of S, each of which carries what lies behind it in the tree of S.

    Parameters
    ----------
    motion : SubgraphMotion
        Of S relative to p.
    terms : iterable of (Member, (6, 6) array, (6,) array)
        Every body j with P_j and z_j at its centre of mass.
    T : (N,) array
        Generalised forces.
    """
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
    return Sums(P_sum, z_sum, *map(narrow, (U @ X, symmetric_product(X.T, M @ X), T - X.T @ Hz)))


def narrow(values: Array) -> Array:
    """Return an array of ``float64`` if all of its entries are plain numbers."""
    return array(values.flat).reshape(values.shape)


def axes_at_com(motion: SubgraphMotion, j: Member) -> Array:
    """Return the velocity of a body's centre of mass per rate of its own hinge, (6, n_v), in p's axes."""
    name = j.body.name
    H_w, H_v = hinge_axes(j.body.inboard, motion.carrier(name), motion.hinge_motions[name])
    return np.concatenate((H_w, H_v + cross_columns(H_w, j.r - motion.body(name).origin.r)))
