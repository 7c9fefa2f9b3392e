"""Division of a run into fixed steps that end at stored instants and at samples of controllers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.mechanism.controller import common_part
from ce_dynamics.simulation.integrators.settings import substeps

FINEST = 0.2  # part of the given step, below which steps are not shortened for the sake of samples

NEAR = 1e-9  # part of the time between samples by which two instants are the same


class Stretch(NamedTuple):
    """Equal steps from one stored instant to another, or up to a sample between two of them."""

    first: int  # stored instants: place of the first
    last: int  # and of the last
    begins: Floats  # where each of its intervals begins [s]
    n: int  # steps of an interval
    h: float  # their length [s]
    ends: bool  # whether it ends at ``last``, not before


def stretches(t_store: Floats, step: float, period: float) -> Iterator[Stretch]:
    """Yield steps of a whole run; all stored instants but the last are equally far apart.

    ``period`` is the time between samples [s], 0 without any.
    """
    lengths = np.diff(t_store)
    if len(lengths) == 0:
        return
    regular = lengths[0]
    n_regular = len(lengths) if math.isclose(lengths[-1], regular) else len(lengths) - 1
    for first, last, length in ((0, n_regular, regular), (n_regular, len(lengths), lengths[-1])):
        if first == last:
            continue
        common = common_steps(length, step, period) if last == n_regular else None
        if not period:
            common = substeps(length, step)
        if common is not None:
            yield Stretch(first, last, t_store[first:last], *common, True)
            continue
        for k in range(first, last):
            for t, n, h, ends in steps_between_samples(
                float(t_store[k]), float(t_store[k + 1]), step, period
            ):
                yield Stretch(k, k + 1, np.array([t]), n, h, ends)


def common_steps(length: float, step: float, period: float) -> tuple[int, float] | None:
    """Return number and size of equal steps that divide an interval and the time between samples, if any."""
    if not period:
        return substeps(length, step)
    part = common_part((length, period))
    if part < FINEST * min(step, length, period):
        return None
    n = round(length / part) * substeps(part, step)[0]
    return n, length / n


def steps_between_samples(
    t: float, t_end: float, step: float, period: float
) -> Iterator[tuple[float, int, float, bool]]:
    """Yield beginning, number and size of steps up to each sample, and whether they end the interval."""
    k = samples_before(t, period)
    while True:
        due = k * period
        if due <= t + NEAR * period:
            k += 1
            continue
        ends = due >= t_end - NEAR * period
        stop = t_end if ends else due
        yield t, *substeps(stop - t, step), ends
        if ends:
            return
        t, k = stop, k + 1


def samples_before(t: float, period: float) -> int:
    """Return the number of samples before a time [s]."""
    return math.ceil(t / period - NEAR)
