"""XML elements with their file and line, which every message names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError

EXTRA = "reading robot files needs {package}, which is not installed; install ce-dynamics[robots]"
POINTER = b"version https://git-lfs.github.com/spec/"
"""First bytes of a Git LFS pointer file, which stands in place of the content."""
LARGEST_FILE = 16 * 2**20
"""Bytes of a robot file."""
MOST_ELEMENTS = 100_000
"""Elements of a robot file."""
MOST_ATTRIBUTES = 200
"""Attributes of an element."""
DEEPEST = 250
"""Elements of a robot file that stand in one another."""
UNKNOWN_ENCODING = expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class Element:
    """An XML element with its place in a file.

    Attributes
    ----------
    tag : str
        Its name; with the prefix of the file where that has a name space, as ``xacro:property``.
    attributes : dict of str to str
    path : Path
        File that has it.
    line : int
        Line of the file, from 1.
    included : bool
        True if another file includes that file.
    content : str
        Its own text, without blanks around it.
    """

    def __init__(
        self, tag: str, attributes: dict[str, str], path: Path, line: int, included: bool = False
    ) -> None:
        self.tag, self.attributes = tag, attributes
        self.path, self.line, self.included = path, line, included
        self.content = ""
        self._children: list[Element] = []

    def append(self, child: Element) -> None:
        """Make an element the last child."""
        self._children.append(child)

    def remove(self, child: Element) -> None:
        """Take out a child."""
        self._children.remove(child)

    def add(self, tag: str, attributes: dict[str, str], like: Element) -> Element:
        """Append a new child element, which messages place where another stands."""
        child = Element(tag, attributes, self.path, like.line, self.included)
        self.append(child)
        return child

    def values(self, count: int) -> Array:
        """Return a given number of finite numbers from its content, separated by blanks."""
        given = self.content.split()
        if len(given) != count or not all(is_finite(word) for word in given):
            what = "a finite number" if count == 1 else f"{count} finite numbers separated by blanks"
            raise self.error(f"{checks.show(self.content)} must be {what}")
        return np.array([float(word) for word in given])

    @property
    def place(self) -> str:
        """File, line and element for a message."""
        named = self.attributes.get("name")
        tag = self.tag if len(self.tag) <= checks.LONGEST else f"{self.tag[: checks.LONGEST]}…"
        label = f"<{tag} name={checks.show(named)}>" if named is not None else f"<{tag}>"
        return f"{self.path.name}, line {self.line}, {label}"

    def __iter__(self) -> Iterator[Element]:
        """Yield its child elements, as they are now."""
        return iter([*self._children])

    def children(self, tag: str) -> list[Element]:
        """Return child elements of one name."""
        return [child for child in self if child.tag == tag]

    def child(self, tag: str) -> Element | None:
        """Return the child element of a name, which may occur once."""
        found = self.children(tag)
        if len(found) > 1:
            raise found[1].error(f"<{self.tag}> has {len(found)} elements <{tag}>; keep one")
        return found[0] if found else None

    def find_required(self, tag: str) -> Element:
        """Return the child element of a name, which must occur once."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"element <{tag}> is missing")
        return found

    def error(self, problem: str) -> DataError:
        """Return an error about this element."""
        return DataError(f"{self.place}: {problem}")

    def text(self, attribute: str, default: str | None = None) -> str:
        """Return an attribute, which must be there if no default is given."""
        value = self.attributes.get(attribute, default)
        if value is None:
            raise self.error(f"attribute {attribute!r} is missing")
        return value

    def number(self, attribute: str, default: float | None = None) -> float:
        """Return a finite number."""
        if default is not None and attribute not in self.attributes:
            return default
        return float(self.numbers(attribute, 1)[0])

    def numbers(self, attribute: str, count: int, default: tuple[float, ...] | None = None) -> Array:
        """Return a given number of finite numbers, separated by blanks."""
        if default is not None and attribute not in self.attributes:
            return np.array(default)
        given = self.text(attribute).split()
        if len(given) != count or not all(is_finite(word) for word in given):
            what = "a finite number" if count == 1 else f"{count} finite numbers separated by blanks"
            raise self.error(f"{attribute}={checks.show(self.text(attribute))} must be {what}")
        return np.array([float(word) for word in given])


def is_finite(word: str) -> bool:
    """Return True if a word is a finite number in the notation of XML files."""
    return NUMBER.fullmatch(word) is not None and math.isfinite(float(word))


def parse(path: str | Path, root_tag: str | None, *, included: bool = False) -> Element:
    """Return the root element of a file, which may have any name if ``root_tag`` is None.

    Refuses files that cannot be read, are not well-formed, exceed a limit (`LARGEST_FILE`, `MOST_ELEMENTS`,
    `MOST_ATTRIBUTES`, `DEEPEST`), have a document type, or another root.
    """
    file = files.path_of("robot file", path)
    content = files.read("robot file", file, LARGEST_FILE)
    if content.startswith(POINTER):
        raise DataError(
            f"{file.name} is a pointer of Git LFS, not the file itself: fetch it with git lfs pull"
        )
    root = build_tree(content, file, included)
    if root_tag is not None and root.tag != root_tag:
        raise root.error(f"the root element must be <{root_tag}>")
    return root


def build_tree(content: bytes, file: Path, included: bool) -> Element:
    """Return the root of the elements of a file."""
    parser = expat.ParserCreate(namespace_separator="\n")
    parser.namespace_prefixes = parser.ordered_attributes = parser.buffer_text = True
    root = Element("", {}, file, 0)
    open_elements, texts, count = [root], [list[str]()], 0

    def refuse(problem: str) -> NoReturn:
        raise DataError(f"{file.name}, line {parser.CurrentLineNumber}: {problem}")

    def start(name: str, given: list[str]) -> None:
        nonlocal count
        count += 1
        if count > MOST_ELEMENTS:
            refuse(f"the file has more than {MOST_ELEMENTS} elements")
        if len(open_elements) > DEEPEST:
            refuse(f"more than {DEEPEST} elements stand in one another")
        if len(given) > 2 * MOST_ATTRIBUTES:
            shown = checks.show(name)
            refuse(f"element {shown} has {len(given) // 2} attributes, {MOST_ATTRIBUTES} are allowed")
        attributes = dict(zip(map(with_prefix, given[::2]), given[1::2], strict=True))
        element = Element(with_prefix(name), attributes, file, parser.CurrentLineNumber, included)
        open_elements[-1].append(element)
        open_elements.append(element)
        texts.append([])

    def end(name: str) -> None:
        open_elements.pop().content = "".join(texts.pop()).strip()

    def text(characters: str) -> None:
        texts[-1].append(characters)

    def document_type(*given: object) -> None:
        refuse("the file has a document type; entities are not read, write out what they stand for")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, document_type
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        if error.code == UNKNOWN_ENCODING:
            refuse("its encoding is not known; save it as UTF-8")
        refuse(f"not well-formed XML: {expat.ErrorString(error.code)}")
    except DataError:
        raise
    except (LookupError, ValueError):
        refuse("its encoding is not known; save it as UTF-8")
    return root._children[0]


def with_prefix(name: str) -> str:
    """Return a name with the prefix of its name space, if it has one."""
    _, *local = name.split("\n")  # the name space, the name in it and the prefix, where there is one
    return ":".join(reversed(local)) if local else name
