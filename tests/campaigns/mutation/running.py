"""Tests on a copy of the checkout that holds one mutant.

Every round of tests runs in a process forked from one that has imported the libraries already, but nothing of
the project: that saves most of the time a killed mutant costs.  All times are processor time of that process,
so that a loaded machine gives the same verdicts as an idle one.
"""

import contextlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.campaigns.mutation.mutants import Mutant
from tests.campaigns.mutation.order import Recorder, by_nearness
from tests.campaigns.mutation.records import Outcome
from tests.campaigns.mutation.subjects import Subject

HANG = 90.0
"""Processor seconds after which a test does not end; on the unchanged source it takes less than half."""
WALL = 3600
"""Seconds on the clock after which a process that waits without working is ended."""
MEMORY = 8 << 30
"""Bytes of address space: what wants more has been led astray."""
NEAREST = 3
"""Files of tests in the first round: most mutants do not live beyond it."""
_LEFT_OUT = ".git", "__pycache__", ".*_cache", ".cache", ".hypothesis", "*.egg-info", "build"
_LIBRARIES = (
    *("pytest", "numpy", "scipy.integrate", "scipy.optimize", "scipy.linalg", "scipy.sparse"),
    *("sympy", "numba", "llvmlite.binding", "casadi", "xarray", "pydantic", "yaml"),
)
_OURS = ("ce_dynamics", "kinematics", "models", "tests")


class BrokenTestsError(Exception):
    """Tests cannot be run at all."""


class Copy:
    """A copy of the checkout in which mutants live one after another.

    A mutant that its tests do not notice within ``budget`` [s] of processor time has survived.
    """

    def __init__(self, checkout: Path, folder: Path, budget: float) -> None:
        self.folder = folder
        self._budget = budget
        self._stamp = int(time.time()) + 10
        for library in _LIBRARIES:
            importlib.import_module(library)
        self._sound: set[str] = set()
        self._unsound: list[str] = []
        shutil.copytree(checkout, folder, ignore=shutil.ignore_patterns(*_LEFT_OUT), dirs_exist_ok=True)

    def outcome(self, subject: Subject, mutant: Mutant) -> Outcome:
        """Run the rounds of tests on a mutant until one of them fails."""
        path = self.folder / mutant.source
        original = path.read_text(encoding="utf-8")
        changed = mutant.code(original)
        killer: str | None = None
        spent, ran = 0.0, 0
        try:
            for tests in self._rounds(subject, mutant, original):
                killer = None
                while spent <= self._budget:
                    self._write(path, changed)
                    result = self._run(tests, self._budget - spent)
                    ran += result.get("ran", 0)
                    killer = _killer(result)
                    self._write(path, original)
                    if killer is None or self._is_sound(killer):
                        spent += result["spent"]
                        break
                if killer is not None or spent > self._budget:
                    break
        finally:
            self._write(path, original)
        return Outcome(mutant, killer, spent, ran, mutant.difference(original))

    def _rounds(self, subject: Subject, mutant: Mutant, code: str) -> Iterator[list[str]]:
        """The nearest files of tests, then all others of the subject."""
        tests = by_nearness(mutant.source, code, mutant.line, subject.tests_in(self.folder), self.folder)
        names = [str(test) for test in tests]
        yield names[:NEAREST]
        if names[NEAREST:]:
            yield names[NEAREST:]

    def _is_sound(self, killer: str) -> bool:
        """Return True if a test passes on the unchanged source, in good time; otherwise drop it."""
        if killer in self._sound:
            return True
        result = self._run([killer], HANG)
        if _killer(result) is None and result["spent"] <= HANG / 2:
            self._sound.add(killer)
            return True
        print(f"left out, as it fails or takes too long on the unchanged source: {killer}", flush=True)
        self._unsound.append(killer)
        return False

    def _write(self, path: Path, text: str) -> None:
        """Python and numba tell sources apart by time and size: no two writes are of one second."""
        path.write_text(text, encoding="utf-8")
        self._stamp += 2
        os.utime(path, (self._stamp, self._stamp))

    def _run(self, tests: list[str], budget: float) -> dict[str, Any]:
        """Run tests in a process of their own until one fails or the budget is used up."""
        report = self.folder / ".report.json"
        report.write_text("{}", encoding="utf-8")
        child = os.fork()
        if child == 0:
            code = 99
            try:
                code = self._tested(tests, budget, report)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        _, status, used = os.wait4(child, 0)
        ended: dict[str, Any] = {"spent": used.ru_utime + used.ru_stime, "code": status}
        if os.WIFSIGNALED(status):
            ended["signal"] = signal.Signals(os.WTERMSIG(status)).name
        with contextlib.suppress(OSError, ValueError):
            ended |= json.loads(report.read_text(encoding="utf-8"))
        return ended

    def _tested(self, tests: list[str], budget: float, report: Path) -> int:
        import pytest

        limit = int(max(budget, 0.0) + HANG)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(WALL)
        with (self.folder / ".output.txt").open("w", encoding="utf-8") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        os.chdir(self.folder)
        os.environ |= {"PYTHONPATH": str(self.folder), "CI": "1", "MPLBACKEND": "Agg"}
        os.environ["CE_DYNAMICS_CACHE"] = str(self.folder / ".cache")
        (self.folder / ".cache").mkdir(mode=0o700, exist_ok=True)
        for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
            if name != "tests.campaigns.mutation" and not name.startswith("tests.campaigns.mutation."):
                del sys.modules[name]
        sys.path[:] = [str(self.folder), *(p for p in sys.path if not _is_checkout(p))]
        recorder = Recorder(report, budget)
        arguments = ["-n", "0", "-q", "-x", "--no-header", "--tb=line", "-m", "not slow"]
        without = [f"--deselect={name}" for name in self._unsound]
        code = pytest.main([*arguments, "-p", "no:cacheprovider", *without, *tests], [recorder])
        found = {"failed": recorder.failed, "ran": recorder.ran, "ended": int(code)}
        report.write_text(json.dumps(found), encoding="utf-8")
        return int(code)


def _killer(result: dict[str, Any]) -> str | None:
    """The test that failed, or that ran as the process was ended; None if all passed."""
    if result.get("failed"):
        return str(result["failed"][0])
    if "running" in result:  # it did not come to its own report
        return str(result["running"])
    if result.get("ended") in (0, 2, 5):  # passed, the budget used up, no test
        return None
    raise BrokenTestsError(f"tests did not run: {result}")


def _is_checkout(folder: str) -> bool:
    return (Path(folder or ".") / "ce_dynamics").is_dir()
