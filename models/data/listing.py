"""All numbers of a parameter set, such that they can be given as overrides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from ce_dynamics.models.data.entries import Tree
from ce_dynamics.models.data.groups import Groups
from ce_dynamics.models.data.schema import Section, leaves
from ce_dynamics.models.data.validation import entry_of


class ListedNumber(NamedTuple):
    """One number (or vector) of a validated parameter set."""

    key: str
    value: float | tuple[float, ...]
    unit: str
    source: str
    text: str  # value and unit (and note) such that ``key=text`` is a valid override


def flatten(model: Section, tree: Tree, groups: Groups) -> list[ListedNumber]:
    """Every parameter under its most general name that is true of all it covers."""
    schema = type(model)
    values: dict[tuple[str, ...], tuple[float | tuple[float, ...], str, str]] = {}
    quantities = leaves(schema)
    for key in quantities:
        entry = entry_of(tree, key)
        if entry is not None:
            values[key] = (_value_at(model, key), entry.source, entry.note)
    listed: dict[tuple[str, ...], ListedNumber] = {}
    for key, (value, source, note) in values.items():
        name = next(
            n for n, covered in groups.names(key) if all(values.get(c) == values[key] for c in covered)
        )
        quantity = quantities[key]
        text = quantity.text(value) + (f" [{source}; {note}]" if note else "")
        listed[name] = ListedNumber(".".join(name), value, quantity.unit, source, text)
    return list(listed.values())


def _value_at(model: BaseModel, key: Sequence[str]) -> Any:
    value: Any = model
    for name in key:
        value = getattr(value, name)
    return value
