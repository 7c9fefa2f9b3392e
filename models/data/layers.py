"""Layers of assignments, one laid over the other."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

from pydantic import BaseModel

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.entries import Assignment, Entry, Tree
from ce_dynamics.models.data.groups import Groups
from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.reading import TEXTS, WORDS
from ce_dynamics.models.data.schema import fields_of


def lay(tree: Tree, assignments: Iterable[Assignment], schema: type[BaseModel], groups: Groups) -> Tree:
    """The tree with a layer of assignments laid over it; the given tree is left as it is.

    Raises
    ------
    DataError
        For a key the schema does not have, with the nearest ones it has.
    """
    result = _copy(tree)
    expanded = [(groups.expand(a.key, schema), a) for a in assignments]
    for (_, keys), assignment in sorted(expanded, key=lambda item: item[0][0]):
        for key in keys:
            _assign(result, key, assignment, schema, groups)
    return result


def _copy(tree: Tree) -> Tree:
    return {name: _copy(node) if isinstance(node, dict) else node for name, node in tree.items()}


def _assign(
    tree: Tree, key: tuple[str, ...], assignment: Assignment, schema: type[BaseModel], groups: Groups
) -> None:
    """Write one entry, descending tree and schema together."""
    model, node = schema, tree
    for depth, name in enumerate(key):
        field = fields_of(model).get(name)
        if field is None:
            raise _unknown_key(assignment, schema, groups)
        if isinstance(field, Quantity):
            node[name] = _entry(node.get(name), key[depth + 1 :], field, assignment, schema, groups)
            return
        child = node.setdefault(name, {})
        assert isinstance(child, dict)
        model, node = field, child
    given = assignment.entry
    raise DataError(
        f"{given.where}: {'.'.join(assignment.key)} is a section, not a number; "
        f"its keys are {', '.join(fields_of(model))}"
    )


def _entry(
    old: Tree | Entry | None,
    rest: tuple[str, ...],
    quantity: Quantity,
    assignment: Assignment,
    schema: type[BaseModel],
    groups: Groups,
) -> Entry:
    """The new entry of a quantity: the given one, or the old one with a single component replaced."""
    given = assignment.entry
    if not rest:
        return given
    index = quantity.component_index(rest[0]) if len(rest) == 1 else None
    if index is None or not isinstance(old, Entry):
        raise _unknown_key(assignment, schema, groups)
    key = ".".join(assignment.key)
    base = list(_parse(quantity, old, key[: key.rindex(".")]))
    if index >= len(base):
        raise DataError(f"{given.where}: {key}: there are {len(base)} numbers, 0 to {len(base) - 1}")
    base[index] = _parse(quantity.component(), given, key)[0]
    return replace(given, value=tuple(base))


def _parse(quantity: Quantity, entry: Entry, key: str) -> tuple[float, ...]:
    try:
        value = quantity.parse(entry.value)
    except ValueError as error:
        raise DataError(f"{entry.where}: {key}: {error}") from None
    return value if isinstance(value, tuple) else (value,)


def _unknown_key(assignment: Assignment, schema: type[BaseModel], groups: Groups) -> DataError:
    key = ".".join(assignment.key)
    if any("." in name for name in assignment.key):
        nested = ": {".join(key.split(".")) + ": ..." + "}" * key.count(".")
        return DataError(f"{assignment.entry.where}: a key has no dots; write {nested}")
    sections, words = _sections(schema, groups), (*WORDS, *TEXTS)
    like = difflib.get_close_matches(assignment.key[0].lower(), (*sections, *words), n=1)
    if like and like[0] in words:
        return DataError(
            f"{assignment.entry.where}: unknown parameter {checks.shown(key)}; did you mean {like[0]!r}?"
        )
    known = groups.known(schema, assignment.key[0])
    by_lower = {name.lower(): name for name in known}
    near = [by_lower[name] for name in difflib.get_close_matches(key.lower(), by_lower, n=3, cutoff=0.5)]
    hint = f"nearest: {', '.join(near)}" if near else f"sections are {', '.join(sections)}"
    return DataError(f"{assignment.entry.where}: unknown parameter {checks.shown(key)}; {hint}")


def _sections(schema: type[BaseModel], groups: Groups) -> list[str]:
    """Names that a key may begin with."""
    top = [name for name in fields_of(schema) if name not in groups.members]
    return list(dict.fromkeys((*groups.groups, *groups.members, *sorted(groups.shared), *top)))
