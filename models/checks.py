"""Checks of the plain SI numbers that component parameters are made of."""

from __future__ import annotations

import math
from typing import cast

from ce_dynamics.errors import DataError
from ce_dynamics.formula import Free, decided


def check_number(
    owner: str,
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
) -> float:
    """The value as a float, if it is a finite number within its bounds.

    Parameters
    ----------
    owner, name : str
        What the number belongs to and what it is called; both start the message.
    value : object
        What the user gave.
    above, at_least, at_most : float
        Bounds; ``above`` excludes its own value.

    Raises
    ------
    DataError
        If it is not a number, not finite or out of bounds.
    """
    if isinstance(value, bool):
        raise DataError(f"{owner}: {name} = {value!r} is not a number")
    number, nominal = as_number(owner, name, value)
    if not math.isfinite(nominal):
        raise DataError(f"{owner}: {name} = {value!r} must be finite")
    if not decided(number > above, f"{owner}: {name} must be above {above:g}"):
        raise DataError(f"{owner}: {name} = {number:g} must be above {above:g}")
    if not decided(number >= at_least, f"{owner}: {name} must be at least {at_least:g}"):
        raise DataError(f"{owner}: {name} = {number:g} must be at least {at_least:g}")
    if not decided(number <= at_most, f"{owner}: {name} must be at most {at_most:g}"):
        raise DataError(f"{owner}: {name} = {number:g} must be at most {at_most:g}")
    return number


def as_number(owner: str, name: str, value: object) -> tuple[float, float]:
    """A user's number and its nominal value: a free parameter's bounds hold for all its values."""
    if isinstance(value, Free):
        return cast("float", value), float(value.value)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise DataError(f"{owner}: {name} = {value!r} is not a number") from None
    return number, number
