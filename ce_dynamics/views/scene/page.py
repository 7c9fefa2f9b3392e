"""One self-contained HTML file: what is shown as packed numbers, and the scripts that show it."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
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


# Pictures and films of a page, drawn by a browser without a window

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
ENVIRONMENT = "CE_DYNAMICS_BROWSER"
"""Environment variable that names another browser of the family of Chromium."""
FLAGS = (
    "--headless=new",
    "--use-angle=swiftshader",  # draws without a graphics card, the same everywhere
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--window-size=1000,700",
)
BUDGET = 600_000
"""Time of a page's clock before it is looked at [ms]."""
PATIENCE = 900.0
"""For a film [s]."""
SCRIPTS = {
    ".png": "return ce.png().split(',')[1];",
    ".gif": "const film = await ce.gif(); return ce.letters(await film.arrayBuffer());",
}
"""Bodies of functions whose result is the file in base 64, by suffix."""
DRAWN = """<pre id="drawn" hidden></pre><script type="module">
const ce = await window.ce.ready;
document.getElementById("drawn").textContent = await (async () => {{ {script} }})();
</script></body>"""


def draw_page(html: str, path: str | Path) -> Path:
    """Draw a page that plays a run as a picture (.png) or film (.gif).

    Parameters
    ----------
    html : str
        Page of `ce_dynamics.view`.
    path : str or Path

    Raises
    ------
    ModelError
        If no browser is found, or it does not draw.
    """
    file = path_of("view: path", path, ModelError)
    kind = f"a {file.suffix[1:].upper()} file"
    page = html.replace("</body>", DRAWN.format(script=SCRIPTS[file.suffix.lower()]))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page, "utf-8")
        program = browser(kind)
        shown = [*command(program, Path(folder) / "profile", BUDGET), "--dump-dom", source.as_uri()]
        try:
            done = subprocess.run(shown, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ModelError(f"cannot draw {kind}: {error}; save a page (.html) instead") from None
    found = re.search(r'<pre id="drawn"[^<>]*>([A-Za-z0-9+/=]+)</pre>', done.stdout)
    if found is None:
        raise ModelError(f"cannot draw {kind}: {program} drew nothing; save a page (.html) instead")
    with replace_picture(file) as beside:
        beside.write_bytes(base64.b64decode(found[1]))
    return file


def browser(kind: str) -> str:
    """Return the path of a browser that draws a kind of file."""
    named, found = os.environ.get(ENVIRONMENT), find_browser()
    if found is None:
        missing = f"there is no {named!r}" if named else f"none of {', '.join(BROWSERS)} is installed"
        raise ModelError(
            f"cannot draw {kind}: {missing}; install Chromium, name a browser by {ENVIRONMENT}, "
            "or save a page (.html), which draws itself"
        )
    return found


def find_browser() -> str | None:
    """Return the path of the browser that `ENVIRONMENT` names, or of the first of `BROWSERS`, if any."""
    named = os.environ.get(ENVIRONMENT)
    return shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)


def command(program: str, profile: Path, budget: int) -> list[str]:
    """Return the start of a command that shows a page for some milliseconds of its own clock."""
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [program, *FLAGS, *root, f"--user-data-dir={profile}", f"--virtual-time-budget={budget}"]
