"""Tests on a copy of the checkout that holds one mutant."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.subjects import Subject

_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", ".mypy_cache", ".ruff_cache", "*.egg-info", "build")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: ``killed_by`` names the round of tests that failed, None if all passed."""

    mutant: Mutant
    killed_by: str | None
    seconds: float
    difference: str


class Copy:
    """A copy of the checkout in which mutants live one after another."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.checkout = checkout
        self.folder = folder
        shutil.copytree(checkout, folder, symlinks=True, ignore=_LEFT_OUT)

    def outcome(self, subject: Subject, mutant: Mutant, timeout: float) -> Outcome:
        """Run the rounds of tests on a mutant until one of them fails."""
        started = time.perf_counter()
        path = self.folder / mutant.source
        original = path.read_text(encoding="utf-8")
        changed = mutant.code(original)
        path.write_text(changed, encoding="utf-8")
        try:
            killer = self._killer(subject.witnesses(mutant.source, self.folder), timeout)
        finally:
            path.write_text(original, encoding="utf-8")
        return Outcome(mutant, killer, time.perf_counter() - started, _difference(original, changed))

    def _killer(self, rounds: list[list[str]], timeout: float) -> str | None:
        for tests in rounds:
            if not self._passes(tests, timeout):
                return " ".join(tests)
        return None

    def _passes(self, tests: list[str], timeout: float) -> bool:
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        environment["CE_DYNAMICS_CACHE"] = str(self.folder / ".cache")
        command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "--no-header", "--tb=no", *tests]
        try:
            ended = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired:
            return False  # a mutant that never ends is noticed
        return ended.returncode == 0


def _difference(original: str, changed: str) -> str:
    before, after = original.splitlines(), changed.splitlines()
    lines = [f"- {a.strip()}\n+ {b.strip()}" for a, b in zip(before, after, strict=False) if a != b]
    return "\n".join(lines[:2])
