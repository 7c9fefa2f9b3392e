"""Wheels that lift off: load transfer, two-wheel lift."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.errors import DataError


class WheelLift(NamedTuple):
    """Figures of a vehicle's nearness to rollover.

    Attributes
    ----------
    load_transfer : float
        Largest |ΣF_right − ΣF_left| over their sum; 1 when one side carries nothing.
    lifted_time : float
        Longest time for which all wheels of one side carried nothing [s].
    largest_roll : float
        Largest magnitude of the roll angle [rad].
    """

    load_transfer: float
    lifted_time: float
    largest_roll: float


def wheel_lift(t: ArrayLike, left: ArrayLike, right: ArrayLike, roll: ArrayLike) -> WheelLift:
    """Load transfer and two-wheel lift.

    Parameters
    ----------
    t : (n,) array_like
        [s].
    left, right : (n, k) array_like
        Vertical tyre loads of either side [N].
    roll : (n,) array_like
        Roll angle [rad].
    """
    times = np.asarray(t, dtype=float)
    loads = [np.atleast_2d(np.asarray(x, dtype=float)) for x in (left, right)]
    if any(len(load) != len(times) for load in loads):
        raise DataError(
            f"loads of shapes {loads[0].shape} and {loads[1].shape} do not belong to {len(times)} instants"
        )
    sides = [load.sum(axis=1) for load in loads]
    whole = sides[0] + sides[1]
    on_road = whole > 0.0
    transfer = np.abs(sides[1] - sides[0])[on_road] / whole[on_road]
    longest = max(longest_time(times, np.asarray((load <= 0.0).all(axis=1))) for load in loads)
    return WheelLift(
        float(np.max(transfer, initial=0.0)),
        longest,
        float(np.max(np.abs(np.asarray(roll, dtype=float)))),
    )


def longest_time(t: np.ndarray, true: np.ndarray) -> float:
    """Longest time for which something is true without a break [s], counted between samples."""
    best, since = 0.0, None
    for time, yes in zip(t.tolist(), true.tolist(), strict=True):
        since = (time if since is None else since) if yes else None
        best = best if since is None else max(best, time - since)
    return best
