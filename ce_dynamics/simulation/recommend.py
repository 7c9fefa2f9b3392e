"""Recommends a native method for a motion by its stability, accuracy and cost.

Near a state ẏ = J y but for constants.  A step of an explicit method makes R(hλ) of an eigenvector, λ its
eigenvalue, where

    R(z) = 1 + z bᵀ 1 + z² bᵀ A 1 + z³ bᵀ A² 1 + …;

it is stable where |R| is not more than 1.  Motion that grows by itself (Re λ > 0) limits no step in this way.
Linearly implicit methods of the library are L-stable: nothing linear limits their steps.

The error of a step is measured, by a step and two of half its length (the difference is 1 − 2⁻ᵖ of it for a
method of order p), or for a pair by its own estimate.  It is weighed as adaptive methods weigh it: root mean
square of the parts of atol + rtol |y|.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import (
    EMBEDDED,
    METHOD_OF,
    REGISTERED,
    EmbeddedPair,
    Explicit,
    ExplicitRungeKutta,
    LinearlyImplicit,
    Method,
    Rate,
    ahead,
    stage_rates,
)
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.integrators.scipy_jacobian import DenseJacobian
from ce_dynamics.simulation.integrators.settings import check_tolerances
from ce_dynamics.simulation.right_hand_side import Inputs, RightHandSide
from ce_dynamics.simulation.simulate import simulate


class Costs(NamedTuple):
    """Seconds of an evaluation of ẏ, of its Jacobian, and of factors of a matrix of its size."""

    rate: float
    jacobian: float
    factors: float

    def of(self, method: Method, steps: float, evaluations: float) -> float:
        """Return the cost of so many steps with so many evaluations in all."""
        matrices = steps * (self.jacobian + self.factors) if method.implicit else 0.0
        return evaluations * self.rate + matrices


def measure_costs(rhs: RightHandSide, jacobian: DenseJacobian, states: list[tuple[float, Floats]]) -> Costs:
    """Time evaluations as the loops over steps call them: the shortest of some batches."""
    from ce_dynamics.simulation.integrators.fixed_kernels import factorise  # here, because it loads Numba

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
    """Return the seconds of one call."""
    found = math.inf
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(n):
            call()
        found = min(found, (time.perf_counter() - began) / n)
    return found


STATES = 5  # number of states along the motion that are analysed


class Trial(NamedTuple):
    """A trial motion: method, instants with states, steps and evaluations per simulated second."""

    method: Method
    states: list[tuple[float, Floats]]
    steps: float
    evaluations: float

    @property
    def rejected(self) -> float:
        """Fraction of steps that were rejected."""
        return max(0.0, 1.0 - self.method.evaluations * self.steps / self.evaluations)


def attempt(
    method: Method,
    model: Model,
    inputs: Inputs,
    parameters: Mapping[str, float] | None,
    start: Floats,
    tolerance: float,
    horizon: float,
) -> Trial:
    """Integrate the motion by an adaptive method."""
    from ce_dynamics.simulation.results import quantity  # here, because simulate has loaded xarray by then

    by: Any = method.name  # the names of `simulate` are a Literal
    try:
        run = simulate(
            model, inputs, y0=start, duration=horizon, method=by, rtol=tolerance, atol=0.01 * tolerance,
            interval=horizon / (STATES - 1), parameters=parameters,
        )  # fmt: skip
    except SimulationError as error:
        raise SimulationError(
            f"no method can be recommended: the motion cannot be tried ({error})", error.partial
        ) from error
    layout = model.layout
    names = layout.y_names
    Y = np.stack([quantity(run, name).values for name in names], axis=1)
    if np.all(np.abs(Y - Y[0]) <= tolerance * (1.0 + np.abs(Y[0]))):
        raise SimulationError(
            f"no method can be recommended: nothing moves within {horizon:g} s, so that accuracy limits no "
            "step; give a state of the motion that is meant"
        )
    steps, evaluations = run.attrs["steps"] / horizon, run.attrs["evaluations"] / horizon
    return Trial(method, list(zip(run["time"].values.tolist(), Y, strict=True)), steps, evaluations)


def spectrum(jacobian: DenseJacobian, t: float, y: Floats) -> NDArray[np.complex128]:
    """Return the eigenvalues of the exact Jacobian, the fastest first."""
    try:
        found = np.linalg.eigvals(jacobian(t, y)).astype(np.complex128)
    except ValueError:
        raise SimulationError(
            f"no method can be recommended: derivatives of the accelerations are not finite at t = {t:.4g} s "
            "(a law has a vertical slope there); give a state beside it"
        ) from None
    return found[np.argsort(-np.abs(found), kind="stable")]


ADVANTAGE = 1.1
"""Costs that differ by less are the same: the method that finds its steps by itself is preferred then."""
UNEVEN = 0.2  # part of the steps that were rejected, from which on a motion is not smooth
USELESS = 2e-9  # a step [s] with which no run would come to its end


class Prospect(NamedTuple):
    """Prediction for a method."""

    step: float  # its step [s]; of adaptive methods the mean
    stable: float  # longest step by stability [s]
    accurate: float  # longest step by accuracy [s]
    evaluations: float  # of ẏ, per simulated second
    cost: float  # predicted seconds of one core per simulated second

    @property
    def limit(self) -> str:
        """Limit of the step: stability or accuracy."""
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
        Of ∂ẏ/∂y at the state where the largest is, the law's inputs included [1/s], the fastest first.
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


def choose_method(
    prospects: Mapping[str, Prospect],
    spectra: list[NDArray[np.complex128]],
    costs: Costs,
    tolerance: float,
    tried: Mapping[str, Trial],
) -> Recommendation:
    """Return the method of least cost, with reasons."""
    fastest = max(spectra, key=lambda eigenvalues: abs(eigenvalues[0]))
    pair = min(EMBEDDED, key=lambda name: prospects[name].cost)
    trial = tried.get(pair)
    best = cheapest(prospects, pair, trial)
    chosen = prospects[best]
    if chosen.step <= USELESS:
        raise SimulationError(
            f"no method can be recommended: the fastest motion has |λ| = {abs(fastest[0]):.3g} 1/s, and "
            f"no native method has accurate steps of more than {USELESS:g} s; soften what is that stiff, or "
            "loosen the tolerance"
        )
    options: dict[str, Any] = {"method": best}
    if METHOD_OF[best].fixed:
        options["step"] = chosen.step
    else:
        options |= {"rtol": tolerance, "atol": 0.01 * tolerance}
    reasons = tuple(list_reasons(best, prospects, fastest[0], costs, pair, trial))
    return Recommendation(best, options, reasons, dict(prospects), fastest)


def cheapest(prospects: Mapping[str, Prospect], pair: str, trial: Trial | None) -> str:
    """Return the method of least cost, or the best pair where it costs hardly more or nothing is smooth."""
    best = min(prospects, key=lambda name: prospects[name].cost)
    close = prospects[pair].cost <= ADVANTAGE * prospects[best].cost
    if trial is not None and not METHOD_OF[best].implicit and (close or trial.rejected > UNEVEN):
        return pair
    return best


def list_reasons(
    best: str,
    prospects: Mapping[str, Prospect],
    fastest: complex,
    costs: Costs,
    pair: str,
    trial: Trial | None,
) -> Iterator[str]:
    """Yield the reasons."""
    chosen = prospects[best]
    yield f"the fastest motion has λ = {format_eigenvalue(fastest)} 1/s"
    yield (
        f"an evaluation takes {1e6 * costs.rate:.3g} µs, a Jacobian with its factors "
        f"{1e6 * (costs.jacobian + costs.factors):.3g} µs"
    )
    yield explicit_steps(pair, prospects[pair], trial)
    if METHOD_OF[best].fixed:
        yield f"steps of {chosen.step:.2g} s are limited by {chosen.limit}"
    if trial is not None and trial.rejected > UNEVEN:
        yield (
            f"{100 * trial.rejected:.0f} % of the steps that were tried had to be made again: the motion is "
            "not smooth (kinks of laws, jumps of inputs), and steps must adapt"
        )
    others = sorted((p.cost, name) for name, p in prospects.items() if name != best)
    yield f"{best} takes about {chosen.cost:.2g} s per simulated second; " + ", ".join(
        f"{name} {cost / chosen.cost:.2g} times that" for cost, name in others
    )


def explicit_steps(name: str, pair: Prospect, trial: Trial | None) -> str:
    """Return the reason for the steps of an adaptive method."""
    if trial is None:
        return (
            f"explicit methods are out of the question: stable steps of {name} are {pair.stable:.2g} s; "
            "only the state given was looked at"
        )
    if pair.step > 0.5 * pair.stable:
        return (
            f"steps of {name} ({pair.step:.2g} s on average) are near its limit of stability "
            f"({pair.stable:.2g} s)"
        )
    return (
        f"the motion is not stiff: steps of {name} ({pair.step:.2g} s on average) follow accuracy, "
        "stability would allow " + ("any" if math.isinf(pair.stable) else f"{pair.stable:.2g} s")
    )


def format_eigenvalue(value: complex) -> str:
    """Format an eigenvalue."""
    return (
        f"{value.real:.3g}"
        if abs(value.imag) < 1e-6 * abs(value)
        else f"{value.real:.3g} ± {abs(value.imag):.3g}i"
    )


SHORTEST, LONGEST = 1e-9, 10.0  # steps that are looked at [s]

GRID = np.geomspace(SHORTEST, LONGEST, 401)  # steps from one to the next 6 % longer

SLACK = 1e-3  # growth by a step that passes for accuracy: of swings that nothing damps


def stable_step(method: Method, eigenvalues: NDArray[np.complex128]) -> float:
    """Return the longest step up to which all are stable; infinite if none that is looked at is not."""
    if not isinstance(method, Explicit):
        return float("inf")
    z = GRID[:, np.newaxis] * eigenvalues[eigenvalues.real <= SLACK * np.abs(eigenvalues)]
    with np.errstate(over="ignore", invalid="ignore"):
        grows = (np.abs(method.amplification(z)) > 1.0 + SLACK).any(axis=1)
    if not grows.any():
        return float("inf")
    first = int(grows.argmax())
    return float(GRID[first - 1]) if first else 0.0


def error(method: Method, rate: Rate, z: Floats, h: float, tolerance: float) -> float:
    """Return the error of one step relative to the tolerance; infinite if the step fails.

    ``rate`` is ż of z = [y; t]: time is a state here, as laws may depend on it.  The tolerance is rtol; atol
    is a hundredth of rtol.
    """
    with np.errstate(all="ignore"):
        after, apart = try_step(method, rate, z, h)
        y, change = z[:-1], apart[:-1]
        scale = 0.01 * tolerance + tolerance * np.maximum(np.abs(y), np.abs(after[:-1]))
        size = float(np.sqrt(np.mean((change / scale) ** 2)))
    return size if np.isfinite(size) else float("inf")


def try_step(method: Method, rate: Rate, z: Floats, h: float) -> tuple[Floats, Floats]:
    """Return the state a step later, and its error."""
    if isinstance(method, EmbeddedPair):
        k = stage_rates(method.A, rate, z, h)
        return ahead(z, h, method.A[-1], k), ahead(0.0 * z, h, method.error, k)
    assert isinstance(method, ExplicitRungeKutta | LinearlyImplicit)
    whole = method.step_plain(rate, z, h)
    halves = method.step_plain(rate, method.step_plain(rate, z, 0.5 * h), 0.5 * h)
    return halves, (whole - halves) / (1.0 - 0.5**method.order)


def accurate_step(method: Method, rate: Rate, z: Floats, tolerance: float, longest: float) -> float:
    """Return the longest step, at most `longest`, with an error within the tolerance, to some per cent."""
    power = 1.0 / (method.order if isinstance(method, EmbeddedPair) else method.order + 1)
    h = longest
    for _ in range(60):
        found = error(method, rate, z, h, tolerance)
        if found <= 1.0:
            return h
        h *= max(0.1, min(0.95, found**-power)) if np.isfinite(found) else 0.1
        if h < SHORTEST:
            break
    return SHORTEST


MOST_STEPS = 200_000  # steps of a trial motion at most; more would take seconds
MARGIN = 0.8  # fraction of the stability limit that a fixed step uses; the limit may be shorter elsewhere


def recommend_method(
    model: Model,
    y: ArrayLike | None = None,
    tolerance: float = 1e-6,
    *,
    inputs: Inputs = None,
    parameters: Mapping[str, float] | None = None,
    horizon: float = 1.0,
) -> Recommendation:
    """Recommend a native method for a motion, with its step or tolerances and the reasons.

    The motion is tried by every adaptive method over a horizon.  At states along it the eigenvalues of the
    exact Jacobian give the longest stable step of every method, and single steps the longest to
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
        Where nothing can be recommended: the motion cannot be tried, nothing moves in it, its Jacobian is not
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
    start = model.given_state(y, "y0")
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
    costs = measure_costs(rhs, jacobian, states)
    tried = {trial.method.name: trial for trial in trials}
    begun = augmented[1:] or augmented  # what dies away soon after the start is not the motion
    prospects = {}
    for method in REGISTERED:
        stable = min(stable_step(method, eigenvalues) for eigenvalues in spectra)
        accurate = min(accurate_step(method, rate, z, tolerance, horizon) for z in begun)
        prospects[method.name] = predict_method(method, stable, accurate, costs, tried.get(method.name))
    return choose_method(prospects, spectra, costs, tolerance, tried)


def autonomous(rhs: RightHandSide) -> Rate:
    """Return ż of z = [y; t]."""

    def rate(z: Floats) -> Floats:
        return np.append(rhs(float(z[-1]), z[:-1]), 1.0)

    return rate


def predict_method(
    method: Method, stable: float, accurate: float, costs: Costs, trial: Trial | None
) -> Prospect:
    """Predict a method by its stable and accurate steps at single states, or by its trial."""
    if trial is not None:
        step, evaluations = 1.0 / trial.steps, trial.evaluations
    else:
        step = round_down(min(MARGIN * stable, accurate))
        evaluations = method.evaluations / step
    return Prospect(step, stable, accurate, evaluations, costs.of(method, 1.0 / step, evaluations))


def round_down(h: float) -> float:
    """Round down to two digits."""
    unit = 10.0 ** (math.floor(math.log10(h)) - 1)
    return float(f"{math.floor(h / unit * (1.0 + 1e-9)) * unit:.1e}")
