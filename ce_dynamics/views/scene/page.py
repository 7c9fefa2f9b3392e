"""One self-contained HTML file: what is shown as packed numbers, and the scripts that show it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.files import path_of, replace_on_success, shown_path
from ce_dynamics.errors import ModelError
from ce_dynamics.views.scene.shapes import Shape
from ce_dynamics.views.scene.take import Mark, Strand, Take

WEB = files("ce_dynamics.views.scene") / "web"

LIBRARY = "three.min.js"
HEIGHT = 560
"""Height of a page inside a notebook [pixels]."""
MANY = 1000
"""Points of a shape that is packed."""

IMPORT = re.compile(r'^import [^;]* from "\./([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(async )?(function|class|const|let) )", re.MULTILINE)


@contextmanager
def replace_picture(file: Path) -> Iterator[Path]:
    """Yield a temporary name, which replaces a file at the end; errors of the system are a `ModelError`."""
    try:
        with replace_on_success(file) as part:
            yield part
    except OSError as error:
        raise ModelError(f"cannot write {shown_path(file)}: {error.strerror}; choose another place") from None


class Packed:
    """Arrays behind one another in one piece of memory; their descriptions have the place of each."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, values: ArrayLike, kind: str = "f4") -> dict[str, Any]:
        """Add an array: ``f4``, ``f8``, ``u4`` or ``u1``; the answer finds it again.

        Columns of floats lie behind one another, their first bytes before their second ones: they compress
        by a third better.
        """
        found = np.ascontiguousarray(values, dtype=f"<{kind}")
        place = {"at": self._size, "kind": kind, "shape": list(found.shape)}
        content = found.tobytes()
        if kind.startswith("f") and found.size:
            columns = np.ascontiguousarray(found.reshape(len(found), -1).T)
            content = columns.view(np.uint8).reshape(-1, found.itemsize).T.tobytes()
        self._parts.append(content.ljust(-(-len(content) // 8) * 8, b"\0"))
        self._size += len(self._parts[-1])
        return place

    def text(self) -> str:
        """Return all of it, compressed, in letters."""
        return compress_text(b"".join(self._parts))


def compress_text(content: bytes) -> str:
    """Compress bytes to text that the page's `unpacked` reads; equal bytes give equal texts."""
    return base64.b64encode(gzip.compress(content, 6, mtime=0)).decode("ascii")


def script(name: str) -> str:
    """Return a module of the folder ``web`` and all that it imports as one, what others need first."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = (WEB / name).read_text("utf-8")
        for other in IMPORT.findall(text):
            if other not in parts:
                add(other)
        parts[name] = EXPORT.sub("", IMPORT.sub("", text))

    add(name)
    return "\n".join(parts.values())


class Page(ABC):
    """A page as one HTML file: no server, no network, no other files; notebooks show it inline.

    Attributes
    ----------
    title : str
    """

    title: str
    _start: ClassVar[str]
    """Script of the folder ``web`` that starts the page."""

    @abstractmethod
    def content(self, packed: Packed) -> dict[str, Any]:
        """Return the content in types of JSON; arrays go into `packed`."""

    @cached_property
    def html(self) -> str:
        """The page."""
        packed = Packed()
        content = self.content(packed)
        parts = {
            "TITLE": escape(self.title),
            "STYLE": (WEB / "page.css").read_text("utf-8"),
            "LIBRARY": compress_text((WEB / LIBRARY).read_bytes()),
            "CONTENT": json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
            "PACKED": packed.text(),
            "SCRIPT": script(self._start),
        }
        text = (WEB / "page.html").read_text("utf-8")
        return re.sub(r"@([A-Z]+)@", lambda found: parts[found[1]], text)

    def save(self, path: str | Path) -> Path:
        """Write the page.

        Raises
        ------
        ModelError
            If it cannot be written.
        """
        file = path_of("view: path", path, ModelError)
        with replace_picture(file) as beside:
            beside.write_text(self.html, "utf-8")
        return file

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" width="100%" height="{HEIGHT}" '
            f'style="border:0" title="{escape(self.title)}"></iframe>'
        )


def take_content(take: Take, packed: Packed) -> dict[str, Any]:
    """Return a take as JSON, its arrays packed."""
    return {
        "label": take.label,
        "bodies": [
            {
                "name": body.name,
                "aggregate": body.aggregate,
                "shapes": [shape_content(s, packed) for s in body.shapes],
            }
            for body in take.bodies
        ],
        "strands": [strand_content(strand) for strand in take.strands],
        "marks": [mark_content(mark) for mark in take.marks],
        "cameras": take.cameras,
        "forces": take.forces,
        "moments": list(take.moments),
        "traced": [[body, *round_values(at)] for body, at in take.traced],
        "scenery": [shape_content(shape, packed) for shape in take.scenery],
        "up": round_values(take.up),
        "weight": take.weight,
        "instruments": None if take.instruments is None else asdict(take.instruments),
        "t": packed.add(take.t, "f8"),
        "places": packed.add(take.places),
        "arrows": packed.add(take.arrows),
        "series": [
            {"name": series.name, "unit": series.unit, "values": packed.add(series.values)}
            for series in take.series
        ],
    }


def shape_content(shape: Shape, packed: Packed) -> dict[str, Any]:
    """Return a shape; points to a micrometre, or packed where they are many."""
    if len(shape.points) > MANY:
        places = {"points": packed.add(shape.points), "triangles": packed.add(shape.triangles, "u4")}
        return {
            "kind": shape.kind,
            "colour": shape.colour,
            "opacity": shape.opacity,
            "look": shape.look,
            **places,
        }
    found: dict[str, Any] = {"kind": shape.kind, "points": round_values(shape.points)}
    if shape.radius:
        found["radius"] = shape.radius
    if len(shape.triangles):
        found["triangles"] = shape.triangles.tolist()
    if shape.colour:
        found["colour"] = shape.colour
    if shape.opacity != 1.0:
        found["opacity"] = shape.opacity
    if shape.look:
        found["look"] = shape.look
    return found


def strand_content(strand: Strand) -> dict[str, Any]:
    """Return a spring, damper or cable."""
    return {
        "kind": strand.kind,
        "name": strand.name,
        "a": [strand.body_a, *round_values(strand.at_a)],
        "b": [strand.body_b, *round_values(strand.at_b)],
        "length": strand.length,
    }


def mark_content(mark: Mark) -> dict[str, Any]:
    """Return a hinge or cut edge."""
    return {
        "kind": mark.kind,
        "name": mark.name,
        "at": [mark.body, *round_values(mark.at)],
        "axes": round_values(mark.axes),
        "joint": mark.joint,
    }


def round_values(values: ArrayLike) -> Any:
    """Return numbers for JSON."""
    return np.round(np.asarray(values, dtype=float), 6).tolist()
