"""Which force element does not answer with numbers at a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.mechanism.forces.base import PointLoad, Response
from ce_dynamics.mechanism.parameters import values_at

if TYPE_CHECKING:
    from ce_dynamics.compiled.compiled_system import CompiledSystem


def broken_force(model: CompiledSystem, y: Floats, u: Floats) -> str:
    """The first element that answers NaN or infinity at a state, and what; empty if none does.

    Its own answer is looked at only where the motion that it sees is finite.
    """
    parameters, given = model.layout.parameters, u[model.layout.n_inputs :]
    with np.errstate(all="ignore"):
        responses = model.instant(y, u).loads.responses
    for element in model.system.forces:
        for what, numbers in answered(responses[element.name]).items():
            values = values_at(numbers, parameters, given)
            wrong = values[~np.isfinite(values)]
            if wrong.size:
                return f"{element.described} answers {wrong.flat[0]:g} for its {what}"
    return ""


def answered(response: Response) -> dict[str, Any]:
    """All numbers of a response, by what they are."""
    found: dict[str, Any] = {}
    for load in sorted(response.loads, key=lambda load: load.body.is_ground):  # what moves is said first
        if isinstance(load, PointLoad):
            found[f"force on {load.body.name!r}"] = load.force
            found[f"torque on {load.body.name!r}"] = load.torque
        else:
            found[f"force on the hinge of {load.body.name!r}"] = [load.value]
    return found | {"states' rates": list(response.x_dot)}
