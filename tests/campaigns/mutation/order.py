"""Order of tests, and the notes of their runs: the likeliest witnesses of a change come first."""

import ast
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


class Recorder:
    """Pytest plugin: notes the test that runs, which failed, and stops when the budget is used up.

    The file ``notes`` names the test that runs, for the case that it ends the process; behind ``budget`` [s]
    of processor time no further test is begun.
    """

    def __init__(self, notes: Path, budget: float) -> None:
        self._notes, self._budget, self._began = notes, budget, time.process_time()
        self.failed: list[str] = []
        self.ran = 0

    @property
    def spent(self) -> float:
        return time.process_time() - self._began

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self.ran += 1
        self._notes.write_text(json.dumps({"running": nodeid}), encoding="utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of one test is over."""
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be imported fails."""
        if report.failed:
            self.failed.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin nothing that the budget does not cover."""
        if self.spent > self._budget:
            item.session.shouldstop = "the budget is used up"
            pytest.skip("the budget is used up")


def by_nearness(source: Path, code: str, line: int, tests: list[Path], checkout: Path) -> list[Path]:
    """Test files, the nearest to a line of a source file first.

    Near are, in this order: the file of the same name in the tree of tests; files that speak of the functions
    and classes around the line; files that speak of the module or of anything it defines; files in the folder
    that mirrors the module's.  Among equals the shorter is asked first.
    """
    around = [name for name in enclosing(code, line) if not name.startswith("__")]
    defined = [name for name in public_names(code) if not name.startswith("_")]
    mirror = Path("tests") / source.parent

    def distance(test: Path) -> tuple[int, int]:
        text = (checkout / test).read_text(encoding="utf-8")
        words = set(re.findall(r"\w+", text))
        near = 8 * (test == mirror / f"test_{source.stem}.py")
        near += 4 * (source.stem in test.stem or source.stem == test.parent.name)
        near += 4 * sum(name in words for name in around)
        near += 2 * (any(name in words for name in defined) or source.stem in words)
        near += (test.parent == mirror) + (mirror in test.parents)
        return -near, len(text)

    return sorted(tests, key=distance)


def enclosing(code: str, line: int) -> list[str]:
    """Names of the functions and classes around a line."""
    return [
        node.name
        for node in ast.walk(ast.parse(code))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        and first_line(node) <= line <= (node.end_lineno or node.lineno)
    ]


def first_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    """Return the first line of a definition with its decorators."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def public_names(code: str) -> Iterator[str]:
    for node in ast.parse(code).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
