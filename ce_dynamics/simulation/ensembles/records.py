"""The results of an ensemble as they come in, and as one data set."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import FIXED, IMPLICIT
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.variables import Variable, variables
from ce_dynamics.errors import AccuracyWarning, ModelError
from ce_dynamics.mechanism.signals import Excess, furthest_out, out_of_ranges, warn_out_of_range
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.integrators.settings import Settings, substeps
from ce_dynamics.simulation.monitors.failure_location import explain_break
from ce_dynamics.simulation.monitors.postconditions import Fault, Postconditions
from ce_dynamics.simulation.monitors.reach import explain_dead_centre
from ce_dynamics.simulation.monitors.unstable_steps import too_long
from ce_dynamics.simulation.options import BROKEN_SLOPES, INTERRUPTED, NOT_FINITE_AT_START
from ce_dynamics.simulation.results import dependent_hinges, hinge_columns, label_entries

if TYPE_CHECKING:
    import xarray as xr

    from ce_dynamics.simulation.ensembles.lanes import LaneOutcome


class HeldAt(NamedTuple):
    """Inputs as they were at the last state of a run."""

    u: Floats

    def inputs_at(self, t: float, y: Floats) -> Floats:
        """Return the inputs."""
        return self.u


CLOSURE_ERROR = "closure_error"
OUTPUTS, CLOSURES = 2, 3
"""Places of outputs and closure errors among the parts of an outcome, after states and inputs."""
NOT_FINITE = "met accelerations that are not finite"
LOOKED_AT = 8  # number of runs whose steps are checked


class Records:
    """Variables over run and time, and what became of each run.

    Threads write the runs of their groups at the same time: no two the same.  ``keep`` names variables, all
    if None; ``hinges`` bodies whose dependent hinges are kept too.
    """

    def __init__(
        self,
        model: Model,
        runs: Runs,
        t: Floats,
        keep: Sequence[str] | None,
        hinges: Iterable[str] | str = (),
    ) -> None:
        self.model = model
        self.t = t
        self.runs = runs
        parameters = {parameter.name for parameter in model.layout.parameters}
        self.parameters = [v for v in model.variables if parameters & set(v.entries)]
        known = {v.name: v for v in model.variables if v not in self.parameters}
        closures = len(model.system.closures)
        self._hinges = dependent_hinges(model, hinges)
        self.dependent = variables(self._hinges, model.system.groups)
        allowed = [*known, *([CLOSURE_ERROR] if closures else []), *(v.name for v in self.dependent)]
        for name in keep or ():
            if name not in allowed:
                raise ModelError(f"no variable {name!r} to keep; there are {allowed}")
        wanted = allowed if keep is None else keep
        self.variables: list[Variable] = [known[name] for name in wanted if name in known]
        layout, number = model.layout, runs.number
        self._places = {
            name: (part, k)
            for part, entries in enumerate(
                ([*layout.q, *layout.v, *layout.x], layout.u, model.output_entries)
            )
            for k, name in enumerate(entry.name for entry in entries)
        }
        # Left empty: the thread that writes a run touches its memory first.
        self.values = {v.name: np.empty((number, len(t), len(v.entries))) for v in self.variables}
        self.closures = np.empty((number, len(t), closures)) if CLOSURE_ERROR in wanted else None
        columns = len(layout.y0) + len(layout.u)
        self._states = np.empty((number, len(t), columns)) if self._hinges else None
        self._columns = self._record_columns()
        self._written = np.zeros(number, dtype=np.bool_)
        self.postconditions = Postconditions(model)
        self._inputs = {entry.name: k for k, entry in enumerate(layout.u)}
        self._excesses: dict[int, list[Excess]] = {}
        kept = {name: self._places[name] for v in self.variables for name in v.entries}
        outputs = {k for part, k in kept.values() if part == OUTPUTS} | set(self.postconditions.columns)
        # outputs that are kept or have a limit; None if there are no loops to check either
        self.observed = frozenset(outputs) if outputs or closures else None
        self.time_reached = np.zeros(number)
        self.steps, self.evaluations = np.zeros(number, dtype=int), np.zeros(number, dtype=int)
        self.failure = np.array(runs.refused, dtype=object)
        self.failure[self.failure == ""] = INTERRUPTED
        self._faulty: list[int] = []
        self._broken: dict[int, tuple[Floats, Floats]] = {}

    def _record_columns(self) -> NDArray[np.int64]:
        """Return the `columns` of `store_columns` for all stored variables and closure errors."""
        rows = []
        for variable in self.variables:
            values, width = self.values[variable.name], len(variable.entries)
            for k, name in enumerate(variable.entries):
                rows.append((values.ctypes.data + 8 * k, width, *self._places[name]))
        if self.closures is not None:
            width = self.closures.shape[2]
            rows += [(self.closures.ctypes.data + 8 * k, width, CLOSURES, k) for k in range(width)]
        if self._states is not None:  # all of them, those of charts too
            width, n = self._states.shape[2], len(self.model.layout.y0)
            first = self._states.ctypes.data
            rows += [(first + 8 * k, width, *((0, k) if k < n else (1, k - n))) for k in range(width)]
        return np.array(rows, dtype=np.int64).reshape(-1, 4)

    def find_hinges(self) -> None:
        """Compute the dependent hinges of all runs from their states, those of NaN as NaN."""
        if self._states is None:
            return
        n = len(self.model.layout.y0)
        finite = np.isfinite(self._states).all(axis=2)
        rows = self._states[finite]
        columns = hinge_columns(
            self.model, np.ascontiguousarray(rows[:, :n]), np.ascontiguousarray(rows[:, n:]), self._hinges
        )
        for variable in self.dependent:
            values = np.full((*finite.shape, len(variable.entries)), np.nan)
            values[finite] = np.reshape(columns[variable.name].values, (len(rows), -1))
            self.values[variable.name] = values
        self._states = None

    def clear_missing(self) -> None:
        """Set all values of runs that were not executed to NaN."""
        missing = ~self._written
        for values in (*self.values.values(), self.closures, self._states):
            if values is not None:
                values[missing] = np.nan

    def write(self, members: Sequence[int], outcome: LaneOutcome, thrown: Mapping[int, Fault]) -> None:
        """Store the runs of a group; `thrown` holds the lanes that jumped over a dead centre."""
        # here, because these load Numba
        from ce_dynamics.simulation.ensembles import lanes
        from ce_dynamics.simulation.ensembles.observing_kernels import store_columns

        n, well, reached = len(members), bool(outcome.well.all()), outcome.reached
        faults: dict[int, Fault] = {}
        if not well:
            Y, *parts = (part[..., :n] for part in outcome[:4])
            faults = self.postconditions.faults(self.t, Y, *parts, over=np.all(np.isnan(Y), axis=1))
        faults |= {
            lane: jump for lane, jump in thrown.items() if lane not in faults or jump.k < faults[lane].k
        }
        until = np.full(n, len(self.t))
        for lane, fault in faults.items():
            until[lane] = max(fault.k, 1)  # what happened at the start is shown
            reached.t[lane] = self.t[max(fault.k - 1, 0)]
        store_columns(self._columns, np.array(members), until, outcome[:4])
        self._written[members] = True
        self.time_reached[members] = reached.t[:n]
        self.steps[members], self.evaluations[members] = reached.steps[:n], reached.evaluations[:n]
        strays = not well and out_of_ranges(self.model.ranges, self._inputs, outcome.U)
        for lane, run in enumerate(members):
            code = int(reached.state[lane])
            self.failure[run] = {
                lanes.COMPLETED: "",
                lanes.NOT_FINITE_AT_START: NOT_FINITE_AT_START,
                lanes.STOPPED: INTERRUPTED,
                lanes.FAILED: NOT_FINITE,
                lanes.TOO_SMALL: "stopped (the step it needs is too small)",
                lanes.STALLED: "gets nowhere (a loop is at its end, something in it is very stiff, which the "
                "method rosenbrock takes, or max_step or tolerances are too small)",
            }[code]
            if lane in faults and (faults[lane].k > 0 or code in (lanes.COMPLETED, lanes.STOPPED)):
                self.failure[run] = faults[lane].what
                self._faulty.append(run)
            elif code not in (lanes.COMPLETED, lanes.STOPPED):
                self._broken[run] = reached.y[:, lane].copy(), outcome.u[:, lane].copy()
            if strays:
                U = outcome.U[: until[lane], :, lane]
                self._excesses[run] = furthest_out(self.model.ranges, self._inputs, self.t, U)

    def worst_excesses(self) -> list[tuple[Excess, int]]:
        """Return the largest excess, with its run, of every input that a law put out of its range."""
        worst: dict[str, tuple[Excess, int]] = {}
        for run, excesses in sorted(self._excesses.items()):
            for excess in excesses:
                if excess.name not in worst or excess.by > worst[excess.name][0].by:
                    worst[excess.name] = excess, run
        return list(worst.values())

    def warn_of_ranges(self) -> None:
        """Warn of every input that a law put outside its range, naming the run that exceeds it most."""
        for excess, run in self.worst_excesses():
            warn_out_of_range(self.model.ranges, [excess], f" of run {run}")

    def warn_of_steps(self, settings: Settings) -> None:
        """Warn if implicit steps of one of some runs are too long half way or at the end.

        Runs are checked if their states are kept.
        """
        if settings.method not in IMPLICIT:
            return
        for run in range(0, self.runs.number, -(-self.runs.number // LOOKED_AT)):
            for k in (len(self.t) // 2, len(self.t) - 1) if not self.failure[run] else ():
                y, u = self._read_instant(run, k)
                reason = self._too_long(settings, y, u) if np.all(np.isfinite(y)) else ""
                if reason:
                    what = f"steps of run {run} resolve nothing at t = {self.t[k]:.4g} s{reason}"
                    warnings.warn(what, AccuracyWarning, stacklevel=3)
                    return

    def _read_instant(self, run: int, k: int) -> tuple[Floats, Floats]:
        """Return state and inputs at a stored instant: NaN and initial inputs where they are not kept."""
        y, u = np.full(len(self.runs.y0[run]), np.nan), np.array(self.runs.u[run])
        for variable in self.variables:
            for value, name in zip(self.values[variable.name][run, k], variable.entries, strict=True):
                part, place = self._places[name]
                if part < OUTPUTS:
                    (y, u)[part][place] = value
        return y, u

    def _too_long(self, settings: Settings, y: Floats, u: Floats) -> str:
        """Return a clause for messages if steps from a state are too long; otherwise empty."""
        if settings.method not in FIXED:
            return ""
        dynamics = self.model.dynamics
        h = substeps(self.t[1] - self.t[0], settings.step)[1]
        return too_long(settings.method, h, [(lambda y: dynamics(y, u)[0], y)])

    def explain(self, settings: Settings) -> None:
        """Add to the failure of each run its time, and the loop or force element that broke."""
        for run, (y, u) in sorted(self._broken.items()):
            held = HeldAt(u)
            part = explain_dead_centre(self.model, 0.0, y, held.inputs_at)
            part = part or explain_break(self.model, held, 0.0, y)
            t = self.time_reached[run]
            unstable = ""
            can_go_on = settings.method in IMPLICIT and np.isfinite(self.model.dynamics(y, u)[0]).all()
            if self.failure[run] == NOT_FINITE and can_go_on:
                self.failure[run] = f"met {BROKEN_SLOPES}, or accelerations within a step"
            if self.failure[run] != NOT_FINITE_AT_START:
                self.failure[run] = f"{settings.method} {self.failure[run]} at t = {t:.4g} s"
                unstable = self._too_long(settings, self.runs.y0[run], self.runs.u[run])
            self.failure[run] += unstable or part
        for run in self._faulty:
            self.failure[run] += self._too_long(settings, self.runs.y0[run], self.runs.u[run])

    def dataset(self, began: float, **attributes: Any) -> xr.Dataset:
        """Return all variables with names, units and dimensions."""
        import xarray as xr  # here, because it takes longer to load than many runs

        model, system = self.model, self.model.system
        data: dict[str, Any] = {}
        for variable in (*self.variables, *self.dependent):
            data[variable.name] = label_entries(variable, self.values[variable.name], "run", "time")
        coordinates: dict[str, Any] = {
            "run": np.arange(self.runs.number),
            "time": ("time", self.t, {"units": "s"}),
        }
        used = {v.dimension for v in (*self.variables, *self.dependent, *self.parameters)}
        coordinates |= {name: list(members) for name, members in system.groups.items() if name in used}
        if self.closures is not None:
            description = {"units": "m", "long_name": "loop closure error"}
            data[CLOSURE_ERROR] = (("run", "time", "closure"), self.closures, description)
            coordinates["closure"] = [loop.name for loop in system.closures]
        names = [entry.name for entry in model.layout.u]
        for variable in self.parameters:
            columns = self.runs.u[:, [names.index(name) for name in variable.entries]]
            data[variable.name] = label_entries(variable, columns, "run")
        failure = self.failure.astype(str)
        data["status"] = ("run", np.where(failure == "", "completed", "failed"))
        data["failure"] = ("run", failure)
        data["time_reached"] = ("run", self.time_reached, {"units": "s"})
        data["steps"], data["evaluations"] = ("run", self.steps), ("run", self.evaluations)
        wall = time.perf_counter() - began
        attributes |= {
            "system": system.name,
            "wall_time_s": wall,
            "simulated_time_s": float(self.time_reached.sum()),
            "real_time_factor": float(self.time_reached.sum()) / wall,
        }
        return xr.Dataset(data, coordinates, attributes)
