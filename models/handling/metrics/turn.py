"""Evaluates the reaction to a change of the pedals in a turn with fixed steering wheel (ISO 7975, ISO 9816).

The reference is the steady circle before: at the speed v, a vehicle on the circle of radius R turns at v/R.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.handling.metrics.instants import mean, signals

BEFORE = 0.5
"""Window before the event over which the steady values are taken [s]."""
LATER = 1.0
"""Time after the event at which the standards compare [s]."""


class TurnReaction(NamedTuple):
    """Reaction of a vehicle in a turn.

    Attributes
    ----------
    radius : float
        Of the steady circle before [m].
    lateral_acceleration : float
        Steady, before [m/s²].
    deceleration : float
        Mean over the first second after [m/s²].
    yaw_rate_ratio : float
        Yaw rate one second after over that of the circle at the speed of then, v/R: above 1 it turns in.
    largest_yaw_rate_ratio : float
        Largest yaw rate after over the steady one before.
    sideslip_change : float
        Largest change of the side-slip angle [rad].
    path_deviation : float
        Distance from the circle one second after [m], positive to its inside.
    """

    radius: float
    lateral_acceleration: float
    deceleration: float
    yaw_rate_ratio: float
    largest_yaw_rate_ratio: float
    sideslip_change: float
    path_deviation: float


def turn_reaction(
    t: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    speed: ArrayLike,
    yaw_rate: ArrayLike,
    sideslip: ArrayLike,
    course: ArrayLike,
    event: float,
    until: float,
) -> TurnReaction:
    """Compute the reaction of a vehicle to an event in a turn.

    Parameters
    ----------
    t : (n,) array_like
        [s].
    x, y : (n,) array_like
        Path of the vehicle [m].
    speed, yaw_rate, sideslip : (n,) array_like
        [m/s], [rad/s] positive to the left, [rad].
    course : (n,) array_like
        Direction of the velocity [rad], without jumps.
    event : float
        Time of the event [s].
    until : float
        End of the evaluated time [s], before the vehicle stands.
    """
    t, x, y, v, r, beta, nu = signals(t, x, y, speed, yaw_rate, sideslip, course)
    v0, r0 = (mean(t, signal, event - BEFORE, event) for signal in (v, r))
    beta0 = mean(t, beta, event - BEFORE, event)
    radius = v0 / r0  # with the sign of the turn
    later = event + LATER
    mean(t, v, event, later)  # which refuses a record that ends before
    v1, r1 = (float(np.interp(later, t, signal)) for signal in (v, r))
    after = (t >= event) & (t <= until)
    return TurnReaction(
        abs(radius),
        v0 * abs(r0),
        (float(np.interp(event, t, v)) - v1) / LATER,
        r1 * radius / v1,
        float(np.max(r[after] / r0)),
        float(np.max(np.abs(beta[after] - beta0))),
        inside(t, x, y, nu, radius, event, later),
    )


def inside(
    t: Floats, x: Floats, y: Floats, course: Floats, radius: float, event: float, later: float
) -> float:
    """Return the later distance of a vehicle from the circle of the event [m], positive inside."""
    at = [np.array([np.interp(when, t, x), np.interp(when, t, y)]) for when in (event, later)]
    nu = float(np.interp(event, t, course))
    centre = at[0] + radius * np.array([-np.sin(nu), np.cos(nu)])
    return float(abs(radius) - np.linalg.norm(at[1] - centre))
