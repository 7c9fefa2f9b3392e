"""Defines the contract of procedures and performs their runs, with progress and kept failures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import ClassVar

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.lazy_names import FormerName
from ce_dynamics.errors import CeDynamicsError, DataError
from ce_dynamics.models.handling.outcome import Outcome
from ce_dynamics.models.handling.subject import INTERVAL, Given, Run, Subject, make_run, values_of
from ce_dynamics.models.handling.vehicle import vehicle
from ce_dynamics.models.parts.manoeuvres import Manoeuvre, Option
from ce_dynamics.models.vehicles.case import VehicleSetup
from ce_dynamics.simulation.stored_instants import INTERRUPTED

Progress = Callable[[str, float, float], None]
"""Called with the name of a run, the time reached and its duration [s]."""

SUBJECT = "a subject, such as ce_dynamics.vehicles.load('sedan')"
NOTHING: Mapping[str, Given] = MappingProxyType({})
FALLEN = 0.05
"""Part of the speed that may be lost before a manoeuvre begins."""


class Procedure(ABC):
    """Contract of a procedure: runs of a subject, and the figures that follow.

    1. ``name``, ``title``, ``standard``, ``options``: for people and the command line.
    2. `perform` makes runs by `run` and adds figures, verdicts and charts to ``outcome``.  A
       `CeDynamicsError` that it raises becomes the outcome's trouble; runs and figures up to there stay.

    Parameters
    ----------
    subject : Subject, VehicleSetup or str
        A subject; a vehicle that was loaded, such as ``ce_dynamics.vehicles.load("sedan")``, or one by name.
    progress : callable, optional
        See `Progress`.
    **given : float or str
        Options by name, in SI or with units; the others have their defaults.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    standard: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()

    def __init__(
        self, subject: Subject | VehicleSetup | str, progress: Progress | None = None, **given: Given
    ) -> None:
        if isinstance(subject, (VehicleSetup, str)):
            subject = vehicle(subject)
        checks.instance(f"{self.name}: subject", subject, Subject, SUBJECT, DataError)
        self.subject = subject
        self.progress = progress
        self.values: Mapping[str, float] = {
            option.name: subject.defaults.get(option.name, option.default) for option in self.options
        } | values_of(self.name, self.options, given)
        units = {option.name: option.unit for option in self.options}
        settings = {name: (value, units[name]) for name, value in self.values.items()}
        self.outcome = Outcome(self.name, self.title, self.standard, subject.title, settings)

    @abstractmethod
    def perform(self) -> None:
        """Make the runs and judge them."""

    finished = FormerName("perform_safely")

    def perform_safely(self) -> Outcome:
        """Perform a test, and keep completed runs if it fails."""
        try:
            self.perform()
        except CeDynamicsError as error:
            self.outcome.trouble = "; ".join(filter(None, (self.outcome.trouble, str(error))))
        if not self.outcome.trouble:
            broken = next((run for run in self.outcome.runs if run.trouble), None)
            if broken is not None:
                self.outcome.trouble = describe_early_end(broken)
        return self.outcome

    def run(
        self,
        name: str,
        kind: type[Manoeuvre],
        *,
        road: str | None = None,
        interval: float = INTERVAL,
        more: Mapping[str, Given] = NOTHING,
        practised: bool = False,
        **options: Given,
    ) -> Run:
        """Make a run and keep it, whole or not; the friction is that of the procedure, where it has one.

        `practised`: by a driver who has practised it, where that can be.
        """
        options = {**options, **more}
        if "friction" in self.values:
            options.setdefault("friction", self.values["friction"])
        task = self.subject.manoeuvre(kind, **options)

        if practised:
            task = self.subject.practise(task, road)

        def report_time(t: float) -> None:
            if self.progress is not None:
                self.progress(f"{self.name}, {name}", t, task.duration)

        report_time(0.0)
        made = make_run(self.subject, name, task, road=road, interval=interval, progress=report_time)
        self.outcome.runs.append(made)
        if made.trouble.startswith(INTERRUPTED):
            raise KeyboardInterrupt
        return made

    def whole(self, run: Run) -> Run:
        """Return the run, if it came to its end."""
        if run.trouble:
            raise DataError(describe_early_end(run))
        return run

    def valid(self, run: Run, begin: float = 0.0) -> Run:
        """Return the run if it came to its end and its figures hold from a time on [s]."""
        self.whole(run)
        wrong = run.violation(begin)
        if wrong is not None:
            raise DataError(f"{run.subject.title}, run '{run.name}': {wrong.condition}; steer or brake less")
        return run

    def note_violation(self, run: Run, begin: float = 0.0) -> None:
        """Note the first condition that a run violates from a time on [s], where that is a result itself."""
        wrong = run.violation(begin)
        if wrong is not None:
            self.outcome.notes.append(f"run '{run.name}': {wrong.condition}")

    def holds_speed(self, run: Run, until: float) -> None:
        """Refuse a vehicle that cannot hold the speed until a time [s]."""
        at = run.t <= until
        slowest = float(run.speed[at].min())
        if slowest < (1.0 - FALLEN) * run.task.speed:
            raise DataError(
                f"{self.subject.title} cannot hold {run.task.speed:.4g} m/s before the manoeuvre begins: it "
                f"falls to {slowest:.4g} m/s; give a lower speed"
            )


def describe_early_end(run: Run) -> str:
    """Describe a run that ended early: time, speed and largest lateral acceleration reached, and cause."""
    return (
        f"{run.subject.title}, run '{run.name}' ended at {run.t[-1]:.4g} of {run.task.duration:g} s, at "
        f"{run.speed[-1]:.3g} m/s with {abs(run.ay).max():.3g} m/s² of lateral acceleration at most: "
        f"{run.trouble}"
    )
