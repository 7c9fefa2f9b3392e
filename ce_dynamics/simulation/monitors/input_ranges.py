"""Warns where a law answers an input out of its range."""

from __future__ import annotations

from functools import partial

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.mechanism.input_ranges import furthest_out, warn_out_of_range
from ce_dynamics.simulation.monitors.monitor import Monitor, Run


class InputRanges(Monitor):
    """Inputs given by name are refused beforehand; what a law answers is seen afterwards."""

    def judge(self, run: Run) -> None:
        ranges = run.model.ranges
        if run.rhs.control is not None and ranges:
            columns, lower, upper = run.model.once("ranges of inputs", partial(places_of, run.model))
            answered = run.U[:, list(columns.values())]
            if not ((answered >= lower).all() and (answered <= upper).all()):
                warn_out_of_range(ranges, furthest_out(ranges, columns, run.t, run.U))


def places_of(model: Model) -> tuple[dict[str, int], Floats, Floats]:
    """Where inputs with ranges are among all inputs, and the ends of their ranges."""
    places = {entry.name: k for k, entry in enumerate(model.layout.u)}
    lower, upper = np.array(list(model.ranges.values())).T
    return {name: places[name] for name in model.ranges}, lower, upper
