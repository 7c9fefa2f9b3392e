"""Which native method suits a motion: what each would cost, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.advice.costs import Costs, measured
from ce_dynamics.simulation.advice.recommendation import Prospect, Recommendation, judged
from ce_dynamics.simulation.advice.steps import Rate, accurate_step, stable_step
from ce_dynamics.simulation.advice.trial import Trial, attempt, spectrum
from ce_dynamics.simulation.integrators.methods import EMBEDDED, REGISTERED, Method
from ce_dynamics.simulation.integrators.scipy_jacobian import DenseJacobian
from ce_dynamics.simulation.integrators.settings import check_tolerances
from ce_dynamics.simulation.right_hand_side import Inputs, RightHandSide

MOST_STEPS = 200_000
"""Of the motion that is tried: more would take seconds."""
MARGIN = 0.8
"""Part of the limit of stability that a fixed step takes: elsewhere the limit may be shorter."""


def recommend_method(
    model: Model,
    y: ArrayLike | None = None,
    tolerance: float = 1e-6,
    *,
    inputs: Inputs = None,
    parameters: Mapping[str, float] | None = None,
    horizon: float = 1.0,
) -> Recommendation:
    """Which native method integrates a motion soonest, with which step or tolerances, and why.

    The motion is tried by every adaptive method over a horizon.  At states along it the eigenvalues of the
    exact Jacobian tell how long the steps of every method may be to be stable, and single steps how long to
    be accurate (not at the start: what dies away soon after it is passed over).  What an evaluation, a
    Jacobian and its factors cost is timed.

    Parameters
    ----------
    model : Model
    y : array_like, optional
        State the motion begins with; that of the model if not given.  It speaks for what it leads to: ask
        again for a motion of another kind, such as standstill after a drive.
    tolerance : float
        Error per step relative to every state (rtol); atol is a hundredth of it.
    inputs, parameters
        As of `ce_dynamics.simulate`.
    horizon : float
        Time that is tried [s].

    Returns
    -------
    Recommendation
        ``print`` shows it.

    Raises
    ------
    ModelError
        For wrong arguments.
    SimulationError
        Where nothing can be said: the motion cannot be tried, nothing moves in it, its Jacobian is not
        finite, or it is so fast that trying it would take too long and no step is accurate.

    Notes
    -----
    Costs are those of evaluations, Jacobians and factors, in one lane, without what is stored: compare them
    with one another.  Methods of SciPy are not weighed; of those ``LSODA`` and ``Radau`` serve stiff motions
    at tolerances for which an implicit method of order 2 needs short steps.

    Examples
    --------
    >>> advice = ce.recommend_method(model, y0, 1e-6)      # doctest: +SKIP
    >>> print(advice)                                      # doctest: +SKIP
    >>> ce.simulate(model, duration=10.0, y0=y0, **advice.options)      # doctest: +SKIP
    """
    what = "a model, as ce_dynamics.compile(system) returns it"
    checks.instance("recommend_method: model", model, Model, what)
    checks.number("tolerance", tolerance, above=0.0)
    check_tolerances(tolerance, 0.01 * tolerance)
    checks.number("horizon", horizon, above=0.0)
    rhs = RightHandSide(model, inputs, False, parameters)
    start = model.start_at(y)
    if not np.all(np.isfinite(rhs(0.0, start))):
        raise SimulationError("no method can be recommended: the accelerations are not finite at this state")
    jacobian, spectra = DenseJacobian(rhs), []
    spectra.append(spectrum(jacobian, 0.0, start))
    longest = min(stable_step(pair, spectra[0]) for pair in EMBEDDED.values())
    states, trials = [(0.0, start)], []
    if horizon / longest <= MOST_STEPS:
        given = model, inputs, parameters, start, tolerance, horizon
        trials = [attempt(pair, *given) for pair in EMBEDDED.values()]
        states = trials[0].states
        spectra += [spectrum(jacobian, t, state) for t, state in states[1:]]
    rate = autonomous(rhs)
    augmented = [np.append(state, t) for t, state in states]
    costs = measured(rhs, jacobian, states)
    tried = {trial.method.name: trial for trial in trials}
    prospects = {
        method.name: prospect(
            method, rate, augmented, spectra, tolerance, horizon, costs, tried.get(method.name)
        )
        for method in REGISTERED
    }
    return judged(prospects, spectra, costs, tolerance, tried)


def autonomous(rhs: RightHandSide) -> Rate:
    """ż of z = [y; t]."""

    def rate(z: Floats) -> Floats:
        return np.append(rhs(float(z[-1]), z[:-1]), 1.0)

    return rate


def prospect(
    method: Method,
    rate: Rate,
    states: list[Floats],
    spectra: list[NDArray[np.complex128]],
    tolerance: float,
    horizon: float,
    costs: Costs,
    trial: Trial | None,
) -> Prospect:
    """What a method would do: by its steps at single states, or as it was tried."""
    stable = min(stable_step(method, eigenvalues) for eigenvalues in spectra)
    begun = states[1:] or states  # what dies away soon after the start is not the motion
    accurate = min(accurate_step(method, rate, z, tolerance, horizon) for z in begun)
    if trial is not None:
        step, evaluations = 1.0 / trial.steps, trial.evaluations
    else:
        step = rounded_down(min(MARGIN * stable, accurate))
        evaluations = method.evaluations / step
    return Prospect(step, stable, accurate, evaluations, costs.of(method, 1.0 / step, evaluations))


def rounded_down(h: float) -> float:
    """To two digits."""
    unit = 10.0 ** (math.floor(math.log10(h)) - 1)
    return float(f"{math.floor(h / unit * (1.0 + 1e-9)) * unit:.1e}")
