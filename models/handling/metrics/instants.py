"""Instants and values of sampled signals: crossings, extremes, means, braking and acceleration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError


class Extreme(NamedTuple):
    """Time [s] and value of a signal's maximum."""

    t: float
    value: float


def signals(t: ArrayLike, *values: ArrayLike) -> tuple[Floats, ...]:
    """Return times and signals as arrays."""
    times = np.asarray(t, dtype=float)
    arrays = [np.asarray(x, dtype=float) for x in values]
    if times.ndim != 1 or len(times) < 3 or not np.all(np.diff(times) > 0.0):
        raise DataError(
            f"a time series of shape {times.shape} is none; give three rising instants [s] at least"
        )
    for k, x in enumerate(arrays, start=1):
        if x.shape != times.shape or not np.all(np.isfinite(x)):
            raise DataError(
                f"signal {k} of shape {x.shape} must have one finite value for each of the {len(times)} "
                f"instants"
            )
    return (times, *arrays)


def integral(t: Floats, x: Floats) -> Floats:
    """Return the integral of a signal from its first instant on, by the trapezoidal rule."""
    return np.concatenate(([0.0], np.cumsum(0.5 * (x[1:] + x[:-1]) * np.diff(t))))


def crossing(t: Floats, x: Floats, level: float, after: float = -np.inf) -> float:
    """Return the first time [s] at which a signal reaches a level, linearly interpolated; NaN if never."""
    above = np.flatnonzero((t >= after) & (x >= level))
    if not above.size:
        return float(np.nan)
    k = int(above[0])
    return float(t[k]) if k == 0 or x[k - 1] >= level else max(rise(t, x, level, k), after)


def rise(t: Floats, x: Floats, level: float, k: int) -> float:
    """Return the time at which the line from sample k − 1 to k passes a level."""
    return float(t[k - 1] + (t[k] - t[k - 1]) * (level - x[k - 1]) / (x[k] - x[k - 1]))


def largest(t: Floats, x: Floats) -> Extreme:
    """Return the maximum, from the parabola through the largest sample and its neighbours.

    Of samples at a distance h it is exact to O(h³) in value and O(h²) in time.
    """
    k = int(np.argmax(x))
    if k in (0, len(x) - 1):
        return Extreme(float(t[k]), float(x[k]))
    # x(t_k + s) = x_k + b s + c s²
    left, right = t[k - 1] - t[k], t[k + 1] - t[k]
    slope_l, slope_r = (x[k - 1] - x[k]) / left, (x[k + 1] - x[k]) / right
    c = (slope_r - slope_l) / (right - left)
    if not c < 0.0:
        return Extreme(float(t[k]), float(x[k]))
    b = slope_l - c * left
    s = -0.5 * b / c
    return Extreme(float(t[k] + s), float(x[k] + 0.5 * b * s))


def mean(t: Floats, x: Floats, begin: float, end: float) -> float:
    """Return the mean over a window of time, by the trapezoidal rule between its samples."""
    inside = (t >= begin - 1e-12) & (t <= end + 1e-12)
    if np.count_nonzero(inside) < 2 or t[-1] < end - 1e-9:
        raise DataError(
            f"the record ends at {t[-1]:.4g} s; a mean from {begin:.4g} to {end:.4g} s is asked for"
        )
    return float(np.trapezoid(x[inside], t[inside]) / (t[inside][-1] - t[inside][0]))


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
