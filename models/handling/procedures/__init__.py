"""Procedures of standards, one file for each kind of test; their list, and tests by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.outcome import Outcome
from ce_dynamics.models.handling.procedure import SUBJECT, Procedure, Progress
from ce_dynamics.models.handling.procedures.cornering import (
    ConstantRadiusTest,
    ConstantSpeedTest,
    ConstantSteeringTest,
    StepInputTest,
)
from ce_dynamics.models.handling.procedures.frequency_input import FrequencyInputTest, RandomInputTest
from ce_dynamics.models.handling.procedures.lane_changes import DoubleLaneChangeTest, ObstacleAvoidanceTest
from ce_dynamics.models.handling.procedures.ride import ModesTest, RideTest
from ce_dynamics.models.handling.procedures.sine_with_dwell import FishhookTest, JTurnTest, SineWithDwellTest
from ce_dynamics.models.handling.procedures.straight_line import (
    AccelerationTest,
    BrakingTest,
    SplitBrakingTest,
)
from ce_dynamics.models.handling.procedures.turn_events import BrakeInTurnTest, PowerOffTest
from ce_dynamics.models.handling.subject import Given, Subject
from ce_dynamics.models.vehicles.case import VehicleSetup

PROCEDURES: Mapping[str, type[Procedure]] = {
    kind.name: kind
    for kind in (
        ConstantRadiusTest,
        ConstantSpeedTest,
        ConstantSteeringTest,
        StepInputTest,
        FrequencyInputTest,
        RandomInputTest,
        DoubleLaneChangeTest,
        ObstacleAvoidanceTest,
        PowerOffTest,
        BrakeInTurnTest,
        SineWithDwellTest,
        JTurnTest,
        FishhookTest,
        BrakingTest,
        SplitBrakingTest,
        AccelerationTest,
        RideTest,
        ModesTest,
    )
}
"""Procedures in the order of reports."""


def perform(
    name: str, subject: Subject | VehicleSetup | str, progress: Progress | None = None, **options: Given
) -> Outcome:
    """Put a subject to a test.

    Parameters
    ----------
    name : str
        A key of `PROCEDURES`.
    subject : Subject, VehicleSetup or str
        A subject, such as ``vehicle("sedan")``; a vehicle that was loaded, or one by name.
    progress : callable, optional
        Called with the name of a run, the time reached and its duration [s].
    **options : float or str
        Options of the procedure, in SI or with units.

    Returns
    -------
    Outcome
        Figures, verdicts, charts and runs.  What a vehicle cannot do is its ``trouble``, with what was
        reached.
    """
    checks.text("perform: name", name, DataError)
    return procedure(name)(subject, progress, **options).perform_safely()


def compare(
    names: Sequence[str],
    subjects: Sequence[Subject],
    progress: Progress | None = None,
    options: Mapping[str, Mapping[str, Given]] | None = None,
) -> dict[str, list[Outcome]]:
    """Put several subjects to several tests.

    Parameters
    ----------
    names : sequence of str
        Keys of `PROCEDURES`.
    subjects : sequence of Subject
        With different titles.
    progress : callable, optional
        As of `perform`.
    options : mapping of str to mapping, optional
        Options by procedure.

    Returns
    -------
    dict of str to list of Outcome
        By procedure, in the order of the subjects.
    """
    made = procedures(names, subjects, progress, options)
    return {name: [one.perform_safely() for one in ones] for name, ones in made.items()}


def procedures(
    names: Sequence[str],
    subjects: Sequence[Subject],
    progress: Progress | None = None,
    options: Mapping[str, Mapping[str, Given]] | None = None,
) -> dict[str, list[Procedure]]:
    """Return the procedures that `compare` performs, by test, checked but not yet performed."""
    checks.texts("compare: names", names, DataError)
    for subject in checks.items("compare: subjects", subjects, error=DataError):
        checks.instance("compare: subjects: entry", subject, Subject, SUBJECT, DataError)
    if not names or not subjects:
        raise DataError("compare: name at least one test and one subject")
    titles = [subject.title for subject in subjects]
    twice = next((title for k, title in enumerate(titles) if title in titles[:k]), None)
    if twice is not None:
        raise DataError(f"two of what is compared are called {checks.show(twice)}; give each its own title")
    given = {} if options is None else options
    for name in given:
        if name not in names:
            raise DataError(
                f"options are given for '{name}', which is not among the tests {', '.join(names)}"
            )
    return {
        name: [procedure(name)(subject, progress, **given.get(name, {})) for subject in subjects]
        for name in names
    }


def procedure(name: str) -> type[Procedure]:
    """Return a procedure by its name."""
    if name not in PROCEDURES:
        raise DataError(f"unknown test {checks.show(name)}{checks.known_are(name, PROCEDURES)}")
    return PROCEDURES[name]
