"""Trim: a state at which chosen rates vanish."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.algebra.newton import backtrack
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
        rates = model.dynamics(*at(values))[0][resting]
        return np.where(np.isfinite(rates), rates, 1e30)

    if not np.all(np.isfinite(model.dynamics(*at(first))[0])):
        raise AssemblyError("accelerations are not finite at the start; start where loops can be assembled")
    scale = max(1.0, float(np.max(np.abs(residual(first)))))
    solved = solve_damped(residual, first)
    worst = float(np.max(np.abs(residual(solved))))
    if not worst <= tolerance * scale:
        solved = solve_damped(residual, solve_by_powell(residual, first))
        worst = float(np.max(np.abs(residual(solved))))
    if not worst <= tolerance * scale:
        raise AssemblyError(
            f"no equilibrium of {', '.join(change)} found near the start: a rate of {worst:.3g} remains; "
            "start nearer to it or check loads and stiffnesses"
        )
    return at(solved)


STEP = 1e-7
"""Step of finite differences, over the size of an entry or 1."""
MOST_ITERATIONS = 40
SHORTEST = 2.0**-12
"""Part of Newton's step below which it is given up."""


def solve_by_powell(residual: Callable[[Floats], Floats], start: Floats) -> Floats:
    """Solve by Powell's hybrid method, which follows the steepest descent where Newton's steps fail."""
    from scipy.optimize import root  # here, because most starts are near and SciPy takes 0.4 s to load

    return np.asarray(root(residual, start, method="hybr", options={"xtol": 1e-14}).x)


def solve_damped(residual: Callable[[Floats], Floats], start: Floats, tolerance: float = 0.0) -> Floats:
    """Solve by Newton's method with steps halved until the residual falls, to rounding by default.

    It converges for laws with corners, unlike Broyden's updates of `scipy.optimize.root`: its
    Jacobian is that of the piece on which the iterate lies.

    Returns
    -------
    array
        The best iterate, whether or not its residual is within the tolerance.
    """
    x, r = start.copy(), residual(start)
    for _ in range(MOST_ITERATIONS):
        worst = float(np.max(np.abs(r)))
        if worst <= tolerance:
            break
        J = slopes(residual, x, r, STEP * np.maximum(1.0, np.abs(x)))
        tried = (lower(residual, x, step, worst, SHORTEST) for step in solution_steps(J, -r))
        nearer = next((found for found in tried if found is not None), None)
        if nearer is None:
            break
        x, r = nearer
    return x


def solution_steps(J: Floats, r: Floats) -> Iterator[Floats]:
    """Yield solutions of J x = r: by elimination unless J is singular, then of least squares.

    Elimination keeps zeros: an unknown at rest that depends on no other unknown stays exactly at rest.
    Adaptive methods then follow no mode that grows from rounding.  Least squares also solve singular systems.
    """
    with contextlib.suppress(np.linalg.LinAlgError):
        yield np.asarray(np.linalg.solve(J, r), dtype=float)
    yield least_squares(J, r, rcond=None)


def slopes(residual: Callable[[Floats], Floats], x: Floats, r: Floats, sizes: Floats) -> Floats:
    """Return the jacobian of a residual by differences of the given sizes, from x, where it is r."""
    columns = [(residual(x + h * e) - r) / h for h, e in zip(sizes, np.eye(len(x)), strict=True)]
    return np.array(columns).T


def lower(
    residual: Callable[[Floats], Floats], x: Floats, step: Floats, worst: float, shortest: float
) -> tuple[Floats, Floats] | None:
    """Return the end of the longest part of a step whose residual is below ``worst``, and that residual."""

    def trial(part: float) -> tuple[Floats, Floats] | None:
        left = residual(x + part * step)
        return (x + part * step, left) if float(np.max(np.abs(left))) < worst else None

    return backtrack(trial, shortest)


def positions(known: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return indices of names."""
    for name in names:
        if name not in known:
            raise ModelError(f"no state {name!r}; known are {list(known)}")
    return [known.index(name) for name in names]
