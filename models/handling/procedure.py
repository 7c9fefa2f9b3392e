"""Contract of procedures; their runs, with progress and kept failures; amplitudes of the steering."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.lazy_names import FormerName
from ce_dynamics.errors import CeDynamicsError, DataError
from ce_dynamics.models.data.quantities import parse_values
from ce_dynamics.models.handling.outcome import Outcome
from ce_dynamics.models.handling.subject import INTERVAL, Given, Run, Subject, make_run
from ce_dynamics.models.handling.vehicle import vehicle
from ce_dynamics.models.parts.manoeuvres import Manoeuvre, Option, RampSteer
from ce_dynamics.models.vehicles.case import VehicleSetup
from ce_dynamics.simulation.options import INTERRUPTED

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
        } | parse_values(self.name, self.options, given)
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

    def note_early_end(self, run: Run) -> None:
        """Note why a run ended early, where that is a result itself."""
        self.outcome.notes.append(describe_early_end(run))
        runs = self.outcome.runs
        runs[runs.index(run)] = replace(run, trouble="")

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


LOCK = Option(
    "lock",
    "rad",
    math.radians(540.0),
    "steering-wheel angle at full lock",
    above=0.0,
)
"""One and a half turns unless given: vehicles' data have no steering wheel."""


BEGIN = 1.0
"""When the steering begins [s]."""
SLOWNESS = 3.0
"""Time that each m/s² of lateral acceleration takes [s³/m]."""
SHORTEST, LONGEST = 12.0, 60.0
"""Times that a ramp takes [s]."""


def ramp(procedure: Procedure, speed: float, ay: float, sign: float = 1.0, margin: float = 1.3) -> Run:
    """Return a run in which the steering rises as far as a lateral acceleration may take, with a margin.

    The driver model's data of the vehicle determine how far that is; full lock is the most.
    """
    subject = procedure.subject
    angle = margin * ay * (subject.wheelbase / speed**2 + max(subject.driver.understeer, 0.0))
    lock = abs(float(subject.locks()[1][int(sign > 0.0)]))
    steer = subject.steering_for(sign * min(angle, lock))
    lasts = min(max(SLOWNESS * margin * ay, SHORTEST), LONGEST)
    side = "left" if sign > 0.0 else "right"
    run = procedure.run(
        f"ramp-{side}",
        RampSteer,
        speed=speed,
        steer=steer,
        rate=abs(steer) / lasts,
        start=BEGIN,
        duration=BEGIN + lasts,
    )
    procedure.holds_speed(run, BEGIN)
    return run


def steering_at(procedure: Procedure, speed: float, ay: float, sign: float = 1.0) -> float:
    """Find the steering input for a lateral acceleration [m/s²] at a speed [m/s], by a slow ramp."""
    reached, why = 0.0, ""
    for margin in (1.5, 3.0):
        run = ramp(procedure, speed, ay, sign, margin)
        wrong = run.violation(BEGIN, steady=True)
        end = len(run.t) if wrong is None else max(int(np.searchsorted(run.t, wrong.t)), 1)
        why = "" if wrong is None else f" ({wrong.condition})"
        rising = np.maximum.accumulate(sign * run.ay[:end])
        if rising[-1] >= ay:
            k = int(np.argmax(rising >= ay))
            begin = max(k - 1, 0)
            return float(np.interp(ay, rising[begin : k + 1], run["steering"][begin : k + 1]))
        reached = max(reached, float(rising[-1]))
    raise DataError(
        f"{procedure.subject.title} reaches {reached:.3g} m/s² of lateral acceleration at {speed:.4g} m/s, "
        f"{ay:.3g} m/s² are asked for{why}; give a lower one, or another speed"
    )
