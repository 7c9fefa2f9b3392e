"""The generalised forces of loads on a tree: Gᵀ v = power, so the loads of a unit multiplier give G."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.algebra.spatial import phi_force, rotate_vector
from ce_dynamics.complementarity.element import Row
from ce_dynamics.dynamics.articulated_body import generalised_forces
from ce_dynamics.dynamics.loads import Loads, sum_loads
from ce_dynamics.dynamics.outward import Member, Outward


def row_of_G(outward: Outward, members: Mapping[str, Sequence[Member]], row: Row) -> Array:
    """Gᵀ of one row, (n_v,): H φ applied to the loads of a unit multiplier, one sweep to the base."""
    return generalised(outward, members, sum_loads(outward, row.loads))


def generalised(outward: Outward, members: Mapping[str, Sequence[Member]], loads: Loads) -> Array:
    """Generalised forces on the independent hinges of given loads, (n_v,)."""
    embedding = outward.embedding
    carried: dict[str, Array] = {}
    T: dict[str, Array] = {}
    for S in reversed(embedding.aggregates):
        T_S = generalised_forces(S, outward, loads.torques)
        f_p = carried.get(S.parent.name)
        for j in members[S.name]:
            parts = []
            if j.body.name in loads.wrenches:
                parts.append(loads.wrenches[j.body.name])
            if j.body.name in carried:
                parts.append(rotate_vector(j.R, carried[j.body.name]))
            if not parts:
                continue
            f_j = sum(parts[1:], parts[0])
            T_S = T_S + j.J.T @ f_j  # T = H f
            onwards = phi_force(j.r, f_j)
            f_p = onwards if f_p is None else f_p + onwards
        if f_p is not None:
            carried[S.parent.name] = f_p
        T |= {body.name: T_S[S.columns(body)] for body in S.independent}
    if not embedding.v_of:
        return zeros(0)
    return array(entry for name in embedding.v_of for entry in T[name])
