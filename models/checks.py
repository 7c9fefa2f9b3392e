"""Checks of the plain SI numbers that component parameters are made of."""

from __future__ import annotations

import math

from ce_dynamics.errors import DataError


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
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise DataError(f"{owner}: {name} = {value!r} is not a number") from None
    if not math.isfinite(number):
        raise DataError(f"{owner}: {name} = {value!r} must be finite")
    if not number > above:
        raise DataError(f"{owner}: {name} = {number:g} must be above {above:g}")
    if not number >= at_least:
        raise DataError(f"{owner}: {name} = {number:g} must be at least {at_least:g}")
    if not number <= at_most:
        raise DataError(f"{owner}: {name} = {number:g} must be at most {at_most:g}")
    return number
