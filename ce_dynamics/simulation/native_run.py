"""A whole run by a native method, in chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.interrupts import Interrupts
from ce_dynamics.compiled.integration_methods import (
    METHOD_OF,
    EmbeddedPair,
    ExplicitRungeKutta,
    LinearlyImplicit,
)
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.workspace import Code, Workspace
from ce_dynamics.simulation.monitors.charts import Charts
from ce_dynamics.simulation.monitors.monitor import StalledError, StallWatch
from ce_dynamics.simulation.options import BROKEN_SLOPES, INTERRUPTED, NOT_FINITE_AT_START, RunOptions
from ce_dynamics.simulation.right_hand_side import RightHandSide

if TYPE_CHECKING:
    from ce_dynamics.compiled.model import Model
    from ce_dynamics.compiler import CompiledFunction
    from ce_dynamics.simulation.integrators.stepper import Stepper

Watch = Callable[[float, int], None]  # called with the time reached and the number of evaluations so far


class StoredSolution(NamedTuple):
    """Instants and states that a run has reached."""

    t: Floats  # stored instants, and the last one of a run that stopped early
    Y: Floats  # states there, in rows
    evaluations: int  # number of evaluations of ẏ
    trouble: str  # reason why the method stopped early, if so
    stopped: BaseException | None  # interrupt, or error of `watch`, that ended the run


def make_stepper(
    settings: Settings,
    dynamics: CompiledFunction,
    control: CompiledFunction | None,
    u: Floats,
    y0: Floats,
    model: Model,
) -> Stepper:
    """Return the integrator of a method at an initial state, its loop compiled."""
    # here, because it loads Numba
    from ce_dynamics.simulation.integrators.stepper import Adaptive, FixedSteps

    method = METHOD_OF[settings.method]
    jacobian = model.jacobian if method.implicit else None
    period = model.layout.sampling.period
    sample = model.sample if period else None
    code = Code(
        dynamics, control, sample=sample, period=period, jacobian=jacobian, charts=Charts(model) or None
    )
    space = Workspace(code)
    space.u[:, 0] = u
    if isinstance(method, EmbeddedPair):
        return Adaptive(space, method, y0, settings)
    assert isinstance(method, ExplicitRungeKutta | LinearlyImplicit), "there are no others"
    return FixedSteps(space, method, y0, settings)


def march(stepper: Stepper, t_store: Floats, watch: Watch, chunk: int | None = None) -> StoredSolution:
    """Integrate from t_store[0] to its end; an interrupt or an error of `watch` ends it early.

    Stored instants are equally spaced from 0, but for the last.  `watch` is called after every ``chunk`` of
    steps, on which results may depend, or some hundredths of a second.
    """
    from ce_dynamics.simulation.integrators.stepper import Chunk, Progress  # here, because it loads Numba

    Y = np.empty((len(t_store), len(stepper.y)))
    Y[0] = stepper.y
    progress = stepper.run(t_store, Y, Chunk(chunk))
    at = Progress(0.0, 1, 0, "")
    stopped: BaseException | None = None
    try:
        with Interrupts() as interrupts:
            watch(0.0, 0)
            for at in progress:
                interrupts.check()
                watch(at.t, at.evaluations)
    except (Exception, KeyboardInterrupt) as error:
        stopped = error
    t, rows = t_store[: at.stored], Y[: at.stored]
    if at.t > t[-1]:
        t, rows = np.append(t, at.t), np.vstack((rows, stepper.y if at.y is None else at.y))
    return StoredSolution(t, rows, at.evaluations, "" if stopped else at.trouble, stopped)


def integrate_native(
    rhs: RightHandSide, stepper: Stepper, t_store: Floats, options: RunOptions
) -> tuple[Floats, Floats, str]:
    """Return times, states (in rows) and the reason of an early stop, as `integrate` by SciPy.

    Interrupts, `progress` and monitors are served between chunks of steps.
    """
    if not np.all(np.isfinite(rhs(0.0, stepper.y))):
        return np.zeros(1), stepper.y[np.newaxis].copy(), NOT_FINITE_AT_START
    stalls = None if options.fixed else StallWatch(t_store[-1])  # fixed steps do not creep

    def watch(t: float, evaluations: int) -> None:
        if options.progress is not None:
            options.progress(t)
        if stalls is not None:
            stalls.look(t, stepper.y, evaluations)

    t, Y, evaluations, what, stopped = march(stepper, t_store, watch)
    rhs.evaluations += evaluations
    if isinstance(stopped, KeyboardInterrupt):
        what = INTERRUPTED
    elif isinstance(stopped, StalledError):
        what = f"{options.method} failed ({stopped})"
    elif stopped is not None:
        raise stopped
    elif not what:
        return t, Y, ""
    elif stepper.space.slopes_broke(rhs(t[-1], stepper.y)):
        what = f"{options.method} met {BROKEN_SLOPES}"
    while len(t) > 1 and not np.all(np.isfinite(rhs(t[-1], Y[-1]))):  # one step too far
        t, Y = t[:-1], Y[:-1]
    return t, Y, f"{what} at t = {t[-1]:.4g} s"
