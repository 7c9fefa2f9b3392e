"""All cases by category, in an order that is always the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from tests.campaigns.bad_input import (
    analyses,
    by_hand,
    chrono_files,
    command_line,
    controllers,
    data_file,
    description,
    elements,
    mjcf,
    more_commands,
    pages,
    procedures,
    roads,
    runs,
    studies,
    surroundings,
    sweeps,
    urdf,
    vehicle_files,
    vehicle_parts,
)
from tests.campaigns.bad_input.cases import Case

MAKERS: dict[str, Callable[[], list[Case]]] = {
    "description": description.cases, "runs": runs.cases, "data file": data_file.cases,
    "command line": command_line.cases, "sweeps": sweeps.cases, "URDF": urdf.cases, "MJCF": mjcf.cases,
    "studies": studies.cases, "roads": roads.cases, "vehicle parts": vehicle_parts.cases,
    "more commands": more_commands.cases, "vehicle files": vehicle_files.cases, "elements": elements.cases,
    "controllers": controllers.cases, "analyses": analyses.cases, "procedures": procedures.cases,
    "pages": pages.cases, "Chrono files": chrono_files.cases, "surroundings": surroundings.cases,
    "by hand": by_hand.cases,
}  # fmt: skip
CATEGORIES = tuple(MAKERS)
PREPARATIONS: dict[str, Callable[[], None]] = {
    "runs": runs.prepare, "command line": command_line.prepare, "studies": studies.prepare,
    "vehicle parts": vehicle_parts.prepare, "more commands": more_commands.prepare,
    "analyses": analyses.prepare, "pages": pages.prepare, "surroundings": surroundings.prepare,
}  # fmt: skip


@cache
def cases_of(category: str) -> Sequence[Case]:
    """The cases of a category."""
    return MAKERS[category]()


def prepare(category: str) -> None:
    """What cases of a category are not to be charged for: loops that are compiled when first used."""
    PREPARATIONS.get(category, lambda: None)()


def tasks(categories: Sequence[str], sample: int | None = None) -> list[tuple[str, int]]:
    """Category and number of the cases to run; of each category a sample, evenly from all of it."""
    chosen = []
    for category in categories:
        total = len(cases_of(category))
        n = total if sample is None else min(sample, total)
        chosen += [(category, (k * total) // n) for k in range(n)]
    return chosen
