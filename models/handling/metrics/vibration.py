"""Vibration: power spectral densities, and what of them is felt (ISO 2631-1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.instants import signals
from ce_dynamics.models.vehicles.comfort import W_K, Weighting, weighted_rms


class Spectrum(NamedTuple):
    """A power spectral density, one-sided.

    Attributes
    ----------
    frequency : (n,) array
        [Hz].
    density : (n,) array
        In the signal's unit squared per Hz; its integral is the mean square.
    """

    frequency: Floats
    density: Floats

    def rms(self, low: float = 0.0, high: float = np.inf) -> float:
        """Root mean square of what lies in a band [Hz], in the signal's unit."""
        inside = (self.frequency >= low) & (self.frequency <= high)
        return float(np.sqrt(np.sum(self.density[inside]) * (self.frequency[1] - self.frequency[0])))


def power_spectrum(t: ArrayLike, x: ArrayLike, resolution: float = 0.25) -> Spectrum:
    """Power spectral density by Welch's method: Hann windows that overlap by half.

    Parameters
    ----------
    t : (n,) array_like
        Equally spaced times [s].
    x : (n,) array_like
    resolution : float
        Distance of frequencies [Hz]; the record must be longer than one over it.
    """
    from scipy.signal import welch  # here, because it takes longer to load than many runs

    t, x = signals(t, x)
    rate = (len(t) - 1) / (t[-1] - t[0])
    segment = round(rate / resolution)
    if segment > len(x):
        raise DataError(
            f"a record of {t[-1] - t[0]:.4g} s has no spectrum with a resolution of {resolution:g} Hz, "
            f"which takes "
            f"{1.0 / resolution:g} s; let the run last longer"
        )
    f, density = welch(x, rate, nperseg=segment)
    return Spectrum(np.asarray(f, dtype=float), np.asarray(density, dtype=float))


def felt(t: ArrayLike, acceleration: ArrayLike, weighting: Weighting = W_K) -> float:
    """Frequency-weighted root mean square of an acceleration by ISO 2631-1 [m/s²]."""
    t, a = signals(t, acceleration)
    return weighted_rms(t, a, weighting)
