"""XML elements that know where they stand, so that every message can say so."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError, ModelError

EXTRA = "reading robot files needs {package}, which is not installed; install ce-dynamics[robots]"
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
    def place(self) -> str:
        """File, line and element for a message."""
        named = self.attributes.get("name")
        label = f"<{self.tag} name={named!r}>" if named is not None else f"<{self.tag}>"
        return f"{self._path.name}, line {self.line}, {label}"

    def __iter__(self) -> Iterator[Element]:
        """Its child elements; comments and processing instructions do not count."""
        return (
            Element(child, self._path, self.included) for child in self._node if isinstance(child.tag, str)
        )

    def children(self, tag: str) -> list[Element]:
        """Child elements of one name."""
        return [child for child in self if child.tag == tag]

    def child(self, tag: str) -> Element | None:
        """The child element of a name, which may occur once."""
        found = self.children(tag)
        if len(found) > 1:
            raise found[1].error(f"<{self.tag}> has {len(found)} elements <{tag}>; keep one")
        return found[0] if found else None

    def needed(self, tag: str) -> Element:
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
            raise self.error(f"{attribute}={self.text(attribute)!r} must be {what}")
        return np.array([float(word) for word in given])


def is_finite(word: str) -> bool:
    """Whether a word is a finite number in the notation of XML files."""
    return NUMBER.fullmatch(word) is not None and math.isfinite(float(word))


def parse(path: str | Path, root_tag: str | None, *, included: bool = False) -> Element:
    """The root element of a file; it may have any name if ``root_tag`` is None.

    Raises
    ------
    DataError
        If the file cannot be read, is no well-formed XML, or has another root.
    ModelError
        If lxml is not installed.
    """
    try:
        from lxml import etree
    except ImportError as error:
        raise ModelError(EXTRA.format(package="lxml")) from error
    file = Path(path)
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
        tree = etree.parse(str(file), parser)
    except OSError as error:
        raise DataError(f"{file}: cannot be read: {error}") from error
    except etree.XMLSyntaxError as error:
        raise DataError(f"{file.name}, line {error.lineno}: not well-formed XML: {error.msg}") from error
    root = Element(tree.getroot(), file, included)
    if tree.docinfo.doctype:
        raise root.error("the file has a document type; entities are not read, write out what they stand for")
    if root_tag is not None and root.tag != root_tag:
        raise root.error(f"the root element must be <{root_tag}>")
    return root
