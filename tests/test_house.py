"""The house is in order: arrows down, no circles, few entries; tests and packages in step with it."""

import ast
import re
import sys
import timeit
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import graph_hashes, import_graph

ROOT = Path(__file__).resolve().parents[1]
FILES = {"__init__.py", "complementarity.py", "_version.py", "errors.py", "py.typed", "vehicles.py"}
SHARED = {"tests", "tests/support", "tests/ce_dynamics/random_mechanisms"}
"""Folders of tests about the whole, and of what several tests use."""


@pytest.fixture(scope="module")
def graph() -> import_graph.Graph:
    return import_graph.graph()


def folders(root: str) -> set[str]:
    """Return folders with Python files, relative to the checkout."""
    found = {path.parent for path in (ROOT / root).rglob("*.py") if "__pycache__" not in path.parts}
    return {path.relative_to(ROOT).as_posix() for path in found}


def test_no_import_leads_up_and_none_in_circle(graph: import_graph.Graph) -> None:
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


def test_at_most_fourteen_entries_beside_six_files() -> None:
    listed = (ROOT / "ce_dynamics").iterdir()  # may hold empty folders of another time
    entries = {path.name for path in listed if path.is_file() or any(path.rglob("*.py"))} - FILES
    named = {name for names in import_graph.ORDER for name in names}
    assert entries <= named
    assert len(entries) <= 14


def test_tests_mirror_the_sources() -> None:
    sources = folders("ce_dynamics") | folders("kinematics") | folders("models") | folders("docs")
    commands = {f for f in folders("tests") if "campaigns" in f or (ROOT / f / "__main__.py").exists()}
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
    if not re.search(r"^ +(import|from) ", source, re.MULTILINE):
        return []
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


expressions: Any = re._parser if sys.version_info >= (3, 11) else __import__("sre_parse")  # type: ignore[attr-defined]
FLAGS = (re.VERBOSE, re.DOTALL, re.MULTILINE, re.ASCII)
METHODS = {"match", "fullmatch", "search", "sub", "findall", "finditer", "split"}
"""Methods of regular expressions."""


def regular_expressions(source: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """Yield every regular expression that a module writes, with each method it is used by."""
    tree = ast.parse(source)
    values = {
        ast.unparse(node.targets[0]): node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)
    }
    names = {id(value): name for name, value in values.items()}
    for call in ast.walk(tree):
        if not (
            isinstance(call, ast.Call) and re.fullmatch(r"re\.\w+", ast.unparse(call.func)) and call.args
        ):
            continue
        method = ast.unparse(call.func)[3:]
        parts = call.args[0].values if isinstance(call.args[0], ast.JoinedStr) else [call.args[0]]
        text = ""
        for part in parts:
            name = ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""
            found = values.get(name, ast.Constant("name")) if name else part
            text += str(found.value) if isinstance(found, ast.Constant) else ""
        written = [ast.unparse(argument) for argument in (*call.args[1:], *(k.value for k in call.keywords))]
        if not text:  # a table of patterns
            continue
        pattern = re.compile(text, sum(flag for flag in FLAGS if f"re.{flag.name}" in " ".join(written)))
        if method in METHODS:
            yield pattern, method
        elif method == "compile":
            used = re.findall(rf"\b{re.escape(names.get(id(call), 're'))}\.({'|'.join(METHODS)})\(", source)
            yield from ((pattern, one) for one in sorted(set(used)) or ["search"])


def fitting(tree: Any) -> str:
    """Return a text that a parsed pattern fits, lookahead and positions left out."""
    text = ""
    for kind, value in tree:
        match str(kind):
            case "LITERAL":
                text += chr(value)
            case "ANY" | "NOT_LITERAL":
                text += "a"
            case "IN":
                listed = [str(one[0]) for one in value]
                text += fitting(value[:1]) if listed[0] in ("LITERAL", "RANGE", "CATEGORY") else "a"
            case "RANGE":
                text += chr(value[0])
            case "CATEGORY":
                text += "1" if "DIGIT" in str(value) else " " if str(value).endswith("_SPACE") else "a"
            case "BRANCH":
                text += fitting(value[1][0])
            case "SUBPATTERN":
                text += fitting(value[3])
            case "MAX_REPEAT" | "MIN_REPEAT":
                text += fitting(value[2]) * max(1, value[0])
    return text


def attacks(tree: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield beginnings, and pieces repeated behind them: at every repeat of a pattern, and up to there."""
    for kind, value in tree:
        name = str(kind)
        if name in ("BRANCH", "SUBPATTERN", "MAX_REPEAT", "MIN_REPEAT"):
            for body in value[1] if name == "BRANCH" else value[3:] if name == "SUBPATTERN" else value[2:]:
                yield from attacks(body, before)
        if name.endswith("REPEAT"):
            yield from ((before, piece) for piece in (fitting(value[2]), *'a1 -"\\'))
        before += fitting([(kind, value)])
        yield "", before


def slow_texts(pattern: re.Pattern[str], method: str) -> list[str]:
    """Return texts on which a pattern takes more than proportionally longer, as expressions.

    Eight times the text takes 8 times as long in linear and 64 times in quadratic time: between them lies 23.
    """

    def seconds(text: str) -> float:
        def run() -> None:
            tuple(pattern.finditer(text)) if method not in ("match", "fullmatch") else getattr(
                pattern, method
            )(text)

        return min(timeit.repeat(run, number=1, repeat=5))

    found = []
    for begin, piece in sorted(set(attacks(expressions.parse(pattern.pattern, pattern.flags)))):
        for end in ("", "\0", "\n"):
            short, long = (begin + piece * (count * 8) + end for count in (8, 64))
            if all(seconds(long) > 23.0 * seconds(short) for _ in range(3)):  # other processes disturb
                found.append(f"{begin!r} + {piece!r} * n + {end!r}")
    return found


def test_regular_expressions_take_linear_time() -> None:
    """A file of 40 kB must not take seconds, whatever is in it."""
    assert slow_texts(re.compile(r"\d+\.?\d*$"), "match")
    assert slow_texts(re.compile(r"/\*.*?\*/"), "sub")
    paths = [p for root in ("ce_dynamics", "kinematics", "models") for p in (ROOT / root).rglob("*.py")]
    uses = {
        (pattern, method): path.name
        for path in paths
        if "import re\n" in path.read_text()
        for pattern, method in regular_expressions(path.read_text())
    }
    assert len(uses) > 30
    slow = {(at, pattern.pattern): slow_texts(pattern, method) for (pattern, method), at in uses.items()}
    assert {where: texts for where, texts in slow.items() if texts} == {}


@pytest.mark.parametrize("word", ["Motion", "Joint", "Parameter", "Free", "InputLaw", "Linkage", "Hinge"])
def test_words_of_the_glossary_name_one_class(word: str) -> None:
    paths = [p for root in ("ce_dynamics", "kinematics", "models") for p in (ROOT / root).rglob("*.py")]
    homes = {path.resolve() for path in paths if f"\nclass {word}" in path.read_text()}
    named = [path for path in homes if re.search(rf"^class {word}\b", path.read_text(), re.MULTILINE)]
    assert len(named) == 1, named


def test_hashes_of_graphs_cover_every_function_each_time() -> None:
    """A function that was traced before would be missing from a comparison if it were not traced again."""
    name = "A01 pendulum"
    first, again = (graph_hashes.hashes(name, graph_hashes.models()[name]) for _ in range(2))
    assert first == again
    assert {"dynamics", "observation", "mass_matrix"} < {line.split(": ")[1] for line in first}


PLAIN = {"share", "efficiency", "seed", "waviness", "grade", "restitution", "tolerance", "rtol", "quantiles"}
"""Bounded numbers without a unit."""


def bounds_without_units(source: str) -> list[str]:
    """Return checks of numbers with bounds other than 0 that do not name the unit."""
    if not re.search(r"\b(above|at_least|below|at_most)=", source):
        return []
    found = []
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    for call in calls:
        name = ast.unparse(call.func)
        if name not in ("check_number", "finite_number", "checks.number"):
            continue
        given = {word.arg: ast.unparse(word.value) for word in call.keywords}
        bounds = {given.get(word, "0.0") for word in ("above", "at_least", "below", "at_most")}
        words = {word for arg in call.args for word in re.findall(r"\w+", ast.unparse(arg))}
        if bounds != {"0.0"} and "unit" not in given and not words & PLAIN:
            found.append(ast.unparse(call))
    return found


def test_bounds_in_messages_have_units() -> None:
    assert bounds_without_units("check_number('a', 'b', c, at_most=3.0)")
    assert not bounds_without_units("check_number('a', 'b', c, at_most=3.0, unit='m')")
    paths = [p for root in ("ce_dynamics", "kinematics", "models") for p in (ROOT / root).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): bounds_without_units(path.read_text()) for path in paths}
    lacking = {path: calls for path, calls in found.items() if calls}
    assert set(lacking) <= {"models/demonstrations/pgs_suspension.py"}  # of one that is a ratio


def test_names_of_tests_have_at_most_eight_words() -> None:
    names = [
        (path.name, name)
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^ *def (test_\w+)", path.read_text(), re.MULTILINE)
    ]
    assert len(names) > 2000
    assert [found for found in names if len(found[1].removeprefix("test_").split("_")) > 8] == []
