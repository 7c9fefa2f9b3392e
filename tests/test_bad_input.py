"""A sample of the generated bad input; ``python -m tests.bad_input`` runs all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ce_dynamics.errors import ModelError
from tests.bad_input.cases import FINE, Case, End, judged, spread
from tests.bad_input.catalogue import cases_of

SAMPLES = {
    "description": 300,
    "data file": 40,
    "sweeps": 40,
    "URDF": 80,
    "MJCF": 80,
    "runs": 120,
    "command line": 25,
    "roads": 40,
}
"""How many of each category."""


@pytest.mark.parametrize("category", SAMPLES)
def test_bad_input_is_refused_by_name(category: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cases = [case for case in cases_of(category) if category != "command line" or not case.may]  # no runs
    chosen = spread(cases, SAMPLES[category])
    assert len(chosen) == SAMPLES[category]
    ends = {case.name: judged(case) for case in chosen}
    assert {name: end for name, end in ends.items() if end[0] not in FINE} == {}


def refuse(message: str) -> None:
    raise ModelError(message)


@pytest.mark.parametrize(
    ("case", "end"),
    [
        (Case("", lambda: refuse("mass -1 kg must be above 0"), ("mass",)), End.REFUSED),
        (Case("", lambda: refuse("wrong value"), ("mass",)), End.NAMELESS),
        (Case("", lambda: refuse("mass " * 1000), ("mass",)), End.NAMELESS),
        (Case("", lambda: [][0]), End.FOREIGN),
        (Case("", lambda: None), End.SILENT),
        (Case("", lambda: None, may=True), End.ALLOWED),
    ],
)
def test_ends_are_told_apart(case: Case, end: End) -> None:
    assert judged(case)[0] is end
