"""What is mutated, and which tests have to notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Subject:
    """Part of the source with the tests that answer for it.

    Parameters
    ----------
    name
        Name for the command line.
    sources
        Glob patterns, relative to the checkout.
    tests
        Files and folders of tests, the quickest witnesses first.
    """

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self, checkout: Path) -> list[Path]:
        """Source files relative to the checkout, in alphabetical order."""
        found = {path for pattern in self.sources for path in checkout.glob(pattern)}
        return sorted(path.relative_to(checkout) for path in found if path.name != "__init__.py")

    def witnesses(self, source: Path, checkout: Path) -> list[list[str]]:
        """Tests to run for one source file, in rounds: its own tests, those of the subject, all."""
        own = sorted(
            str(path.relative_to(checkout)) for path in checkout.glob(f"tests/**/test_*{source.stem}*.py")
        )
        return [tests for tests in (own, list(self.tests), ["tests"]) if tests]


SUBJECTS = (
    Subject(
        "recursion",
        ("ce_dynamics/dynamics/**/*.py", "ce_dynamics/algebra/**/*.py"),
        ("tests/ce_dynamics/dynamics", "tests/ce_dynamics/algebra", "tests/ce_dynamics/mechanism"),
    ),
    Subject("loops", ("ce_dynamics/embedding/**/*.py",), ("tests/ce_dynamics/embedding",)),
    Subject("kinematics", ("kinematics/**/*.py",), ("tests/kinematics",)),
    Subject("tyres", ("models/parts/*t[my]*.py", "models/parts/road.py"), ("tests/models/parts",)),
    Subject(
        "complementarity", ("ce_dynamics/complementarity/**/*.py",), ("tests/ce_dynamics/complementarity",)
    ),
    Subject("stepping", ("ce_dynamics/simulation/integrators/**/*.py",), ("tests/ce_dynamics/simulation",)),
)
