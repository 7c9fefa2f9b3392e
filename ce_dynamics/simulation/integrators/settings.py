"""Settings of a method, what of them is refused, and how intervals are divided into steps."""

from __future__ import annotations

import math
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.errors import ModelError


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
    """Number and size of equal steps, none longer than `step`, that make up an interval."""
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


MOST_STEPS = 10**10
"""Of one run: more than a day of the fastest model's work."""


def check_steps(duration: float, step: float, most: float = MOST_STEPS) -> None:
    """Refuse more steps than anybody can wait for, or ones too short for the clock to advance."""
    if not duration / step <= most:
        raise ModelError(
            f"step {step:g} s: {duration:g} s take {duration / step:.3g} such steps, {most:.0e} are allowed; "
            "give a longer step, or a shorter duration"
        )
