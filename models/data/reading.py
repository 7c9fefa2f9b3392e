"""Parameter files and overrides as lists of assignments ``key = value`` that remember where they stand."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import DataError

OVERRIDE = "override"
"""Source and place of a value given on the command line or in a call."""


@dataclass(frozen=True)
class FileEntry:
    """A value as written, with its source, its note (``[source; note]``) and the place where it stands."""

    value: object
    source: str
    where: str
    note: str = ""

    def one_of(self, name: str, known: Collection[str]) -> str:
        """Return the value if it is a known word; ``name`` is for messages."""
        if self.value not in known:
            known_are = checks.known_are(str(self.value), known)
            raise DataError(f"{self.where}: {name}: unknown {checks.show(self.value)}{known_are}")
        return str(self.value)


class Assignment(NamedTuple):
    """One ``key = value`` of a layer."""

    key: tuple[str, ...]
    entry: FileEntry


Key: TypeAlias = tuple[str, ...]
"""Names of sections from the root of a file, and of a number in the last of them."""

Table: TypeAlias = dict[Key, FileEntry]
"""Entries by key."""


LARGEST_FILE = 2**20
"""Bytes of a parameter file."""
MOST_VALUES = 20_000
"""Keys and values of a parameter file, counted with what aliases stand for."""
DEEPEST = 32
"""Levels of a parameter file."""


WORDS = ("base", "axles", "kinds", "graphs", "trailers", "bushings")
"""Top-level keys whose values are words, not numbers."""
TEXTS = ("title", "sources", "format", "body")
"""Top-level keys whose values are texts."""
FORMATS = (1, 2)
"""Versions of the format of parameter files; 1 where a file has none."""


class DataFile(NamedTuple):
    """The content of a parameter file: its entries (`words` and numbers), and its texts.

    ``format`` is the version of its format; ``notes`` name entries of a file of another format that have
    no effect, and choices made in reading it; ``origins`` its sections with the files that they come from;
    ``whole`` the keys of sections that it replaces as a whole; ``body`` a file with the shape of its body.
    """

    entries: list[Assignment]
    sources: dict[str, str]
    title: str
    label: str
    notes: tuple[str, ...] = ()
    origins: tuple[tuple[str, str], ...] = ()
    whole: tuple[tuple[str, ...], ...] = ()
    format: int = 1
    body: str = ""

    @property
    def words(self) -> list[Assignment]:
        """Entries of the tables `WORDS`."""
        return [one for one in self.entries if one.key[0] in WORDS]

    @property
    def assignments(self) -> list[Assignment]:
        """Entries that are numbers."""
        return [one for one in self.entries if one.key[0] not in WORDS]

    def words_of(self, key: str) -> list[Assignment]:
        return [one for one in self.entries if one.key[0] == key]


def read_file(path: Path) -> DataFile:
    """Read a YAML parameter file into assignments.

    A mapping may carry ``source: key`` for all its numbers; a value may carry its own as ``1.2 m [key]`` or
    ``[key; note]``.  Source keys are explained in the top-level table ``sources``.
    """
    content = files.read("parameter file", path, LARGEST_FILE)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        named = checks.show(str(path))
        raise DataError(f"parameter file {named} cannot be read: it is not UTF-8 text") from error
    return read_text(text, path.name)


class BoundedLoader(yaml.SafeLoader):
    """Composes YAML whose nodes, counted with what aliases stand for, and whose levels are bounded."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.count = self.depth = 0
        self.sizes: dict[str, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        anchor: str = getattr(event, "anchor", None) or ""
        if isinstance(event, yaml.AliasEvent):
            if anchor in self.anchors and anchor not in self.sizes:
                raise self.refuse(event, f"the alias *{anchor} stands within what it stands for")
            self.count += self.sizes.get(anchor, 0)
        self.count += 1
        self.depth += 1
        if self.count > MOST_VALUES:
            meaning = "keys and values, counted with what aliases stand for"
            raise self.refuse(event, f"more than {MOST_VALUES} {meaning}")
        if self.depth > DEEPEST:
            raise self.refuse(event, f"more than {DEEPEST} levels")
        before = self.count
        node = super().compose_node(parent, index)
        self.depth -= 1
        if anchor and not isinstance(event, yaml.AliasEvent):
            self.sizes[anchor] = self.count - before + 1
        return node

    def refuse(self, event: Any, problem: str) -> yaml.MarkedYAMLError:
        """Return an error where an event stands."""
        return yaml.composer.ComposerError(None, None, problem, event.start_mark)


@lru_cache(maxsize=32)  # vehicles share base files, and most time goes into their text
def read_text(text: str, label: str) -> DataFile:
    """Read parameters from YAML text; messages call it `label`."""
    try:
        root = yaml.compose(text, Loader=BoundedLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f":{mark.line + 1}"
        raise DataError(f"{label}{line}: not valid YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise DataError(f"{label}: not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(root, yaml.MappingNode):
        raise DataError(f"{label}: expected sections 'name:' with indented 'key: value' lines, found none")
    fields = dict(_items(root, label))
    sources = _texts(fields.pop("sources", None), label)
    title = _text(fields.pop("title", None), label, "title", "My car")
    body = _text(fields.pop("body", None), label, "body", "car.glb")
    version = _format(fields.pop("format", None), label)
    tables = [(key, fields.pop(key)) for key in WORDS if key in fields]
    entries = [_as_answer(a) for key, node in tables for a in _assignments(node, (key,), label, label)]
    entries += [a for key, node in fields.items() for a in _assignments(node, (key,), label, label)]
    for key, entry in entries:
        if entry.source != label and entry.source not in sources:
            known = ", ".join(sources) or "none"
            raise DataError(
                f"{entry.where}: {'.'.join(key)}: unknown source {checks.show(entry.source)}; "
                f"name one of the table 'sources' ({known}) or add it there"
            )
    return DataFile(entries, sources, title, label, format=version, body=body)


def parse_override(text: str) -> Assignment:
    """Read ``key=value``, the form of ``--set``; the value may carry a tag ``[source; note]`` as in files."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        form = "key=value, for example chassis.mass='2200 kg'"
        raise DataError(f"override {checks.show(text)} is not of the form {form}")
    plain, source, note = split_tag(value)
    return Assignment(tuple(key.strip().split(".")), FileEntry(plain, source or OVERRIDE, OVERRIDE, note))


def _items(node: yaml.MappingNode, label: str) -> Iterator[tuple[str, yaml.Node]]:
    """Yield the items of a mapping; a key that comes twice is an error (plain YAML keeps the last)."""
    lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise DataError(f"{label}:{line}: a key must be a word, not a list or a mapping")
        key = str(key_node.value)
        if node.flow_style and cut_at_a_comma(value_node):
            raise DataError(
                f"{label}:{line}: {key}: {checks.show(value_node.value)} ends at the comma; within braces "
                f"write it in quotes, for example {key}: '(1, 2, 3) m'"
            )
        if key in lines:
            named = checks.show(key)
            raise DataError(
                f"{label}:{line}: the key {named} is there twice, first on line {lines[key]}; remove one"
            )
        lines[key] = line
        yield key, value_node


def cut_at_a_comma(node: yaml.Node) -> bool:
    """Return True if a comma of a mapping in braces has cut the text of the node inside round brackets."""
    if not isinstance(node, yaml.ScalarNode) or node.style is not None:
        return False
    text = str(node.value)
    return text.count("(") > text.count(")")


def _texts(node: yaml.Node | None, label: str) -> dict[str, str]:
    if node is None:
        return {}
    if isinstance(node, yaml.ScalarNode):
        return {"": str(node.value)}
    items = list(_items(node, label)) if isinstance(node, yaml.MappingNode) else [("", node)]
    for _, value in items:
        if not isinstance(value, yaml.ScalarNode):
            raise DataError(f"{label}:{value.start_mark.line + 1}: sources: expected lines 'key: text'")
    return {key: str(value.value) for key, value in items}


def _text(node: yaml.Node | None, label: str, key: str, example: str) -> str:
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        return ""
    if isinstance(node, yaml.ScalarNode):  # files of results hold it
        return checks.name_of(f"{label}:{node.start_mark.line + 1}: {key}", node.value, DataError)
    raise DataError(f"{label}:{node.start_mark.line + 1}: {key}: expected text, for example {key}: {example}")


def _format(node: yaml.Node | None, label: str) -> int:
    if node is None:
        return FORMATS[0]
    for version in FORMATS:
        if isinstance(node, yaml.ScalarNode) and node.value == str(version):
            return version
    known = " and ".join(map(str, FORMATS))
    raise DataError(
        f"{label}:{node.start_mark.line + 1}: format: {checks.show(str(node.value))} is not known; this "
        f"version reads {known}"
    )


def _assignments(node: yaml.Node, key: tuple[str, ...], source: str, label: str) -> Iterator[Assignment]:
    if isinstance(node, yaml.MappingNode):
        items = dict(_items(node, label))
        if not items:
            raise DataError(
                f"{label}:{node.start_mark.line + 1}: {'.'.join(key)}: an empty mapping has no effect; "
                "give it lines 'key: value', or leave it out"
            )
        if "source" in items:
            given = items.pop("source")
            if not isinstance(given, yaml.ScalarNode):
                place = f"{label}:{given.start_mark.line + 1}: {'.'.join((*key, 'source'))}"
                raise DataError(f"{place}: expected the key of a source, for example 'source: estimate'")
            source = given.value
        for name, child in items.items():
            yield from _assignments(child, (*key, name), source, label)
        return
    where = f"{label}:{node.start_mark.line + 1}"
    value = _plain(node)
    if isinstance(value, str):
        value, own_source, note = split_tag(value)
        yield Assignment(key, FileEntry(value, own_source or source, where, note))
    else:
        yield Assignment(key, FileEntry(value, source, where))


def _as_answer(word: Assignment) -> Assignment:
    """Return a word with ``yes`` and ``no`` for the booleans ``true`` and ``false``."""
    entry = word.entry
    answer = {"true": "yes", "false": "no"}.get(str(entry.value).lower(), entry.value)
    return Assignment(word.key, replace(entry, value=answer))


def _plain(node: yaml.Node) -> object:
    """Return the Python value of a scalar or list; numbers stay text, for `ParameterQuantity` to read."""
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
