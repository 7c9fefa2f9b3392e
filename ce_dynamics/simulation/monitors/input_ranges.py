"""Warns where a law answers an input out of its range."""

from __future__ import annotations

from functools import partial

from ce_dynamics.compiled.model import Model
from ce_dynamics.mechanism.input_ranges import furthest_out, warn_out_of_range
from ce_dynamics.simulation.monitors.monitor import Monitor, Run
from ce_dynamics.simulation.monitors.stored_rows import Bounds


class InputRanges(Monitor):
    """Warns of answers of a law; inputs given by name are checked before the run."""

    def judge(self, run: Run) -> None:
        ranges = run.model.ranges
        if run.rhs.control is not None and ranges:
            columns, bounds = run.model.once("ranges of inputs", partial(places_of, run.model))
            if not bounds.hold(run.U):
                warn_out_of_range(ranges, furthest_out(ranges, columns, run.t, run.U))


def places_of(model: Model) -> tuple[dict[str, int], Bounds]:
    """Where inputs with ranges are among all inputs, and their ranges."""
    places = {entry.name: k for k, entry in enumerate(model.layout.u)}
    columns = {name: places[name] for name in model.ranges}
    lower, upper = zip(*model.ranges.values(), strict=True)
    return columns, Bounds.of(list(columns.values()), lower, upper)
