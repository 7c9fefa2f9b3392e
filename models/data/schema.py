"""Defines the sections and quantities of a parameter set as pydantic models.

A section is the parameter object of its part: the physics reads its fields.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import ParameterQuantity, check_function


class Section(BaseModel):
    """Base of all sections of a parameter file: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            first, *others = error.errors(include_url=False)
            place = ".".join(map(str, (type(self).__name__, *first["loc"])))
            problem = first.get("ctx", {}).get("error", first["msg"])
            more = f" (and {len(others)} more)" if others else ""
            raise DataError(f"{place}: {problem}{more}") from None

    # so that pydantic validates sections within sections itself, and names the whole path
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


class Curve(Section):
    """A table of one variable: the first field are the abscissae, the second the values."""

    @model_validator(mode="after")
    def _is_a_function(self) -> Curve:
        x, y = list(type(self).model_fields)[:2]
        check_function(x, getattr(self, x), y, getattr(self, y))
        return self


@functools.cache
def fields_of(model: type[BaseModel]) -> Mapping[str, type[BaseModel] | ParameterQuantity]:
    """Return the fields of a section: sub-sections and quantities."""
    return {name: _field(field.annotation, field.metadata) for name, field in model.model_fields.items()}


def _field(annotation: Any, metadata: Sequence[Any]) -> type[BaseModel] | ParameterQuantity:
    for item in metadata:
        if isinstance(item, ParameterQuantity):
            return item
    candidates = (annotation, *getattr(annotation, "__args__", ()))
    for candidate in candidates:
        for item in getattr(candidate, "__metadata__", ()):  # a number that need not be given
            if isinstance(item, ParameterQuantity):
                return item
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    raise TypeError(f"{annotation} is neither a section nor a Quantity")


def leaves(model: type[BaseModel]) -> dict[tuple[str, ...], ParameterQuantity]:
    """Return every quantity of a schema by its key."""
    found: dict[tuple[str, ...], ParameterQuantity] = {}
    for name, field in fields_of(model).items():
        if isinstance(field, ParameterQuantity):
            found[(name,)] = field
        else:
            found.update({(name, *rest): quantity for rest, quantity in leaves(field).items()})
    return found
