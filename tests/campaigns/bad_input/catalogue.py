"""All cases by category, in an order that is always the same."""

from collections.abc import Sequence
from functools import cache, lru_cache
from inspect import signature
from types import ModuleType

from tests.campaigns.bad_input import (
    analyses,
    chrono_files,
    command_line,
    controllers,
    data_file,
    description,
    elements,
    mjcf,
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

MODULES: dict[str, ModuleType] = {
    "description": description, "runs": runs, "data file": data_file, "command line": command_line,
    "sweeps": sweeps, "URDF": urdf, "MJCF": mjcf, "studies": studies, "roads": roads,
    "vehicle parts": vehicle_parts, "vehicle files": vehicle_files,
    "elements": elements, "controllers": controllers, "analyses": analyses, "procedures": procedures,
    "pages": pages, "Chrono files": chrono_files, "surroundings": surroundings,
}  # fmt: skip
"""Modules by category; functions ``of_...`` without arguments return their cases."""
CATEGORIES = tuple(MODULES)


@lru_cache(maxsize=1)  # those of all vehicles' files take 85 MiB
def cases_of(category: str) -> Sequence[Case]:
    module = MODULES[category]
    makers = [
        made
        for name, made in vars(module).items()
        if name.startswith("of_") and made.__module__ == module.__name__ and not signature(made).parameters
    ]
    return [case for make in makers for case in make()]


@cache
def prepare(category: str) -> None:
    """Compile loops before cases of a category are timed."""
    getattr(MODULES[category], "prepare", lambda: None)()
