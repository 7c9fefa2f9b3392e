"""From entries to the frozen model of a schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.entries import OVERRIDE, Entry, Tree
from ce_dynamics.models.data.groups import Groups
from ce_dynamics.models.data.quantities import Quantity, QuantityError
from ce_dynamics.models.data.schema import Section, fields_of, leaves

Model = TypeVar("Model", bound=Section)

LONGEST_EXAMPLE = 400
"""Characters of a section that a message shows."""


Examples: TypeAlias = Callable[[tuple[str, ...]], str | None]
"""A plausible value of a key as files write it; None where there is none."""


def no_examples(key: tuple[str, ...]) -> None:
    """Leave the choice of examples to the quantities."""


def validate(
    schema: type[Model], tree: Tree, groups: Groups, label: str, examples: Examples = no_examples
) -> Model:
    """Turn a tree of entries into the schema's frozen model.

    ``examples`` are for messages.

    Raises
    ------
    DataError
        One line: where, which key, what is wrong, what is expected, an example; and how many more there are.
    """
    _refuse_empty(schema, tree, groups, examples)
    try:
        return schema.model_validate(_values(tree))
    except ValidationError as error:
        problems = error.errors(include_url=False)
        missing = [
            key
            for p in problems
            if p["type"] == "missing"
            for key in _own(tuple(map(str, p["loc"])), schema, groups)
        ]
        if missing:
            names = list(dict.fromkeys(".".join(_general(key, missing, groups)) for key in missing))
            raise DataError(
                f"{label}: missing {', '.join(names)}{_missing_hint(names, schema, groups, examples)}"
            ) from None
        first, count = problems[0], len(problems)
        problem = first.get("ctx", {}).get("error", first["msg"])
        keys = [tuple(map(str, p["loc"])) for p in problems]
        name = _general(keys[0], keys, groups)
        own = isinstance(problem, QuantityError)
        shown = _example(leaves(schema)[keys[0]], keys[0], examples) if own else ""
        message = problem.with_example(shown) if own else str(problem)
        same = len({_general(key, keys, groups) for key in keys})
        more = f" (and {same - 1} more)" if count > 1 and same > 1 else ""
        raise DataError(f"{_where(tree, keys[0], label)}: {'.'.join(name)}: {message}{more}") from None


def _refuse_empty(schema: type[BaseModel], tree: Tree, groups: Groups, examples: Examples) -> None:
    """Refuse keys without a value: of numbers that may be left out too, which would pass for left out."""
    entries = {key: entry_of(tree, key) for key in leaves(schema)}
    empty = [key for key, entry in entries.items() if entry is not None and entry.value is None]
    if empty:
        name = ".".join(_general(empty[0], empty, groups))
        raise DataError(
            f"{_where(tree, empty[0], name)}: {name}: no value is given; leave it out, or write for example "
            f"{_example(leaves(schema)[empty[0]], empty[0], examples)}"
        )


def _values(tree: Tree) -> dict[str, object]:
    return {name: _values(node) if isinstance(node, dict) else node.value for name, node in tree.items()}


def entry_of(tree: Tree, key: Sequence[str]) -> Entry | None:
    """The entry of a key, None if there is none."""
    node: Tree | Entry = tree
    for name in key:
        if not isinstance(node, dict) or name not in node:
            return None
        node = node[name]
    return node if isinstance(node, Entry) else None


def _where(tree: Tree, key: tuple[str, ...], label: str) -> str:
    """Return the place of a value; for a section, `OVERRIDE` if it holds such a value, else ``label``."""
    node: Tree | Entry = tree
    for name in key:
        if not isinstance(node, dict) or name not in node:
            return label
        node = node[name]
    if isinstance(node, Entry):
        return node.where
    return OVERRIDE if any(entry.where == OVERRIDE for entry in _entries(node)) else label


def _entries(tree: Tree) -> Iterator[Entry]:
    for node in tree.values():
        if isinstance(node, Entry):
            yield node
        else:
            yield from _entries(node)


def _own(key: tuple[str, ...], schema: type[BaseModel], groups: Groups) -> Sequence[tuple[str, ...]]:
    """A missing section of a group itself by what it must have: its name stands for that of the members."""
    if len(key) > 1 or key[0] not in groups.groups:
        return [key]
    section = _section(schema, key)
    assert section is not None, "groups are sections"
    return [(*key, name) for name, field in section.model_fields.items() if field.is_required()] or [key]


def _general(key: tuple[str, ...], among: Sequence[tuple[str, ...]], groups: Groups) -> tuple[str, ...]:
    """The most general name of which all members are among the given keys."""
    return next(name for name, covered in groups.names(key) if all(c in among for c in covered))


def _missing_hint(names: list[str], schema: type[BaseModel], groups: Groups, examples: Examples) -> str:
    """Return a hint how to write the first missing number or the first missing section."""
    quantities = {name: q for key, q in leaves(schema).items() for name, _ in groups.names(key)}
    first = tuple(names[0].split("."))
    quantity = quantities.get(first)
    member = groups.expand(first, schema)[1][0]
    if quantity is not None:
        return (
            f"; expected {quantity.unit}, for example '{first[-1]}: {_example(quantity, member, examples)}'"
        )
    section = _section(schema, member)
    if section is None:
        return ""
    written = _written(section, member, examples)
    if len(written) > LONGEST_EXAMPLE:  # a whole axle
        needs = f"{first[-1]} needs {_needed(section)}"
        return f"; {needs}, written as in the shipped files; or build on one that has it (base)"
    return f"; write for example '{first[-1]}: {written}'"


def _section(schema: type[BaseModel], key: Sequence[str]) -> type[BaseModel] | None:
    """The section of a key."""
    for name in key:
        field = fields_of(schema)[name]
        if isinstance(field, Quantity):
            return None
        schema = field
    return schema


def _written(section: type[BaseModel], key: tuple[str, ...], examples: Examples) -> str:
    """Return the numbers that a section must have, as they may be written."""
    said = []
    for name, field in fields_of(section).items():
        if section.model_fields[name].is_required():
            # within braces commas part numbers, unless there are quotes
            inner = (*key, name)
            if isinstance(field, Quantity):
                said.append(f"{name}: {_quoted(_example(field, inner, examples))}")
            else:
                said.append(f"{name}: {_written(field, inner, examples)}")
    return f"{{{', '.join(said)}}}"


def _example(quantity: Quantity, key: tuple[str, ...], examples: Examples) -> str:
    """Return a value that is known for the key if the quantity takes it, else the quantity's own example."""
    known = examples(key)
    try:
        quantity.parse(known)
    except QuantityError:
        return quantity.example
    return str(known)


def _needed(section: type[BaseModel]) -> str:
    """The numbers that a section must have, by their names and units."""
    said = []
    for name, field in fields_of(section).items():
        if section.model_fields[name].is_required():
            inner = f"in {field.unit}" if isinstance(field, Quantity) else _needed(field)
            said.append(f"{name} {inner}" if inner != "in 1" else name)
    return f"{{{', '.join(said)}}}"


def _quoted(example: str) -> str:
    return f'"{example}"' if "," in example else example
