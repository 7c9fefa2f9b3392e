"""Sine with dwell (FMVSS 126, UN Regulation 140): stability and responsiveness.

The steering is a sine of 0.7 Hz that stays for half a second at its second peak.  After it, the yaw rate
must have fallen; before it, the vehicle must have got out of the way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.models.handling.metrics.instants import signals

STABILITY = (1.0, 0.35), (1.75, 0.20)
"""Times after the end of the steering [s], and the largest yaw rate then, over its second peak."""
AT = 1.07
"""Time after the beginning of the steering at which the lateral displacement counts [s]."""
LIGHT = 3500.0
"""Mass up to which a vehicle is light [kg]."""
DISPLACEMENT = 1.83, 1.52
"""Least lateral displacement of light and of heavier vehicles [m]."""
RESPONSIVE = 5.0
"""Multiple of the reference amplitude from which on the displacement counts."""


class DwellResponse(NamedTuple):
    """Response to a sine with dwell.

    Attributes
    ----------
    second_peak : float
        Of the yaw rate, after the steering has changed sign, in its direction [rad/s].
    yaw_rate_ratios : tuple of float
        Yaw rate 1.0 and 1.75 s after the end of the steering, over the second peak.
    displacement : float
        Of the centre of mass 1.07 s after the beginning, in the direction of the first steering [m].
    """

    second_peak: float
    yaw_rate_ratios: tuple[float, float]
    displacement: float

    @property
    def stable(self) -> bool:
        """True if the yaw rate has fallen far enough."""
        return all(ratio <= most for ratio, (_, most) in zip(self.yaw_rate_ratios, STABILITY, strict=True))


def dwell_response(
    t: ArrayLike,
    yaw_rate: ArrayLike,
    lateral: ArrayLike,
    sign: float,
    begin: float,
    reversal: float,
    end: float,
) -> DwellResponse:
    """Compute the response of a vehicle to a sine with dwell.

    Parameters
    ----------
    t : (n,) array_like
        [s].
    yaw_rate : (n,) array_like
        [rad/s].
    lateral : (n,) array_like
        Displacement of the centre of mass across the initial direction, positive to the left [m].
    sign : float
        1 if the first steering is to the left, −1 if to the right.
    begin, reversal, end : float
        Times at which the steering begins, changes its sign, and ends [s].
    """
    t, r, y = signals(t, yaw_rate, lateral)
    after = t >= reversal
    peak = float(np.min(sign * r[after])) if np.any(after) else np.nan
    ratios = tuple(at(t, sign * r, end + later) / peak for later, _ in STABILITY)
    displacement = sign * (at(t, y, begin + AT) - at(t, y, begin))
    return DwellResponse(sign * peak, (ratios[0], ratios[1]), displacement)


def at(t: np.ndarray, x: np.ndarray, when: float) -> float:
    """A signal's value at a time; NaN behind the end of the record."""
    return float(np.interp(when, t, x)) if when <= t[-1] + 1e-9 else float(np.nan)


def least_displacement(mass: float) -> float:
    """Return the required lateral displacement [m] of a vehicle by its mass [kg]."""
    return DISPLACEMENT[0] if mass <= LIGHT else DISPLACEMENT[1]
