"""SciPy's RK45 without SciPy, whose integrators take longer to load than most runs take: the same bits.

Dormand and Prince's pair with the first step, the control of steps and the errors of `scipy.integrate.RK45`
(Hairer, Nørsett, Wanner: Solving ODEs I, II.4), every operation in its order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.dopri5 import DOPRI5
from ce_dynamics.simulation.integrators.table import lower_rows

C = np.array(DOPRI5.c[:-1])
A = lower_rows(DOPRI5.A[:-1])
B = np.array(DOPRI5.A[-1])
E = -np.array(DOPRI5.error)
P = np.array(
    [
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, DOPRI5.dense[0]],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, DOPRI5.dense[2]],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, DOPRI5.dense[3]],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, DOPRI5.dense[4]],
        [0, -282668133 / 205662961, 2019193451 / 616988883, DOPRI5.dense[5]],
        [0, 40617522 / 29380423, -110615467 / 29380423, DOPRI5.dense[6]],
    ]
)
"""Hairer's dense output as y + h Σ_i k_i Σ_j P_ij θʲ⁺¹: the same polynomial in powers of θ."""

ERROR_ORDER = 4
SAFETY, LEAST, MOST = 0.9, 0.2, 10.0
"""Of a new step: over the one that would just do, and the least and the most that it changes by."""
TOO_SMALL = "Required step size is less than spacing between numbers."

Rate = Callable[[float, Floats], Floats]


class Solution(NamedTuple):
    """What is read of SciPy's `OdeResult`: states are columns of y."""

    t: Floats
    y: Floats
    success: bool
    message: str


class Control(NamedTuple):
    """Tolerances, and the longest step [s]."""

    rtol: float
    atol: float
    max_step: float


def solve(
    f: Rate,
    t_span: tuple[float, float],
    y0: Floats,
    *,
    t_eval: Floats,
    events: Callable[[float, Floats], float],
    rtol: float,
    atol: float,
    max_step: float,
) -> Solution:
    """As `scipy.integrate.solve_ivp` does by RK45, forward in time.

    Parameters
    ----------
    f : callable
        ẏ at an instant and a state that is not empty; a fresh array every time.
    t_span : pair of float
    y0 : array
    t_eval : array
        Instants to store, rising within the span.
    events : callable
        Called with time and state at the start and after every step, and never zero.
    rtol, atol, max_step : float

    Raises
    ------
    ValueError
        If the initial state is not finite.
    """
    if not np.isfinite(y0).all():
        raise ValueError("All components of the initial state `y0` must be finite.")
    control = Control(rtol, atol, max_step)
    (t, t_end), y = map(float, t_span), y0
    rate = f(t, y)
    h = first_step(f, t, y, rate, t_end, control)
    K = np.empty((len(B) + 1, len(y)))
    stored, states = 0, [np.empty((len(y), 0))]
    events(t, y)
    while t < t_end:
        step = made_step(f, t, y, rate, h, t_end, control, K)
        if step is None:
            return Solution(t_eval[:stored], np.hstack(states), False, TOO_SMALL)
        t_new, y_new, h = step
        events(t_new, y_new)
        passed = int(np.searchsorted(t_eval, t_new, side="right"))
        if passed > stored:
            states.append(within(t, t_new, y, K, t_eval[stored:passed]))
            stored = passed
        t, y, rate = t_new, y_new, K[-1].copy()
    return Solution(t_eval, np.hstack(states), True, "")


def made_step(
    f: Rate, t: float, y: Floats, rate: Floats, h: float, t_end: float, control: Control, K: Floats
) -> tuple[float, Floats, float] | None:
    """Time and state after a step that is accurate enough, and a size for the next; None if none is.

    Rates of the stages are left in the rows of K.
    """
    rtol, atol, max_step = control
    least = 10 * np.abs(np.nextafter(t, np.inf) - t)
    h = max_step if h > max_step else least if h < least else h
    rejected = False
    while h >= least:  # not NaN
        t_new = min(t + h, t_end)
        h = t_new - t
        y_new = stages(f, t, y, rate, h, K)
        scale = atol + np.maximum(np.abs(y), np.abs(y_new)) * rtol
        error = norm(np.dot(K.T, E) * h / scale)
        if error < 1:
            factor = MOST if error == 0 else min(MOST, SAFETY * error ** (-1 / (ERROR_ORDER + 1)))
            return t_new, y_new, h * (min(1, factor) if rejected else factor)
        h *= max(LEAST, SAFETY * error ** (-1 / (ERROR_ORDER + 1)))  # of NaN LEAST
        rejected = True
    return None


def stages(f: Rate, t: float, y: Floats, rate: Floats, h: float, K: Floats) -> Floats:
    """Rates of all stages of a step into the rows of K; the state after it."""
    K[0] = rate
    for s in range(1, len(B)):
        K[s] = f(t + C[s] * h, y + np.dot(K[:s].T, A[s, :s]) * h)
    y_new: Floats = y + h * np.dot(K[:-1].T, B)
    K[-1] = f(t + h, y_new)
    return y_new


def within(t: float, t_new: float, y: Floats, K: Floats, at: Floats) -> Floats:
    """States, in columns, at some instants within a step."""
    h = t_new - t
    powers = np.cumprod(np.tile((at - t) / h, (P.shape[1], 1)), axis=0)
    states: Floats = h * np.dot(K.T.dot(P), powers)
    states += y[:, None]
    return states


def norm(x: Floats) -> float:
    """Root mean square."""
    value: float = np.linalg.norm(x) / len(x) ** 0.5  # NumPy's, which answers 0/0 by NaN
    return value


def first_step(f: Rate, t: float, y: Floats, rate: Floats, t_end: float, control: Control) -> float:
    """A first step, by the sizes of the rate and of its change over a tiny step."""
    scale = control.atol + np.abs(y) * control.rtol
    d0, d1 = norm(y / scale), norm(rate / scale)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, t_end - t)
    d2 = norm((f(t + h0, y + h0 * rate) - rate) / scale) / h0
    flat = d1 <= 1e-15 and d2 <= 1e-15
    h1 = max(1e-6, h0 * 1e-3) if flat else (0.01 / max(d1, d2)) ** (1 / (ERROR_ORDER + 1))
    return min(100 * h0, h1, t_end - t, control.max_step)
