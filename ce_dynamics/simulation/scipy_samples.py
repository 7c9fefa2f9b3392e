"""SciPy's integrators from one sample of controllers to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.stretches import NEAR
from ce_dynamics.simulation.monitors.charts import Pieces


def solve_across_samples(
    period: float,
    sampled: Callable[[float, Floats], Floats],
    solve: Callable[[Floats, Floats], Any],
    t_store: Floats,
    y0: Floats,
) -> Pieces:
    """Solve from sample to sample; each piece begins with what sampled controllers make of the state.

    Parameters
    ----------
    period : float
        Time between samples [s].
    sampled : callable
        ``sampled(t, y)`` is the state after controllers have looked at y.
    solve : callable
        ``solve(t, y)`` goes through the instants t from the state y, as `scipy.integrate.solve_ivp`.
    t_store : array
        Instants to store.
    y0 : array
    """
    t, y, t_end = float(t_store[0]), np.array(y0), float(t_store[-1])
    times, states = [t_store[:1]], [y[:, np.newaxis]]
    made, tiny = 0, NEAR * period
    while t < t_end:
        y = sampled(t, y)
        made += 1
        due = made * period
        stop = t_end if due >= t_end - tiny else due
        inside = t_store[(t_store > t + tiny) & (t_store < stop - tiny)]
        stored = bool(np.any(np.abs(t_store - stop) <= tiny))
        piece = solve(np.array((t, *inside, stop)), y)
        if not piece.success or len(piece.t) < len(inside) + 2:
            times.append(piece.t[1:])
            states.append(piece.y[:, 1:])
            return Pieces(np.concatenate(times), np.hstack(states), False, str(piece.message))
        last = len(piece.t) if stored else len(piece.t) - 1
        times.append(piece.t[1:last])
        states.append(piece.y[:, 1:last])
        t, y = stop, np.array(piece.y[:, -1])
    return Pieces(np.concatenate(times), np.hstack(states), True, "")
