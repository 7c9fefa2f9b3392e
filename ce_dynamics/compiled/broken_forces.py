"""Finds the force element whose response is not finite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ce_dynamics.mechanism.forces.base import ForceElement, PointLoad, Response
from ce_dynamics.mechanism.parameters import Values


def first_without_answer(
    elements: Iterable[ForceElement], responses: Mapping[str, Response], values: Values
) -> str:
    """Return the first element whose response has NaN or infinity, with the quantity; empty if none has."""
    for element in elements:
        for what, given in collect_numbers(responses[element.name]).items():
            numbers = values(np.asarray(given, dtype=object))
            wrong = numbers[~np.isfinite(numbers)]
            if wrong.size:
                return f"{element.described} answers {wrong.flat[0]:g} for its {what}"
    return ""


def collect_numbers(response: Response) -> dict[str, Any]:
    """Return all numbers of a response by the names of the quantities."""
    found: dict[str, Any] = {}
    for load in sorted(response.loads, key=lambda load: load.body.is_ground):  # loads first: they move bodies
        if isinstance(load, PointLoad):
            found[f"force on {load.body.name!r}"] = load.force
            found[f"torque on {load.body.name!r}"] = load.torque
        else:
            found[f"force on the hinge of {load.body.name!r}"] = [load.value]
    return found | {"states' rates": list(response.x_dot)}
