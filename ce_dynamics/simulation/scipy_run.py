"""A whole run by one of SciPy's methods."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.simulation.integrators.settings import ADAPTIVE, NEAR
from ce_dynamics.simulation.monitors.charts import Charts, SolutionPieces, solve_across_charts
from ce_dynamics.simulation.monitors.jumps import Thrown
from ce_dynamics.simulation.monitors.monitor import StalledError, StallWatch
from ce_dynamics.simulation.options import BROKEN_SLOPES, INTERRUPTED, NOT_FINITE_AT_START, RunOptions
from ce_dynamics.simulation.right_hand_side import RightHandSide

if TYPE_CHECKING:
    from scipy.integrate._ivp.ivp import OdeResult


def solve_across_samples(
    period: float,
    sampled: Callable[[float, Floats], Floats],
    solve: Callable[[Floats, Floats], Any],
    t_store: Floats,
    y0: Floats,
) -> SolutionPieces:
    """Solve from sample to sample; each piece begins after the sampled controllers have acted on the state.

    ``sampled(t, y)`` is the state after controllers have looked at y; ``solve(t, y)`` goes through the
    instants t from y, as `scipy.integrate.solve_ivp`.
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
            return SolutionPieces(np.concatenate(times), np.hstack(states), False, str(piece.message))
        last = len(piece.t) if stored else len(piece.t) - 1
        times.append(piece.t[1:last])
        states.append(piece.y[:, 1:last])
        t, y = stop, np.array(piece.y[:, -1])
    return SolutionPieces(np.concatenate(times), np.hstack(states), True, "")


def integrate(
    rhs: RightHandSide,
    accepted: list[tuple[float, Floats]],
    t_store: Floats,
    options: RunOptions,
) -> tuple[Floats, Floats, str]:
    """Return times, states (in rows) and, if the end was not reached, the cause.

    ``accepted`` has the initial time and state; all steps are appended to it.
    """
    from scipy.integrate import solve_ivp  # here, because few runs need it

    # here, because it loads SciPy
    from ce_dynamics.simulation.integrators.scipy_jacobian import (
        NOT_FINITE,
        DenseJacobian,
        sparse_jacobian_of,
    )

    y0, method, progress = accepted[0][1], options.method, options.progress
    watching = StallWatch(t_store[-1]), Thrown(rhs, accepted)

    def after_step(t: float, y: Floats) -> float:
        if t == accepted[-1][0]:  # the same instant after a sample
            accepted[-1] = t, y.copy()
        else:
            accepted.append((t, y.copy()))
        if progress is not None:
            progress(t)
        for monitor in watching:
            monitor.look(t, y, rhs.evaluations)
        return 1.0

    if not np.all(np.isfinite(rhs(0.0, y0))):
        return np.zeros(1), y0[np.newaxis], NOT_FINITE_AT_START
    exact: dict[str, Any] = {}
    if method in ("Radau", "BDF"):
        exact = {"jac": sparse_jacobian_of(rhs)}
    elif method == "LSODA":
        exact = {"jac": DenseJacobian(rhs)}
    try:
        with warnings.catch_warnings():
            # Older releases of SciPy warn of the error below.
            warnings.filterwarnings("ignore", "lsoda:", UserWarning)
            limits = {name: getattr(options.settings, name) for name in ADAPTIVE}
            solve = partial(solve_ivp, rhs, method=method, **limits, **exact)
            charts = Charts(rhs.model)

            def through(t: Floats, y: Floats) -> Any:
                if charts:
                    return solve_across_charts(charts, solve, t, y, after_step)
                return solve((t[0], t[-1]), y, t_eval=t, events=after_step)

            period = rhs.model.layout.sampling.period
            solution: Any = (
                solve_across_samples(period, rhs.sample, through, t_store, y0)
                if period
                else through(t_store, y0)
            )
    except KeyboardInterrupt:
        return keep_finite(accepted, None, t_store, INTERRUPTED)
    except CeDynamicsError:
        raise
    except StalledError as error:
        return keep_finite(accepted, None, t_store, f"{method} failed ({error})")
    except (ValueError, RuntimeError) as error:  # in a dense or sparse factorisation
        broke = "accelerations that are not finite, or that no step can follow"
        what = f"{method} met {BROKEN_SLOPES if str(error) == NOT_FINITE else broke}"
        return keep_finite(accepted, None, t_store, what)
    if not solution.success:
        return keep_finite(accepted, solution, t_store, f"{method} stopped ({solution.message})")
    if not np.all(np.isfinite(solution.y)):
        return keep_finite(accepted, solution, t_store, f"{method} met accelerations that are not finite")
    return solution.t, solution.y.T, ""


def keep_finite(
    accepted: Sequence[tuple[float, Floats]],
    solution: OdeResult[np.float64] | None,
    t_store: Floats,
    what: str,
) -> tuple[Floats, Floats, str]:
    """Return the finite part of a run that did not reach its end, the cause and its time.

    States at the instants to store are known from a solution only; without one, the first step that reached
    each of them is given instead, and the last.
    """
    t, Y = finite_part(np.array([t for t, _ in accepted]), np.array([y for _, y in accepted]))
    if solution is not None and len(solution.t) > 0:
        before = solution.t < t[-1]
        t = np.append(solution.t[before], t[-1])
        Y = np.vstack((solution.y.T[before], Y[-1]))
        t, Y = finite_part(t, Y)
    elif len(t) > 1:
        reached = np.searchsorted(t, t_store[t_store <= t[-1]])
        chosen = np.unique(np.append(reached, len(t) - 1))
        t, Y = t[chosen], Y[chosen]
    return t, Y, f"{what} at t = {t[-1]:.4g} s"


def finite_part(t: Floats, Y: Floats) -> tuple[Floats, Floats]:
    """Return the instants and states before the first state that is not finite."""
    finite = np.all(np.isfinite(Y), axis=1)
    n = len(t) if np.all(finite) else int(np.argmin(finite))
    return t[:n], Y[:n]


def import_integrators() -> None:
    """Load SciPy's integrators before the clock starts."""
    import scipy.integrate  # here, because few runs need it  # noqa: F401
