"""Rows that elements announce, and whether the elements fit their model and each other."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.algebra import checks
from ce_dynamics.compiled.model import Model
from ce_dynamics.complementarity.conditions import NONE
from ce_dynamics.complementarity.element import RowKind, UnilateralElement
from ce_dynamics.errors import ModelError


def check_elements(model: Model, elements: Sequence[UnilateralElement], rest_speed: float) -> None:
    """Refuse what time stepping cannot do.

    Raises
    ------
    ModelError
        If two elements have the same name, one acts on a body of another system, or a controller is sampled.
    """
    checks.instance("UnilateralModel: model", model, Model, "a model, as ce_dynamics.compile returns it")
    checks.number("UnilateralModel: rest_speed", rest_speed, at_least=0.0)
    what = "an element, such as Contact(...)"
    for k, element in enumerate(checks.items("UnilateralModel: elements", elements)):
        checks.instance(f"UnilateralModel: elements, entry {k},", element, UnilateralElement, what)
    for controller in model.system.controllers:
        if controller.sampled:
            raise ModelError(
                f"{controller.described} is sampled, which time stepping with contact does not do; "
                "give it continuous states"
            )
    names = [element.name for element in elements]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"unilateral element {name!r} exists twice; give every element its own name")
    for element in elements:
        for body, _ in element.attachments:
            model.system.find(body)


def rows_of(elements: Sequence[UnilateralElement]) -> tuple[RowKind, ...]:
    """Kinds of all rows, ``normal`` counting from the first row of the model."""
    kinds: list[RowKind] = []
    for element in elements:
        first = len(kinds)
        kinds += [
            kind._replace(normal=kind.normal + first if kind.normal != NONE else NONE)
            for kind in element.kinds
        ]
    return tuple(kinds)
