"""The operators (9)-(14) of the paper for any aggregated body at one state, and dead centres of its loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array, concatenate, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.spatial import phi_columns, rigid_inertia
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.dynamics.outward import Member, Outward
from ce_dynamics.dynamics.state import rate_name
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.closures.loop import closure_errors, parts_of
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion, cross_columns
from ce_dynamics.embedding.path import linkage as of_paths
from ce_dynamics.embedding.path.linkage import DeadCentre
from ce_dynamics.embedding.whole_loop import path_linkage, path_of
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body


class AggregatedBody(NamedTuple):
    """An aggregated body S at one state; an ordinary body is the case n(S) = 1 with X_S = 1.

    Spatial vectors are [angular; linear], of every body at its centre of mass, in the axes of p; rows and
    columns of 6n(S) follow ``bodies``.

    Attributes
    ----------
    name, parent : str
        S, named after its first body, and p, the body that carries it.
    bodies : tuple of str
        S(S), the n(S) bodies inside, in the order of the spanning tree.
    rates : tuple of str
        Names of the N_f(S) hinge velocities θ̇_S inside S: the rows of X_S.
    independent : tuple of str
        Names of the N(S) independent ones θ̇(S), entries of v: the columns of X_S.
    X : (N_f, N) array
        X_S: θ̇_S = X_S θ̇(S) + η_S (9), (13).
    eta : (N_f,) array
        η_S: hinge velocities that prescribed motion alone causes; zero without it (T5).
    bias : (N_f,) array
        θ̈_S at θ̈(S) = 0: Ẋ_S θ̇(S), with η̇_S where motion is prescribed (11), (14), (T6).
    H_S : (N_f, 6n) array
        Block diagonal of the hinge maps inside S (9).
    phi_S : (6n, 6n) array
        φ_S: rigid shifts along the spanning tree inside S; moves spatial forces towards p (T7).
    H : (N, 6n) array
        H(S) = X_Sᵀ H_S φ_S (9 corrected): the relative spatial velocities of the bodies are Hᵀ(S) θ̇(S).
    phi_p : (6, 6n) array
        φ(p, S) = [φ(p, j₁) … φ(p, j_n)] (10).
    a : (6n,) array
        a(S): accelerations at θ̈(S) = 0 that S adds to that of p (11 corrected), Coriolis terms included.
    M : (6n, 6n) array
        M(S) = diag M(j) (9): spatial inertias about the centres of mass.  Of a body that cannot turn on its
        carrier in S, the rotational inertia counts there, which changes no sum.
    Y : (rows, N_f) array
        Closure Jacobian (12): velocity errors of the closures are Y θ̇_S and a part that siblings move.
        Y X_S = 0.
    closures : tuple of str
        Names of the cut edges that S absorbs.
    """

    name: str
    parent: str
    bodies: tuple[str, ...]
    rates: tuple[str, ...]
    independent: tuple[str, ...]
    X: Floats
    eta: Floats
    bias: Floats
    H_S: Floats
    phi_S: Floats
    H: Floats
    phi_p: Floats
    a: Floats
    M: Floats
    Y: Floats
    closures: tuple[str, ...]


@takes_state("body", "y", "u")
def aggregated_body(
    model: CompiledSystem, body: Body | str, *here: ArrayLike | None, **named: Unpack[StateArguments]
) -> AggregatedBody:
    """Return X_S, η_S, Ẋ_S θ̇(S), H(S), φ_S and the rest of (9)-(14) of the aggregated body of a body.

    Parameters
    ----------
    body : Body or str
        Any body of S.
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.

    Raises
    ------
    ModelError
        If there is no such body, or it is the ground.
    AssemblyError
        If a loop cannot be assembled at the state.

    Examples
    --------
    A slider-crank, at right angles: the rod does not turn, the slider has the crank pin's speed.

    >>> import ce_dynamics as ce
    >>> z = (0, 0, 1)
    >>> s = ce.System()
    >>> crank = s.add_body("crank", mass=1.0, com=(0, 0.5, 0), parent=s.ground, hinge=ce.Revolute(z))
    >>> rod = s.add_body("rod", mass=1.0, com=(1, 0.5, 0), parent=crank,
    ...                  hinge=ce.Revolute(z, at=(0, 1, 0)))
    >>> slider = s.add_body("slider", mass=1.0, com=(2, 0, 0), parent=s.ground,
    ...                     hinge=ce.Prismatic((1, 0, 0), at=(2, 0, 0)))
    >>> _ = s.close_loop("pin", rod, slider, ce.Revolute(z, at=(2, 0, 0)), independent=[crank])
    >>> S = ce.compile(s).aggregated_body("rod", [0.0, 1.0])
    >>> dict(zip(S.rates, S.X[:, 0].round(9).tolist()))
    {'crank_rate': 1.0, 'rod_rate': -1.0, 'slider_rate': -1.0}
    >>> S.bias.round(9)  # rad/s², rad/s², m/s²
    array([0. , 0.5, 0.5])
    """
    found = model.system.find(body)
    if found.is_ground:
        raise ModelError("the ground is in no aggregated body; name another body")
    S = model.embedding.owner[found.name]

    def function(y: Array, u: Array) -> Mapping[str, Array]:
        return subgraph_operators(model.instant(y, u).outward, S)

    state, given = state_given(model, *here, **named)
    name = f"aggregated body {S.name}"
    answers = model.evaluate_at(name, function, state, given)
    operators = dict(zip(model.functions[name].output_shapes, answers, strict=True))
    return AggregatedBody(
        name=S.name,
        parent=S.parent.name,
        bodies=tuple(j.name for j in S.bodies),
        rates=tuple(name for j in S.bodies for name in rates_of(j)),
        independent=tuple(name for body in S.independent for name in rates_of(body)),
        closures=tuple(loop.name for loop in S.closures),
        **operators,
    )


def rates_of(body: Body) -> list[str]:
    """Return the names of the velocities of a body's hinge."""
    hinge = body.inboard
    return [rate_name(body.name, suffix, hinge.coordinate_names) for suffix in hinge.velocity_names]


def subgraph_operators(outward: Outward, S: Aggregate) -> dict[str, Array]:
    """Return all operators of an aggregated body at its bodies' centres of mass in the axes of p, by name."""
    motion, members = outward.motions[S.name], outward.members(S)
    hinges = [motion.hinge_motions[body.name] for body in S.bodies]
    inertias = [S.inertia[j.body.name].rotate(j.orientation).matrix for j in members]
    return {
        "X": np.concatenate([zeros(0, S.N), *(hinge.X for hinge in hinges)]),
        "eta": concatenate([hinge.eta for hinge in hinges]),
        "bias": concatenate([hinge.bias for hinge in hinges]),
        "H_S": block_diagonal([hinge_map(motion, j) for j in members]),
        "phi_S": phi_inside(members),
        "H": np.concatenate([j.J for j in members]).T,  # (9)
        "phi_p": np.concatenate([phi_columns(j.r, np.eye(6)) for j in members], axis=1),  # (10)
        "a": concatenate([j.a for j in members]),  # (11)
        "M": block_diagonal(
            [rigid_inertia(j.body.mass, about) for j, about in zip(members, inertias, strict=True)]
        ),
        "Y": closure_jacobian(outward, S),
    }


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
    N_f = sum(body.inboard.n_v for body in S.bodies)
    if not S.closures:
        return zeros(0, N_f)
    siblings = outward.siblings(S)
    theta_dot = concatenate([velocity(solved, body) for body in S.bodies])
    free = SubgraphMotion(S.parent, bodies, theta_dot, siblings)
    for body, _, columns in parts_of(S.bodies):
        n = body.inboard.n_v
        X = zeros(n, N_f)
        X[:, columns] = np.eye(n)
        known = solved.hinge_motions[body.name]
        free.set(body.name, HingeMotion(known.c, X, zeros(n), zeros(n), known.directions, known.q))
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


def dead_centres(model: CompiledSystem) -> list[DeadCentre]:
    """Return configurations in which a hinge of a loop cannot drive it, for every loop with one freedom.

    Returns
    -------
    list of DeadCentre
        Along the path of each loop: where a hinge turns back, and where another branch crosses.

    Examples
    --------
    ``[centre.coordinates for centre in model.dead_centres() if centre.body == "slider"]``
    """
    found = []
    for S in model.embedding.aggregates:
        if S.closures and S.N == 1 and not S.prescribed and not S.siblings:
            found += of_paths.dead_centres(path_of(S) or path_linkage(S))
    return found
