"""A whole run in compiled code, between whose chunks monitors look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.native import InterruptedRunError, make_stepper, march
from ce_dynamics.simulation.monitors.charts import Charts
from ce_dynamics.simulation.monitors.monitor import Monitor
from ce_dynamics.simulation.monitors.stall import StalledError, StallWatch
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.reached import BROKEN_SLOPES, INTERRUPTED, NOT_FINITE_AT_START
from ce_dynamics.simulation.right_hand_side import RightHandSide

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.stepper import Stepper


def native_stepper(rhs: RightHandSide, y0: Floats, options: RunOptions) -> Stepper:
    """The integrator of a native method, ready to go."""
    u = rhs.inputs_at(0.0, y0)
    return make_stepper(options.settings, rhs.dynamics, rhs.control, u, y0, rhs.model)


def integrate_native(
    rhs: RightHandSide, stepper: Stepper, t_store: Floats, options: RunOptions
) -> tuple[Floats, Floats, str]:
    """As `integrate` by SciPy; interrupts, `progress` and monitors get their turn between chunks."""
    if not np.all(np.isfinite(rhs(0.0, stepper.y))):
        return np.zeros(1), stepper.y[np.newaxis].copy(), NOT_FINITE_AT_START
    charts = Charts(rhs.model)
    watching: list[Monitor] = [charts] if charts else []
    if not options.fixed:  # fixed steps do not creep, however short they are
        watching.append(StallWatch(t_store[-1]))

    def watch(t: float, evaluations: int) -> None:
        if options.progress is not None:
            options.progress(t)
        for monitor in watching:
            if monitor.look(t, stepper.y, evaluations):
                stepper.restart()

    try:
        got = march(stepper, t_store, watch, 1 if charts else None)
        what = got.trouble
    except InterruptedRunError as stop:
        got = stop.reached
        if isinstance(stop.__cause__, KeyboardInterrupt):
            what = INTERRUPTED
        elif isinstance(stop.__cause__, StalledError):
            what = f"{options.method} failed ({stop.__cause__})"
        else:
            raise stop.__cause__ or stop from None
    rhs.evaluations += got.evaluations
    if not what:
        return got.t, got.Y, ""
    if got.trouble and stepper.slopes_broke(rhs(got.t[-1], stepper.y)):
        what = f"{options.method} met {BROKEN_SLOPES}"
    t, Y = got.t, got.Y
    while len(t) > 1 and not np.all(np.isfinite(rhs(t[-1], Y[-1]))):  # one step too far
        t, Y = t[:-1], Y[:-1]
    return t, Y, f"{what} at t = {t[-1]:.4g} s"
