"""Layers of assignments laid over one another, validated and listed.

A name may stand for the same number of several members, such as the corners of a vehicle (`Groups`).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import ParameterQuantity, QuantityError
from ce_dynamics.models.data.reading import OVERRIDE, TEXTS, WORDS, Assignment, FileEntry, Tree
from ce_dynamics.models.data.schema import Section, fields_of, leaves


@dataclass(frozen=True)
class Groups:
    """Groups of a schema's members for which one key stands.

    Parameters
    ----------
    members : tuple of str
        Fields of the schema that are sections of the same kind.
    groups : mapping
        Name of a group to its members; a group that is a section of the schema has numbers of its own.
    shared : frozenset of str
        Fields of a member that are *listed* once for all members while these agree (a tyre).
    """

    members: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    shared: frozenset[str]

    def expand(self, key: tuple[str, ...], schema: type[BaseModel]) -> tuple[int, list[tuple[str, ...]]]:
        """Specificity of a key (higher wins) and the keys of the schema it stands for."""
        if key[0] in self.members:
            return 2, [key]
        if key[0] in self.groups:
            if len(key) > 1 and key[0] in fields_of(schema) and key[1] in section_of(schema, key[0]):
                return 1, [key]  # of the group itself
            return 1, [(member, *key[1:]) for member in self.groups[key[0]]]
        having = [member for member in self.members if key[0] in section_of(schema, member)]
        return 0, [(member, *key) for member in having] or [key]

    def names(self, key: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """Yield names under which a schema key may be listed, most general first, and what each covers."""
        if key[0] in self.members:
            if len(key) > 1 and key[1] in self.shared:
                yield key[1:], [(member, *key[1:]) for member in self.members]
            for group, members in self.groups.items():
                if key[0] in members:
                    yield (group, *key[1:]), [(member, *key[1:]) for member in members]
        yield key, [key]

    def list_known(self, schema: type[BaseModel], like: str) -> list[str]:
        """Return all keys of a schema, in general form, and those that begin with the member `like`."""
        keys: dict[str, None] = {}
        for key in leaves(schema):
            keys[".".join(next(self.names(key))[0])] = None
            if key[0] in self.members and key[0] == like:
                keys[".".join(key)] = None
            if key[0] in self.members and like in self.groups and key[0] in self.groups[like]:
                keys[".".join((like, *key[1:]))] = None
        return list(keys)


def section_of(schema: type[BaseModel], member: str) -> Mapping[str, type[BaseModel] | ParameterQuantity]:
    """Return the fields of a member."""
    section = fields_of(schema)[member]
    assert isinstance(section, type), "members are sections"
    return fields_of(section)


def lay(tree: Tree, assignments: Iterable[Assignment], schema: type[BaseModel], groups: Groups) -> Tree:
    """Return the tree with a layer of assignments laid over it; the given tree is left as it is."""
    result = _copy(tree)
    expanded = [(groups.expand(a.key, schema), a) for a in assignments]
    for (_, keys), assignment in sorted(expanded, key=lambda item: item[0][0]):
        for key in keys:
            assign(result, key, assignment, schema, groups)
    return result


def _copy(tree: Tree) -> Tree:
    return {name: _copy(node) if isinstance(node, dict) else node for name, node in tree.items()}


def assign(
    tree: Tree, key: tuple[str, ...], assignment: Assignment, schema: type[BaseModel], groups: Groups
) -> None:
    """Write one assignment under a key of the schema, descending tree and schema together."""
    model, node = schema, tree
    for depth, name in enumerate(key):
        field = fields_of(model).get(name)
        if field is None:
            raise _unknown_key(assignment, schema, groups)
        if isinstance(field, ParameterQuantity):
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
    old: Tree | FileEntry | None,
    rest: tuple[str, ...],
    quantity: ParameterQuantity,
    assignment: Assignment,
    schema: type[BaseModel],
    groups: Groups,
) -> FileEntry:
    """Return the new entry of a quantity: the given one, or the old one with a single component replaced."""
    given = assignment.entry
    if not rest:
        return given
    index = quantity.component_index(rest[0]) if len(rest) == 1 else None
    if index is None or not isinstance(old, FileEntry):
        raise _unknown_key(assignment, schema, groups)
    key = ".".join(assignment.key)
    base = list(_parse(quantity, old, key[: key.rindex(".")]))
    if index >= len(base):
        raise DataError(f"{given.where}: {key}: there are {len(base)} numbers, 0 to {len(base) - 1}")
    base[index] = _parse(quantity.component(), given, key)[0]
    return replace(given, value=tuple(base))


def _parse(quantity: ParameterQuantity, entry: FileEntry, key: str) -> tuple[float, ...]:
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
            f"{assignment.entry.where}: unknown parameter {checks.show(key)}; did you mean {like[0]!r}?"
        )
    known = groups.list_known(schema, assignment.key[0])
    by_lower = {name.lower(): name for name in known}
    near = [by_lower[name] for name in difflib.get_close_matches(key.lower(), by_lower, n=3, cutoff=0.5)]
    hint = f"nearest: {', '.join(near)}" if near else f"sections are {', '.join(sections)}"
    return DataError(f"{assignment.entry.where}: unknown parameter {checks.show(key)}; {hint}")


def _sections(schema: type[BaseModel], groups: Groups) -> list[str]:
    """Return names that a key may begin with."""
    top = [name for name in fields_of(schema) if name not in groups.members]
    return list(dict.fromkeys((*groups.groups, *groups.members, *sorted(groups.shared), *top)))


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


def entry_of(tree: Tree, key: Sequence[str]) -> FileEntry | None:
    """Return the entry of a key, None if there is none."""
    node: Tree | FileEntry = tree
    for name in key:
        if not isinstance(node, dict) or name not in node:
            return None
        node = node[name]
    return node if isinstance(node, FileEntry) else None


def _where(tree: Tree, key: tuple[str, ...], label: str) -> str:
    """Return the place of a value; for a section, `OVERRIDE` if it holds such a value, else ``label``."""
    node: Tree | FileEntry = tree
    for name in key:
        if not isinstance(node, dict) or name not in node:
            return label
        node = node[name]
    if isinstance(node, FileEntry):
        return node.where
    return OVERRIDE if any(entry.where == OVERRIDE for entry in _entries(node)) else label


def _entries(tree: Tree) -> Iterator[FileEntry]:
    for node in tree.values():
        if isinstance(node, FileEntry):
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
    """Return the most general name of which all members are among the given keys."""
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
    written = _write_section(section, member, examples)
    if len(written) > LONGEST_EXAMPLE:  # a whole axle
        needs = f"{first[-1]} needs {_list_needs(section)}"
        return f"; {needs}, written as in the shipped files; or build on one that has it (base)"
    return f"; write for example '{first[-1]}: {written}'"


def _section(schema: type[BaseModel], key: Sequence[str]) -> type[BaseModel] | None:
    """Return the section of a key."""
    for name in key:
        field = fields_of(schema)[name]
        if isinstance(field, ParameterQuantity):
            return None
        schema = field
    return schema


def _write_section(section: type[BaseModel], key: tuple[str, ...], examples: Examples) -> str:
    """Return the numbers that a section must have, as they may be written."""
    said = []
    for name, field in fields_of(section).items():
        if section.model_fields[name].is_required():
            # within braces commas part numbers, unless there are quotes
            inner = (*key, name)
            if isinstance(field, ParameterQuantity):
                said.append(f"{name}: {_quote_commas(_example(field, inner, examples))}")
            else:
                said.append(f"{name}: {_write_section(field, inner, examples)}")
    return f"{{{', '.join(said)}}}"


def _example(quantity: ParameterQuantity, key: tuple[str, ...], examples: Examples) -> str:
    """Return a value that is known for the key if the quantity takes it, else the quantity's own example."""
    known = examples(key)
    try:
        quantity.parse(known)
    except QuantityError:
        return quantity.example
    return str(known)


def _list_needs(section: type[BaseModel]) -> str:
    """Return the numbers that a section must have, by their names and units."""
    said = []
    for name, field in fields_of(section).items():
        if section.model_fields[name].is_required():
            inner = f"in {field.unit}" if isinstance(field, ParameterQuantity) else _list_needs(field)
            said.append(f"{name} {inner}" if inner != "in 1" else name)
    return f"{{{', '.join(said)}}}"


def _quote_commas(example: str) -> str:
    return f'"{example}"' if "," in example else example


class ListedNumber(NamedTuple):
    """One number (or vector) of a validated parameter set."""

    key: str
    value: float | tuple[float, ...]
    unit: str
    source: str
    text: str  # value and unit (and note) such that ``key=text`` is a valid override


def flatten(model: Section, tree: Tree, groups: Groups) -> list[ListedNumber]:
    """Return every parameter under its most general name that is true of all it covers."""
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
