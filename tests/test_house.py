"""The house is in order: arrows down, no circles, few entries; tests and packages in step with it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests import graph_hashes, import_graph

ROOT = Path(__file__).resolve().parents[1]
FILES = {"__init__.py", "_version.py", "errors.py", "py.typed"}
SHARED = {"tests", "tests/ce_dynamics/random_mechanisms"}
"""Folders of tests about the whole, and of what several tests use."""


@pytest.fixture(scope="module")
def graph() -> import_graph.Graph:
    return import_graph.graph()


def folders(root: str) -> set[str]:
    """Folders with Python files, relative to the checkout; links inside the package are not followed."""
    found = {path.parent for path in (ROOT / root).rglob("*.py") if "__pycache__" not in path.parts}
    inside = {path.relative_to(ROOT).as_posix() for path in found}
    return {f for f in inside if not f.startswith(("ce_dynamics/kinematics", "ce_dynamics/models"))}


def test_no_import_leads_up_and_none_in_a_circle(graph: import_graph.Graph) -> None:
    assert len(graph) > 300
    assert import_graph.circles(graph) == []
    assert import_graph.upward(graph) == []


def test_the_counts_notice() -> None:
    edges = {
        "ce_dynamics.algebra.a": {"ce_dynamics.views.b"},
        "ce_dynamics.views.b": {"ce_dynamics.algebra.a"},
    }
    assert import_graph.upward(edges) == [("ce_dynamics.algebra.a", "ce_dynamics.views.b")]
    assert import_graph.circles(edges) == [["ce_dynamics.algebra.a", "ce_dynamics.views.b"]]
    beside = {"ce_dynamics.augmented.b": {"ce_dynamics.readers.c"}, "ce_dynamics.readers.c": set[str]()}
    assert import_graph.upward(beside) == [("ce_dynamics.augmented.b", "ce_dynamics.readers.c")]


def test_at_most_fourteen_entries_beside_four_files() -> None:
    listed = (ROOT / "ce_dynamics").iterdir()  # may hold empty folders of another time
    entries = {path.name for path in listed if path.is_file() or any(path.rglob("*.py"))} - FILES
    named = {name for names in import_graph.ORDER for name in names}
    assert entries <= named
    assert len(entries) <= 14


def test_tests_mirror_the_sources() -> None:
    sources = folders("ce_dynamics") | folders("kinematics") | folders("models")
    commands = {f for f in folders("tests") if (ROOT / f / "__main__.py").exists()}
    mirrored = folders("tests") - commands - SHARED
    assert mirrored
    astray = sorted(f for f in mirrored if f.removeprefix("tests/") not in sources)
    assert not astray, f"no folder of the sources has the name of {astray}"


def test_every_folder_is_a_package_that_is_shipped() -> None:
    listed = set()
    inside = False
    for line in (ROOT / "pyproject.toml").read_text().splitlines():
        inside = inside or line == "packages = ["
        if inside and line == "]":
            break
        if inside and line.startswith('    "'):
            listed.add(line.strip().strip('",'))
    found = {f.replace("/", ".") for f in folders("ce_dynamics")}
    found |= {"ce_dynamics." + f.replace("/", ".") for f in folders("kinematics") | folders("models")}
    assert listed == found


def unexplained(source: str) -> list[str]:
    """Imports inside functions without "here, because" or the like beside or above the first of them."""
    lines, found = source.splitlines(), []
    explained: set[int] = set()  # lines behind which nothing more need be said
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    local = {
        node.lineno: node
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    for first, node in sorted(local.items()):
        above = next(k for k in range(first - 1, 0, -1) if lines[k - 1].strip())
        own = "\n".join(lines[first - 1 : node.end_lineno])
        if "# here, " in own or lines[above - 1].lstrip().startswith("# here, ") or above in explained:
            explained.add(node.end_lineno or first)
        else:
            found.append(lines[first - 1].strip())
    return found


def test_imports_inside_functions_say_why() -> None:
    """Start-up time, what a system lacks, or an extra: anything else belongs to the top of the file."""
    bare = (
        "def f():\n    import a  # noqa: F401\n    x = 1\n    # here, because x\n    import b\n    import c\n"
    )
    assert unexplained(bare) == ["import a  # noqa: F401"]
    paths = [p for root in ("ce_dynamics", "kinematics", "models") for p in (ROOT / root).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): unexplained(path.read_text()) for path in paths}
    assert len(found) > 300
    assert {path: imports for path, imports in found.items() if imports} == {}


@pytest.mark.parametrize("word", ["Motion", "Joint", "Parameter", "Free", "InputLaw", "Linkage", "Hinge"])
def test_words_of_the_glossary_name_one_class(word: str) -> None:
    paths = [p for root in ("ce_dynamics", "kinematics", "models") for p in (ROOT / root).rglob("*.py")]
    homes = {path.resolve() for path in paths if f"\nclass {word}" in path.read_text()}
    named = [path for path in homes if re.search(rf"^class {word}\b", path.read_text(), re.MULTILINE)]
    assert len(named) == 1, named


def test_hashes_of_graphs_are_those_of_every_function_each_time() -> None:
    """What was traced before is known, and would be missing from a comparison if it were not traced again."""
    name = "A01 pendulum"
    first, again = (graph_hashes.hashes(name, graph_hashes.models()[name]) for _ in range(2))
    assert first == again
    assert {"dynamics", "observation", "mass_matrix"} < {line.split(": ")[1] for line in first}
