"""Checks of all lanes during the observation of runs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiled.model import Model
from ce_dynamics.simulation.monitors.postconditions import Bounds, Postconditions, places_of
from ce_dynamics.simulation.monitors.reach import CLOSE, Reaches


class LaneChecks(NamedTuple):
    """Checks of `Postconditions`, `InputRanges` and `Reaches`, for the kernels of ensembles."""

    outputs: NDArray[np.int64]  # observed outputs
    bounds: tuple[Bounds, ...]  # of closures, outputs, inputs and gearing
    # one row for each coordinate whose loop may reach its limit: places of the coordinate and of its
    # rate in y, place of its loop in the gearing, and 1 if other coordinates move the limit
    heads: NDArray[np.int64]
    most: float  # gearing above which a loop is close to its limit


def look_of(model: Model, postconditions: Postconditions, observed: frozenset[int] | None) -> LaneChecks:
    """Return the checks of runs; without observations they check the ranges of inputs only."""
    nothing = Bounds.of((), (), ())
    ranges = places_of(model)[1] if model.ranges else nothing
    seen = np.array(sorted(observed or ()), dtype=np.int64)
    if observed is None:
        return LaneChecks(seen, (nothing, nothing, ranges, nothing), np.empty((0, 4), dtype=np.int64), CLOSE)
    others = Reaches(model).others
    heads = [(reach.q, reach.v, reach.which, bool(reach.S.siblings)) for reach in others]
    n, which = len(others), [reach.which for reach in others]
    bounds = (
        postconditions.closed,
        postconditions.not_beyond,
        ranges,
        Bounds.of(which, [-math.inf] * n, [CLOSE] * n),
    )
    return LaneChecks(seen, bounds, np.array(heads, dtype=np.int64).reshape(-1, 4), CLOSE)
