"""Settings of a method: options it supports, their checks, and the division of intervals into steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.integrators.methods import FIXED, IMPLICIT


class Settings(NamedTuple):
    """Method and steps: the longest fixed step, and tolerances and longest step of an adaptive method.

    ``jacobian_every`` is how many steps an implicit method makes with one Jacobian.
    """

    method: str
    step: float
    rtol: float
    atol: float
    max_step: float
    jacobian_every: int = 1


def substeps(length: float, step: float) -> tuple[int, float]:
    """Return number and size of equal steps, none longer than `step`, that make up an interval."""
    n = max(1, math.ceil(length / step * (1.0 - 1e-9)))
    return n, length / n


def check_step(step: float) -> None:
    """Refuse a step that is not a positive finite number."""
    checks.number("step", step, above=0.0)


TOLERANCES = {"rtol": (1e-13, 0.1), "atol": (1e-20, 1.0)}
"""Below, rounding is all that is left of an error; above, a step is not judged at all."""


def check_tolerances(rtol: float, atol: float) -> None:
    """Refuse tolerances that mean nothing."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        least, most = TOLERANCES[name]
        if not least <= checks.number(name, value, above=0.0) <= most:
            raise ModelError(f"{name} {value!r} must be from {least:g} to {most:g}, for example 1e-6")


MOST_STEPS = 10**10  # largest number of steps of one run: more than a day of the fastest model's work


def check_steps(duration: float, step: float, most: float = MOST_STEPS) -> None:
    """Refuse more steps than `most`, or steps too short for the clock to advance."""
    if not duration / step <= most:
        raise ModelError(
            f"step {step:g} s: {duration:g} s take {duration / step:.3g} such steps, {most:.0e} are allowed; "
            "give a longer step, or a shorter duration"
        )


DEFAULTS = {"step": 1e-3, "rtol": 1e-6, "atol": 1e-8, "max_step": math.inf, "jacobian_every": 1}
"""Values of options that are not given."""

ADAPTIVE = ("rtol", "atol", "max_step")  # options of adaptive methods, SciPy's among them


def options_of(method: str) -> tuple[str, ...]:
    """Return names of the options that a method takes."""
    if method not in FIXED:
        return ADAPTIVE
    return ("step", "jacobian_every") if method in IMPLICIT else ("step",)


def settings_of(
    method: str, known: Sequence[str], also: Sequence[str] = (), **given: float | None
) -> Settings:
    """Return settings of a method, with defaults where nothing (None) is given.

    ``known`` are the methods to choose from, for the remedy; ``also`` the options that the caller handles
    itself.
    """
    taken = (*options_of(method), *also)
    for name, value in given.items():
        if value is not None and name not in taken:
            raise ModelError(
                f"{name} {checks.show(value)} means nothing to {method}{suggest_options(name, method, known)}"
            )
    values = DEFAULTS | {name: value for name, value in given.items() if value is not None}
    check_step(values["step"])
    check_tolerances(values["rtol"], values["atol"])
    checks.number("max_step", values["max_step"], above=0.0, infinite=True)
    checks.integer("jacobian_every", values["jacobian_every"], at_least=1)
    return Settings(method, **values)  # type: ignore[arg-type]  # the checks have seen their types


def suggest_options(name: str, method: str, known: Sequence[str]) -> str:
    """Return a clause for messages: options of a method, and methods that take a given option."""
    others = [other for other in known if name in options_of(other)]
    choose = f", or choose a method that takes it: {', '.join(others)}" if others else ""
    return f", which takes {' and '.join(options_of(method))}; leave it out{choose}"
