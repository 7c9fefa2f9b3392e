"""What the site has besides the pages of this folder: README's neighbours, pages to try, the API reference.

A reference page belongs to a stage, a folder of the package, and names all modules in it: nothing is listed
by hand.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from griffe import Extension, GriffeLoader, Module
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {"contributing.md": "CONTRIBUTING.md", "changes.md": "CHANGELOG.md"}
LINKS = {"../CONTRIBUTING.md": "contributing.md", "../README.md": "index.md", "../CHANGELOG.md": "changes.md"}
HOMES = {"kinematics": ROOT / "kinematics", "models": ROOT / "models"}


class Outside(Extension):
    """Put the folders beside the package into it, as importing it does."""

    def on_package(self, *, pkg: Module, loader: GriffeLoader, **_: Any) -> None:
        """Load these folders with options of the loader that has read the package."""
        if pkg.name != "ce_dynamics":
            return
        for name in HOMES:
            own = GriffeLoader(search_paths=[ROOT], docstring_parser=loader.docstring_parser)
            module = own.load(name)
            module._modules_collection = None  # it finds names by its parent
            pkg.set_member(name, module)


def stages() -> list[str]:
    """The folders of the package."""
    package = ROOT / "ce_dynamics"
    folders = [path.name for path in package.iterdir() if (path / "__init__.py").exists()]
    return sorted({*folders, *HOMES})


def modules(stage: str) -> list[str]:
    """Dotted names of a stage and of everything in it."""
    home = HOMES.get(stage, ROOT / "ce_dynamics" / stage)
    found = []
    for path in sorted(home.rglob("*.py")):
        parts = path.relative_to(home).with_suffix("").parts
        if parts[-1] == "__main__":
            continue
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        found.append(".".join(("ce_dynamics", stage, *parts)))
    return sorted(found)


def page(stage: str) -> str:
    """The reference page of one stage."""
    text = [f"# ce_dynamics.{stage}", ""]
    for name in modules(stage):
        text += [f"::: {name}", *(("    options: {members: []}",) if is_package(name) else ()), ""]
    return "\n".join(text)


def is_package(name: str) -> bool:
    """Whether a module is a folder, whose names are shown where they come from."""
    _, stage, *rest = name.split(".")
    return HOMES.get(stage, ROOT / "ce_dynamics" / stage).joinpath(*rest).is_dir()


def public_names() -> str:
    """The page of the names that ``import ce_dynamics as ce`` offers."""
    text = ["# ce_dynamics", "", "What `import ce_dynamics as ce` offers, and where it comes from.", ""]
    text += ["| name | |", "| --- | --- |"]
    for name, home in sorted(exported().items()):
        stage = home.split(".")[1]
        where = f"[`{home}`]({stage}.md#{home}.{name})" if stage in stages() else f"`{home}`"
        text.append(f"| `ce.{name}` | {where} |")
    return "\n".join((*text, "", "::: ce_dynamics.errors", ""))


def exported() -> dict[str, str]:
    """Public names and the modules that define them, as the package says it."""
    names: dict[str, str] = {}
    for node in ast.walk(ast.parse((ROOT / "ce_dynamics" / "__init__.py").read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ce_dynamics."):
            names |= {
                alias.asname or alias.name: definer(node.module or "", alias.name) for alias in node.names
            }
    return {name: home for name, home in names.items() if not name.startswith("_")}


def definer(module: str, name: str) -> str:
    """The module that defines what another one hands on."""
    path = ROOT / Path(*module.split(".")) / "__init__.py"
    if path.exists():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
                return definer(node.module or module, name)
    return module


def live_pages() -> dict[str, str]:
    """Return the pages to try on the home page, by their places on the site."""
    from ce_dynamics.models.kc.live import live_page  # here, because names of pages need no vehicles
    from ce_dynamics.models.vehicles.drive import drive_page

    return {"live/drive.html": drive_page(["sedan", "hmmwv"]).html, "live/axle.html": live_page("sedan").html}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that have no file here."""
    for name, source in BESIDE.items():
        text = (ROOT / source).read_text().replace("](docs/", "](").replace("](README.md", "](index.md")
        files.append(File.generated(config, name, content=text))
    for stage in stages():
        files.append(File.generated(config, f"reference/{stage}.md", content=page(stage)))
    files.append(File.generated(config, "reference/ce_dynamics.md", content=public_names()))
    for name, content in live_pages().items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to files beside this folder lead to their pages."""
    for old, new in LINKS.items():
        markdown = re.sub(rf"\]\({re.escape(old)}(?=[)#])", f"]({new}", markdown)
    return markdown
