"""Along a straight line: braking to rest, accelerating."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.instants import crossing, integral, signals

STANDING = 0.1
"""Speed below which a vehicle stands [m/s]."""
DEVELOPED = 0.8, 0.1
"""Parts of the initial speed between which the deceleration is fully developed (UN Regulation 13-H)."""


class BrakingFigures(NamedTuple):
    """Braking from a speed.

    Attributes
    ----------
    distance, time : float
        From the first touch of the pedal to rest [m], [s]; NaN if it does not come to rest.
    mean_deceleration : float
        Mean fully developed deceleration, (v_b² − v_e²)/(2 (s_e − s_b)) with v_b = 0.8 v_0 and v_e = 0.1 v_0
        [m/s²].
    largest_deceleration : float
        [m/s²].
    """

    distance: float
    time: float
    mean_deceleration: float
    largest_deceleration: float


def braking(t: ArrayLike, speed: ArrayLike, begin: float) -> BrakingFigures:
    """Return distances, times and decelerations of braking.

    Parameters
    ----------
    t : (n,) array_like
        [s].
    speed : (n,) array_like
        Magnitude of the velocity [m/s].
    begin : float
        When the pedal is touched [s].
    """
    t, v = signals(t, speed)
    v0 = float(np.interp(begin, t, v))
    if not v0 > STANDING:
        raise DataError(
            f"at {begin:g} s, when it brakes, the vehicle has {v0:.3g} m/s; let it begin with more than "
            f"{STANDING} m/s"
        )
    s = integral(t, v)
    rest = crossing(t, -v, -STANDING, begin)
    b, e = (crossing(t, -v, -part * v0, begin) for part in DEVELOPED)
    way_of_it = float(np.interp(e, t, s) - np.interp(b, t, s))
    developed = (DEVELOPED[0] ** 2 - DEVELOPED[1] ** 2) * v0 * v0 / (2.0 * way_of_it)
    after = t >= begin
    return BrakingFigures(
        float(np.interp(rest, t, s) - np.interp(begin, t, s)) if math.isfinite(rest) else math.nan,
        rest - begin,
        developed if math.isfinite(e) else math.nan,
        float(np.max(-np.gradient(v, t)[after])),
    )


def times_to(t: ArrayLike, speed: ArrayLike, begin: float, speeds: Sequence[float]) -> list[float]:
    """Return times from an instant until speeds are reached [s]; NaN for those that are not."""
    t, v = signals(t, speed)
    return [crossing(t, v, wanted, begin) - begin for wanted in speeds]


def time_over(t: ArrayLike, speed: ArrayLike, begin: float, distance: float) -> tuple[float, float]:
    """Return the time [s] for a distance [m], and the final speed [m/s]; NaN if it is not covered."""
    t, v = signals(t, speed)
    s = integral(t, v)
    end = crossing(t, s - float(np.interp(begin, t, s)), distance, begin)
    return end - begin, float(np.interp(end, t, v)) if math.isfinite(end) else math.nan
