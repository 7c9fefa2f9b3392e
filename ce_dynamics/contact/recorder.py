"""Recorder of a run in equal steps, and the results of the run.

When cables go slack or taut and contacts open or close.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Booleans
from ce_dynamics.contact.embedded import UnilateralModel
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.problem import Solution
from ce_dynamics.dynamics.state import Entry
from ce_dynamics.simulation.monitors.postconditions import Fault, Postconditions
from ce_dynamics.simulation.results import (
    WORK,
    ResultVariable,
    external_work,
    hinge_columns,
    observe_run,
    record,
)
from ce_dynamics.simulation.right_hand_side import RightHandSide

if TYPE_CHECKING:
    import xarray as xr


NEGLIGIBLE = 1e-9
"""Share of the largest impulse below which an impulse is rounding of the iteration."""


class Event(NamedTuple):
    """A unilateral row that began or ceased to carry load.

    Attributes
    ----------
    time : float
        End of the step in which its impulse appeared or vanished [s].
    row : str
    active : bool
        Whether it carries load from here on: taut, closed, at the stop.
    """

    time: float
    row: str
    active: bool


class EventWatch:
    """Collects events of the watched rows, a mask (m,), from the impulses of successive steps."""

    def __init__(self, names: Sequence[str], watched: Booleans) -> None:
        self.events: list[Event] = []
        self._names, self._watched = names, watched
        self._active = np.zeros(len(names), dtype=bool)
        self._largest = 0.0  # of the run: after a jerk, what iterations leave is no load

    def look(self, t: float, p: Floats) -> None:
        """Take note of the impulses of the step that ends at t."""
        self._largest = max(self._largest, float(p.max())) if p.size else self._largest
        active = self._watched & (p > NEGLIGIBLE * self._largest)
        if not (active != self._active).any():
            return
        for k in np.flatnonzero(active != self._active):
            self.events.append(Event(t, self._names[int(k)], bool(active[k])))
        self._active = active


@dataclass(frozen=True, eq=False)
class Statistics:
    """Cost of a run.

    Attributes
    ----------
    steps : int
    sweeps_mean, sweeps_max : float
        Mean and largest number of sweeps of an iterative solver per problem.
    residual_max : float
        Largest residual [m/s or rad/s].
    wall : float
        Wall time [s].
    unresolved : int
        Problems whose residual exceeds the solver's tolerance; the steps use their best impulses.
    smooth : int
        Steps of higher order and parts of such steps.
    """

    steps: int
    sweeps_mean: float
    sweeps_max: float
    residual_max: float
    wall: float
    unresolved: int = 0
    smooth: int = 0


@dataclass(frozen=True, eq=False)
class ContactRun:
    """Results of a run.

    Attributes
    ----------
    results : xarray.Dataset
        What `ce_dynamics.simulate` returns, and over ``time`` and ``row``: ``multiplier`` (the force or
        torque of the step that ends at an instant, at first of that which begins there; for an impact the
        impulse divided by the step), ``gap``;
        over ``time``: ``work`` of prescribed motions, and of force elements beyond what they store;
        ``contact_work`` of the rows.  Both together change ``energy``, to the order of the step.
    events : list of Event
    statistics : Statistics
    """

    results: xr.Dataset
    events: list[Event]
    statistics: Statistics


class Stored(NamedTuple):
    """Stored data of one instant; see `ContactRun`."""

    t: float
    y: Floats
    gap: Floats
    force: Floats
    work: float
    contact_work: float


class Recorder:
    """Keeps what a run is to remember."""

    def __init__(
        self, unilateral: UnilateralModel, h: float, every: int, hinges: Sequence[Entry] = ()
    ) -> None:
        self.unilateral, self.h, self.every, self.hinges = unilateral, h, every, hinges
        self.watch = EventWatch(unilateral.row_names, unilateral.unilateral)
        self.count = self.problems = self.sweeps_sum = self.sweeps_max = self.unresolved = self.smooth = 0
        self.work = self.contact_work = self.residual = self.speed = 0.0
        self.stored: list[Stored] = []
        self._last: Stored | None = None  # without its gaps
        self._way: list[tuple[float, Floats, float]] = []

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return self.count * self.h

    @property
    def y(self) -> Floats:
        """State reached."""
        return self._way[-1][1]

    @property
    def way(self) -> tuple[Floats, Floats, Floats]:
        """Times, states and work done so far, of all steps."""
        t, Y, work = (np.array(part) for part in zip(*self._way, strict=True))
        return t, Y, work

    def record_state(self, y: Floats, force: Floats) -> None:
        """Take note of a state; all of them, where loops have dead centres to be watched."""
        here = self.t, y, self.work + self.contact_work
        self._last = Stored(self.t, y, force, force, self.work, self.contact_work)
        if self.unilateral.model.geared_loops:
            self._way.append(here)
        else:
            self._way = [here]  # at once: Ctrl-C may come between any two statements

    def record_solution(self, solution: Solution, rate: Floats) -> None:
        """Take note of how well a problem was solved."""
        self.problems += 1
        self.sweeps_sum += solution.sweeps
        self.sweeps_max = max(self.sweeps_max, solution.sweeps)
        self.unresolved += not solution.converged
        self.residual = max(self.residual, solution.residual)
        self.speed = max(self.speed, float(np.max(np.abs(rate), initial=0.0)))

    def store(self, law: RightHandSide, y: Floats, force: Floats) -> None:
        """Store an instant."""
        gap = self.unilateral.stage(self.t, y, law.inputs_at(self.t, y)).psi
        self.stored.append(Stored(self.t, y, gap, force, self.work, self.contact_work))

    def store_last(self, law: RightHandSide) -> None:
        """Store the state that a run was ended in, where it lies behind the last stored instant."""
        last = self._last
        if last is not None and self.stored and last.t > self.stored[-1].t:
            stage = self.unilateral.stage(last.t, last.y, law.inputs_at(last.t, last.y))
            self.stored.append(last._replace(gap=stage.psi))

    def forget_after(self, t: float) -> None:
        """Drop what is not sound, but for the start."""
        self.stored = [one for one in self.stored if one.t <= t] or self.stored[:1]
        self.watch.events = [event for event in self.watch.events if event.time <= t]

    def inputs(self, law: RightHandSide) -> tuple[Floats, Floats]:
        """Return the stored instants, and the inputs at each."""
        t = np.array([one.t for one in self.stored])
        return t, law.inputs_over(t, np.array([one.y for one in self.stored]))

    def run(self, law: RightHandSide, wall: float, solver: Solver) -> tuple[ContactRun, Fault | None]:
        """Return the stored data as a `ContactRun`, and the first broken promise or None."""
        _, Y, gap, force, work, contact_work = (np.array(part) for part in zip(*self.stored, strict=True))
        t, U = self.inputs(law)
        model = self.unilateral.model
        about = {
            "system": model.system.name,
            "step": self.h,
            "solver": repr(solver),
            "wall_time_s": wall,
            "real_time_factor": self.t / wall if wall > 0.0 else math.inf,
        }
        seen = observe_run(model, Y, U)
        recorded = record(model, t, Y, U, about, seen)
        recorded["work"] = ResultVariable(
            ("time",), external_work(work, recorded), {"units": "J", "long_name": WORK}
        )
        recorded.variables |= hinge_columns(model, Y, U, self.hinges)
        results = recorded.dataset()
        results = results.assign_coords(row=list(self.unilateral.row_names))
        results["multiplier"] = (("time", "row"), force, {"units": "N or N m"})
        results["gap"] = (("time", "row"), gap, {"units": "m or rad"})
        results["contact_work"] = ("time", contact_work, {"units": "J", "long_name": "work of the rows"})
        statistics = Statistics(
            self.count,
            self.sweeps_sum / max(self.problems, 1),
            float(self.sweeps_max),
            self.residual,
            wall,
            self.unresolved,
            self.smooth,
        )
        return ContactRun(results, self.watch.events, statistics), Postconditions.of(model).first_fault(
            t, Y, U, seen
        )
