"""Trim: a state at which chosen rates vanish."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import find_root, largest_residual
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AssemblyError, ModelError


def trim(
    model: Model,
    change: Sequence[str],
    still: Sequence[str],
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    tolerance: float = 1e-9,
) -> Floats:
    """Change some entries of the state so that the rates of some entries vanish.

    This is for steady states with velocities, such as a vehicle that rolls; `Model.equilibrium` finds states
    of rest without a choice of inputs.

    Parameters
    ----------
    model : Model
    change : sequence of str
        Names of the entries of y = [q; v; x] that are to be found.
    still : sequence of str
        Names of as many entries whose rates are to be zero.
    y, u : array_like, optional
        Where to start, and the inputs; the model's own if not given.
    tolerance : float
        Largest remaining rate, relative to the largest at the start (or to 1).

    Returns
    -------
    y : array
        The state with the entries changed; quaternions are normalised.

    Raises
    ------
    ModelError
        If a name is unknown or the numbers of names differ.
    AssemblyError
        If the loops cannot be assembled at the start, or no such state is found near it.

    Examples
    --------
    ``trim(model, change=["arm"], still=["arm_rate"])`` hangs an arm into its equilibrium.
    """
    return trim_with_inputs(model, change, (), still, y, u, tolerance)[0]


def trim_with_inputs(
    model: Model,
    change: Sequence[str],
    inputs: Sequence[str],
    still: Sequence[str],
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    tolerance: float = 1e-9,
) -> tuple[Floats, Floats]:
    """Trim by entries of the state and by inputs; return both."""
    checks.instance("trim: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    known = model.layout.y_names
    checks.number("tolerance", tolerance, above=0.0)
    found = positions(known, checks.texts("change", change))
    resting = positions(known, checks.texts("still", still))
    driven = positions([entry.name for entry in model.layout.u], inputs)
    if len(found) + len(driven) != len(resting) or not found:
        raise ModelError(
            f"{len(found) + len(driven)} entries cannot make {len(resting)} rates vanish; "
            "name as many of each"
        )
    start = model.given_state(y)
    given = model.given_inputs(u)

    first = np.concatenate((start[found], given[driven]))

    def at(values: Floats) -> tuple[Floats, Floats]:
        trial, u = start.copy(), given.copy()
        trial[found], u[driven] = values[: len(found)], values[len(found) :]
        return model.with_unit_quaternions(trial), u

    def residual(values: Floats) -> Floats:
        return np.asarray(model.dynamics(*at(values))[0][resting])

    if not np.all(np.isfinite(model.dynamics(*at(first))[0])):
        raise AssemblyError("accelerations are not finite at the start; start where loops can be assembled")
    allowed = tolerance * max(1.0, largest_residual(residual(first)))
    solved = find_root(residual, first, allowed)
    if not solved.size <= allowed:
        raise AssemblyError(
            f"no equilibrium of {', '.join(change)} found near the start: a rate of {solved.size:.3g} "
            "remains; start nearer to it or check loads and stiffnesses"
        )
    return at(solved.x)


def positions(known: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return indices of names."""
    for name in names:
        if name not in known:
            raise ModelError(f"no state {name!r}; known are {list(known)}")
    return [known.index(name) for name in names]
