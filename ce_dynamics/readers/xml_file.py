"""XML elements that know where they stand, so that every message can say so."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError, ModelError

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
    """An XML element with its file and line.

    Attributes
    ----------
    tag : str
        Its name; that of a foreign name space comes with the prefix of the file, as ``xacro:property``.
    included : bool
        Whether it stands in a file that another one includes.
    """

    def __init__(self, node: Any, path: Path, included: bool = False) -> None:
        self._node = node
        self._path = path
        self.included = included
        tag = str(node.tag)
        local = tag.rpartition("}")[2]
        self.tag = f"{node.prefix}:{local}" if tag.startswith("{") and node.prefix else local

    @property
    def path(self) -> Path:
        """The file it stands in."""
        return self._path

    @property
    def line(self) -> int:
        """Line of the file, from 1."""
        return int(self._node.sourceline)

    @property
    def attributes(self) -> dict[str, str]:
        """Attributes by name."""
        return {str(name): str(value) for name, value in self._node.attrib.items()}

    @property
    def content(self) -> str:
        """Text between the tags of the element, without blanks around it."""
        return str(self._node.text or "").strip()

    @content.setter
    def content(self, text: str) -> None:
        self._node.text = text

    def set(self, attribute: str, value: str) -> None:
        """Change an attribute."""
        self._node.set(attribute, value)

    def add(self, tag: str, attributes: dict[str, str], like: Element) -> Element:
        """A new child element, which messages place where another stands."""
        node = self._node.makeelement(tag, attributes)
        self._node.append(node)
        node.sourceline = like.line
        return Element(node, self._path, self.included)

    def move_to(self, parent: Element) -> None:
        """Make it the last child of another element."""
        parent._node.append(self._node)

    def remove(self) -> None:
        """Take it out of what it stands in."""
        self._node.getparent().remove(self._node)

    def values(self, count: int) -> Array:
        """So many finite numbers as its content, separated by blanks."""
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
        return f"{self._path.name}, line {self.line}, {label}"

    def __iter__(self) -> Iterator[Element]:
        """Its child elements; comments and processing instructions do not count."""
        nodes = [child for child in self._node if isinstance(child.tag, str)]
        return (Element(child, self._path, self.included) for child in nodes)

    def children(self, tag: str) -> list[Element]:
        """Child elements of one name."""
        return [child for child in self if child.tag == tag]

    def child(self, tag: str) -> Element | None:
        """The child element of a name, which may occur once."""
        found = self.children(tag)
        if len(found) > 1:
            raise found[1].error(f"<{self.tag}> has {len(found)} elements <{tag}>; keep one")
        return found[0] if found else None

    def find_required(self, tag: str) -> Element:
        """The child element of a name, which must occur once."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"element <{tag}> is missing")
        return found

    def error(self, problem: str) -> DataError:
        """An error about this element."""
        return DataError(f"{self.place}: {problem}")

    def text(self, attribute: str, default: str | None = None) -> str:
        """An attribute, which must be there if no default is given."""
        value = self.attributes.get(attribute, default)
        if value is None:
            raise self.error(f"attribute {attribute!r} is missing")
        return value

    def number(self, attribute: str, default: float | None = None) -> float:
        """A finite number."""
        if default is not None and attribute not in self.attributes:
            return default
        return float(self.numbers(attribute, 1)[0])

    def numbers(self, attribute: str, count: int, default: tuple[float, ...] | None = None) -> Array:
        """So many finite numbers, separated by blanks."""
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
    """The root element of a file; it may have any name if ``root_tag`` is None."""
    try:
        from lxml import etree  # here, because an extra installs it
    except ImportError as error:
        raise ModelError(EXTRA.format(package="lxml")) from error
    file = files.path_of("robot file", path)
    content = files.read("robot file", file, LARGEST_FILE)
    if content.startswith(POINTER):
        raise DataError(
            f"{file.name} is a pointer of Git LFS, not the file itself: fetch it with git lfs pull"
        )
    measure(content, file)
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
        node = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        said = " ".join(str(error.msg).split())
        raise DataError(f"{file.name}, line {error.lineno}: not well-formed XML: {said}") from error
    except ValueError as error:
        raise DataError(f"{file.name}: not well-formed XML: {error}") from error
    root = Element(node, file, included)
    if root_tag is not None and root.tag != root_tag:
        raise root.error(f"the root element must be <{root_tag}>")
    return root


def measure(content: bytes, file: Path) -> None:
    """Refuse what would take a parser long, as it is read: its time grows faster than what it reads.

    What is not well-formed is left to the parser, which says so in better words.
    """
    parser = expat.ParserCreate()
    elements = depth = 0

    def refuse(problem: str) -> NoReturn:
        raise DataError(f"{file.name}, line {parser.CurrentLineNumber}: {problem}")

    def start(tag: str, attributes: list[str]) -> None:
        nonlocal elements, depth
        elements, depth = elements + 1, depth + 1
        if elements > MOST_ELEMENTS:
            refuse(f"the file has more than {MOST_ELEMENTS} elements")
        if depth > DEEPEST:
            refuse(f"more than {DEEPEST} elements stand in one another")
        if len(attributes) > 2 * MOST_ATTRIBUTES:
            shown = checks.show(tag)
            refuse(f"element {shown} has {len(attributes) // 2} attributes, {MOST_ATTRIBUTES} are allowed")

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1

    def document_type(*given: object) -> None:
        refuse("the file has a document type; entities are not read, write out what they stand for")

    parser.ordered_attributes = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = document_type
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        if error.code == UNKNOWN_ENCODING:
            refuse("its encoding is not known; save it as UTF-8")
    except DataError:
        raise
    except (LookupError, ValueError):
        refuse("its encoding is not known; save it as UTF-8")
