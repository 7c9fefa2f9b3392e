"""Sections and quantities of a parameter set as pydantic models; layers of assignments laid over one another.

A section is the parameter object of its part: the physics reads its fields.  A name may stand for the same
number of several members, such as the corners of a vehicle (`Groups`).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import ParameterQuantity, QuantityError, check_function
from ce_dynamics.models.data.reading import OVERRIDE, TEXTS, WORDS, Assignment, FileEntry, Key, Table


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


@cache
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


@dataclass(frozen=True)
class Groups:
    """A schema, and groups of its members for which one key stands.

    ``members`` are sections of the same kind; a group that is a section of the schema has numbers of its own.
    ``shared`` fields of members are *listed* once for all members while these agree (a tyre).
    """

    schema: type[BaseModel]
    members: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    shared: frozenset[str]

    @cached_property
    def quantities(self) -> Mapping[Key, ParameterQuantity]:
        return leaves(self.schema)

    def section(self, key: Key) -> type[BaseModel] | None:
        model: type[BaseModel] | ParameterQuantity | None = self.schema
        for name in key:
            model = fields_of(model).get(name) if isinstance(model, type) else None
        return model if isinstance(model, type) else None

    def _has(self, key: Key) -> bool:
        section = self.section(key[:1])
        return section is not None and key[1] in fields_of(section)

    def expand(self, key: Key) -> tuple[int, list[Key]]:
        """Return the specificity of a key (higher wins) and the keys of the schema it stands for."""
        if key[0] in self.members:
            return 2, [key]
        if key[0] in self.groups:
            if len(key) > 1 and self._has(key):
                return 1, [key]  # of the group itself
            return 1, [(member, *key[1:]) for member in self.groups[key[0]]]
        return 0, [(member, *key) for member in self.members if self._has((member, key[0]))] or [key]

    def names(self, key: Key) -> Iterator[tuple[Key, list[Key]]]:
        """Yield names under which a schema key may be listed, most general first, and what each covers."""
        if key[0] in self.members:
            if len(key) > 1 and key[1] in self.shared:
                yield key[1:], [(member, *key[1:]) for member in self.members]
            for group, members in self.groups.items():
                if key[0] in members:
                    yield (group, *key[1:]), [(member, *key[1:]) for member in members]
        yield key, [key]

    def general(self, key: Key, among: Sequence[Key]) -> str:
        """Return the most general name of which all members are among the given keys."""
        return ".".join(next(name for name, covered in self.names(key) if set(covered) <= set(among)))

    def list_known(self, like: str) -> list[str]:
        """Return all keys of the schema, in general form, and those that begin with the member `like`."""
        keys: dict[str, None] = {}
        for key in self.quantities:
            keys[".".join(next(self.names(key))[0])] = None
            if key[0] in self.members and key[0] == like:
                keys[".".join(key)] = None
            if key[0] in self.members and key[0] in self.groups.get(like, ()):
                keys[".".join((like, *key[1:]))] = None
        return list(keys)


def expand_all(assignments: Iterable[Assignment], groups: Groups) -> list[tuple[Key, Assignment]]:
    """Return the keys that a layer sets, more specific names after general ones: the last one wins."""
    expanded = [(*groups.expand(one.key), one) for one in assignments]
    ranked = sorted(expanded, key=lambda item: item[0])
    return [(key, assignment) for _, keys, assignment in ranked for key in keys]


def lay(table: Table, assignments: Iterable[Assignment], groups: Groups) -> Table:
    """Return the table with a layer of assignments laid over it; the given table is left as it is."""
    return write_over(table, expand_all(assignments, groups), groups)


def write_over(table: Table, layer: Iterable[tuple[Key, Assignment]], groups: Groups) -> Table:
    """Return the table with keys of a layer (`expand_all`) set; the given table is left as it is."""
    result = dict(table)
    for key, assignment in layer:
        if key in groups.quantities:
            result[key] = assignment.entry
        else:
            result[key[:-1]] = _change_component(result.get(key[:-1]), key, assignment, groups)
    return result


def _change_component(old: FileEntry | None, key: Key, assignment: Assignment, groups: Groups) -> FileEntry:
    """Return the entry of a list of numbers with one of them replaced."""
    given, name = assignment.entry, ".".join(assignment.key)
    quantity = groups.quantities.get(key[:-1])
    index = None if quantity is None else quantity.component_index(key[-1])
    if quantity is None or index is None or old is None:
        section = groups.section(key)
        if section is not None:
            raise DataError(
                f"{given.where}: {name} is a section, not a number; its keys are "
                f"{', '.join(fields_of(section))}"
            )
        raise _unknown_key(assignment, groups)
    base = list(_parse(quantity, old, name.rpartition(".")[0]))
    if index >= len(base):
        raise DataError(f"{given.where}: {name}: there are {len(base)} numbers, 0 to {len(base) - 1}")
    base[index] = _parse(quantity.component(), given, name)[0]
    return replace(given, value=tuple(base))


def _parse(quantity: ParameterQuantity, entry: FileEntry, key: str) -> tuple[float, ...]:
    try:
        value = quantity.parse(entry.value)
    except ValueError as error:
        raise DataError(f"{entry.where}: {key}: {error}") from None
    return value if isinstance(value, tuple) else (value,)


def _unknown_key(assignment: Assignment, groups: Groups) -> DataError:
    key, where = ".".join(assignment.key), assignment.entry.where
    if any("." in name for name in assignment.key):
        nested = ": {".join(key.split(".")) + ": ..." + "}" * key.count(".")
        return DataError(f"{where}: a key has no dots; write {nested}")
    top = [name for name in fields_of(groups.schema) if name not in groups.members]
    sections = list(dict.fromkeys((*groups.groups, *groups.members, *sorted(groups.shared), *top)))
    words = (*WORDS, *TEXTS)
    like = difflib.get_close_matches(assignment.key[0].lower(), (*sections, *words), n=1)
    if like and like[0] in words:
        return DataError(f"{where}: unknown parameter {checks.show(key)}; did you mean {like[0]!r}?")
    by_lower = {name.lower(): name for name in groups.list_known(assignment.key[0])}
    near = [by_lower[name] for name in difflib.get_close_matches(key.lower(), by_lower, n=3, cutoff=0.5)]
    hint = f"nearest: {', '.join(near)}" if near else f"sections are {', '.join(sections)}"
    return DataError(f"{where}: unknown parameter {checks.show(key)}; {hint}")


Model = TypeVar("Model", bound=Section)

LONGEST_EXAMPLE = 400
"""Characters of a section that a message shows."""


Examples: TypeAlias = Callable[[Key], str | None]
"""A plausible value of a key as files write it; None where there is none."""


def no_examples(key: Key) -> None:
    """Leave the choice of examples to the quantities."""


def validate(
    schema: type[Model], table: Table, groups: Groups, label: str, examples: Examples = no_examples
) -> Model:
    """Turn a table of entries into the schema's frozen model.

    ``examples`` are for messages.
    """
    empty = [key for key, entry in table.items() if entry.value is None]
    if empty:  # of a number that may be left out it would pass for left out
        raise DataError(
            f"{table[empty[0]].where}: {groups.general(empty[0], empty)}: no value is given; leave it out, "
            f"or write for example {_example(groups.quantities[empty[0]], empty[0], examples)}"
        )
    try:
        return schema.model_validate(_nest(table))
    except ValidationError as error:
        problems = error.errors(include_url=False)
    keys = [tuple(map(str, problem["loc"])) for problem in problems]
    missing = [
        needed
        for key, problem in zip(keys, problems, strict=True)
        if problem["type"] == "missing"
        for needed in _needs_of_group(key, groups)
    ]
    if missing:
        names = list(dict.fromkeys(groups.general(key, missing) for key in missing))
        raise DataError(f"{label}: missing {', '.join(names)}{_missing_hint(names, groups, examples)}")
    problem = problems[0].get("ctx", {}).get("error", problems[0]["msg"])
    message = str(problem)
    if isinstance(problem, QuantityError):
        message = problem.with_example(_example(groups.quantities[keys[0]], keys[0], examples))
    others = len({groups.general(key, keys) for key in keys}) - 1
    more = f" (and {others} more)" if others else ""
    raise DataError(f"{_place_of(table, keys[0], label)}: {groups.general(keys[0], keys)}: {message}{more}")


def _nest(table: Table) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for key, entry in table.items():
        node = root
        for name in key[:-1]:
            node = node.setdefault(name, {})
        node[key[-1]] = entry.value
    return root


def _place_of(table: Table, key: Key, label: str) -> str:
    """Return the place of a value; for a section, `OVERRIDE` if it holds such a value, else ``label``."""
    if key in table:
        return table[key].where
    inside = (entry.where for one, entry in table.items() if one[: len(key)] == key)
    return OVERRIDE if OVERRIDE in inside else label


def _needs_of_group(key: Key, groups: Groups) -> Sequence[Key]:
    """Name a missing section of a group by what it must have: its name stands for that of the members."""
    section = groups.section(key) if len(key) == 1 and key[0] in groups.groups else None
    if section is None:
        return [key]
    return [(*key, name) for name, field in section.model_fields.items() if field.is_required()] or [key]


def _missing_hint(names: list[str], groups: Groups, examples: Examples) -> str:
    """Return a hint how to write the first missing number or the first missing section."""
    first = tuple(names[0].split("."))
    member = groups.expand(first)[1][0]
    quantity = groups.quantities.get(member)
    if quantity is not None:
        return (
            f"; expected {quantity.unit}, for example '{first[-1]}: {_example(quantity, member, examples)}'"
        )
    section = groups.section(member)
    if section is None:
        return ""
    written = _write_section(section, member, examples)
    if len(written) > LONGEST_EXAMPLE:  # a whole axle
        needs = f"{first[-1]} needs {_list_needs(section)}"
        return f"; {needs}, written as in the shipped files; or build on one that has it (base)"
    return f"; write for example '{first[-1]}: {written}'"


def _list_required(section: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel] | ParameterQuantity]]:
    for name, field in fields_of(section).items():
        if section.model_fields[name].is_required():
            yield name, field


def _write_section(section: type[BaseModel], key: Key, examples: Examples) -> str:
    """Return the numbers that a section must have, as they may be written."""
    lines = []
    for name, field in _list_required(section):
        if isinstance(field, ParameterQuantity):
            example = _example(field, (*key, name), examples)
            # within braces commas part numbers, unless there are quotes
            lines.append(f'{name}: "{example}"' if "," in example else f"{name}: {example}")
        else:
            lines.append(f"{name}: {_write_section(field, (*key, name), examples)}")
    return f"{{{', '.join(lines)}}}"


def _example(quantity: ParameterQuantity, key: Key, examples: Examples) -> str:
    """Return a value that is known for the key if the quantity takes it, else the quantity's own example."""
    known = examples(key)
    try:
        quantity.parse(known)
    except QuantityError:
        return quantity.example
    return str(known)


def _list_needs(section: type[BaseModel]) -> str:
    """Return the numbers that a section must have, by their names and units."""
    parts = []
    for name, field in _list_required(section):
        inner = f"in {field.unit}" if isinstance(field, ParameterQuantity) else _list_needs(field)
        parts.append(f"{name} {inner}" if inner != "in 1" else name)
    return f"{{{', '.join(parts)}}}"


class ListedNumber(NamedTuple):
    """One number (or vector) of a validated parameter set."""

    key: str
    value: float | tuple[float, ...]
    unit: str
    source: str
    text: str  # value and unit (and note) such that ``key=text`` is a valid override


def flatten(model: Section, table: Table, groups: Groups) -> list[ListedNumber]:
    """Return every parameter under its most general name that is true of all it covers."""
    values: dict[Key, tuple[float | tuple[float, ...], str, str]] = {}
    for key in groups.quantities:
        if key in table:
            value: Any = model
            for name in key:
                value = getattr(value, name)
            values[key] = value, table[key].source, table[key].note
    listed: dict[str, ListedNumber] = {}
    for key, (number, source, note) in values.items():
        covering = groups.names(key)
        widest = next(n for n, keys in covering if all(values.get(one) == values[key] for one in keys))
        quantity = groups.quantities[key]
        text = quantity.text(number) + (f" [{source}; {note}]" if note else "")
        shown = ".".join(widest)
        listed[shown] = ListedNumber(shown, number, quantity.unit, source, text)
    return list(listed.values())
