"""The operators (9)-(14) of the paper for any aggregated body at one state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import state_given, takes_state
from ce_dynamics.dynamics.state import rate_name
from ce_dynamics.dynamics.subgraph import subgraph_operators
from ce_dynamics.embedding.aggregate import Aggregate
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
    model: CompiledSystem,
    body: Body | str,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    x: ArrayLike | None = None,
    u: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> AggregatedBody:
    """X_S, η_S, Ẋ_S θ̇(S), H(S), φ_S and the rest of (9)-(14) of the aggregated body that a body is in.

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
        return subgraph_operators(model.instant(y, u).outward, S)._asdict()

    state, given = state_given(model, q, v, x, u, y)
    function_of_S = model.function(f"aggregated body {S.name}", function, model.sizes_of("y", "u"))
    answers = function_of_S(state, given)
    model.refuse_not_finite(state, given, *answers)
    operators = dict(zip(function_of_S.output_shapes, answers, strict=True))
    return AggregatedBody(
        name=S.name,
        parent=S.parent.name,
        bodies=tuple(j.name for j in S.bodies),
        rates=tuple(name for j in S.bodies for name in rates_of(j)),
        independent=independent_rates(S),
        closures=tuple(loop.name for loop in S.closures),
        **operators,
    )


def rates_of(body: Body) -> list[str]:
    """Return the names of the velocities of a body's hinge."""
    hinge = body.inboard
    return [rate_name(body.name, suffix, hinge.coordinate_names) for suffix in hinge.velocity_names]


def independent_rates(S: Aggregate) -> tuple[str, ...]:
    """Return the names of the independent velocities of S."""
    return tuple(name for body in S.independent for name in rates_of(body))
