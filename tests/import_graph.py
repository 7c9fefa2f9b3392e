"""The import graph of the package, circles and arrows against the order: ``python -m tests.import_graph``.

Every import counts: type-only ones, those inside functions, and relative ones. ``--contracts`` checks those
of pyproject.toml with import-linter, which finds modules outside the package by the folders below.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from grimp.adaptors.packagefinder import ImportLibPackageFinder
from grimp.application.config import settings
from importlinter.cli import lint_imports

from ce_dynamics.algebra.pivoted_lu import strong_components

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    "ce_dynamics": "ce_dynamics",
    "ce_dynamics.kinematics": "kinematics",
    "ce_dynamics.models": "models",
}
ORDER = (
    ("errors", "_version"), ("algebra",), ("compiler",), ("mechanism",), ("embedding",), ("dynamics",),
    ("compiled",), ("simulation",), ("contact", "augmented", "readers"), ("complementarity", "views"),
    ("kinematics",), ("models",), ("vehicles",), ("cli",),
)  # fmt: skip
"""From the bottom up; what lies beside one another does not import one another."""

Graph = dict[str, set[str]]


def modules() -> dict[str, Path]:
    """Every module by its dotted name; packages carry the name of their folder."""
    found = {}
    for package, folder in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join((package, *parts))] = path
    return found


def graph() -> Graph:
    paths = modules()
    return {name: set(imports(name, path, paths)) - {name} for name, path in paths.items()}


def imports(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Modules of the package that a file imports, as often as it does."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                package = name if path.name == "__init__.py" else name.rpartition(".")[0]
                base = package.split(".")[: len(package.split(".")) - node.level + 1]
                source = ".".join((*base, *filter(None, (node.module,))))
            for alias in node.names:
                if f"{source}.{alias.name}" in known:
                    yield f"{source}.{alias.name}"
                elif source in known:
                    yield source


def circles(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Groups of modules each of which can be reached from every other."""
    names = list(edges)
    number = {name: k for k, name in enumerate(names)}
    groups = strong_components([[number[w] for w in targets] for targets in edges.values()])
    return [sorted(names[k] for k in group) for group in groups if len(group) > 1]


def layer(module: str) -> int | None:
    """The place of a module in the order, None of the package itself and of what has no place."""
    part = (module.split(".") + [""])[1]
    return next((k for k, names in enumerate(ORDER) if part in names), None)


def upward(edges: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """Imports that lead up, or sideways between folders of one layer."""
    found = []
    for v, targets in edges.items():
        for w in targets:
            a, b = layer(v), layer(w)
            same = v.split(".")[1:2] == w.split(".")[1:2]
            if a is not None and b is not None and (b > a or (a == b and not same)):
                found.append((v, w))
    return sorted(found)


class Folders(ImportLibPackageFinder):
    """Folders of packages, those beside ``ce_dynamics`` included."""

    def determine_package_directories(self, package_name: str, file_system: object) -> set[str]:
        return {str(ROOT / FOLDERS[package_name])}


def contracts() -> int:
    """Check the contracts with import-linter; return the exit code."""
    settings.configure(PACKAGE_FINDER=Folders())
    return int(lint_imports())


def main() -> None:
    """Print the counts, and what is against the order."""
    edges = graph()
    groups, arrows = circles(edges), upward(edges)
    top = {name.split(".")[1] for name in edges if "." in name}
    print(f"{len(edges)} modules, {sum(map(len, edges.values()))} imports, {len(top)} entries at the top")
    print(f"{len(groups)} circles of {[len(group) for group in groups]} modules")
    for group in groups:
        print("   ", *group)
    print(f"{len(arrows)} imports up")
    for v, w in arrows:
        print("   ", v, "->", w)


if __name__ == "__main__":
    if "--contracts" in sys.argv:
        sys.exit(contracts())
    main()
