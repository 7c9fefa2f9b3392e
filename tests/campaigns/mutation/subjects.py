"""Subjects of mutation, and the tests that have to notice."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Subject:
    """Part of the source (glob patterns) with the tests that answer for it."""

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self, checkout: Path) -> list[Path]:
        """Source files relative to the checkout, in alphabetical order."""
        found = {path for pattern in self.sources for path in checkout.glob(pattern)}
        return sorted(path.relative_to(checkout) for path in found if path.name != "__init__.py")

    def tests_in(self, checkout: Path) -> list[Path]:
        """Files of tests that answer for the subject, relative to the checkout."""
        found: list[Path] = []
        for place in self.tests:
            path = checkout / place
            files = [path] if path.is_file() else sorted(path.glob("**/test_*.py"))
            found += [file.relative_to(checkout) for file in files]
        return list(dict.fromkeys(found))


_WHOLE = ("tests/ce_dynamics/test_components.py", "tests/ce_dynamics/test_random_mechanisms.py")

SUBJECTS = (
    Subject(
        "recursion",
        ("ce_dynamics/dynamics/**/*.py", "ce_dynamics/algebra/**/*.py"),
        (
            *("tests/ce_dynamics/dynamics", "tests/ce_dynamics/algebra", "tests/ce_dynamics/mechanism"),
            *("tests/ce_dynamics/compiled", "tests/ce_dynamics/augmented", *_WHOLE),
        ),
    ),
    Subject(
        "loops",
        ("ce_dynamics/embedding/**/*.py",),
        ("tests/ce_dynamics/embedding", "tests/ce_dynamics/mechanism", "tests/ce_dynamics/compiled", *_WHOLE),
    ),
    Subject("kinematics", ("kinematics/**/*.py",), ("tests/kinematics", "tests/models/vehicles/hmmwv")),
    Subject(
        "tyres",
        ("models/parts/*t[my]*.py", "models/parts/roads/*.py", "models/tyres/**/*.py"),
        ("tests/models/tyres/test_tmeasy_forces.py", "tests/models/parts/roads", "tests/models/tyres"),
    ),
    Subject("contact", ("ce_dynamics/contact/**/*.py",), ("tests/ce_dynamics/contact",)),
    Subject(
        "stepping",
        ("ce_dynamics/simulation/integrators/**/*.py", "ce_dynamics/compiled/integration_methods.py"),
        ("tests/ce_dynamics/simulation",),
    ),
)
