"""``ModelStructure`` of a functional mock-up unit: what its rates and outputs depend on, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.compiled.export.fmu_variables import CLOSURE_ERROR, FmuVariable
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.compiler.tracing.dependencies import Dependencies, dependencies


class Known(NamedTuple):
    """A variable that another depends on: its reference, and "constant" or "dependent"."""

    reference: int
    kind: str


class Structure(NamedTuple):
    """What rates and outputs depend on, by their references.

    Attributes
    ----------
    running : mapping of int to list of Known
        Among states and inputs.
    initially : mapping of int to list of Known
        Among parameters as well.
    """

    running: Mapping[int, list[Known]]
    initially: Mapping[int, list[Known]]


def structure(interface: Interface, variables: Sequence[FmuVariable]) -> Structure:
    """Dependencies as the compiled functions have them.

    Parameters
    ----------
    interface : Interface
    variables : sequence of FmuVariable
        Of `fmu_variables`.
    """
    rate, seen = dependencies(interface.rate), dependencies(interface.observe)
    rates = [v.reference for v in variables if v.rate_of is not None]
    outputs = [v.reference for v in variables if v.causality == "output" and v.name != CLOSURE_ERROR]
    found = dict(zip(rates, rate["y_dot"], strict=True)) | dict(zip(outputs, seen["outputs"], strict=True))
    (worst,) = (v.reference for v in variables if v.name == CLOSURE_ERROR)
    closures = {place for closure in seen["closure"] for place in closure.on}
    found[worst] = Dependencies(tuple(sorted(closures)), frozenset())
    n, first_parameter = len(interface.states), len(interface.states) + interface.n_inputs

    def known(of: Dependencies, end: int) -> list[Known]:
        return [
            # states are counted from 1, their rates stand between them and what is given
            Known(1 + k if k < n else 1 + n + k, "constant" if k in of.constant else "dependent")
            for k in of.on
            if k < end
        ]

    return Structure(
        {reference: known(of, first_parameter) for reference, of in found.items()},
        {reference: known(of, n + len(interface.given)) for reference, of in found.items()},
    )
