"""Variables of a functional mock-up unit: names, references and kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.errors import ModelError

LONGEST_STEP = "longest_step"
CLOSURE_ERROR = "closure_error"
CHART_MARGIN = "chart_margin"


@dataclass(frozen=True)
class FmuVariable:
    """One variable.

    Attributes
    ----------
    reference : int
        Its value reference, as ``sources/instance.h`` counts them.
    name, unit : str
    causality : str
        "independent", "local", "input", "parameter" or "output".
    variability : str
        "continuous", "discrete" or "tunable".
    start : float or None
    rate_of : int or None
        Reference of the state that it is the rate of.
    description : str
    """

    reference: int
    name: str
    unit: str
    causality: str
    variability: str = "continuous"
    start: float | None = None
    rate_of: int | None = None
    description: str = ""


def fmu_variables(interface: Interface, step: float) -> list[FmuVariable]:
    """Return all variables in the order of their references.

    Parameters
    ----------
    interface : Interface
    step : float
        Longest step of co-simulation [s].

    Raises
    ------
    ModelError
        If two would have one name.
    """
    found = list(_variables(interface, step))
    assert [variable.reference for variable in found] == list(range(len(found)))
    taken: set[str] = set()
    for variable in found:
        if variable.name in taken:
            raise ModelError(
                f"two variables of the FMU would be named {variable.name!r}; rename that of the system"
            )
        taken.add(variable.name)
    return found


def _variables(interface: Interface, step: float) -> Iterator[FmuVariable]:
    layout, states = interface.model.layout, interface.states
    yield FmuVariable(0, "time", "s", "independent")
    for k, (entry, start) in enumerate(zip(states, interface.y0, strict=True), 1):
        kind = "continuous" if k - 1 in interface.continuous else "discrete"
        yield FmuVariable(k, entry.name, entry.unit, "local", kind, float(start))
    number = 1 + len(states)
    for k in interface.continuous:
        unit = rate_unit(states[k].unit)
        yield FmuVariable(number, f"der({states[k].name})", unit, "local", rate_of=1 + k)
        number += 1
    for k, (entry, start) in enumerate(zip(interface.given, layout.u0, strict=True)):
        if k < interface.n_inputs:
            yield FmuVariable(number + k, entry.name, entry.unit, "input", start=float(start))
        else:
            yield FmuVariable(number + k, entry.name, entry.unit, "parameter", "tunable", float(start))
    number += len(interface.given)
    text = "steps of the Runge-Kutta method inside a step of co-simulation are at most so long"
    yield FmuVariable(number, LONGEST_STEP, "s", "parameter", "tunable", step, description=text)
    number += 1
    for k, entry in enumerate(interface.outputs):
        yield FmuVariable(number + k, entry.name, entry.unit, "output")
    text = "how far the worst loop is open"
    number += len(interface.outputs)
    yield FmuVariable(number, CLOSURE_ERROR, "m", "output", description=text)
    if interface.has_charts:
        text = "how much is left of the charts on which loops are followed; at zero they are left for others"
        yield FmuVariable(number + 1, CHART_MARGIN, "1", "local", description=text)


def rate_unit(unit: str) -> str:
    """Return the unit of the rate of something."""
    return {"1": "1/s", "m/s": "m/s²", "rad/s": "rad/s²"}.get(unit, f"{unit}/s")
