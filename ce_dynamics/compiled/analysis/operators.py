"""M⁻¹ and the innovations factors of M (3) at one configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.dynamics import mass_matrix as factors
from ce_dynamics.dynamics.articulated_body import tip_to_base
from ce_dynamics.errors import ModelError


class Innovations(NamedTuple):
    """The innovations factors of the mass matrix, M = L D Lᵀ with L = I + H φ K (3).

    Attributes
    ----------
    L : (n_v, n_v) array
        I + H φ K: unit diagonal, and zero but where one aggregated body carries the other.  L⁻¹ = I − H ψ K.
    D : (n_v, n_v) array
        Block diagonal: D(S) = H(S) P(S) Hᵀ(S) of every aggregated body (4) [kg m²], [kg m] or [kg].
    K : (6 n, n_v) array
        Shifted gains φ(p, S) G(S): six rows [angular; linear] for each of ``bodies``, at its centre of mass
        and in its axes.  Rows of a body are zero but for what hangs on that very body.
    bodies : tuple of str
        All bodies, in the order of the rows of K.
    """

    L: Floats
    D: Floats
    K: Floats
    bodies: tuple[str, ...]


@takes_state("q", "u", "x")
def inverse_mass_matrix(
    model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]
) -> Floats:
    """Return M⁻¹(θ) = (I − H ψ K)ᵀ D⁻¹ (I − H ψ K) (3), (n_v, n_v), without forming or inverting M.

    Parameters
    ----------
    q : array_like
        Coordinates.
    u, x : array_like, optional
        Inputs (with free parameters) and first-order states, which may move prescribed hinges; their
        defaults and initial values if not given.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there.

    See Also
    --------
    solve_mass : M⁻¹ T for given T, in O(N).

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> rod = system.add_body("rod", mass=3.0, com=(0.5, 0, 0), inertia=(0, 0.25, 0.25),
    ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0)))
    >>> ce.compile(system).inverse_mass_matrix([0.3])  # a third of m l²
    array([[1.]])
    """
    state, given = state_given(model, *here, moving=False, **named)

    def function(y: Array, u: Array) -> Mapping[str, Array]:
        outward = model.instant(y, u).outward
        return {"inverse": factors.inverse_mass_matrix(outward, tip_to_base(outward, {}, {}))}

    return model.evaluate_at("inverse_mass_matrix", function, state, given)[0]


@takes_state("q", "T", "u", "x")
def solve_mass(
    model: CompiledSystem, *here: ArrayLike | None, T: ArrayLike, **named: Unpack[StateArguments]
) -> Floats:
    """Return M⁻¹(θ) T by one sweep to the base and one back, (6) and (7) without velocity terms: O(N).

    Accelerations that generalised forces cause, or changes of velocity that generalised impulses cause.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`; velocities do not matter.
    T : (n_v,) or (n_v, k) array_like
        Generalised forces [N m], [N], or columns of them.

    Returns
    -------
    array shaped like T

    Raises
    ------
    ModelError
        If T has not n_v rows, or is not finite.
    AssemblyError
        If a loop cannot be assembled there.
    """
    n_v = model.sizes["v"]
    forces = checks.numbers("T", T)
    if forces.ndim not in (1, 2) or len(forces) != n_v or not np.all(np.isfinite(forces)):
        raise ModelError(f"T must be {n_v} finite numbers, or columns of them; got shape {forces.shape}")

    state, given = state_given(model, *here, moving=False, **named)

    def function(y: Array, u: Array, T: Array) -> Mapping[str, Array]:
        outward = model.instant(y, u).outward
        return {"response": factors.solve_mass(outward, tip_to_base(outward, {}, {}), T)}

    columns = forces.reshape(n_v, -1).T
    answers = [model.evaluate_at("solve_mass", function, state, given, T=column)[0] for column in columns]
    return np.array(answers).reshape(len(columns), n_v).T.reshape(forces.shape)


@takes_state("q", "u", "x")
def innovations(
    model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]
) -> Innovations:
    """Return the factors L = I + H φ K and D of M = L D Lᵀ, and the gains K (3).

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`; velocities do not matter.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> inner = system.add_body("inner", mass=1.0, com=(1, 0, 0), parent=system.ground,
    ...                         hinge=ce.Revolute(axis=(0, 0, 1)))
    >>> outer = system.add_body("outer", mass=1.0, com=(2, 0, 0), parent=inner,
    ...                         hinge=ce.Revolute(axis=(0, 0, 1), at=(1, 0, 0)))
    >>> L, D, K, bodies = ce.compile(system).innovations([0.0, 0.0])
    >>> L  # one unit of the outer rate is worth two of the inner one ...
    array([[1., 2.],
           [0., 1.]])
    >>> D  # ... in which case the inner arm feels only itself: the outer one swings freely
    array([[1., 0.],
           [0., 1.]])
    """
    state, given = state_given(model, *here, moving=False, **named)

    def function(y: Array, u: Array) -> Mapping[str, Array]:
        outward = model.instant(y, u).outward
        nodes = tip_to_base(outward, {}, {})
        return {
            **factors.innovations_factors(outward, nodes)._asdict(),
            "K": factors.shift_gains(outward, nodes),
        }

    L, D, K = model.evaluate_at("innovations", function, state, given)
    return Innovations(L, D, K, tuple(body.name for body in model.system.bodies))
