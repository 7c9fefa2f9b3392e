"""Checks of the plain SI numbers that component parameters are made of."""

from __future__ import annotations

import math

from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.checked import finite_number


def check_number(
    owner: str,
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
    unit: str = "1",
) -> float:
    """The value as a float, if it is a finite number within its bounds; one that is free stays so.

    Parameters
    ----------
    owner, name : str
        What the number belongs to and what it is called; both start the message.
    value : object
        What the user gave.
    above, at_least, at_most : float
        Bounds; ``above`` excludes its own value.
    unit : str
        SI unit of the number and its bounds, for messages; "1" for a plain number.

    Raises
    ------
    DataError
        If it is not a number, not finite or out of bounds.
    """
    return finite_number(
        value, owner, name, above=above, at_least=at_least, at_most=at_most, unit=unit, error=DataError
    )
