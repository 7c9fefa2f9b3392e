"""Names of a vehicle's numbers: long ones as files nest them, short ones for overrides, results, messages.

A vehicle file is one tree.  The kind of a part stands beside its numbers::

    format: 2
    axles:
      front:
        suspension: {kind: double-wishbone, D: "(0, 0.77, -0.32) m"}
        steering: {kind: rack, travel: 81.2 mm}
      rear: {like: front, driven: false}
    tyre: {kind: tmeasy, radius: 0.32 m}

Short names leave out ``axles``, ``suspension``, ``bushings`` and ``trailers``: ``front.D`` is short for
``axles.front.suspension.D``, and ``front_left.D`` for ``axles.front.left.suspension.D``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import yaml

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.reading import WORDS, Assignment, DataFile, read_text

Key: TypeAlias = tuple[str, ...]

FORMAT = 2
"""Version of the format of vehicle files that is written."""
OLD_TABLES = ("kinds", "graphs", "bushings")
"""Tables of format 1, whose content stands beside the numbers now."""
COMMENTS = 48
"""Column of comments behind values."""
SIDES = ("left", "right")
STEERING = "steering"
"""Short name of the first steering mechanism."""
AXLE_PARTS = ("wheel", "tyre", "brake", "ground_spring", "anti_roll_bar", "differential")
"""Parts of an axle beside suspension, steering and bushings."""
WITH_KINDS = ("suspension", "anti_roll_bar", "differential", "steering")
"""Parts of an axle that have a kind."""
GRAPH_WORDS = (
    "body", "revolute", "prismatic", "cylindrical", "universal", "spherical", "fixed", "point-on-line",
    "point-on-plane", "distance", "spring", "damper", "torsion", "carrier", "single",
)  # fmt: skip
"""Choices of an item of a graph."""


def short_name(key: Key, mechanisms: Mapping[str, str] | None = None) -> Key:
    """Return the short name of a number, or of a choice (which begins with one of `WORDS`).

    ``mechanisms`` names steering mechanisms by axle, where they are not `STEERING`.
    """
    match key:
        case ("tyre" | "powertrain" as part, "kind"):
            return "kinds", part
        case ("powertrain", "engine_axis"):
            return "kinds", "engine"
        case ("bushings",):
            return "kinds", "bushings"
        case ("axles", axle, *rest):
            return _of_axle(axle, tuple(rest), (mechanisms or {}).get(axle, STEERING)) or key
        case ("trailers", name, "hitch", "kind"):
            return "trailers", name, "hitch"
        case ("trailers", name, part, *rest) if rest or part not in ("hitch", "behind"):
            return name, part, *rest
    return key


def _of_axle(axle: str, rest: Key, mechanism: str) -> Key | None:
    """Return the short name of what stands under an axle; None if it is that already."""
    match rest:
        case (part, "kind") if part in WITH_KINDS:
            return "axles", axle, part
        case ("suspension", "steering_gear", "kind"):
            return "axles", axle, "steering_gear"
        case ("steering", "mechanism" | "phase" as choice):
            return "axles", axle, choice
        case ("steering", _, *_):
            return mechanism, *rest[1:]
        case ("suspension", item, word) if word in GRAPH_WORDS:
            return "graphs", axle, item, word
        case ("bushings", item, "joint"):
            return "bushings", axle, item, "joint"
        case ("suspension" | "bushings", _, *_):
            return axle, *rest[1:]
        case (side, "suspension" | "bushings", _, *_) if side in SIDES:
            return f"{axle}_{side}", *rest[2:]
        case (side, _, *_) if side in SIDES:
            return f"{axle}_{side}", *rest[1:]
        case (part, _, *_) if part in AXLE_PARTS:
            return axle, *rest
    return None


def shorten(file: DataFile) -> DataFile:
    """Return a data file with the short names of its numbers and choices."""
    mechanisms = {
        key[1]: str(entry.value)
        for key, entry in file.entries
        if key[:1] == ("axles",) and key[2:] in (("mechanism",), ("steering", "mechanism"))
    }
    found: dict[Key, Assignment] = {}
    old = ""
    for key, entry in file.entries:
        name = short_name(key, mechanisms)
        if name in found:
            before = found[name].entry.where
            raise DataError(f"{entry.where}: {'.'.join(name)} is there twice, first {before}; remove one")
        found[name] = Assignment(name, entry)
        if key[0] in OLD_TABLES and len(key) > 1:
            old = old or f"{entry.where}: {key[0]}"
    if old and file.format == FORMAT:
        raise DataError(f"{old}: a table of format 1; write the kind beside the numbers of its part")
    note = f"{old}: a table of format 1; 'simulate-vehicle convert' writes format {FORMAT}"
    return file._replace(
        entries=list(found.values()),
        notes=(*file.notes, note) if old else file.notes,
    )


class Parts(NamedTuple):
    """Parts of a vehicle on which long names depend.

    ``steered`` are steering mechanisms to the axle under which they stand; ``bushings`` their names by axle.
    """

    axles: Collection[str]
    trailers: Collection[str]
    steered: Mapping[str, str]
    bushings: Mapping[str, Collection[str]]


def long_name(key: Key, parts: Parts) -> Key:
    """Return the name of a number, a choice or a section as files nest them; the inverse of `short_name`."""
    head, *rest = key
    match key:
        case ("kinds", "engine"):
            return "powertrain", "engine_axis"
        case ("kinds", "bushings"):
            return ("bushings",)
        case ("kinds", part):
            return part, "kind"
        case ("graphs", axle, *rest):
            return "axles", axle, "suspension", *rest
        case ("bushings", axle, *rest):
            return "axles", axle, "bushings", *rest
        case ("axles", axle, part) if part in WITH_KINDS:
            return *key, "kind"
        case ("axles", axle, "steering_gear"):
            return "axles", axle, "suspension", "steering_gear", "kind"
        case ("axles", axle, "mechanism" | "phase" as choice):
            return "axles", axle, "steering", choice
        case ("trailers", _, "hitch"):
            return *key, "kind"
    if head in parts.steered:
        return "axles", parts.steered[head], "steering", *rest
    if head in parts.trailers:
        return "trailers", *key
    axle, _, side = head.rpartition("_")
    if head in parts.axles:
        axle, side = head, ""
    if axle not in parts.axles or side not in ("", *SIDES):
        return key
    place = ("axles", axle, side) if side else ("axles", axle)
    if not rest or rest[0] in (*AXLE_PARTS, "source"):
        return *place, *rest
    return *place, "bushings" if rest[0] in parts.bushings.get(axle, ()) else "suspension", *rest


Tree: TypeAlias = "dict[str, Any]"


def put(tree: Tree, key: Key, value: Any) -> None:
    """Write a value into a tree."""
    for name in key[:-1]:
        tree = tree.setdefault(name, {})
    tree[key[-1]] = value


class FileKey(NamedTuple):
    """A key of a file with its value, the lines above it and the comment behind it."""

    key: Key
    value: yaml.Node
    above: list[str]
    behind: str


def items_of_file(text: str) -> list[FileKey]:
    """Return all keys of a YAML file, sections before what they hold."""
    lines, found, line = text.splitlines(), [], 0

    def visit(key: Key, section: yaml.MappingNode) -> None:
        nonlocal line
        for name, value in section.value:
            is_block = isinstance(value, yaml.MappingNode) and not value.flow_style
            end = name.end_mark if is_block else value.end_mark
            behind = lines[end.line][end.column :].lstrip(": ")
            above: list[str] = []
            if not section.flow_style:
                above, line = lines[line : name.start_mark.line], end.line + 1
            found.append(FileKey((*key, str(name.value)), value, above, behind if behind[:1] == "#" else ""))
            if isinstance(value, yaml.MappingNode):
                visit(found[-1].key, value)

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode), "the file has been read before"
    visit((), root)
    return found


NO_PARTS = Parts((), (), {}, {})
"""Parts of a file that describes no vehicle, whose names stay short."""


def convert_text(text: str, label: str, parts: Parts = NO_PARTS) -> str:
    """Return a vehicle file of format 1 in `FORMAT`, comments kept; ``parts`` include those of its bases."""
    if read_text(text, label).format == FORMAT:
        raise DataError(f"{label}: it is of format {FORMAT}; nothing to convert")
    for token in yaml.scan(text):
        if isinstance(token, yaml.AliasToken):
            where = f"{label}:{token.start_mark.line + 1}"
            raise DataError(
                f"{where}: the alias *{token.value} cannot be converted; write what it stands for"
            )
    items = items_of_file(text)
    choices = {long_name(item.key, parts) for item in items if item.key[0] in WORDS and len(item.key) > 1}
    tree: Tree = {}
    above: dict[Key, list[str]] = {("format",): items[0].above}
    behind: dict[Key, str] = {}
    put(tree, ("format",), str(FORMAT))
    waiting: list[str] = []
    kept: Key | None = None
    items[0] = items[0]._replace(above=[])
    for key, value, lines, comment in sorted(items, key=lambda item: item.key[0] == "kinds"):
        if kept is not None and key[: len(kept)] == kept:
            continue
        name = long_name(key, parts)
        written = text[value.start_mark.index : value.end_mark.index].rstrip()
        is_section = isinstance(value, yaml.MappingNode)
        is_flow = isinstance(value, yaml.MappingNode) and value.flow_style
        if is_flow and not any(one[: len(name)] == name for one in choices):
            inside = [item.key for item in items if item.key[: len(key)] == key]
            if all(long_name(one, parts) == (*name, *one[len(key) :]) for one in inside):
                kept, is_section = key, False
        if is_section and key[0] in OLD_TABLES and len(key) == 1:
            waiting += [*lines, comment]
            continue
        if key[0] == "axles" and written == "none":
            name = key
        above[name] = [*above.get(name, []), *waiting, *lines]
        waiting = []
        behind[name] = behind.get(name) or comment
        if not is_section:
            answers = {"yes": "true", "no": "false"} if key[0] in WORDS else {}
            put(tree, name, answers.get(written, written))
    end = text[max(item.value.end_mark.index for item in items) :].splitlines()
    rows = [*_rows(tree, (), above, behind), *(row for row in end if row[:1] == "#")]
    return (
        "\n".join(row for before, row in pairwise(["", *rows]) if row or before[-1:] not in ("", ":")) + "\n"
    )


def _rows(tree: Tree, key: Key, above: Mapping[Key, list[str]], behind: Mapping[Key, str]) -> Iterator[str]:
    """Yield the rows of a section."""
    pad = "  " * len(key)
    of_axle = len(key) == 2 and key[0] == "axles"
    order = sorted(tree, key=lambda name: (name != "kind", of_axle and isinstance(tree[name], dict)))
    for name in order:
        node, inner = tree[name], (*key, name)
        yield from ((pad + row.strip()).rstrip() for row in above.get(inner, []))
        if not key and isinstance(node, dict) and not above.get(inner):
            yield ""
        first, *more = (f"{name}:" if isinstance(node, dict) else f"{name}: {node}").splitlines()
        rows = [pad + first, *(f"{pad}  {row.strip()}" for row in more)]
        rows[-1] = f"{rows[-1]:<{COMMENTS}}{behind[inner]}" if behind.get(inner) else rows[-1]
        yield from rows
        if isinstance(node, dict):
            yield from _rows(node, inner, above, behind)
