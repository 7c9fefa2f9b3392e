"""Ride comfort: frequency-weighted acceleration of ISO 2631-1.

The weightings W_k (vertical, seated or standing) and W_d (horizontal) are products of four filters, with
p = 2π i f (ISO 2631-1:1997, annex A): band limits of second order at 0.4 and 100 Hz, the transition from
acceleration to velocity, and an upward step,

    H_h = 1/(1 + √2 ω_1/p + (ω_1/p)²),                 H_l = 1/(1 + √2 p/ω_2 + (p/ω_2)²),
    H_t = (1 + p/ω_3)/(1 + p/(Q_4 ω_4) + (p/ω_4)²),                                                     (a)
    H_s = (1 + p/(Q_5 ω_5) + (p/ω_5)²)/(1 + p/(Q_6 ω_6) + (p/ω_6)²) (ω_5/ω_6)².

Records are weighted in the frequency domain, as if the vehicle had stood still before and would afterwards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.errors import DataError

Floats = NDArray[np.float64]


class Weighting(NamedTuple):
    """Corner frequencies [Hz] and quality factors of (a); infinite f_5, f_6 leave the upward step out."""

    f_1: float
    f_2: float
    f_3: float
    f_4: float
    Q_4: float
    f_5: float = math.inf
    Q_5: float = 1.0
    f_6: float = math.inf
    Q_6: float = 1.0

    def response(self, f: Floats) -> NDArray[np.complex128]:
        """Return H at frequencies [Hz]; zero at zero."""
        p = 1j * np.where(f == 0.0, 1.0, f)  # in units of 2π: only ratios of frequencies count
        high, low = self.f_1 / p, p / self.f_2
        H = 1.0 / (1.0 + math.sqrt(2.0) * high + high * high)
        H = H / (1.0 + math.sqrt(2.0) * low + low * low)
        to_velocity = p / self.f_4
        H = H * (1.0 + p / self.f_3) / (1.0 + to_velocity / self.Q_4 + to_velocity * to_velocity)
        if math.isfinite(self.f_5):
            a, b = p / self.f_5, p / self.f_6
            step = (1.0 + a / self.Q_5 + a * a) / (1.0 + b / self.Q_6 + b * b)
            H = H * step * (self.f_5 / self.f_6) ** 2
        return np.asarray(np.where(f == 0.0, 0.0, H))


W_K = Weighting(0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91)
"""Vertical acceleration of the seat or the floor."""
W_D = Weighting(0.4, 100.0, 2.0, 2.0, 0.63)
"""Horizontal acceleration."""


def compute_weighted_rms(t: Floats, a: Floats, weighting: Weighting) -> float:
    """Return the weighted root mean square of an acceleration [m/s²], interpolated linearly between times."""
    if len(t) < 2:
        raise DataError("a weighted acceleration needs a record of two instants at least")
    step = (t[-1] - t[0]) / (len(t) - 1)
    even = np.interp(t[0] + step * np.arange(len(t)), t, a)
    # twice as long, with rest behind: what rings on after the end does not come round to the beginning
    spectrum = np.fft.rfft(even, 2 * len(even))
    f = np.asarray(np.fft.rfftfreq(2 * len(even), step), dtype=np.float64)
    weighted = np.fft.irfft(spectrum * weighting.response(f), 2 * len(even))[: len(even)]
    return float(np.sqrt(np.mean(weighted * weighted)))
