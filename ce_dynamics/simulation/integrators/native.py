"""A whole run by a native method, in chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.methods import METHOD_OF
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stepper import Chunk, Progress, Stepper
from ce_dynamics.simulation.interrupts import Interrupts

if TYPE_CHECKING:
    from ce_dynamics.compiled.model import Model
    from ce_dynamics.compiler import CompiledFunction

Watch = Callable[[float, int], None]
"""Told the time reached and the number of evaluations so far."""


class Reached(NamedTuple):
    """What a run has reached.

    Attributes
    ----------
    t, Y : arrays
        Instants and states (in rows): those to be stored and, if the run stopped early, the last one.
    evaluations : int
        Of ẏ.
    trouble : str
        What happened, if the end was not reached.
    """

    t: Floats
    Y: Floats
    evaluations: int
    trouble: str


def make_stepper(
    settings: Settings,
    dynamics: CompiledFunction,
    control: CompiledFunction | None,
    u: Floats,
    y0: Floats,
    model: Model,
) -> Stepper:
    """The integrator of a method at an initial state, its loop compiled."""
    from ce_dynamics.simulation.integrators.wiring import Wiring  # here, because it loads the compiler

    method = METHOD_OF[settings.method]
    jacobian = model.jacobian if method.implicit else None
    period = model.layout.sampling.period
    wiring = Wiring(dynamics, control, u, jacobian, model.sample if period else None, period)
    return method.stepper(wiring, y0, settings)


def march(
    stepper: Stepper,
    t_store: Floats,
    watch: Watch,
    chunk: int | None = None,
) -> Reached:
    """Integrate from t_store[0] to its end; an interrupt or an error of `watch` ends it early.

    Parameters
    ----------
    stepper : Stepper
        At the initial state.
    t_store : array
        Instants to store: equally spaced from 0 but for the last.
    watch : callable
        Called between chunks.
    chunk : int, optional
        Steps per chunk, where results depend on it; as many as take some hundredths of a second if not given.

    Raises
    ------
    InterruptedRunError
        Around what `watch` raised, and KeyboardInterrupt; holds what was reached.
    """
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
        raise InterruptedRunError(reached(stepper.y, t_store, Y, at, "")) from error
    return reached(stepper.y, t_store, Y, at, at.trouble)


class InterruptedRunError(Exception):
    """A run was ended from outside; ``reached`` holds what there is."""

    def __init__(self, reached: Reached) -> None:
        super().__init__("the run was interrupted")
        self.reached = reached


def reached(y: Floats, t_store: Floats, Y: Floats, at: Progress, trouble: str) -> Reached:
    """The instants stored, and the last state where it lies beyond them."""
    t, rows = t_store[: at.stored], Y[: at.stored]
    if at.t > t[-1]:
        t, rows = np.append(t, at.t), np.vstack((rows, y if at.y is None else at.y))
    return Reached(t, rows, at.evaluations, trouble)
