"""A whole run by a native method, in chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.methods import (
    METHOD_OF,
    EmbeddedPair,
    ExplicitRungeKutta,
    LinearlyImplicit,
)
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.interrupts import Interrupts

if TYPE_CHECKING:
    from ce_dynamics.compiled.model import Model
    from ce_dynamics.compiler import CompiledFunction
    from ce_dynamics.simulation.integrators.stepper import Progress, Stepper

Watch = Callable[[float, int], None]  # called with the time reached and the number of evaluations so far


class StoredSolution(NamedTuple):
    """Instants and states that a run has reached."""

    t: Floats  # stored instants, and the last one of a run that stopped early
    Y: Floats  # states there, in rows
    evaluations: int  # number of evaluations of ẏ
    trouble: str  # reason why the run stopped early, if so


def make_stepper(
    settings: Settings,
    dynamics: CompiledFunction,
    control: CompiledFunction | None,
    u: Floats,
    y0: Floats,
    model: Model,
) -> Stepper:
    """Return the integrator of a method at an initial state, its loop compiled."""
    # here, because they load Numba
    from ce_dynamics.simulation.integrators.stepper import Adaptive, FixedSteps
    from ce_dynamics.simulation.integrators.workspace import Code, Workspace

    method = METHOD_OF[settings.method]
    jacobian = model.jacobian if method.implicit else None
    period = model.layout.sampling.period
    sample = model.sample if period else None
    space = Workspace(Code(dynamics, control, sample=sample, period=period, jacobian=jacobian))
    space.u[:, 0] = u
    if isinstance(method, EmbeddedPair):
        return Adaptive(space, method, y0, settings)
    assert isinstance(method, ExplicitRungeKutta | LinearlyImplicit), "there are no others"
    return FixedSteps(space, method, y0, settings)


def march(
    stepper: Stepper,
    t_store: Floats,
    watch: Watch,
    chunk: int | None = None,
) -> StoredSolution:
    """Integrate from t_store[0] to its end; an interrupt or an error of `watch` ends it early.

    Stored instants are equally spaced from 0, but for the last.  `watch` is called after every ``chunk`` of
    steps, on which results may depend, or some hundredths of a second.  `InterruptedRunError` holds what was
    reached.
    """
    from ce_dynamics.simulation.integrators.stepper import Chunk, Progress  # here, because it loads Numba

    Y = np.empty((len(t_store), len(stepper.y)))
    Y[0] = stepper.y
    progress = stepper.run(t_store, Y, Chunk(chunk))
    at = Progress(0.0, 1, 0, "")
    try:
        with Interrupts() as interrupts:
            watch(0.0, 0)
            for at in progress:
                interrupts.check()
                watch(at.t, at.evaluations)
    except (Exception, KeyboardInterrupt) as error:
        raise InterruptedRunError(collect_stored(stepper.y, t_store, Y, at, "")) from error
    return collect_stored(stepper.y, t_store, Y, at, at.trouble)


class InterruptedRunError(Exception):
    """A run was ended from outside; ``reached`` holds what there is."""

    def __init__(self, reached: StoredSolution) -> None:
        super().__init__("the run was interrupted")
        self.reached = reached


def collect_stored(y: Floats, t_store: Floats, Y: Floats, at: Progress, trouble: str) -> StoredSolution:
    """Return the instants stored, and the last state where it lies beyond them."""
    t, rows = t_store[: at.stored], Y[: at.stored]
    if at.t > t[-1]:
        t, rows = np.append(t, at.t), np.vstack((rows, y if at.y is None else at.y))
    return StoredSolution(t, rows, at.evaluations, trouble)
