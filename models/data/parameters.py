"""Parameter files: reading, layering, overriding by dotted name and validating.

A parameter set is described by pydantic models whose leaves are `Quantity` fields.  Its numbers come in
layers (a data file, a variant laid over it, overrides from a command line); every layer is a list of
assignments ``key = value`` that remember their source and where they stand, so that messages can name file
and line.

Some sections exist once per *member* (for a vehicle: per corner).  A key then starts with a member
(``front_left.spring.linear``), with a group of members (``front.spring.linear``) or with neither
(``spring.linear``: all members).  **A later layer wins over an earlier one; within a layer the more specific
name wins over the more general one; of equal names the last wins.**
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Quantity

LARGEST_FILE = 2**20
"""Bytes of a parameter file."""
MOST_VALUES = 20_000
"""Keys and values of a parameter file, counted with what aliases stand for."""
DEEPEST = 32
"""Levels of a parameter file."""

OVERRIDE = "override"
"""Source and place of a value given on the command line or in a call."""


class Section(BaseModel):
    """Base of all sections of a parameter file: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Entry:
    """A value as written, with its source, its note (``[source; note]``) and the place where it stands."""

    value: object
    source: str
    where: str
    note: str = ""


class Assignment(NamedTuple):
    """One ``key = value`` of a layer."""

    key: tuple[str, ...]
    entry: Entry


class Parameter(NamedTuple):
    """One number (or vector) of a validated parameter set."""

    key: str
    value: float | tuple[float, ...]
    unit: str
    source: str
    text: str  # value and unit (and note) such that ``key=text`` is a valid override


class DataFile(NamedTuple):
    """The content of a parameter file: its numbers and its tables of texts (``sources``, ``title``)."""

    assignments: list[Assignment]
    sources: dict[str, str]
    title: str


Tree: TypeAlias = "dict[str, Tree | Entry]"
Model = TypeVar("Model", bound=Section)


# --- Reading ------------------------------------------------------------------------------------------------


def read_file(path: Path) -> DataFile:
    """Read a YAML parameter file into assignments.

    A mapping may carry ``source: key`` for all its numbers; a value may carry its own as ``1.2 m [key]`` or
    ``[key; note]``.  Source keys are explained in the top-level table ``sources``.

    Raises
    ------
    DataError
        If the file cannot be read, is larger than `LARGEST_FILE`, is not YAML, has a key twice, or more than
        `MOST_VALUES` keys and values, counted with what aliases stand for, or more than `DEEPEST` levels.
    """
    content = files.read("parameter file", path, LARGEST_FILE)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        named = checks.shown(str(path))
        raise DataError(f"parameter file {named} cannot be read: it is not UTF-8 text") from error
    return read_text(text, path.name)


class BoundedLoader(yaml.SafeLoader):
    """Composes YAML whose nodes, counted with what aliases stand for, and whose levels are bounded."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.count = self.depth = 0
        self.sizes: dict[str, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """One node with all it contains."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        anchor: str = getattr(event, "anchor", None) or ""
        if isinstance(event, yaml.AliasEvent):
            if anchor in self.anchors and anchor not in self.sizes:
                raise self.refused(event, f"the alias *{anchor} stands within what it stands for")
            self.count += self.sizes.get(anchor, 0)
        self.count += 1
        self.depth += 1
        if self.count > MOST_VALUES:
            meaning = "keys and values, counted with what aliases stand for"
            raise self.refused(event, f"more than {MOST_VALUES} {meaning}")
        if self.depth > DEEPEST:
            raise self.refused(event, f"more than {DEEPEST} levels")
        before = self.count
        node = super().compose_node(parent, index)
        self.depth -= 1
        if anchor and not isinstance(event, yaml.AliasEvent):
            self.sizes[anchor] = self.count - before + 1
        return node

    def refused(self, event: Any, problem: str) -> yaml.MarkedYAMLError:
        """An error where an event stands."""
        return yaml.composer.ComposerError(None, None, problem, event.start_mark)


def read_text(text: str, label: str) -> DataFile:
    """Read parameters from YAML text; messages call it `label`."""
    try:
        root = yaml.compose(text, Loader=BoundedLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f":{mark.line + 1}"
        raise DataError(f"{label}{line}: not valid YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise DataError(f"{label}: not valid YAML: {error}") from error
    if not isinstance(root, yaml.MappingNode):
        raise DataError(f"{label}: expected sections 'name:' with indented 'key: value' lines, found none")
    fields = dict(_items(root, label))
    sources = _texts(fields.pop("sources", None), label)
    title = _texts(fields.pop("title", None), label).get("", "")
    assignments = [a for key, node in fields.items() for a in _assignments(node, (key,), label, label)]
    for key, entry in assignments:
        if entry.source != label and entry.source not in sources:
            known = ", ".join(sources) or "none"
            raise DataError(
                f"{entry.where}: {'.'.join(key)}: unknown source {checks.shown(entry.source)}; "
                f"name one of the table 'sources' ({known}) or add it there"
            )
    return DataFile(assignments, sources, title)


def parse_override(text: str) -> Assignment:
    """Read ``key=value``, the form of ``--set``; the value may carry a tag ``[source; note]`` as in files."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        form = "key=value, for example chassis.mass='2200 kg'"
        raise DataError(f"override {checks.shown(text)} is not of the form {form}")
    plain, source, note = split_tag(value)
    return Assignment(tuple(key.strip().split(".")), Entry(plain, source or OVERRIDE, OVERRIDE, note))


def _items(node: yaml.MappingNode, label: str) -> Iterator[tuple[str, yaml.Node]]:
    """The items of a mapping; a key that comes twice is an error (plain YAML keeps the last)."""
    lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise DataError(f"{label}:{line}: a key must be a word, not a list or a mapping")
        key = str(key_node.value)
        if key in lines:
            named = checks.shown(key)
            raise DataError(
                f"{label}:{line}: the key {named} is there twice, first on line {lines[key]}; remove one"
            )
        lines[key] = line
        yield key, value_node


def _texts(node: yaml.Node | None, label: str) -> dict[str, str]:
    if node is None:
        return {}
    if isinstance(node, yaml.ScalarNode):
        return {"": str(node.value)}
    if not isinstance(node, yaml.MappingNode):
        raise DataError(f"{label}:{node.start_mark.line + 1}: expected lines 'key: text'")
    return {key: str(value.value) for key, value in _items(node, label)}


def _assignments(node: yaml.Node, key: tuple[str, ...], source: str, label: str) -> Iterator[Assignment]:
    if isinstance(node, yaml.MappingNode):
        items = dict(_items(node, label))
        if "source" in items:
            source = str(items.pop("source").value)
        for name, child in items.items():
            yield from _assignments(child, (*key, name), source, label)
        return
    where = f"{label}:{node.start_mark.line + 1}"
    value = _plain(node)
    if isinstance(value, str):
        value, own_source, note = split_tag(value)
        yield Assignment(key, Entry(value, own_source or source, where, note))
    else:
        yield Assignment(key, Entry(value, source, where))


def _plain(node: yaml.Node) -> object:
    """The Python value of a scalar or list; numbers stay text: `Quantity` reads them better than YAML."""
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    if node.tag == "tag:yaml.org,2002:null":
        return None
    if node.tag == "tag:yaml.org,2002:float" and str(node.value).lower().lstrip("+-") in (".nan", ".inf"):
        return str(node.value).replace(".", "")
    return str(node.value)


def split_tag(text: str) -> tuple[str, str, str]:
    """Split ``value [source; note]`` into value, source and note."""
    text = text.strip()
    start = text.rfind("[")
    if not text.endswith("]") or start <= 0:
        return text, "", ""
    source, _, note = text[start + 1 : -1].partition(";")
    return text[:start].strip(), source.strip(), note.strip()


# --- The shape of a schema ----------------------------------------------------------------------------------


def fields_of(model: type[BaseModel]) -> dict[str, type[BaseModel] | Quantity]:
    """The fields of a section: sub-sections and quantities."""
    return {name: _field(field.annotation, field.metadata) for name, field in model.model_fields.items()}


def _field(annotation: Any, metadata: Sequence[Any]) -> type[BaseModel] | Quantity:
    for item in metadata:
        if isinstance(item, Quantity):
            return item
    candidates = (annotation, *getattr(annotation, "__args__", ()))
    for candidate in candidates:
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


@dataclass(frozen=True)
class Groups:
    """Which members of a schema a key stands for.

    Parameters
    ----------
    members : tuple of str
        Fields of the schema that have the same section type.
    groups : mapping
        Name of a group to its members.
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
            return 1, [(member, *key[1:]) for member in self.groups[key[0]]]
        if key[0] in self._member_fields(schema):
            return 0, [(member, *key) for member in self.members]
        return 0, [key]

    def names(self, key: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """Names under which a schema key may be listed, most general first, and what each covers."""
        if key[0] in self.members:
            if len(key) > 1 and key[1] in self.shared:
                yield key[1:], [(member, *key[1:]) for member in self.members]
            for group, members in self.groups.items():
                if key[0] in members:
                    yield (group, *key[1:]), [(member, *key[1:]) for member in members]
        yield key, [key]

    def known(self, schema: type[BaseModel], like: str) -> list[str]:
        """All keys of a schema, in general form, and those that begin with the member `like`."""
        keys: dict[str, None] = {}
        for key in leaves(schema):
            keys[".".join(next(self.names(key))[0])] = None
            if key[0] in self.members and key[0] == like:
                keys[".".join(key)] = None
            if key[0] in self.members and like in self.groups and key[0] in self.groups[like]:
                keys[".".join((like, *key[1:]))] = None
        return list(keys)

    def _member_fields(self, schema: type[BaseModel]) -> dict[str, type[BaseModel] | Quantity]:
        member = fields_of(schema)[self.members[0]]
        assert isinstance(member, type)
        return fields_of(member)


# --- Layering -----------------------------------------------------------------------------------------------


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
    known = groups.known(schema, assignment.key[0])
    by_lower = {name.lower(): name for name in known}
    near = [by_lower[name] for name in difflib.get_close_matches(key.lower(), by_lower, n=3, cutoff=0.5)]
    hint = f"nearest: {', '.join(near)}" if near else f"sections are {_sections(schema, groups)}"
    return DataError(f"{assignment.entry.where}: unknown parameter {checks.shown(key)}; {hint}")


def _sections(schema: type[BaseModel], groups: Groups) -> str:
    top = [name for name in fields_of(schema) if name not in groups.members]
    return ", ".join((*groups.groups, *groups.members, *sorted(groups.shared), *top))


# --- Validating ---------------------------------------------------------------------------------------------


def validate(schema: type[Model], tree: Tree, groups: Groups, label: str) -> Model:
    """Turn a tree of entries into the schema's frozen model.

    Raises
    ------
    DataError
        One line: where, which key, what is wrong, what is expected, an example; and how many more there are.
    """
    try:
        return schema.model_validate(_values(tree))
    except ValidationError as error:
        problems = error.errors(include_url=False)
        missing = [tuple(map(str, p["loc"])) for p in problems if p["type"] == "missing"]
        if missing:
            names = list(dict.fromkeys(".".join(_general(key, missing, groups)) for key in missing))
            raise DataError(
                f"{label}: missing {', '.join(names)}{_missing_hint(names, schema, groups)}"
            ) from None
        first, count = problems[0], len(problems)
        message = str(first.get("ctx", {}).get("error", first["msg"]))
        keys = [tuple(map(str, p["loc"])) for p in problems]
        name = _general(keys[0], keys, groups)
        same = len({_general(key, keys, groups) for key in keys})
        more = f" (and {same - 1} more)" if count > 1 and same > 1 else ""
        raise DataError(f"{_where(tree, keys[0], label)}: {'.'.join(name)}: {message}{more}") from None


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
    """Where a value stands; for a section, whether an override had a hand in it."""
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


def _general(key: tuple[str, ...], among: Sequence[tuple[str, ...]], groups: Groups) -> tuple[str, ...]:
    """The most general name of which all members are among the given keys."""
    return next(name for name, covered in groups.names(key) if all(c in among for c in covered))


def _missing_hint(names: list[str], schema: type[BaseModel], groups: Groups) -> str:
    quantities = {name: q for key, q in leaves(schema).items() for name, _ in groups.names(key)}
    quantity = quantities.get(tuple(names[0].split(".")))
    if quantity is None:
        return ""
    last = names[0].rsplit(".", 1)[-1]
    return f"; expected {quantity.unit}, for example '{last}: {quantity.example}'"


# --- Listing ------------------------------------------------------------------------------------------------


def flatten(model: Section, tree: Tree, groups: Groups) -> list[Parameter]:
    """Every parameter under its most general name that is true of all it covers."""
    schema = type(model)
    values: dict[tuple[str, ...], tuple[float | tuple[float, ...], str, str]] = {}
    quantities = leaves(schema)
    for key in quantities:
        entry = entry_of(tree, key)
        if entry is not None:
            values[key] = (_value_at(model, key), entry.source, entry.note)
    listed: dict[tuple[str, ...], Parameter] = {}
    for key, (value, source, note) in values.items():
        name = next(
            n for n, covered in groups.names(key) if all(values.get(c) == values[key] for c in covered)
        )
        quantity = quantities[key]
        text = quantity.text(value) + (f" [{source}; {note}]" if note else "")
        listed[name] = Parameter(".".join(name), value, quantity.unit, source, text)
    return list(listed.values())


def _value_at(model: BaseModel, key: Sequence[str]) -> Any:
    value: Any = model
    for name in key:
        value = getattr(value, name)
    return value
