"""Which options a method takes: one that means nothing to it is refused, never ignored."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ce_dynamics.algebra import checks
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.integrators.methods import FIXED, IMPLICIT
from ce_dynamics.simulation.integrators.settings import Settings, check_step, check_tolerances

DEFAULTS = {"step": 1e-3, "rtol": 1e-6, "atol": 1e-8, "max_step": math.inf, "jacobian_every": 1}
"""What holds where nothing is given."""

ADAPTIVE = ("rtol", "atol", "max_step")
"""Of the methods that choose their steps themselves, SciPy's among them."""


def taken_by(method: str) -> tuple[str, ...]:
    """Names of the options that a method takes."""
    if method not in FIXED:
        return ADAPTIVE
    return ("step", "jacobian_every") if method in IMPLICIT else ("step",)


def settings_of(
    method: str, known: Sequence[str], also: Sequence[str] = (), **given: float | None
) -> Settings:
    """Settings of a method, with defaults where nothing (None) is given.

    Parameters
    ----------
    method : str
    known : sequence of str
        Methods that the user may choose from, for the remedy.
    also : sequence of str
        Options that whoever asks takes itself, whatever the method.
    **given : float or None
        Options by name.

    Raises
    ------
    ModelError
        If an option means nothing to the method, or has a value that it cannot have.
    """
    taken = (*taken_by(method), *also)
    for name, value in given.items():
        if value is not None and name not in taken:
            raise ModelError(
                f"{name} {checks.shown(value)} means nothing to {method}{instead(name, method, known)}"
            )
    values = DEFAULTS | {name: value for name, value in given.items() if value is not None}
    check_step(values["step"])
    check_tolerances(values["rtol"], values["atol"])
    checks.number("max_step", values["max_step"], above=0.0, infinite=True)
    checks.integer("jacobian_every", values["jacobian_every"], at_least=1)
    return Settings(method, **values)  # type: ignore[arg-type]  # the checks have seen their types


def instead(name: str, method: str, known: Sequence[str]) -> str:
    """What a method takes, and which others take an option, as a clause for messages."""
    others = [other for other in known if name in taken_by(other)]
    choose = f", or choose a method that takes it: {', '.join(others)}" if others else ""
    return f", which takes {' and '.join(taken_by(method))}; leave it out{choose}"
