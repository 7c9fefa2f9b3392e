"""Frequency response to random steering (ISO 7401), by Welch's method, with the coherence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.frequency_response import FrequencyResponse
from ce_dynamics.models.handling.metrics.instants import signals

FEWEST = 5
"""Segments that are averaged: of one alone the coherence is 1, whatever the record."""


class RandomResponse(NamedTuple):
    """A frequency response and how much of the response the steering explains.

    Attributes
    ----------
    response : FrequencyResponse
    coherence : (n,) array
        |S_xy|²/(S_xx S_yy), 0 to 1: below 1 where noise, or what is not linear, adds to the response.
    segments : int
        How many were averaged.
    """

    response: FrequencyResponse
    coherence: Floats
    segments: int


def random_response(
    t: ArrayLike, steer: ArrayLike, response: ArrayLike, first: float, last: float, segment: float
) -> RandomResponse:
    """H1 = S_xy/S_xx of a record, from segments under Hann windows that overlap by half.

    H1 is right where noise is in the response only, as in a simulation.  A window of the length T sees each
    frequency with those within ±2/T, which bends the ratio by about (2/T)²/12 of its curvature at most.

    Parameters
    ----------
    t : (n,) array_like
        Equally spaced times [s].
    steer, response : (n,) array_like
    first, last : float
        Where it is wanted [Hz].
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
