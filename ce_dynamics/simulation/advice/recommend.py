"""Which native method suits a motion: what each would cost, and why."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.advice.steps import Rate, accurate_step, stable_step
from ce_dynamics.simulation.integrators.method import Method
from ce_dynamics.simulation.integrators.methods import METHOD_OF, REGISTERED
from ce_dynamics.simulation.integrators.scipy_jacobian import DenseJacobian
from ce_dynamics.simulation.integrators.settings import check_tolerances
from ce_dynamics.simulation.right_hand_side import Inputs, RightHandSide
from ce_dynamics.simulation.simulate import simulate

STATES = 5
"""States of the motion that are looked at."""
ADVANTAGE = 1.1
"""Costs that differ by less are the same: the method that finds its steps by itself is preferred then."""
MOST_STEPS = 200_000
"""Of the motion that is tried: more would take seconds."""
MARGIN = 0.8
"""Part of the limit of stability that a fixed step takes: elsewhere the limit may be shorter."""
UNEVEN = 0.2
"""Part of the steps that were rejected, from which on a motion is not smooth."""


class Prospect(NamedTuple):
    """What a method would do.

    Attributes
    ----------
    step : float
        Its step [s]; of adaptive methods the mean.
    stable, accurate : float
        The longest steps by stability and by accuracy [s].
    evaluations : float
        Of ẏ, per simulated second.
    cost : float
        Predicted seconds of one core per simulated second.
    """

    step: float
    stable: float
    accurate: float
    evaluations: float
    cost: float

    @property
    def limit(self) -> str:
        """What limits the step."""
        return "stability" if self.stable < self.accurate else "accuracy"


@dataclass(frozen=True)
class Recommendation:
    """A method for a motion.

    Attributes
    ----------
    method : str
    options : dict
        For `ce_dynamics.simulate`: ``simulate(model, inputs, duration=..., **options)``.
    reasons : tuple of str
        In words.
    prospects : dict of str to Prospect
        By method.
    eigenvalues : (n,) complex array
        Of ∂ẏ/∂y at the state where the largest is, the law's answers included [1/s], the fastest first.
    """

    method: str
    options: Mapping[str, Any]
    reasons: tuple[str, ...]
    prospects: Mapping[str, Prospect]
    eigenvalues: NDArray[np.complex128]

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value:g}" for name, value in self.options.items() if name != "method")
        lines = [f"{self.method}, {settings}", *(f"- {reason}" for reason in self.reasons), ""]
        lines.append(f"{'method':15s} {'step':>9s} {'stable to':>10s} {'accurate to':>12s} {'s per s':>9s}")
        for name, p in sorted(self.prospects.items(), key=lambda pair: pair[1].cost):
            stable = "any" if math.isinf(p.stable) else f"{p.stable:.2g}"
            lines.append(f"{name:15s} {p.step:9.2g} {stable:>10s} {p.accurate:12.2g} {p.cost:9.2g}")
        return "\n".join(lines)


class Costs(NamedTuple):
    """Seconds of an evaluation of ẏ, of its Jacobian, and of factors of a matrix of its size."""

    rate: float
    jacobian: float
    factors: float

    def of(self, method: Method, steps: float, evaluations: float) -> float:
        """Of so many steps with so many evaluations in all."""
        matrices = steps * (self.jacobian + self.factors) if method.implicit else 0.0
        return evaluations * self.rate + matrices


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

    The motion is tried by ``dopri5`` over a horizon.  At states along it the eigenvalues of the exact
    Jacobian tell how long the steps of every method may be to be stable, and single steps how long to be
    accurate (not at the start: what dies away soon after it is passed over).  What an evaluation, a Jacobian
    and its factors cost is timed.

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
    check_tolerances(tolerance, 0.01 * tolerance)
    checks.number("horizon", horizon, above=0.0)
    rhs = RightHandSide(model, inputs, False, parameters)
    start = model.start_at(y)
    if not np.all(np.isfinite(rhs(0.0, start))):
        raise SimulationError("no method can be recommended: the accelerations are not finite at this state")
    jacobian, spectra = DenseJacobian(rhs), []
    spectra.append(spectrum(jacobian, 0.0, start))
    pair = METHOD_OF["dopri5"]
    longest = stable_step(pair, spectra[0])
    states, trial = [(0.0, start)], None
    if horizon / longest <= MOST_STEPS:
        trial = attempt(model, inputs, parameters, start, tolerance, horizon)
        states = trial.states
        spectra += [spectrum(jacobian, t, state) for t, state in states[1:]]
    rate = autonomous(rhs)
    augmented = [np.append(state, t) for t, state in states]
    costs = measured(rhs, jacobian, states)
    prospects = {
        method.name: prospect(method, rate, augmented, spectra, tolerance, horizon, costs, trial)
        for method in REGISTERED
    }
    return judged(prospects, spectra, costs, tolerance, trial)


class Trial(NamedTuple):
    """A motion that was tried: instants with states, steps and evaluations per simulated second."""

    states: list[tuple[float, Floats]]
    steps: float
    evaluations: float

    @property
    def rejected(self) -> float:
        """Part of the steps that were made again."""
        return max(0.0, 1.0 - METHOD_OF["dopri5"].evaluations * self.steps / self.evaluations)


def attempt(
    model: Model,
    inputs: Inputs,
    parameters: Mapping[str, float] | None,
    start: Floats,
    tolerance: float,
    horizon: float,
) -> Trial:
    """The motion, by dopri5.

    Raises
    ------
    SimulationError
        If it cannot be integrated, or nothing moves.
    """
    from ce_dynamics.simulation.results import quantity  # here, because simulate has loaded xarray by then

    try:
        run = simulate(
            model, inputs, y0=start, duration=horizon, method="dopri5", rtol=tolerance, atol=0.01 * tolerance,
            interval=horizon / (STATES - 1), parameters=parameters,
        )  # fmt: skip
    except SimulationError as error:
        raise SimulationError(
            f"no method can be recommended: the motion cannot be tried ({error})", error.partial
        ) from error
    layout = model.layout
    names = [entry.name for entry in (*layout.q, *layout.v, *layout.x)]
    Y = np.stack([quantity(run, name).values for name in names], axis=1)
    if np.all(np.abs(Y - Y[0]) <= tolerance * (1.0 + np.abs(Y[0]))):
        raise SimulationError(
            f"no method can be recommended: nothing moves within {horizon:g} s, so that accuracy limits no "
            "step; give a state of the motion that is meant"
        )
    steps, evaluations = run.attrs["steps"] / horizon, run.attrs["evaluations"] / horizon
    return Trial(list(zip(run["time"].values.tolist(), Y, strict=True)), steps, evaluations)


def spectrum(jacobian: DenseJacobian, t: float, y: Floats) -> NDArray[np.complex128]:
    """Eigenvalues of the exact Jacobian, the fastest first.

    Raises
    ------
    SimulationError
        If it is not finite.
    """
    try:
        found = np.linalg.eigvals(jacobian(t, y)).astype(np.complex128)
    except ValueError:
        raise SimulationError(
            f"no method can be recommended: derivatives of the accelerations are not finite at t = {t:.4g} s "
            "(a law has a vertical slope there); give a state beside it"
        ) from None
    return found[np.argsort(-np.abs(found), kind="stable")]


def autonomous(rhs: RightHandSide) -> Rate:
    """ż of z = [y; t]."""

    def rate(z: Floats) -> Floats:
        return np.append(rhs(float(z[-1]), z[:-1]), 1.0)

    return rate


def measured(rhs: RightHandSide, jacobian: DenseJacobian, states: list[tuple[float, Floats]]) -> Costs:
    """What evaluations cost, as the loops over steps call them: the shortest of some batches."""
    from ce_dynamics.simulation.integrators.implicit_kernels import factorise  # here, because it loads Numba

    t, y = states[-1]
    matrix = np.eye(len(y)) - 1e-3 * jacobian(t, y)
    pivots = np.zeros(len(y), dtype=np.int64)
    rhs(t, y)
    calls = [evaluation.run for evaluation in rhs.bindings]

    def rate() -> None:
        for call in calls:
            call()

    return Costs(
        shortest(rate, 200),
        shortest(jacobian.native, 50),
        shortest(lambda: factorise(matrix.copy(), pivots), 50),
    )


def shortest(call: Callable[[], object], n: int) -> float:
    """Seconds of one call."""
    found = math.inf
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(n):
            call()
        found = min(found, (time.perf_counter() - began) / n)
    return found


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
    if not method.fixed and trial is not None:
        step, evaluations = 1.0 / trial.steps, trial.evaluations
    else:
        step = rounded_down(min(MARGIN * stable, accurate))
        evaluations = method.evaluations / step
    return Prospect(step, stable, accurate, evaluations, costs.of(method, 1.0 / step, evaluations))


def rounded_down(h: float) -> float:
    """To two digits."""
    unit = 10.0 ** (math.floor(math.log10(h)) - 1)
    return float(f"{math.floor(h / unit * (1.0 + 1e-9)) * unit:.1e}")


def judged(
    prospects: Mapping[str, Prospect],
    spectra: list[NDArray[np.complex128]],
    costs: Costs,
    tolerance: float,
    trial: Trial | None,
) -> Recommendation:
    """The method of least cost, with reasons.

    Raises
    ------
    SimulationError
        If no method has a step that would come to an end.
    """
    fastest = max(spectra, key=lambda eigenvalues: abs(eigenvalues[0]))
    best = min(prospects, key=lambda name: prospects[name].cost)
    rejected = 0.0 if trial is None else trial.rejected
    close = prospects["dopri5"].cost <= ADVANTAGE * prospects[best].cost
    if trial is not None and not METHOD_OF[best].implicit and (close or rejected > UNEVEN):
        best = "dopri5"
    chosen = prospects[best]
    if chosen.step <= 2e-9:
        raise SimulationError(
            f"no method can be recommended: the fastest motion has |λ| = {abs(fastest[0]):.3g} 1/s, and "
            "no native method has accurate steps of more than 2e-9 s; soften what is that stiff, or loosen "
            "the tolerance"
        )
    reasons = [
        f"the fastest motion has λ = {shown(fastest[0])} 1/s",
        f"an evaluation takes {1e6 * costs.rate:.3g} µs, a Jacobian with its factors "
        f"{1e6 * (costs.jacobian + costs.factors):.3g} µs",
    ]
    pair = prospects["dopri5"]
    if trial is None:
        reasons.append(
            f"explicit methods are out of the question: stable steps of dopri5 are {pair.stable:.2g} s; "
            "only the state given was looked at"
        )
    elif pair.step > 0.5 * pair.stable:
        reasons.append(
            f"steps of dopri5 ({pair.step:.2g} s on average) are near its limit of stability "
            f"({pair.stable:.2g} s)"
        )
    else:
        reasons.append(
            f"the motion is not stiff: steps of dopri5 ({pair.step:.2g} s on average) follow accuracy, "
            "stability would allow " + ("any" if math.isinf(pair.stable) else f"{pair.stable:.2g} s")
        )
    if METHOD_OF[best].fixed:
        reasons.append(f"steps of {chosen.step:.2g} s are limited by {chosen.limit}")
    if rejected > UNEVEN:
        reasons.append(
            f"{100 * rejected:.0f} % of the steps that were tried had to be made again: the motion is not "
            "smooth (kinks of laws, jumps of inputs), and steps must adapt"
        )
    others = sorted((p.cost, name) for name, p in prospects.items() if name != best)
    reasons.append(
        f"{best} takes about {chosen.cost:.2g} s per simulated second; "
        + ", ".join(f"{name} {cost / chosen.cost:.2g} times that" for cost, name in others)
    )
    options: dict[str, Any] = {"method": best}
    if METHOD_OF[best].fixed:
        options["step"] = chosen.step
    else:
        options |= {"rtol": tolerance, "atol": 0.01 * tolerance}
    return Recommendation(best, options, tuple(reasons), dict(prospects), fastest)


def shown(value: complex) -> str:
    """An eigenvalue."""
    return (
        f"{value.real:.3g}"
        if abs(value.imag) < 1e-6 * abs(value)
        else f"{value.real:.3g} ± {abs(value.imag):.3g}i"
    )
