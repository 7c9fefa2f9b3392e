"""The method of least cost, and the reasons for it in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.advice.costs import Costs
from ce_dynamics.simulation.advice.trial import Trial
from ce_dynamics.simulation.integrators.methods import EMBEDDED, METHOD_OF

ADVANTAGE = 1.1
"""Costs that differ by less are the same: the method that finds its steps by itself is preferred then."""
UNEVEN = 0.2
"""Part of the steps that were rejected, from which on a motion is not smooth."""
SHORTEST = 2e-9
"""A step [s] with which no run would come to its end."""


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


def judged(
    prospects: Mapping[str, Prospect],
    spectra: list[NDArray[np.complex128]],
    costs: Costs,
    tolerance: float,
    tried: Mapping[str, Trial],
) -> Recommendation:
    """The method of least cost, with reasons.

    Raises
    ------
    SimulationError
        If no method has a step that would come to an end.
    """
    fastest = max(spectra, key=lambda eigenvalues: abs(eigenvalues[0]))
    pair = min(EMBEDDED, key=lambda name: prospects[name].cost)
    trial = tried.get(pair)
    best = cheapest(prospects, pair, trial)
    chosen = prospects[best]
    if chosen.step <= SHORTEST:
        raise SimulationError(
            f"no method can be recommended: the fastest motion has |λ| = {abs(fastest[0]):.3g} 1/s, and "
            f"no native method has accurate steps of more than {SHORTEST:g} s; soften what is that stiff, or "
            "loosen the tolerance"
        )
    options: dict[str, Any] = {"method": best}
    if METHOD_OF[best].fixed:
        options["step"] = chosen.step
    else:
        options |= {"rtol": tolerance, "atol": 0.01 * tolerance}
    reasons = tuple(reasons_for(best, prospects, fastest[0], costs, pair, trial))
    return Recommendation(best, options, reasons, dict(prospects), fastest)


def cheapest(prospects: Mapping[str, Prospect], pair: str, trial: Trial | None) -> str:
    """The method of least cost; the best adaptive one where it costs hardly more, or nothing is smooth."""
    best = min(prospects, key=lambda name: prospects[name].cost)
    close = prospects[pair].cost <= ADVANTAGE * prospects[best].cost
    if trial is not None and not METHOD_OF[best].implicit and (close or trial.rejected > UNEVEN):
        return pair
    return best


def reasons_for(
    best: str,
    prospects: Mapping[str, Prospect],
    fastest: complex,
    costs: Costs,
    pair: str,
    trial: Trial | None,
) -> Iterator[str]:
    """Why, in words."""
    chosen = prospects[best]
    yield f"the fastest motion has λ = {shown(fastest)} 1/s"
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
    """What limits the steps of an adaptive method."""
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


def shown(value: complex) -> str:
    """An eigenvalue."""
    return (
        f"{value.real:.3g}"
        if abs(value.imag) < 1e-6 * abs(value)
        else f"{value.real:.3g} ± {abs(value.imag):.3g}i"
    )
