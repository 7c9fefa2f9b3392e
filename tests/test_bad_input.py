"""A sample of the generated bad input; ``python -m tests.campaign bad_input`` runs all of it."""

import importlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import ModelError
from ce_dynamics.models import kc
from tests.campaigns.bad_input.cases import FINE, Case, End, judged, judged_within_limits, spread
from tests.campaigns.bad_input.catalogue import CATEGORIES, cases_of, prepare
from tests.campaigns.bad_input.command_line import SHORT, command
from tests.campaigns.bad_input.runs import model
from tests.models.kc.soft_sedan import soft_sedan

SAMPLES = {
    "description": 300, "data file": 40, "sweeps": 40, "URDF": 80, "MJCF": 80, "runs": 120,
    "command line": 25, "roads": 40, "elements": 160, "controllers": 20, "vehicle files": 30,
    "Chrono files": 120,
}  # fmt: skip
"""Number of cases of each category."""


@pytest.mark.parametrize("category", SAMPLES)
def test_bad_input_is_refused_by_name(category: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cases = [case for case in cases_of(category) if category != "command line" or not case.may]  # no runs
    cases = [case for case in cases if not case.name.startswith("memory")]  # those take the campaign's limits
    chosen = spread(cases, SAMPLES[category])
    assert len(chosen) == SAMPLES[category]
    ends = {case.name: judged(case) for case in chosen}
    assert {name: end for name, end in ends.items() if end[0] not in FINE} == {}


if "CE_DYNAMICS_BAD_INPUT" in os.environ:  # python -m tests.campaign bad_input
    EVERY = [
        pytest.param(category, number, id=f"{category}-{number}-{case.name.isascii() and case.name[:60]}")
        for category in os.environ["CE_DYNAMICS_BAD_INPUT"].split(",")
        for number, case in enumerate(cases_of(category))
    ]

    @pytest.mark.parametrize(("category", "number"), EVERY)
    def test_every_case(category: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        prepare(category)
        end, said = judged_within_limits(cases_of(category)[number])
        assert end in FINE, (cases_of(category)[number].name, said[:300])


ARGUMENTS = {
    "studies": (
        "simulate_study(",
        "recommend_method(",
        "steady_state(",
        "simulate_sensitivities(",
        "export_c(",
        "export_fmu(",
    ),
    "vehicle parts": ("VehicleEnv(", "tyre.tir: "),
    "analyses": ("",),
    "elements": ("",),
    "procedures": ("",),
}
"""Functions of which every argument is tried, and files of which every key is."""


@pytest.mark.parametrize("category", ARGUMENTS)
def test_every_argument_is_checked(category: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chosen: dict[str, Case] = {}
    for case in cases_of(category):
        start = next((start for start in ARGUMENTS[category] if case.name.startswith(start)), None)
        if start is None or case.may:
            continue
        name, _, value = case.name.removeprefix(start).partition(" = " if start == "tyre.tir: " else ":")
        if value == "'inf'" or (start != "tyre.tir: " and name != "model"):
            chosen[f"{start}{name}"] = case  # the last of its values
    ends = {case.name: judged(case) for case in chosen.values()}
    assert len(ends) >= 30
    assert {name: end for name, end in ends.items() if end[0] not in FINE} == {}


PUBLIC = tuple(
    f"ce_dynamics{name}"
    for name in (
        "", ".augmented", ".contact", ".kinematics", ".vehicles", ".models.environments", ".models.handling",
        ".models.hmmwv", ".models.kc", ".models.parts.roads", ".models.tyres",
    )
)  # fmt: skip
RETURNED = {
    "AugmentedInstant", "Body", "BodyState", "Case", "Changes", "Chart", "Coefficients", "Constraints",
    "ContactRun", "Description", "Elastic", "EndOfTravel", "Ends", "Event", "Feature", "FrictionSolution",
    "HmmwvParameters", "InputLaw", "Judgement", "Line", "Linkage", "Model", "Optimum", "Outcome", "Outputs",
    "Recommendation", "RigidRows", "RigidRun", "RowRank", "Run", "SaddleSolution", "Scatter", "Solution",
    "Start", "SteadyState", "StoredPoses", "Trajectory", "TyreFile", "TyreFit", "Uniqueness", "Vehicle",
    "VehicleSubject", "Verdict", "View",
}  # fmt: skip
"""Classes whose objects the library makes."""
DERIVED = {
    "Augmented", "CablePath", "ClosedForm", "Coupling", "Cut", "ForceElement", "Friction", "Hinge", "Joint",
    "Kind", "Law", "Motion", "Procedure", "Road", "RoadTyre", "Row", "RowKind", "Solver", "Subject",
    "Surface", "Task", "TyreModel", "UnilateralElement",
}  # fmt: skip
"""Classes to derive from, protocols, and lists of words."""
FORMULAS = {
    "compute_accelerations", "compute_states", "four_bar_angles", "four_bar_rates", "four_bar_second",
    "register", "shock_angles", "shock_rates", "shock_second",
}  # fmt: skip
"""Formulas of traced scalars, whose callers check their arguments; and what has no arguments."""
READ = {
    "BrushTyre", "ContactMassTyre", "EnsembleOptions", "FialaTyre", "LinearTyre", "MagicFormula",
    "MagicFormulaTyre", "Pac89Tyre", "TMeasyTyre", "TMsimpleTyre", "read_opencrg",
}  # fmt: skip
"""Classes that generated files, and the options of tried functions, are read into, number by number."""


def test_public_names_are_tried_with_bad_input() -> None:
    tried: set[str] = set()
    for category in set(CATEGORIES) - {"command line", "sweeps"}:
        for case in cases_of(category):
            tried.update(re.findall(r"[A-Za-z_]\w+", re.split("[:(]", case.name)[0]))
    names = {
        name
        for package in map(importlib.import_module, PUBLIC)
        for name in package.__all__
        if callable(found := getattr(package, name))
        and not (isinstance(found, type) and issubclass(found, BaseException))
    }
    assert len(names) > 150
    assert names - tried - RETURNED - DERIVED - FORMULAS - READ == set()


COMMANDS = (  # how they end
    "'--forces' '0:inf'",
    "'--travel' 'nan:1'",
    "'drive' '--slider' 'chassis.mass=2:1'",
    "'drive' '--step' '10'",
    "'export' 'fmu' '--output' 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse_by_name(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (case,) = [case for case in cases_of("command line") if case.name.endswith(command)]
    end, said = judged(case)
    assert end is End.REFUSED, said


WRONG_THINGS = (
    "body surrogate", "vehicle: circle", "Chrono: circle", "property file: pipe", "study: pipe",
    "property file: endless", "crg, packed: folder",
)  # fmt: skip


@pytest.mark.parametrize("name", WRONG_THINGS)
def test_what_is_no_file_or_name_is_refused(name: str) -> None:
    (case,) = [case for case in cases_of("surroundings") if case.name == name]
    end, said = judged(case)
    assert end is End.REFUSED, said


def read_bushing(folder: Path, forces: str) -> None:
    """Read a force law of a bushing with other forces."""
    kc.compliance_of(str(soft_sedan(folder, changed=("(-6, -1.5, 0, 1.5, 6) kN", forces))), "front")


def run_titled(folder: Path) -> None:
    """Run a vehicle with a zero byte in its title."""
    (folder / "a.yaml").write_text('base: sedan\ntitle: "\\0"\n', "utf-8")
    command("--vehicle", str(folder / "a.yaml"), *SHORT, "--output", str(folder))


MISTAKES: dict[str, tuple[Callable[[Path], object], str]] = {
    "step": (lambda _: ce.simulate(model(), duration=0.01, method="dopri5", step=1e-3), "step"),
    "steps of many": (
        lambda _: ce.simulate_ensemble(model(), np.zeros((2, 4)), duration=0.01, method="dopri5", step=1e-3),
        "step",
    ),
    "four forces": (lambda folder: read_bushing(folder, "(-6, -1.5, 0, 6) kN"), "force"),
    "falling forces": (lambda folder: read_bushing(folder, "(6, 1.5, 0, -1.5, -6) kN"), "force"),
    "view": (
        lambda folder: command(*SHORT, "--output", str(folder / "out"), "--view", str(folder)),
        "folder",
    ),
    "tyre": (
        lambda folder: command("handling", "--tyre", "front=", "--output", str(folder / "out")),
        "tyre",
    ),
    "title": (run_titled, "title"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_that_people_make_are_refused(name: str, tmp_path: Path) -> None:
    make, word = MISTAKES[name]
    end, said = judged(Case(name, lambda: make(tmp_path), (word,)))
    assert end is End.REFUSED, said


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
