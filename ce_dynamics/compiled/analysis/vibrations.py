"""Eigenmodes of the linearised motion about a state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.compiled.analysis.modes import STILL, Complex, Modes, largest
from ce_dynamics.compiled.analysis.small_motion import Freedom, SmallMotion, small_motion
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import state_given, takes_state
from ce_dynamics.errors import ModelError

SYMMETRY = 1e-6
"""Part of a conservative stiffness by which it may differ from its transpose: loops end in Newton steps."""


@takes_state("y", "u")
def modes(
    model: CompiledSystem,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    x: ArrayLike | None = None,
    u: ArrayLike | None = None,
    y: ArrayLike | None = None,
    hold: Iterable[str] = (),
    damped: bool = True,
) -> Modes:
    """Eigenmodes of the linearised motion about a state, usually an `equilibrium`.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
    hold : iterable of str
        Displacements, bodies (for all of their hinge) and first-order states that are held.
    damped : bool
        With False the modes of M and K alone: no damping, velocities and first-order states at rest.
        Frequencies and shapes are then real, and M and K orthogonal.

    Returns
    -------
    Modes

    Raises
    ------
    ModelError
        If a name is unknown; with ``damped=False`` also if a load is not conservative or the state far
        from equilibrium (then K is not symmetric), or for a rolling ball.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, 0), name="weight on a spring")
    >>> weight = system.add_body("weight", mass=2.0, com=(1, 0, 0), parent=system.ground,
    ...                          hinge=ce.Prismatic(axis=(1, 0, 0)))
    >>> system.add_force(ce.SpringDamper("spring", system.ground, (0, 0, 0), weight, (1, 0, 0),
    ...                                  spring=200.0, damper=4.0))
    >>> modes = ce.compile(system).modes()
    >>> modes
    Modes of 'weight on a spring':
      no.  frequency/Hz  damping ratio  largest
        0         1.592         0.1000  weight
    >>> modes.animate(0, amplitude=0.1, n_phases=4).position.sel(body="weight", axis="x").values
    array([1.1, 1. , 0.9, 1. ])
    """
    checks.flag("damped", damped)
    state, given = state_given(model, q, v, x, u, y)
    q, v, x = model.layout.split(state)
    state = np.concatenate((model.tangent.normalised(q), v, x))
    held = Freedom(model, hold)
    near = small_motion(model, state, given, held)
    if damped:
        eigenvalues, vectors = damped_modes(near, held)
    else:
        refuse_no_potential(near, held)
        eigenvalues, vectors = undamped_modes(near, held)
    order = np.lexsort((eigenvalues.imag, eigenvalues.real, np.abs(eigenvalues)))
    entries = model.tangent.entries
    vectors = scaled(vectors[:, order], len(entries))
    along = np.linalg.pinv(near.Q) @ vectors[: len(entries)]  # displacements by the velocities they take
    return Modes(
        model,
        state,
        given,
        tuple(entry.name for entry in entries),
        tuple(entry.unit for entry in entries),
        eigenvalues[order],
        vectors,
        np.einsum("ik,ij,jk->k", along.conj(), near.M, along).real,
    )


def refuse_no_potential(near: SmallMotion, held: Freedom) -> None:
    """Refuse a stiffness that is not symmetric."""
    if len(held.free) != len(held.moving):
        raise ModelError("a rolling hinge has no mode shapes without damping; ask for damped=True")
    heavy = np.sqrt(np.diag(near.M))[held.moving]
    K = near.K[np.ix_(held.moving, held.free)] / np.outer(heavy, heavy)
    skew = np.abs(K - K.T)
    if skew.size and np.max(skew) > SYMMETRY * np.max(np.abs(K)):
        i, j = np.unravel_index(int(np.argmax(skew)), skew.shape)
        raise ModelError(
            f"the stiffness between {held.names[i]!r} and {held.names[j]!r} is not the same both ways: a "
            "load is not conservative, or the state no equilibrium; ask for damped=True, or about "
            "an equilibrium"
        )


class Selected(NamedTuple):
    """Eigenvalues and vectors over all of [δ; δv; δx]."""

    eigenvalues: Complex
    vectors: Complex


def damped_modes(near: SmallMotion, held: Freedom) -> Selected:
    """Modes of A; of each conjugate pair the one with Im λ > 0."""
    eigenvalues, vectors = np.linalg.eig(near.matrix(held))
    chosen = eigenvalues.imag >= 0.0
    n_d, n_v = near.Q.shape
    places = [*held.free, *(n_d + k for k in held.moving), *(n_d + n_v + k for k in held.states)]
    everywhere = np.zeros((n_d + n_v + near.T_x.shape[1], int(np.sum(chosen))), dtype=complex)
    everywhere[places] = vectors[:, chosen]
    return Selected(eigenvalues[chosen].astype(complex), everywhere)


def undamped_modes(near: SmallMotion, held: Freedom) -> Selected:
    """Modes of K φ = ω² M φ, λ = i ω; a negative ω² gives the pair λ = ±√−ω², of which that which grows."""
    from scipy.linalg import eigh  # here, because most runs never ask

    m, d = held.moving, held.free
    K = near.K[np.ix_(m, d)]
    squares, shapes = eigh(0.5 * (K + K.T), near.M[np.ix_(m, m)])
    eigenvalues = np.where(squares < 0.0, np.sqrt(np.abs(squares)), 1j * np.sqrt(np.abs(squares)))
    n_d, n_v = near.Q.shape
    everywhere = np.zeros((n_d + n_v + near.T_x.shape[1], len(d)), dtype=complex)
    everywhere[d] = shapes
    everywhere[[n_d + k for k in m]] = shapes * eigenvalues
    return Selected(eigenvalues, everywhere)


def scaled(vectors: Complex, n: int) -> Complex:
    """Vectors whose largest displacement (or, without any, largest entry) is 1."""
    result = vectors.copy()
    for k in range(vectors.shape[1]):
        size = np.max(np.abs(vectors[:, k]), initial=0.0)
        moving = np.max(np.abs(vectors[:n, k]), initial=0.0) > STILL * size
        part = vectors[:n, k] if moving else vectors[:, k]
        result[:, k] = vectors[:, k] / part[largest(part)]
    return result
