"""Options as people give them: numbers in SI or text with a unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import nearest, si_value
from ce_dynamics.models.parts.manoeuvres import Option

Given = float | str


def values_of(owner: str, options: Iterable[Option], given: Mapping[str, Given]) -> dict[str, float]:
    """Return the given options by name, checked and in SI."""
    known = {option.name: option for option in options}
    values = {}
    for name, value in given.items():
        if name not in known:
            hint = f"known are {', '.join(known)}" if known else "it has none"
            raise DataError(f"{owner}: unknown option '{name}'{nearest(name, known)}; {hint}")
        number = si_value(f"{owner}: {name}", value, known[name].unit)
        values[name] = known[name].check(owner, number)
    return values
