"""M⁻¹ τ by the O(N) recursion, for right-hand sides other than those of the forward dynamics."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.arrays import Array, array, zeros
from ce_dynamics.recursion.articulated_body import Articulated
from ce_dynamics.recursion.outward import Outward
from ce_dynamics.spatial import phi_force, phi_T_motion, rotate_vector


def inverse_mass_times(outward: Outward, nodes: Mapping[str, Articulated], tau: Array) -> Array:
    """(I − HψK)ᵀ D⁻¹ (I − HψK) τ, (3), from the factors that a tip-to-base sweep left behind.

    Parameters
    ----------
    outward : Outward
    nodes : mapping of str to Articulated
        Of any tip-to-base sweep at the same configuration: only D and G are used.
    tau : (n_v,) array
        Generalised forces, in the order of v.
    """
    embedding = outward.embedding
    carried: dict[str, Array] = {}
    nu: dict[str, Array] = {}
    for S in reversed(embedding.aggregates):
        node = nodes[S.name]
        eps = array(entry for body in S.independent for entry in tau[embedding.v_of[body.name]])
        z = zeros(6)
        for j in node.members:
            z_j = rotate_vector(j.R, carried.get(j.body.name, zeros(6)))
            eps = eps - j.J.T @ z_j  # ε = τ − H z
            z = z + phi_force(j.r, z_j)
        nu[S.name] = node.D.solve(eps)
        carried[S.parent.name] = carried.get(S.parent.name, zeros(6)) + z + node.G @ eps  # z⁺ = z + G ε
    alpha = {"ground": zeros(6)}
    rates: dict[str, Array] = {}
    for S in embedding.aggregates:
        node, alpha_p = nodes[S.name], alpha[S.parent.name]
        ddot = nu[S.name] - node.G.T @ alpha_p
        for j in node.members:
            alpha[j.body.name] = rotate_vector(j.R.T, phi_T_motion(j.r, alpha_p) + j.J @ ddot)
        rates |= {body.name: ddot[S.columns(body)] for body in S.independent}
    return array(entry for name in embedding.v_of for entry in rates[name])
