"""Evaluates the reaction to a change of the pedals in a turn with fixed steering wheel (ISO 7975, ISO 9816).

The reference is the steady circle before: at the speed v, a vehicle on the circle of radius R turns at v/R.

Sine with dwell (FMVSS 126, UN Regulation 140): stability and responsiveness.

The steering is a sine of 0.7 Hz that stays for half a second at its second peak.  After it, the yaw rate
must have fallen; before it, the vehicle must have got out of the way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
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
    """Return a signal's value at a time; NaN behind the end of the record."""
    return float(np.interp(when, t, x)) if when <= t[-1] + 1e-9 else float(np.nan)


def least_displacement(mass: float) -> float:
    """Return the required lateral displacement [m] of a vehicle by its mass [kg]."""
    return DISPLACEMENT[0] if mass <= LIGHT else DISPLACEMENT[1]


class WheelLift(NamedTuple):
    """Figures of a vehicle's nearness to rollover.

    Attributes
    ----------
    load_transfer : float
        Largest |ΣF_right − ΣF_left| over their sum; 1 when one side carries nothing.
    lifted_time : float
        Longest time for which all wheels of one side carried nothing [s].
    largest_roll : float
        Largest magnitude of the roll angle [rad].
    """

    load_transfer: float
    lifted_time: float
    largest_roll: float


def wheel_lift(t: ArrayLike, left: ArrayLike, right: ArrayLike, roll: ArrayLike) -> WheelLift:
    """Load transfer and two-wheel lift.

    Parameters
    ----------
    t : (n,) array_like
        [s].
    left, right : (n, k) array_like
        Vertical tyre loads of either side [N].
    roll : (n,) array_like
        Roll angle [rad].
    """
    times = np.asarray(t, dtype=float)
    loads = [np.atleast_2d(np.asarray(x, dtype=float)) for x in (left, right)]
    if any(len(load) != len(times) for load in loads):
        raise DataError(
            f"loads of shapes {loads[0].shape} and {loads[1].shape} do not belong to {len(times)} instants"
        )
    sides = [load.sum(axis=1) for load in loads]
    whole = sides[0] + sides[1]
    on_road = whole > 0.0
    transfer = np.abs(sides[1] - sides[0])[on_road] / whole[on_road]
    longest = max(longest_time(times, np.asarray((load <= 0.0).all(axis=1))) for load in loads)
    return WheelLift(
        float(np.max(transfer, initial=0.0)),
        longest,
        float(np.max(np.abs(np.asarray(roll, dtype=float)))),
    )


def longest_time(t: np.ndarray, true: np.ndarray) -> float:
    """Return the longest time for which something is true without a break [s], counted between samples."""
    best, since = 0.0, None
    for time, yes in zip(t.tolist(), true.tolist(), strict=True):
        since = (time if since is None else since) if yes else None
        best = best if since is None else max(best, time - since)
    return best
