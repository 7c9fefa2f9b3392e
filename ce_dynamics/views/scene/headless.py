"""Pictures and films of a page, drawn by a browser without a window."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ce_dynamics.algebra.files import path_of
from ce_dynamics.errors import ModelError
from ce_dynamics.views.scene.page import replace_picture

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
PAGE = """<pre id="drawn" hidden></pre><script type="module">
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
    page = html.replace("</body>", PAGE.format(script=SCRIPTS[file.suffix.lower()]))
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
