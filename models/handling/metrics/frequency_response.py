"""Frequency response (ISO 7401) from one record that begins and ends at rest: swept sine, pulse.

For such records the ratio of the Fourier integrals of response and steering is the frequency response,
exactly so for linear vehicles; the trapezoidal rule takes the integrals of smooth signals to the accuracy of
their samples.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.instants import signals

REST = 0.02
"""Part of its peak that a signal may still have at the end of the record."""
EXCITED = 1e-3
"""Part of its largest amplitude that the steering's spectrum must have wherever the response is asked for."""

Complex = NDArray[np.complex128]


class FrequencyResponse(NamedTuple):
    """Ratio of a response to the steering.

    Attributes
    ----------
    frequency : (n,) array
        [Hz].
    ratio : (n,) complex array
        In the response's unit per that of the steering; its angle is negative where the response lags.
    """

    frequency: Floats
    ratio: Complex

    @property
    def gain(self) -> Floats:
        """Magnitudes."""
        return np.abs(self.ratio)

    @property
    def phase(self) -> Floats:
        """Angles without jumps [rad], the first within ±π."""
        return np.unwrap(np.angle(self.ratio))


class ResponseShape(NamedTuple):
    """Characteristic values of a frequency response.

    Attributes
    ----------
    static_gain : float
        Gain at the lowest frequency.
    resonance : float
        Frequency of the largest gain [Hz]; NaN if that is the lowest frequency.
    peak_ratio : float
        The largest gain over the static one.
    bandwidth : float
        Frequency at which the gain has fallen to 1/√2 of the static gain [Hz]; NaN if there is none.
    quarter_turn : float
        Frequency at which the phase lags by 45° [Hz]; NaN if there is none.
    equivalent_delay : float
        1/(2π f) of the frequency `quarter_turn`: the lag of a first-order system with the same phase [s].
    """

    static_gain: float
    resonance: float
    peak_ratio: float
    bandwidth: float
    quarter_turn: float
    equivalent_delay: float


def frequency_response(
    t: ArrayLike, steer: ArrayLike, response: ArrayLike, frequency: ArrayLike
) -> FrequencyResponse:
    """Return the frequency response of a record.

    Parameters
    ----------
    t : (n,) array_like
        Equally spaced times [s].
    steer, response : (n,) array_like
        Signals that are zero at the beginning and have died down at the end.
    frequency : (k,) array_like
        Frequencies of the result [Hz], above 0 and below half the sampling rate.
    """
    t, x, y = signals(t, steer, response)
    f = np.atleast_1d(np.asarray(frequency, dtype=float))
    step = (t[-1] - t[0]) / (len(t) - 1)
    limit = 0.5 / step
    if not (np.all(f > 0.0) and np.all(f < limit)):
        raise DataError(
            f"frequencies from {f.min():g} to {f.max():g} Hz; allowed are those above 0 and below "
            f"{limit:g} Hz"
        )
    for name, signal in (("steering", x), ("response", y)):
        if not is_at_rest(signal):
            left, peak = float(np.max(np.abs(signal[[0, -1]]))), float(np.max(np.abs(signal)))
            raise DataError(
                f"the {name} is {left:.3g} at an end of the record and {peak:.3g} at its peak; let the "
                f"record begin and "
                "end at rest"
            )
    spectra = [fourier(t, signal, f) for signal in (x, y)]
    excited = np.abs(spectra[0])
    weak = excited < EXCITED * excited.max()
    if np.any(weak):
        raise DataError(
            f"the steering does not excite {f[weak][0]:g} Hz (amplitude "
            f"{excited[weak][0] / excited.max():.1g} of the "
            "largest); choose frequencies that it has"
        )
    return FrequencyResponse(f, spectra[1] / spectra[0])


def is_at_rest(signal: Floats) -> bool:
    """Return True if a signal begins and ends at rest."""
    return bool(np.max(np.abs(signal[[0, -1]])) <= REST * np.max(np.abs(signal)))


def fourier(t: Floats, x: Floats, f: Floats) -> Complex:
    """Return ∫ x e^(−2πi f t) dt by the trapezoidal rule, at each frequency."""
    weights = np.gradient(t)
    weights[[0, -1]] *= 0.5
    return np.asarray(np.exp(-2j * math.pi * np.outer(f, t)) @ (weights * x))


def shape(response: FrequencyResponse) -> ResponseShape:
    """Compute characteristic values, by linear interpolation between the frequencies of the response."""
    f, gain = response.frequency, response.gain
    k = int(np.argmax(gain))
    static = float(gain[0])
    turn = falling_frequency(f, response.phase, -0.25 * math.pi)
    return ResponseShape(
        static,
        float(f[k]) if k else math.nan,
        float(gain[k]) / static,
        falling_frequency(f, gain, static / math.sqrt(2.0)),
        turn,
        1.0 / (2.0 * math.pi * turn),
    )


def falling_frequency(f: Floats, x: Floats, level: float) -> float:
    """Return the frequency [Hz] at which x first falls to a level.

    NaN if x begins at or below the level, or never falls to it.
    """
    below = np.flatnonzero(x <= level)
    if not below.size or below[0] == 0:
        return math.nan
    k = int(below[0])
    return float(np.interp(level, [x[k], x[k - 1]], [f[k], f[k - 1]]))
