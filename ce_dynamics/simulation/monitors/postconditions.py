"""Postconditions of a run, checked at the stored instants.

Every number is finite, every loop is closed, and no output is beyond a limit of its own.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.mechanics import energy_or_nan
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.aggregate import CLOSED
from ce_dynamics.errors import AccuracyWarning
from ce_dynamics.mechanism.signals import furthest_out, warn_out_of_range
from ce_dynamics.simulation.monitors.failure_location import remedy_for
from ce_dynamics.simulation.monitors.monitor import FinishedRun, Monitor
from ce_dynamics.simulation.results import Observed


def all_finite(*arrays: Floats) -> bool:
    """Return True if all numbers of all arrays are finite."""
    return all(np.isfinite(array).all() for array in arrays)


class ColumnBounds(NamedTuple):
    """Closed intervals that some columns of a table must stay in."""

    columns: NDArray[np.int64]
    lower: Floats  # (m,)
    upper: Floats  # (m,)

    @classmethod
    def of(cls, columns: Sequence[int], lower: Sequence[float], upper: Sequence[float]) -> ColumnBounds:
        """Return the bounds of some columns."""
        return cls(np.array(columns, np.int64), np.array(lower, float), np.array(upper, float))

    def are_kept(self, table: Floats) -> bool:
        """Return True if all rows keep to the bounds; NaN does not."""
        if not len(self.columns):
            return True
        values = table[:, self.columns]
        return bool(((values >= self.lower) & (values <= self.upper)).all())


class Fault(NamedTuple):
    """First stored instant that violates a postcondition, with the violation."""

    k: int
    what: str


class Postconditions(Monitor):
    """Checks of the runs of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        owners = {loop.name: S for S in model.embedding.aggregates for loop in S.closures}
        self._loops = [(owners[loop.name], loop.name) for loop in model.system.closures]
        self.limits = model.closure_limits  # largest admissible error of each closure
        columns = {entry.name: k for k, entry in enumerate(model.output_entries)}
        self._limited = {columns[name]: what for name, what in model.system.limits.items()}
        self.columns = list(self._limited)  # outputs that must not be negative: distances from limits
        n = len(self.limits)
        self.closed = ColumnBounds.of(range(n), [-math.inf] * n, self.limits.tolist())
        self.not_beyond = ColumnBounds.of(
            self.columns, [0.0] * len(self.columns), [math.inf] * len(self.columns)
        )

    @classmethod
    def of(cls, model: Model) -> Postconditions:
        """Return the postconditions of a model, computed once per model."""
        return model.get_or_make("postconditions", partial(cls, model))

    def check_run(self, run: FinishedRun) -> None:
        fault = self.first_fault(run.t, run.states, run.U, run.seen)
        if fault is not None:
            # a run that went on beyond a limit broke because of it; numbers that grow are what broke it
            passed = bool(np.any(run.seen.outputs[fault.k, self.columns] < 0.0)) and fault.k < len(run.t) - 1
            came_first = passed and run.cause == "by itself"
            run.cut(max(fault.k, 1))  # the start is always shown
            if not run.trouble or came_first:
                run.end(fault.what, "broken promise")

    def first_fault(self, t: Floats, Y: Floats, U: Floats, seen: Observed) -> Fault | None:
        """Return the first instant with a number that is not finite or an open loop, or None."""
        whole = self.closed.are_kept(seen.closures) and self.not_beyond.are_kept(seen.outputs)
        if whole and all_finite(Y, U, seen.outputs):
            return None
        rows = (part[..., np.newaxis] for part in (Y, U, seen.outputs, seen.closures))
        return self.faults(t, *rows, over=np.zeros(1, dtype=np.bool_)).get(0)

    def faults(
        self, t: Floats, Y: Floats, U: Floats, outputs: Floats, closures: Floats, *, over: NDArray[np.bool_]
    ) -> dict[int, Fault]:
        """Return the first fault of each faulty run, by the index of the run; see `first_fault`.

        The runs are side by side in the last axis; ``over`` is True after the end of each (instants, runs).
        """
        limits = self.limits[:, np.newaxis]
        beyond = np.any(outputs[:, self.columns] < 0.0, axis=1)
        bad = beyond | ~np.all(closures <= limits, axis=1)
        for part in (Y, U, outputs):
            bad |= ~np.all(np.isfinite(part), axis=1)
        found = {}
        for run in np.flatnonzero((bad & ~over).any(axis=0)).tolist():
            k = int(np.argmax((bad & ~over)[:, run]))
            violated = self.at(Y[k, :, run], U[k, :, run], outputs[k, :, run], closures[k, :, run])
            found[run] = Fault(k, f"{violated} at t = {t[k]:.6g} s")
        return found

    def at(self, y: Floats, u: Floats, outputs: Floats, closures: Floats) -> str:
        """Return the violated postcondition at an instant; empty if none is violated."""
        if not closures.size or (closures <= self.limits).all():
            return self._other(y, u, outputs)
        finite = np.isfinite(closures)
        excess = np.where(finite, closures / self.limits, np.inf)
        k = int(np.argmax(excess))
        S, name = self._loops[k]
        if not finite[k]:
            return f"the loop of {S.name!r} (closure {name!r}) cannot be assembled"
        size = self.limits[k] / CLOSED
        return (
            f"the loop of {S.name!r} (closure {name!r}, {size:.3g} m across) is open by {closures[k]:.3g}; "
            f"{remedy_for(S)}"
        )

    def _other(self, y: Floats, u: Floats, outputs: Floats) -> str:
        model = self._model
        for column, limit in self._limited.items():
            if outputs[column] < 0.0:
                return limit
        groups = (
            ("state", (*model.layout.q, *model.layout.v, *model.layout.x), y),
            ("input", model.layout.u, u),
            ("output", model.output_entries, outputs),
        )
        for kind, entries, values in groups:
            for entry, value in zip(entries, values, strict=False):
                if not np.isfinite(value):
                    own = entry.name in model.system.outputs or entry.name in model.system.measurements
                    remedy = "; see to its function there" if kind == "output" and own else ""
                    return f"{kind} {entry.name!r} is {value}{remedy}"
        return ""


class InputRanges(Monitor):
    """Warns of inputs that a law puts outside their range; constant inputs are checked before the run."""

    def check_run(self, run: FinishedRun) -> None:
        ranges = run.model.ranges
        if run.rhs.control is not None and ranges:
            columns, bounds = run.model.get_or_make("ranges of inputs", partial(places_of, run.model))
            if not bounds.are_kept(run.U):
                warn_out_of_range(ranges, furthest_out(ranges, columns, run.t, run.U))


def places_of(model: Model) -> tuple[dict[str, int], ColumnBounds]:
    """Return the columns of inputs with ranges among all inputs, and the bounds of these inputs."""
    places = {entry.name: k for k, entry in enumerate(model.layout.u)}
    columns = {name: places[name] for name in model.ranges}
    lower, upper = zip(*model.ranges.values(), strict=True)
    return columns, ColumnBounds.of(list(columns.values()), lower, upper)


IMBALANCE = 1e-3  # relative difference of energy and work above which a run warns


class EnergyBalance(Monitor):
    """Warns of audited runs whose energy differs from the work done."""

    def check_run(self, run: FinishedRun) -> None:
        if run.options.audit and not run.trouble:  # an error is more precise
            names = [entry.name for entry in run.model.output_entries]
            energy, elastic = (
                run.seen.outputs[:, names.index(name)] for name in ("energy", "elastic_energy")
            )
            remedy = "take shorter steps" if run.options.fixed else "lower rtol"
            check_balance(run.model, run.t, run.Y, run.U, energy - elastic, remedy, stacklevel=6)


def check_balance(
    model: Model,
    t: Floats,
    Y: Floats,
    U: Floats,
    energy: Floats,
    remedy: str = "lower rtol",
    stacklevel: int = 2,
) -> None:
    """Warn if kinetic and gravitational energy differ from the work of all loads, the last of the states.

    The cause is a tolerance or step that is too coarse, or a loop that jumped over a dead centre.
    """
    work = Y[:, -1]
    imbalance = np.abs(energy - energy[0] - work)
    allowed = IMBALANCE * (np.max(np.abs(work)) + np.max(np.abs(energy)))
    if not np.all(imbalance <= allowed):  # the sum of kinetic and potential energy may be zero throughout
        allowed += IMBALANCE * greatest_kinetic_energy(model, Y, U)
    if not np.all(imbalance <= allowed):  # NaN included
        k = int(np.argmax(~(imbalance <= allowed)))
        warnings.warn(
            f"energy and work differ by {imbalance.max():.3g} J, first at t = {t[k]:.4g} s; {remedy}, and "
            "see whether a loop comes to the end of its range there",
            AccuracyWarning,
            stacklevel=stacklevel,
        )


def greatest_kinetic_energy(model: Model, Y: Floats, U: Floats) -> float:
    """Return the greatest kinetic energy of the states of a run [J]."""
    parts = (model.layout.split(y[: len(model.layout.y0)]) for y in Y)
    return max(energy_or_nan(model, q, v, u, x).kinetic for (q, v, x), u in zip(parts, U, strict=True))
