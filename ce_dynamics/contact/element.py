"""Interface of unilateral elements: rows of Gᵀ as loads of unit impulses, gaps and rates.

Rows that elements announce, and whether the elements fit their model and each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiled.model import Model
from ce_dynamics.contact.conditions import NONE, Kind
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import HingeLoad, Observer, PointLoad


class RowKind(NamedTuple):
    """Constant properties of a row.

    Attributes
    ----------
    suffix : str
        Name of the row within the element.
    kind : Kind
    normal : int
        For friction: index of the element's row that bounds the friction.
    restitution : float
        e of unilateral rows: after an impact, ψ̇⁺ ≥ −e ψ̇⁻.
    limit : float
        For box rows: largest force or torque in either direction [N or N m].
    unit : str
        Unit of the multiplier.
    """

    suffix: str
    kind: Kind
    normal: int = NONE
    restitution: float = 0.0
    limit: float = 0.0
    unit: str = "N"


class Row(NamedTuple):
    """One row at one instant.

    Attributes
    ----------
    loads : sequence of PointLoad or HingeLoad
        Loads of a multiplier of one: what they do on a virtual velocity is Gᵀ times it.
    rate : scalar
        ψ̇, or the sliding velocity: Gᵀ v and what moves by itself, ∂ψ/∂t.
    psi : scalar
        Gap ψ of unilateral rows [m or rad].
    mu : scalar
        Coefficient of friction rows.
    """

    loads: Sequence[PointLoad | HingeLoad]
    rate: Scalar
    psi: Scalar = 0.0
    mu: Scalar = 0.0


class UnilateralElement(ABC):
    """Contract of an element of the complementarity layer.

    1. ``name``: unique among the elements of a model.
    2. ``kinds``: its rows, in order; disc rows in pairs.
    3. ``attachments``: the bodies and design points it acts on.
    4. `rows` is written on arrays and `where`, like force elements: it never branches on a value.
    """

    name: str
    kinds: tuple[RowKind, ...]

    @property
    @abstractmethod
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        """Body-fixed points this element acts on."""

    @abstractmethod
    def rows(self, observer: Observer, t: Scalar) -> Sequence[Row]:
        """Return the rows for the observed motion at time t."""


def check_elements(model: Model, elements: Sequence[UnilateralElement], rest_speed: float) -> None:
    """Refuse elements of one name or of another system, and controllers that are sampled."""
    checks.instance("UnilateralModel: model", model, Model, "a model, as ce_dynamics.compile returns it")
    checks.number("UnilateralModel: rest_speed", rest_speed, at_least=0.0)
    what = "an element, such as Contact(...)"
    for k, element in enumerate(checks.items("UnilateralModel: elements", elements)):
        checks.instance(f"UnilateralModel: elements, entry {k},", element, UnilateralElement, what)
    for controller in model.system.controllers:
        if controller.sampled:
            raise ModelError(
                f"{controller.label} is sampled, which time stepping with contact does not do; "
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
    """Return kinds of all rows, ``normal`` counting from the first row of the model."""
    kinds: list[RowKind] = []
    for element in elements:
        first = len(kinds)
        kinds += [
            kind._replace(normal=kind.normal + first if kind.normal != NONE else NONE)
            for kind in element.kinds
        ]
    return tuple(kinds)
