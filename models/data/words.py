"""Numbers and names as users type them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Quantity


def si_value(owner: str, value: float | str, unit: str) -> float:
    """A number in SI, from a number or a text with a unit; `owner` starts the message if it is neither."""
    given = value if isinstance(value, str) else checks.as_float(owner, value, DataError)
    try:
        number = Quantity(unit).parse(given)
    except ValueError as error:
        raise DataError(f"{owner}: {error}") from None
    assert isinstance(number, float), "a quantity without components is one number"
    return number


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean …?`` where a known name is near."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""
