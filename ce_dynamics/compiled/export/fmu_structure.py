"""``ModelStructure`` of a functional mock-up unit: what its rates and outputs depend on, and how."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
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
        Among continuous states and inputs.
    initially : mapping of int to list of Known
        Among what sampled controllers remember and parameters as well.
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
    continuous = [rate["y_dot"][k] for k in interface.continuous]
    found = dict(zip(rates, continuous, strict=True)) | dict(zip(outputs, seen["outputs"], strict=True))
    (worst,) = (v.reference for v in variables if v.name == CLOSURE_ERROR)
    closures = {place for closure in seen["closure"] for place in closure.on}
    found[worst] = Dependencies(tuple(sorted(closures)), frozenset())
    n, n_rates = len(interface.states), len(interface.continuous)
    anything = range(n + len(interface.given))
    changing = {*interface.continuous, *range(n, n + interface.n_inputs)}

    def known(of: Dependencies, among: Container[int]) -> list[Known]:
        return [
            # states are counted from 1, rates stand between them and what is given
            Known(1 + k if k < n else 1 + n_rates + k, "constant" if k in of.constant else "dependent")
            for k in of.on
            if k in among
        ]

    return Structure(
        {reference: known(of, changing) for reference, of in found.items()},
        {reference: known(of, anything) for reference, of in found.items()},
    )
