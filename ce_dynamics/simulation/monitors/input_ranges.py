"""Warns where a law answers an input out of its range."""

from __future__ import annotations

from ce_dynamics.mechanism.input_ranges import furthest_out, warn_out_of_range
from ce_dynamics.simulation.monitors.monitor import Monitor, Run


class InputRanges(Monitor):
    """Inputs given by name are refused beforehand; what a law answers is seen afterwards."""

    def judge(self, run: Run) -> None:
        ranges = run.model.ranges
        if run.rhs.control is not None and ranges:
            columns = {entry.name: k for k, entry in enumerate(run.model.layout.u)}
            warn_out_of_range(ranges, furthest_out(ranges, columns, run.t, run.U))
