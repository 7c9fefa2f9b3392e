"""The documentation cannot rot: what it shows is run, what that prints is compared, what it names exists.

In every page, in order: a ``python`` block is executed, all of a page in one namespace; a ``text`` block
right after it is what it prints.  In a ``console`` block the lines after ``$`` are run, and what follows is
what they print (``...`` stands for anything).  Other blocks are only shown.
"""

import contextlib
import doctest
import functools
import importlib
import io
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml

from ce_dynamics.cli.command import execute
from ce_dynamics.cli.options import SUBCOMMANDS
from ce_dynamics.compiled.model import Model
from ce_dynamics.models import hmmwv
from ce_dynamics.models.handling.procedures import PROCEDURES
from ce_dynamics.models.parts.manoeuvres import MANOEUVRES
from ce_dynamics.models.parts.roads.kinds import ROADS
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED
from ce_dynamics.models.vehicles.sections import VehicleDescription
from ce_dynamics.models.vehicles.suspensions.template import SUSPENSIONS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
site_reference = importlib.import_module("site_reference")
BESIDE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
PAGES = sorted([*(ROOT / name for name in BESIDE), *(ROOT / "docs").glob("**/*.md")])
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
TOO_SLOW = {
    "loop_closure_drift.py",  # a minute: draws a figure of docs/verification.md
    "learn_to_drive.py",  # minutes, and wants torch; docs/in-the-loop.md says what it printed
}

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(ce_dynamics|kinematics|models|tests|docs|\.ci)/[\w./-]*")
DOTTED = re.compile(r"ce_dynamics(\.\w+)+")
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@functools.cache
def reference() -> dict[str, str]:
    """Return the generated pages, which take some seconds."""
    pages: dict[str, str] = site_reference.pages()
    return pages


class Block(NamedTuple):
    """A fenced block: its language, text and first line in the page."""

    language: str
    text: str
    line: int
    after: str
    """Language of the block before it, if only blank lines lie between."""


def blocks(page: str) -> Iterator[Block]:
    end, before = 0, ""
    for match in FENCE.finditer(page):
        after = "" if page[end : match.start()].strip() else before
        yield Block(match[1], match[2], page[: match.start()].count("\n") + 1, after)
        end, before = match.end(), match[1]


def test_every_page_is_in_navigation_of_the_site() -> None:
    listed = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    written = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob("**/*.md")}
    generated = {f"reference/{page}" for page in reference()}
    assert written | generated | {"contributing.md", "changes.md"} == listed


def shown(page: Path) -> str:
    return FENCE.sub("", page.read_text())


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Examples write their files into the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    with np.printoptions():  # what a page sets does not reach the next
        yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_blocks_run_and_print_what_is_shown(page: Path) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shell, printed = Shell(), ""
    for block in blocks(page.read_text()):
        if block.language == "python":
            printed = executed(block, page, namespace)
        elif (block.language, block.after) == ("text", "python"):
            same(block.text, printed, f"{name(page)}:{block.line}")
        elif block.language == "console":
            for command, expected in commands(block.text):
                same(expected, shell.run(command), f"{name(page)}:{block.line}: {command}")
    namespace.clear()  # its functions refer to it


def executed(block: Block, page: Path, namespace: dict[str, Any]) -> str:
    code = compile("\n" * block.line + block.text, name(page), "exec", dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, namespace)
    return out.getvalue()


def commands(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


class Shell:
    """Runs the commands that pages show, in this process."""

    def __init__(self) -> None:
        self.code = 0

    def run(self, command: str) -> str:
        program, *arguments = shlex.split(command)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            if program == "simulate-vehicle":
                self.code = execute(arguments)
            elif (program, *arguments) == ("echo", "$?"):
                print(self.code)
            else:
                assert (program, len(arguments)) == ("python", 1), f"cannot run {command!r} here"
                runpy.run_path(str(ROOT / arguments[0]), run_name="__main__")
        return out.getvalue() + err.getvalue()


def same(expected: str, printed: str, where: str) -> None:
    if not doctest.OutputChecker().check_output(expected, printed, LOOSE):
        pytest.fail(f"{where}\n-- shown\n{expected}-- printed\n{printed}")


def test_the_comparison_can_fail() -> None:
    same("1  2\n...\n5\n", "1 2\n3\n4\n5\n", "anywhere")
    with pytest.raises(pytest.fail.Exception):
        same("1 2\n", "1 3\n", "anywhere")


def test_every_example_is_run_by_a_page() -> None:
    run = {
        command.removeprefix("python ")
        for page in PAGES
        for block in blocks(page.read_text())
        if block.language == "console"
        for command, _ in commands(block.text)
    }
    assert {name(path) for path in EXAMPLES if path.name not in TOO_SLOW} <= run


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(shown(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        if path.startswith("reference/"):
            generated = reference().get(path.removeprefix("reference/"))
            if generated is None or (anchor and anchor not in anchors_of(generated)):
                broken.append(target)
            continue
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert not broken


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a file."""
    return anchors_of(shown(page))


def anchors_of(text: str) -> set[str]:
    """Return the anchors of the headings, as repository hosts make them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_named_files_and_modules_exist(page: Path) -> None:
    missing = []
    for code in CODE.findall(shown(page)):
        known = True
        if FILE.fullmatch(code):
            known = (ROOT / code).exists()
        elif DOTTED.fullmatch(code):
            known = resolves(code)
        if not known:
            missing.append(code)
    assert not missing


def resolves(dotted: str) -> bool:
    """Return True if a dotted name is a module or something in one."""
    parts = dotted.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for part in parts[k:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def test_public_names_are_listed_with_their_places() -> None:
    listed = {name for members in site_reference.public().values() for name in members}
    for package in (
        "ce_dynamics",
        "ce_dynamics.kinematics",
        "ce_dynamics.models.hmmwv",
        "ce_dynamics.contact",
    ):
        prefix = "ce" if package == "ce_dynamics" else package
        names = {name for name in importlib.import_module(package).__all__ if not name.startswith("_")}
        assert {f"{prefix}.{name}" for name in names} <= listed, package


def test_reference_lists_what_registries_hold() -> None:
    """The command line, vehicles, manoeuvres, tests, roads, suspensions and quantities."""
    assert all(f"## {name}\n" in reference()["vehicles.md"] for name in SHIPPED)
    assert all(f"### `{name}`" in reference()["manoeuvres.md"] for name in MANOEUVRES)
    assert all(f"### Test `{name}`" in reference()["manoeuvres.md"] for name in PROCEDURES)
    assert all(f"## `{name}`" in reference()["roads.md"] for name in ROADS)
    assert all(f"## `{name}`" in reference()["suspensions.md"] for name in SUSPENSIONS)
    assert all(f"## simulate-vehicle {name}\n" in reference()["command-line.md"] for name in SUBCOMMANDS)
    assert "`--variant" in reference()["command-line.md"]


def test_reference_of_vehicle_files_has_every_number() -> None:
    """Every key of a shipped vehicle, its own corner's parts apart, and with unit and bounds."""
    text = reference()["vehicle-file.md"]
    keys = {".".join(number.key.split(".")[:2]) for number in VehicleParameters.load("sedan").flat()}
    missing = [
        key for key in keys if key.split(".")[0] in VehicleDescription.model_fields and f"`{key}" not in text
    ]
    assert missing == []
    assert "| `chassis.mass` | kg |" in text
    assert r"| `front.brake.max_torque` | N\*m |" in text
    assert "`ride_height`\n:   Height" in text


def test_no_unit_of_reference_is_read_as_emphasis() -> None:
    """Two asterisks that are not escaped would vanish, and set what is between in italics."""
    bare = re.compile(r"(?<![\\`*])\*(?!\*)")
    for name, text in reference().items():
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        assert [line for line in prose.splitlines() if len(bare.findall(line)) > 1] == [], name


def test_every_method_of_a_model_has_its_reference() -> None:
    pages = reference()
    public = [name for name in vars(Model) if not name.startswith("_") and callable(vars(Model)[name])]
    assert [name for name in public if f"[`model.{name}`]" not in pages["python.md"]] == []
    assert "::: ce_dynamics.compiled.analysis.mechanics.reactions\n" in pages["api/model.md"]


def test_links_into_the_python_reference_have_their_anchor() -> None:
    pages = reference()
    for name, text in pages.items():
        for page, anchor in re.findall(r"\]\((?:api/)?([\w-]+)\.md#(ce_dynamics[\w.]+)\)", text):
            assert f"::: {anchor}\n" in pages[f"api/{page}.md"], f"{name}: {anchor}"


def test_measured_tables_are_shown_by_a_page() -> None:
    shown_by = "\n".join([path.read_text() for path in PAGES] + list(reference().values()))
    named = set(re.findall(r"^<!-- (\w+) -->$", shown_by, re.MULTILINE))
    assert named <= set(site_reference.measured())


def test_commands_for_maintainers_name_existing_tests() -> None:
    named = re.findall(r"tests/[\w/.]+", (ROOT / "docs" / "maintaining.md").read_text())
    assert len(named) >= 10
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_fields_of_the_notation_exist() -> None:
    homes = {
        "embedding.motion": ("PointMotion", "BodyMotion", "HingeMotion"),
        "dynamics.outward": ("Member",),
        "dynamics.articulated_body": ("Articulated",),
    }
    fields: dict[str, set[str]] = {}
    for module, classes in homes.items():
        for each in classes:
            fields[each] = set(getattr(importlib.import_module(f"ce_dynamics.{module}"), each)._fields)
    page = shown(ROOT / "docs" / "notation.md")
    named = {each: set(re.findall(rf"`{each}\.(\w+)`", page)) for each in fields}
    assert named == {each: named[each] & fields[each] for each in fields}
    for each in homes["embedding.motion"]:
        assert len(named[each]) >= len(fields[each]) - 4, f"{each} is explained"


def test_every_variable_of_the_results_is_explained() -> None:
    meanings = yaml.safe_load(site_reference.MEANINGS.read_text(encoding="utf-8"))
    explained = [name for group in meanings for name in group.split(", ")]
    results = hmmwv.prepare(duration=0.02).simulate()
    assert sorted(explained) == sorted(map(str, results.data_vars))
    for group in meanings:  # one entry states the dimensions of all
        assert len({results[name].dims for name in group.split(", ")}) == 1, group


EQUATION = re.compile(r"\((T?\d+)\)")


def equations() -> Iterator[tuple[list[str], str, str]]:
    """Numbers, function and test of every row of the page on equations."""
    for line in (ROOT / "docs" / "from-equation-to-code.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if EQUATION.match(cells[0]):
            yield EQUATION.findall(cells[0]), cells[2].strip("`"), cells[3].strip("`")


def test_equations_are_where_their_page_says() -> None:
    """The function exists, a module of it has the paper's number, and the test exists."""
    for numbers, function, test in equations():
        parts = function.split(".")
        top = ROOT if parts[0] in ("kinematics", "models") else ROOT / "ce_dynamics"
        (k,) = (k for k in range(1, len(parts)) if top.joinpath(*parts[:k]).with_suffix(".py").is_file())
        file = top.joinpath(*parts[:k]).with_suffix(".py")
        found: Any = importlib.import_module(".".join(("ce_dynamics", *parts[:k])))
        for name in parts[k:]:
            found = getattr(found, name)
        source = file.read_text()
        assert [n for n in numbers if n.isdigit() and f"({n})" not in source] == [], function
        path, name = test.split("::")
        assert f"\ndef {name}(" in (ROOT / "tests" / path).read_text(), test


def test_page_has_every_numbered_equation() -> None:
    """Those of the paper and those that the theory adds."""
    listed = {number for numbers, *_ in equations() for number in numbers}
    theory = (ROOT / "docs" / "theory.md").read_text()
    assert listed == {str(n) for n in range(1, 33)} | set(re.findall(r"[({](T\d+)[)}]", theory))
