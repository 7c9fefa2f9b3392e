"""Steady-state cornering (ISO 4138): understeer and roll gradient, characteristic speed, gains.

A vehicle with wheelbase L that turns steadily at the speed v with the lateral acceleration a_y needs the
road-wheel angle δ = L/R + δ_u with R = v²/a_y: the first part is geometry, the second, the understeer angle
δ_u, is what tyres and suspension add.  Its slope in the linear range is the understeer gradient K =
dδ_u/da_y [rad s²/m].
 The linear vehicle has the gains

    ψ̇/δ = v/(L + K v²),    a_y/δ = v²/(L + K v²),                                                       (a)

whose first is largest at the characteristic speed √(L/K) of an understeering vehicle; an oversteering one is
unstable beyond the critical speed √(−L/K).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError

LINEAR = 0.5, 3.0
"""Range of lateral acceleration in which gradients are taken [m/s²]."""
FEWEST = 5
"""Points that a gradient takes at least."""


class SteadyCornering(NamedTuple):
    """Figures of steady cornering.

    Attributes
    ----------
    understeer_gradient : float
        K [rad s²/m], positive for understeer.
    characteristic_speed, critical_speed : float
        [m/s]; NaN for the speed that does not exist.
    roll_gradient, sideslip_gradient : float
        dφ/da_y, dβ/da_y [rad s²/m]; NaN where the signal is not given.
    largest_lateral_acceleration : float
        Greatest magnitude reached [m/s²].
    """

    understeer_gradient: float
    characteristic_speed: float
    critical_speed: float
    roll_gradient: float
    sideslip_gradient: float
    largest_lateral_acceleration: float


def understeer_angle(steer: ArrayLike, ay: ArrayLike, speed: ArrayLike, wheelbase: float) -> Floats:
    """Return δ_u = δ − L a_y/v² [rad].

    Parameters
    ----------
    steer : (n,) array_like
        Mean steering angle of the front road wheels, without compliance, positive to the left [rad].
    ay : (n,) array_like
        Lateral acceleration, positive to the left [m/s²].
    speed : (n,) array_like
        [m/s].
    wheelbase : float
        [m].
    """
    delta, a, v = (np.asarray(x, dtype=float) for x in (steer, ay, speed))
    return np.asarray(delta - wheelbase * a / (v * v))


def gradient(ay: ArrayLike, angle: ArrayLike, within: tuple[float, float] = LINEAR) -> float:
    """Return the slope of an angle over lateral acceleration [rad s²/m], by least squares within a range."""
    a, x = np.asarray(ay, dtype=float), np.asarray(angle, dtype=float)
    inside = (np.abs(a) >= within[0]) & (np.abs(a) <= within[1]) & np.isfinite(x)
    if np.count_nonzero(inside) < FEWEST:
        reached = float(np.max(np.abs(a), initial=0.0))
        raise DataError(
            f"{np.count_nonzero(inside)} points lie between {within[0]:g} and {within[1]:g} m/s² of lateral "
            f"acceleration, {FEWEST} are needed for a gradient; {reached:.3g} m/s² was reached"
        )
    return float(np.polyfit(a[inside], x[inside], 1)[0])


def steady_cornering(
    steer: ArrayLike,
    ay: ArrayLike,
    speed: ArrayLike,
    wheelbase: float,
    *,
    roll: ArrayLike | None = None,
    sideslip: ArrayLike | None = None,
    within: tuple[float, float] = LINEAR,
) -> SteadyCornering:
    """Return gradients, speeds and the largest lateral acceleration of (nearly) steady cornering.

    They may be of any method: constant radius, constant speed, constant steering angle, or all together.

    Parameters
    ----------
    steer, ay, speed, wheelbase
        As of `understeer_angle`.
    roll, sideslip : (n,) array_like, optional
        Roll angle and side-slip angle [rad].
    within : (float, float)
        Range of |a_y| of the gradients [m/s²].

    Examples
    --------
    >>> ay = np.linspace(0.1, 4.0, 40)
    >>> found = steady_cornering(2.8 / 400.0 * ay + 0.002 * ay, ay, np.full(40, 20.0), 2.8)
    >>> round(found.understeer_gradient, 12), round(found.characteristic_speed, 9)
    (0.002, 37.416573868)
    """
    K = gradient(ay, understeer_angle(steer, ay, speed, wheelbase), within)
    return SteadyCornering(
        K,
        math.sqrt(wheelbase / K) if K > 0.0 else math.nan,
        math.sqrt(-wheelbase / K) if K < 0.0 else math.nan,
        math.nan if roll is None else gradient(ay, roll, within),
        math.nan if sideslip is None else gradient(ay, sideslip, within),
        float(np.max(np.abs(np.asarray(ay, dtype=float)))),
    )


def yaw_rate_gain(speed: float, wheelbase: float, understeer_gradient: float) -> float:
    """Return ψ̇/δ of (a) [1/s]."""
    return speed / (wheelbase + understeer_gradient * speed * speed)


def lateral_acceleration_gain(speed: float, wheelbase: float, understeer_gradient: float) -> float:
    """Return a_y/δ of (a) [m/s²]."""
    return speed * yaw_rate_gain(speed, wheelbase, understeer_gradient)
