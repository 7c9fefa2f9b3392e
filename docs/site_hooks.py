"""Pages that the site has besides those of this folder: README's neighbours, and the generated reference.

``<!-- name -->`` in a page stands for the table of that name in ``docs/measured``, which commands write.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import site_reference
from griffe import Extension, GriffeLoader, Module
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {"contributing.md": "CONTRIBUTING.md", "changes.md": "CHANGELOG.md"}
LINKS = {"../CONTRIBUTING.md": "contributing.md", "../README.md": "index.md", "../CHANGELOG.md": "changes.md"}


class Outside(Extension):
    """Put the folders beside the package into it, as importing it does."""

    def on_package(self, *, pkg: Module, loader: GriffeLoader, **_: Any) -> None:
        """Load these folders with options of the loader that has read the package."""
        if pkg.name != "ce_dynamics":
            return
        for name in ("kinematics", "models"):
            own = GriffeLoader(search_paths=[ROOT], docstring_parser=loader.docstring_parser)
            module = own.load(name)
            module._modules_collection = None  # it finds names by its parent
            pkg.set_member(name, module)


def live_pages() -> dict[str, str]:
    """Return the pages with a vehicle inside, by their places on the site."""
    from ce_dynamics.models.kc.live import live_page  # here, because names of pages need no vehicles
    from ce_dynamics.models.vehicles.drive import drive_page

    return {"live/drive.html": drive_page(["sedan", "hmmwv"]).html, "live/axle.html": live_page("sedan").html}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that have no file here."""
    for name, source in BESIDE.items():
        text = (ROOT / source).read_text().replace("](docs/", "](").replace("](README.md", "](index.md")
        files.append(File.generated(config, name, content=text))
    for name, text in site_reference.pages().items():
        files.append(File.generated(config, f"reference/{name}", content=text))
    for name, content in live_pages().items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Point links to files beside this folder to their pages, and insert measured tables."""
    for old, new in LINKS.items():
        markdown = re.sub(rf"\]\({re.escape(old)}(?=[)#])", f"]({new}", markdown)
    tables = site_reference.measured()
    return re.sub(r"^<!-- (\w+) -->$", lambda m: tables.get(m[1], m[0]), markdown, flags=re.MULTILINE)
