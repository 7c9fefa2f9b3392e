"""Reads Chrono's files, notes what is not done, and writes sections of our data files."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias, TypeVar

import yaml

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.reading import Assignment, DataFile, read_text
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject

Sections: TypeAlias = "dict[str, Any]"
"""A part of a data file: texts, booleans and sections by their keys."""


def as_numbers(node: Any) -> object:
    """Return texts of bare numbers as numbers, which need no quotes."""
    if isinstance(node, dict):
        return {name: as_numbers(value) for name, value in node.items()}
    if isinstance(node, int):
        return node
    try:
        return float(node)
    except ValueError:
        return node


def yaml_text(sections: Sections, heading: str = "") -> str:
    """Return a data file."""
    body: str = yaml.safe_dump(as_numbers(sections), sort_keys=False, allow_unicode=True, width=110, indent=2)
    comment = "".join(f"# {line}".rstrip() + "\n" for line in heading.splitlines())
    return f"{comment}\n{body}" if comment else body


def write_data_file(text: str, name: str) -> DataFile:
    """Return a data file written from Chrono's file of a name, with its numbers.

    Its lines are not those of that file.
    """
    file, where = read_text(text, name), f"{name}, as converted"
    entries = [Assignment(key, replace(entry, where=where)) for key, entry in file.entries]
    return file._replace(entries=entries)


Answer = TypeVar("Answer")
MOST_FOLDERS = 8
"""Above a vehicle's file, in which the names of other files may begin."""
MOST_FILES = 500
"""Read for one vehicle."""


def is_file(path: Path) -> bool:
    """Return True if the file exists; False if its name is too long for the file system."""
    try:
        return path.is_file()
    except OSError:
        return False


class Reading:
    """The files of one vehicle, which name each other from a common folder somewhere above its own file.

    ``like_chrono`` copies Chrono's documented quirks, ``elastic`` lets joints with bushings yield; ``lock``
    is the part of the files' full lock that is taken.
    """

    def __init__(self, path: Path, like_chrono: bool = False, elastic: bool = False) -> None:
        self.path = path
        self.like_chrono, self.elastic = like_chrono, elastic
        self.files: dict[Path, JsonObject] = {}
        self.notes: dict[str, None] = {}
        self.origins: dict[str, str] = {}
        self.root: Path | None = None
        self.lock = 1.0

    def note(self, text: str) -> None:
        """Note a deviation from the files, each once."""
        self.notes.setdefault(text)

    def open(self, path: Path) -> JsonObject:
        """Return a file, read once."""
        if path not in self.files:
            if len(self.files) == MOST_FILES:
                raise DataError(
                    f"{self.path.name}: names more than {MOST_FILES} files; no vehicle needs as many"
                )
            self.files[path] = JsonObject.of(path)
        return self.files[path]

    def section(self, name: str, part: JsonObject) -> JsonObject:
        """Return a file that a section of ours comes from."""
        self.origins[name] = part.path.name
        return part

    def file(self, part: JsonObject, key: str) -> JsonObject:
        return self.open(self.path_of(part, key))

    def path_of(self, part: JsonObject, key: str) -> Path:
        """Return the path of the file that a key names."""
        return self.find_file(part.text(key), part.path.parent, lambda problem: part.key_error(key, problem))

    def find_file(self, name: str, naming: Path, wrong: Callable[[str], DataError]) -> Path:
        """Return the file of a name: below the common folder, or beside the vehicle's own file.

        What begins with ``..`` is counted from the folder of the file that names it.
        """
        # Chrono puts the folder of the data before a name, whatever that begins with.
        relative = PurePosixPath(posixpath.normpath(name.replace("\\", "/").strip().lstrip("/")))
        if ".." in relative.parts:
            path = Path(os.path.normpath(naming / relative))
            if is_file(path):
                return path
            raise wrong(f"no file {checks.show(name)}, counted from {naming}; correct the path")
        for folder in self.folders():
            path = folder / relative
            if is_file(path):
                if self.root is None and len(relative.parts) > 1:
                    self.root = folder
                return path
        beside = self.path.parent / relative.name
        if is_file(beside):
            self.note(f"{name}: no such file, {beside.name} beside {self.path.name} is taken")
            return beside
        raise wrong(
            f"no file {checks.show(name)} in a folder above {self.path.name}; put it there, as in Chrono's "
            "folder data/vehicle"
        )

    def folders(self) -> Iterable[Path]:
        """Yield the folders to which file names may be relative."""
        own = Path(os.path.realpath(self.path)).parent
        if self.root is not None:
            yield self.root
        yield own
        yield from list(own.parents)[:MOST_FOLDERS]

    def by_template(self, part: JsonObject, what: str, table: Mapping[str, Answer]) -> Answer:
        """Return the entry of a part's template."""
        template = part.template
        if template not in table:
            raise part.key_error(
                "Template",
                f"{checks.show(template)} is no {what} that can be read; "
                f"known are {', '.join(sorted(table))}",
            )
        return table[template]

    def unread_keys(self) -> Sequence[str]:
        """Return keys that were not read, with their file."""
        return [f"{path.name}: {key}" for path, part in self.files.items() for key in part.unread_keys()]
