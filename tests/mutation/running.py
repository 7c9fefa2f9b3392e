"""Tests on a copy of the checkout that holds one mutant.

Every round of tests runs in a process forked from one that has imported the libraries already, but nothing of
the project: that saves most of the time a killed mutant costs.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import resource
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mutation.mutants import Mutant
from tests.mutation.order import Quickest, Recorder, times
from tests.mutation.subjects import Subject

_LEFT_OUT = ".git", "__pycache__", ".*_cache", ".cache", ".hypothesis", "*.egg-info", "build"
_LIBRARIES = (
    *("pytest", "numpy", "scipy.integrate", "scipy.optimize", "scipy.linalg", "scipy.sparse"),
    *("sympy", "numba", "llvmlite.binding", "casadi", "xarray", "pydantic", "yaml"),
)
_OURS = ("ce_dynamics", "kinematics", "models", "tests")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: ``killed_by`` names the test that failed, None if all passed."""

    mutant: Mutant
    killed_by: str | None
    seconds: float
    difference: str


class BrokenTestsError(Exception):
    """Tests fail on the unchanged source, so that they could not tell a mutant from it."""


class Copy:
    """A copy of the checkout in which mutants live one after another.

    Parameters
    ----------
    checkout, folder
        What is copied, and where to.
    longest
        Tests that take longer than so many seconds on the unchanged source are not asked.
    budget
        Seconds that the tests of one mutant take at most: what they do not notice by then has survived.
    """

    def __init__(self, checkout: Path, folder: Path, longest: float, budget: float) -> None:
        self.folder = folder
        self._longest, self._budget = longest, budget
        self._stamp = int(time.time()) + 10
        for library in _LIBRARIES:
            importlib.import_module(library)
        self._sound: set[str] = set()
        shutil.copytree(checkout, folder, symlinks=True, ignore=_left_out(folder), dirs_exist_ok=True)

    def prepare(self, subject: Subject) -> dict[str, float]:
        """Seconds of each test of a subject on the unchanged source, all of which have to pass."""
        notes = self.folder / ".seconds.json"
        known: dict[str, dict[str, float]] = {}
        if notes.exists():
            known = json.loads(notes.read_text(encoding="utf-8"))
        keys = {file: f"{file} {_digest(self.folder / file)}" for file in subject.all_tests(self.folder)}
        new = [file for file, key in keys.items() if key not in known]
        if new:
            result = self._run(new, None, limit=7200)
            if result.get("failed") or not result.get("seconds"):
                raise BrokenTestsError(f"{subject.name}: {result.get('failed') or result}")
            for file in new:
                known[keys[file]] = {
                    name: took for name, took in result["seconds"].items() if name.partition("::")[0] == file
                }
            notes.write_text(json.dumps(known), encoding="utf-8")
        return {name: took for key in keys.values() for name, took in known[key].items()}

    def outcome(self, subject: Subject, mutant: Mutant) -> Outcome:
        """Run the rounds of tests on a mutant until one of them fails."""
        seconds = self.prepare(subject)
        allowed = 60 + 3 * int(self._budget)
        started = time.perf_counter()
        path = self.folder / mutant.source
        original = path.read_text(encoding="utf-8")
        changed = mutant.code(original)
        killer = None
        self._write(path, changed)
        try:
            for tests, kept in self._rounds(subject, mutant.source, seconds):
                result = self._run(tests, kept, allowed)
                if result.get("failed") or result["code"] not in (0, 5):  # 5: no test was quick enough
                    killer = (result.get("failed") or [result["why"]])[0]
                    break
        finally:
            self._write(path, original)
        if killer is not None:
            self._is_sound(killer)
        return Outcome(mutant, killer, time.perf_counter() - started, _difference(original, changed))

    def _rounds(
        self, subject: Subject, source: Path, seconds: dict[str, float]
    ) -> Iterator[tuple[list[str], Quickest]]:
        """Tests of the mutated file, the quickest files of the subject, then others while time allows."""
        kept = {name: spent for name, spent in seconds.items() if spent <= self._longest}
        took, left = times(kept), self._budget
        every = sorted(took, key=lambda file: (source.stem not in Path(file).stem, took[file]))
        chosen: list[str] = []
        for file in every:
            left -= took[file]
            if left < 0.0 and chosen:
                break
            chosen.append(file)
        first = max(1, len(chosen) // 3)
        for tests in (chosen[:first], chosen[first:]):
            if tests:
                yield tests, Quickest(kept)

    def _is_sound(self, killer: str) -> None:
        """A test that fails on the unchanged source as well has not noticed the mutant."""
        if "::" in killer and killer not in self._sound:
            result = self._run([killer], Quickest({killer: 0.0}), limit=600)
            if result.get("failed") or result["code"]:
                raise BrokenTestsError(f"{killer} fails on the unchanged source: {result}")
            self._sound.add(killer)

    def _write(self, path: Path, text: str) -> None:
        """Python and numba tell sources apart by time and size: no two writes are of one second."""
        path.write_text(text, encoding="utf-8")
        self._stamp += 2
        os.utime(path, (self._stamp, self._stamp))

    def _run(self, tests: list[str], kept: Quickest | None, limit: int) -> dict[str, Any]:
        """Run tests in a process of their own, with ``limit`` seconds of processor time."""
        report = self.folder / ".report.json"
        report.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            code = 99
            try:
                code = self._tested(tests, kept, limit, report)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            ended = {"code": -1, "why": f"signal {os.WTERMSIG(status)}"}
        else:
            ended = {"code": os.WEXITSTATUS(status), "why": f"exit code {os.WEXITSTATUS(status)}"}
        with contextlib.suppress(OSError, ValueError):
            ended |= json.loads(report.read_text(encoding="utf-8"))
        return ended

    def _tested(self, tests: list[str], kept: Quickest | None, limit: int, report: Path) -> int:
        import pytest

        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        with (self.folder / ".output.txt").open("w", encoding="utf-8") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        os.chdir(self.folder)
        os.environ |= {"PYTHONPATH": str(self.folder), "CI": "1", "MPLBACKEND": "Agg"}
        os.environ["CE_DYNAMICS_CACHE"] = str(self.folder / ".cache")
        (self.folder / ".cache").mkdir(mode=0o700, exist_ok=True)
        for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
            if name != "tests.mutation" and not name.startswith("tests.mutation."):
                del sys.modules[name]
        sys.path[:] = [str(self.folder), *(p for p in sys.path if not _is_checkout(p))]
        recorder = Recorder()
        plugins: list[object] = [recorder, kept] if kept else [recorder]
        arguments = ["-n", "0", "-q", "--no-header", "--tb=line", "-m", "not slow", "-p", "no:cacheprovider"]
        code = pytest.main([*arguments, *(["-x"] if kept else []), *tests], plugins)
        found = {"failed": recorder.failed, "seconds": dict(recorder.seconds)}
        report.write_text(json.dumps(found), encoding="utf-8")
        return int(code)


def _left_out(folder: Path) -> Callable[[str, list[str]], set[str]]:
    """What is not copied: caches, and files that are in the folder already."""
    never = shutil.ignore_patterns(*_LEFT_OUT)
    top: list[str] = []

    def ignored(place: str, names: list[str]) -> set[str]:
        top.append(place)
        there = folder / Path(place).relative_to(top[0])
        same = (name for name in names if _same(Path(place, name), there / name))
        return {*never(place, names), *same}

    return ignored


def _same(source: Path, copy: Path) -> bool:
    if source.is_symlink():
        return copy.is_symlink()
    return source.is_file() and copy.is_file() and source.read_bytes() == copy.read_bytes()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_checkout(folder: str) -> bool:
    return (Path(folder or ".") / "ce_dynamics").is_dir()


def _difference(original: str, changed: str) -> str:
    before, after = original.splitlines(), changed.splitlines()
    lines = [f"- {a.strip()}\n+ {b.strip()}" for a, b in zip(before, after, strict=False) if a != b]
    return "\n".join(lines[:2])
