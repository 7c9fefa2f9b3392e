"""Settings of a method, their checks, and the division of runs into steps that end at samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import FIXED, IMPLICIT
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.controller import common_part


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


FINEST = 0.2  # part of the given step, below which steps are not shortened for the sake of samples

NEAR = 1e-9  # part of the time between samples by which two instants are the same


class Stretch(NamedTuple):
    """Equal steps from one stored instant to another, or up to a sample between two of them."""

    first: int  # stored instants: place of the first
    last: int  # and of the last
    begins: Floats  # where each of its intervals begins [s]
    n: int  # steps of an interval
    h: float  # their length [s]
    ends: bool  # whether it ends at ``last``, not before


def stretches(t_store: Floats, step: float, period: float) -> Iterator[Stretch]:
    """Yield steps of a whole run; all stored instants but the last are equally far apart.

    ``period`` is the time between samples [s], 0 without any.
    """
    lengths = np.diff(t_store)
    if len(lengths) == 0:
        return
    regular = lengths[0]
    n_regular = len(lengths) if math.isclose(lengths[-1], regular) else len(lengths) - 1
    for first, last, length in ((0, n_regular, regular), (n_regular, len(lengths), lengths[-1])):
        if first == last:
            continue
        common = common_steps(length, step, period) if last == n_regular else None
        if not period:
            common = substeps(length, step)
        if common is not None:
            yield Stretch(first, last, t_store[first:last], *common, True)
            continue
        for k in range(first, last):
            for t, n, h, ends in steps_between_samples(
                float(t_store[k]), float(t_store[k + 1]), step, period
            ):
                yield Stretch(k, k + 1, np.array([t]), n, h, ends)


def common_steps(length: float, step: float, period: float) -> tuple[int, float] | None:
    """Return number and size of equal steps that divide an interval and the time between samples, if any."""
    if not period:
        return substeps(length, step)
    part = common_part((length, period))
    if part < FINEST * min(step, length, period):
        return None
    n = round(length / part) * substeps(part, step)[0]
    return n, length / n


def steps_between_samples(
    t: float, t_end: float, step: float, period: float
) -> Iterator[tuple[float, int, float, bool]]:
    """Yield beginning, number and size of steps up to each sample, and whether they end the interval."""
    k = samples_before(t, period)
    while True:
        due = k * period
        if due <= t + NEAR * period:
            k += 1
            continue
        ends = due >= t_end - NEAR * period
        stop = t_end if ends else due
        yield t, *substeps(stop - t, step), ends
        if ends:
            return
        t, k = stop, k + 1


def samples_before(t: float, period: float) -> int:
    """Return the number of samples before a time [s]."""
    return math.ceil(t / period - NEAR)
