"""Defines the sections and quantities of a parameter set as pydantic models."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from ce_dynamics.models.data.quantities import Quantity


class Section(BaseModel):
    """Base of all sections of a parameter file: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


@functools.cache
def fields_of(model: type[BaseModel]) -> Mapping[str, type[BaseModel] | Quantity]:
    """The fields of a section: sub-sections and quantities."""
    return {name: _field(field.annotation, field.metadata) for name, field in model.model_fields.items()}


def _field(annotation: Any, metadata: Sequence[Any]) -> type[BaseModel] | Quantity:
    for item in metadata:
        if isinstance(item, Quantity):
            return item
    candidates = (annotation, *getattr(annotation, "__args__", ()))
    for candidate in candidates:
        for item in getattr(candidate, "__metadata__", ()):  # a number that need not be given
            if isinstance(item, Quantity):
                return item
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    raise TypeError(f"{annotation} is neither a section nor a Quantity")


def leaves(model: type[BaseModel]) -> dict[tuple[str, ...], Quantity]:
    """Every quantity of a schema by its key."""
    found: dict[tuple[str, ...], Quantity] = {}
    for name, field in fields_of(model).items():
        if isinstance(field, Quantity):
            found[(name,)] = field
        else:
            found.update({(name, *rest): quantity for rest, quantity in leaves(field).items()})
    return found
