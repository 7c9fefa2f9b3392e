"""Step response (ISO 7401): response and peak times, overshoot, gain, TB factor.

Times count from the instant at which the steering has half its final value, so that they depend little on
how fast it is turned.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.frequency_response import FrequencyResponse
from ce_dynamics.models.handling.metrics.instants import crossing, largest, mean, signals

REACHED = 0.9
"""Part of the steady value that counts as a response."""
SETTLED = 0.05
"""Deviation from the steady value, relative to it, that may remain over the window in which that is taken."""

PEAK = 1e-3
"""Part of the steady value by which a peak is above it at least; less may be what a run makes of rounding."""


class StepResponse(NamedTuple):
    """A response to a step of the steering.

    Attributes
    ----------
    steady : float
        Its steady value, in the signal's unit.
    gain : float
        That over the steering, in the signal's unit per that of the steering.
    delay : float
        Until half the steady value [s].
    response_time : float
        Until 90 % of the steady value [s].
    peak_time : float
        Until the peak [s]; NaN where there is none: the signal creeps up to its steady value.
    overshoot : float
        Peak over steady value less 1; 0 where there is none.
    """

    steady: float
    gain: float
    delay: float
    response_time: float
    peak_time: float
    overshoot: float


def step_response(
    t: ArrayLike, steer: ArrayLike, response: ArrayLike, window: float = 0.5, before: float = math.inf
) -> StepResponse:
    """Compute the response to a step of the steering.

    Parameters
    ----------
    t : (n,) array_like
        [s].
    steer, response : (n,) array_like
        The steering, from zero to its final value, and a signal that follows it from zero.
    window : float
        Length of the window at the end over which the steady value is the mean [s].
    before : float
        Latest time of the peak [s]; only drift is expected later.
    """
    t, delta, y = signals(t, steer, response)
    final = delta[-1]
    if final == 0.0:
        raise DataError("the steering ends at zero; a step response needs a step")
    steady = steady_end(t, y, window)
    zero = crossing(t, delta / final, 0.5)
    x = y / steady
    peak = largest(t[t <= before], x[t <= before])
    risen = peak.value > 1.0 + max(PEAK, float(np.max(np.abs(x[t >= t[-1] - window] - 1.0))))
    return StepResponse(
        steady,
        steady / float(final),
        crossing(t, x, 0.5) - zero,
        crossing(t, x, REACHED) - zero,
        peak.t - zero if risen else math.nan,
        peak.value - 1.0 if risen else 0.0,
    )


def steady_end(t: Floats, y: Floats, window: float) -> float:
    """Return the steady value: the mean over a window at the end."""
    steady = mean(t, y, t[-1] - window, t[-1])
    left = float(np.max(np.abs(y[t >= t[-1] - window] - steady)))
    if not left <= SETTLED * abs(steady):
        raise DataError(
            f"the response is not steady at the end: within the last {window:g} s it differs by "
            f"{left:.3g} from its "
            f"mean {steady:.3g}, more than {100 * SETTLED:g} %; let the run last longer, or steer less"
        )
    return steady


def tb_factor(sideslip_steady: float, yaw_rate_peak_time: float) -> float:
    """Return the TB factor [rad s]: steady side-slip angle times the peak response time of the yaw rate."""
    return abs(sideslip_steady) * yaw_rate_peak_time


FEWEST = 5
"""Segments that are averaged: of one alone the coherence is 1, whatever the record."""


class RandomResponse(NamedTuple):
    """A frequency response and how much of the response the steering explains.

    Attributes
    ----------
    response : FrequencyResponse
    coherence : (n,) array
        |S_xy|²/(S_xx S_yy), 0 to 1: below 1 if noise or nonlinearity adds to the response.
    segments : int
        How many were averaged.
    """

    response: FrequencyResponse
    coherence: Floats
    segments: int


def random_response(
    t: ArrayLike, steer: ArrayLike, response: ArrayLike, first: float, last: float, segment: float
) -> RandomResponse:
    """Return H1 = S_xy/S_xx of a record, from segments under Hann windows that overlap by half.

    H1 is right where noise is in the response only, as in a simulation.  A window of the length T covers each
    frequency with those within ±2/T, which bends the ratio by about (2/T)²/12 of its curvature at most.

    Parameters
    ----------
    t : (n,) array_like
        Equally spaced times [s].
    steer, response : (n,) array_like
    first, last : float
        Frequencies of the result [Hz].
    segment : float
        Length of the segments [s]; frequencies are 1/segment apart.
    """
    from scipy.signal import csd, welch  # here, because they take long to load

    t, x, y = signals(t, steer, response)
    step = (t[-1] - t[0]) / (len(t) - 1)
    size = round(segment / step)
    segments = 1 + (len(t) - size) // (size - size // 2)
    if segments < FEWEST:
        raise DataError(
            f"a record of {t[-1] - t[0]:.4g} s has {max(segments, 0)} segments of {segment:g} s that overlap "
            f"by half; {FEWEST} are needed: give a longer record or shorter segments"
        )
    about = {
        "fs": 1.0 / step,
        "window": "hann",
        "nperseg": size,
        "noverlap": size // 2,
        "detrend": "constant",
    }
    f, S_xy = csd(x, y, **about)
    S_xx, S_yy = (welch(signal, **about)[1] for signal in (x, y))
    wanted = (f >= first * (1.0 - 1e-9)) & (f <= last * (1.0 + 1e-9)) & (f > 0.0)
    if not np.any(wanted):
        raise DataError(
            f"segments of {segment:g} s have no frequency from {first:g} to {last:g} Hz; give longer ones"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, coherence = S_xy / S_xx, np.abs(S_xy) ** 2 / (S_xx * S_yy)
    found = FrequencyResponse(f[wanted], ratio[wanted])
    return RandomResponse(found, np.asarray(coherence[wanted]), int(segments))
