"""Conditions under which figures of a record hold: no spin, steady turning, wheels on the road.

The centripetal acceleration is a_y = v (ψ̇ + β̇): in steady cornering (ISO 4138) β̇ = 0, the vehicle turns as
its path does.  A vehicle whose side-slip angle exceeds full lock spins: its wheels cannot be steered along
its path any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.handling.metrics.instants import integral, signals
from ce_dynamics.models.handling.metrics.steady_state import LINEAR

UNSTEADY = 0.1
"""Part of a_y that v β̇ may be: the curvatures of path and heading then agree within a tenth."""
WINDOW = 1.0
"""Time over which v β̇ is averaged [s]: a shift of gears jolts a vehicle for half of it, and is none."""
CREEPING = 2.0
"""Speed below which directions of the velocity and yaw rates are not judged [m/s]."""


class Violation(NamedTuple):
    """A condition that a record violates, and the time from which it does [s]."""

    t: float
    condition: str


def spin(t: ArrayLike, sideslip: ArrayLike, speed: ArrayLike, lock: float) -> Violation | None:
    """Return the first instant at which the side-slip angle is beyond full lock; None without one.

    Parameters
    ----------
    t, sideslip, speed : (n,) array_like
        [s], [rad], [m/s].
    lock : float
        Angle of the road wheels at full lock [rad].
    """
    t, beta, v = signals(t, sideslip, speed)
    beyond = np.flatnonzero((np.abs(beta) > lock) & (v > CREEPING))
    if not beyond.size:
        return None
    at = float(t[beyond[0]])
    full = f"full lock, {np.degrees(lock):.3g}°"
    return Violation(at, f"the vehicle spins: from {at:.3g} s on its side-slip exceeds {full}")


def first_unsteady(t: ArrayLike, ay: ArrayLike, speed: ArrayLike, yaw_rate: ArrayLike) -> Violation | None:
    """Return the first instant at which a vehicle turns otherwise than its path; None without one.

    The mean of a_y − v ψ̇ over `WINDOW` is compared with `UNSTEADY` of a_y, of `LINEAR`'s end at least: a
    slow ramp of the steering leaves a constant β̇, which bends no gradient.

    Parameters
    ----------
    t, ay, speed, yaw_rate : (n,) array_like
        [s], [m/s²], [m/s], [rad/s].
    """
    t, a, v, r = signals(t, ay, speed, yaw_rate)
    rest = average(t, a - v * r)
    allowed = UNSTEADY * np.maximum(np.abs(average(t, a)), LINEAR[1])
    beyond = np.flatnonzero(np.abs(rest) > allowed)
    if not beyond.size:
        return None
    at = float(t[beyond[0]])
    return Violation(
        at,
        f"cornering is not steady: from {at:.3g} s on the vehicle turns otherwise than its path by more than "
        f"{100 * UNSTEADY:g} %",
    )


def lift(t: ArrayLike, left: ArrayLike, right: ArrayLike) -> Violation | None:
    """Return the first instant at which no wheel of one side carries anything; None without one."""
    times = np.asarray(t, dtype=float)
    for side, loads in (("left", left), ("right", right)):
        lifted = np.flatnonzero((np.asarray(loads, dtype=float) <= 0.0).all(axis=1))
        if lifted.size:
            at = float(times[lifted[0]])
            return Violation(at, f"the vehicle tips: from {at:.3g} s on no {side} wheel is on the road")
    return None


def first(violations: Sequence[Violation | None]) -> Violation | None:
    """Return the violation that comes first in time."""
    return min((one for one in violations if one is not None), key=lambda one: one.t, default=None)


def average(t: Floats, x: Floats) -> Floats:
    """Return the mean of a signal over `WINDOW` around each instant, or as much of it as there is."""
    whole = integral(t, x)
    ends = [np.clip(t + half, t[0], t[-1]) for half in (-0.5 * WINDOW, 0.5 * WINDOW)]
    return np.asarray(np.diff([np.interp(end, t, whole) for end in ends], axis=0)[0] / (ends[1] - ends[0]))
