"""The operators of one aggregated body S, written out as the paper has them, (9)-(14).

The recursions never form these: they go along the spanning tree (`ce_dynamics.embedding.motion`) and sum over
the bodies of S.  Here are the 6n(S) matrices themselves, for those who want to see them or to build on them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate, zeros
from ce_dynamics.algebra.spatial import phi_columns, rigid_inertia
from ce_dynamics.dynamics.outward import Member, Outward
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.closures.closure_errors import closure_errors
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion, cross_columns
from ce_dynamics.mechanism.body import Body


class SubgraphOperators(NamedTuple):
    """Operators of S at its bodies' centres of mass in the axes of p; see `AggregatedBody`."""

    X: Array
    eta: Array
    bias: Array
    H_S: Array
    phi_S: Array
    H: Array
    phi_p: Array
    a: Array
    M: Array
    Y: Array


def subgraph_operators(outward: Outward, S: Aggregate) -> SubgraphOperators:
    """Return all operators of an aggregated body."""
    motion, members = outward.motions[S.name], outward.members(S)
    hinges = [motion.hinge_motions[body.name] for body in S.bodies]
    inertias = [S.inertia[j.body.name].rotate(j.orientation).matrix for j in members]
    return SubgraphOperators(
        X=np.concatenate([zeros(0, S.N), *(hinge.X for hinge in hinges)]),
        eta=concatenate([hinge.eta for hinge in hinges]),
        bias=concatenate([hinge.bias for hinge in hinges]),
        H_S=block_diagonal([hinge_map(motion, j) for j in members]),
        phi_S=phi_inside(members),
        H=np.concatenate([j.J for j in members]).T,  # (9)
        phi_p=np.concatenate([phi_columns(j.r, np.eye(6)) for j in members], axis=1),  # (10)
        a=concatenate([j.a for j in members]),  # (11)
        M=block_diagonal(
            [rigid_inertia(j.body.mass, about) for j, about in zip(members, inertias, strict=True)]
        ),
        Y=closure_jacobian(outward, S),
    )


def hinge_map(motion: SubgraphMotion, j: Member) -> Array:
    """Return H(j) (n_v, 6) of the inboard hinge of a body, at the body's centre of mass."""
    c = motion.hinge_motions[j.body.name].c
    H_w, H_v = j.body.inboard.axes(c, motion.carrier(j.body.name).orientation, j.orientation)
    e = j.r - motion.body(j.body.name).origin.r
    result: Array = np.concatenate((H_w, H_v + cross_columns(H_w, e))).T
    return result


def phi_inside(members: list[Member]) -> Array:
    """Return φ_S (T7): φ(i, j) for every i that carries j, or is j, along the spanning tree inside S."""
    of = {j.body.name: (6 * k, j) for k, j in enumerate(members)}
    phi = np.zeros((6 * len(members), 6 * len(members)), dtype=object)
    for column, j in of.values():
        carrier: Body | None = j.body
        while carrier is not None and carrier.name in of:
            row, i = of[carrier.name]
            phi[row : row + 6, column : column + 6] = phi_columns(j.r - i.r, np.eye(6))
            carrier = carrier.parent
    return array(phi)


def closure_jacobian(outward: Outward, S: Aggregate) -> Array:
    """Return Y (12) over all hinge velocities inside S: the closures with no hinge dependent."""
    solved = outward.motions[S.name]
    bodies = (*S.bodies, *S.virtual)
    sizes = [body.inboard.n_v for body in S.bodies]
    N_f = sum(sizes)
    if not S.closures:
        return zeros(0, N_f)
    siblings = outward.siblings(S)
    theta_dot = concatenate([velocity(solved, body) for body in S.bodies])
    free = SubgraphMotion(S.parent, bodies, theta_dot, siblings, outward.embedding.unturned)
    start = 0
    for body, n in zip(S.bodies, sizes, strict=True):
        X = zeros(n, N_f)
        X[:, start : start + n] = np.eye(n)
        known = solved.hinge_motions[body.name]
        free.set(body.name, HingeMotion(known.c, X, zeros(n), zeros(n), known.directions, known.q))
        start += n
    return closure_errors(free, S.closures).Y


def velocity(motion: SubgraphMotion, body: Body) -> Array:
    """Return θ̇ of one hinge, X θ̇(S) + η (9)."""
    hinge = motion.hinge_motions[body.name]
    result: Array = hinge.X @ motion.theta_dot + hinge.eta
    return result


def block_diagonal(blocks: list[Array]) -> Array:
    """Return blocks of any shape along the diagonal."""
    rows, columns = (sum(block.shape[k] for block in blocks) for k in (0, 1))
    result = np.zeros((rows, columns), dtype=object)
    i = k = 0
    for block in blocks:
        result[i : i + block.shape[0], k : k + block.shape[1]] = block
        i, k = i + block.shape[0], k + block.shape[1]
    return array(result).reshape(rows, columns)
