"""A whole run by a native method, in chunks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.integrators.methods import IMPLICIT, SCHEMES
from ce_dynamics.simulation.interrupts import Interrupts

if TYPE_CHECKING:
    from ce_dynamics.compiled.model import Model
    from ce_dynamics.compiler import CompiledFunction
    from ce_dynamics.simulation.integrators.steppers import Adaptive, FixedStep

STEPS_PER_CHUNK = 16
"""Steps before the first look at progress and interrupts; of no influence on the results."""

MOST_PER_CHUNK = 2**20

STEPS_AT_ONCE = 256
"""How many steps are made at most between two looks at charts, which results do depend on."""

LOOKS_EVERY = 0.02, 0.06
"""Shortest and longest time between two looks that changes the number of steps between them [s]."""

Watch = Callable[[float, int], None]
"""Told the time reached and the number of evaluations so far."""


class Settings(NamedTuple):
    """Method and steps: the longest fixed step, and tolerances and longest step of the adaptive method.

    ``jacobian_every`` is how many steps an implicit method makes with one Jacobian.
    """

    method: str
    step: float
    rtol: float
    atol: float
    max_step: float
    jacobian_every: int = 1


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


class Chunk:
    """How many steps are made between two looks at progress and interrupts.

    Parameters
    ----------
    fixed : int, optional
        So many; by default as many as take some hundredths of a second.

    Attributes
    ----------
    steps : int
    """

    def __init__(self, fixed: int | None = None) -> None:
        self.steps = STEPS_PER_CHUNK if fixed is None else fixed
        self.pieces = self.steps if fixed is None else STEPS_AT_ONCE
        self._fixed = fixed is not None
        self._began = time.perf_counter()

    def begin(self) -> None:
        """Steps are about to be made."""
        self._began = time.perf_counter()

    def end(self) -> None:
        """They have been made."""
        if self._fixed:
            return
        took = time.perf_counter() - self._began
        if took < LOOKS_EVERY[0]:
            self.steps = min(2 * self.steps, MOST_PER_CHUNK)
        elif took > LOOKS_EVERY[1] and self.steps > 1:
            self.steps //= 2
        self.pieces = self.steps


def substeps(length: float, step: float) -> tuple[int, float]:
    """Number and size of equal steps, none longer than `step`, that make up an interval."""
    n = max(1, math.ceil(length / step * (1.0 - 1e-9)))
    return n, length / n


def check_step(step: float) -> None:
    """Refuse a step that is not a positive finite number."""
    checks.number("step", step, above=0.0)


TOLERANCES = {"rtol": (1e-13, 0.1), "atol": (1e-20, 1.0)}
"""Below, rounding is all that is left of an error; above, a step is not judged at all."""


def check_tolerances(rtol: float, atol: float) -> None:
    """Refuse tolerances that mean nothing."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        least, most = TOLERANCES[name]
        if not least <= checks.number(name, value, above=0.0) <= most:
            raise ModelError(f"{name} {value!r} must be from {least:g} to {most:g}, for example 1e-6")


MOST_STEPS = 10**10
"""Of one run: more than a day of the fastest model's work."""


def check_steps(duration: float, step: float, most: float = MOST_STEPS) -> None:
    """Refuse more steps than anybody can wait for, or ones too short for the clock to advance."""
    if not duration / step <= most:
        raise ModelError(
            f"step {step!r} s makes {duration / step:.3g} steps of {duration!r} s; at most {most:.0e} "
            "are allowed: give a longer step, or a shorter duration"
        )


def check_renewal(method: str, steps: object) -> None:
    """Refuse a number of steps between Jacobians that is no positive integer, or of no use to the method."""
    if checks.integer("jacobian_every", steps, at_least=1) > 1 and method not in IMPLICIT:
        raise ModelError(
            f"jacobian_every {steps!r} means nothing to {method}; it is for {' and '.join(IMPLICIT)}"
        )


def make_stepper(
    settings: Settings,
    dynamics: CompiledFunction,
    control: CompiledFunction | None,
    u: Floats,
    y0: Floats,
    model: Model,
) -> FixedStep | Adaptive:
    """The integrator of a method at an initial state, its loop compiled."""
    # here, because it loads Numba
    from ce_dynamics.simulation.integrators.steppers import Adaptive, FixedStep
    from ce_dynamics.simulation.integrators.wiring import Wiring

    check_step(settings.step)
    check_renewal(settings.method, settings.jacobian_every)
    jacobian = model.jacobian if settings.method in IMPLICIT else None
    wiring = Wiring(dynamics, control, u, jacobian)
    nothing = np.empty((0, wiring.n))
    stepper: FixedStep | Adaptive
    if not SCHEMES[settings.method].fixed:
        stepper = Adaptive(wiring, y0, settings.rtol, settings.atol, settings.max_step)
        stepper.begin()
        stepper.march(np.zeros(1), 0, nothing)
    else:
        stepper = FixedStep(settings.method, wiring, y0, settings.jacobian_every)
        stepper.march(np.zeros(0), 1, settings.step, nothing)
    return stepper


def march(
    stepper: FixedStep | Adaptive,
    t_store: Floats,
    settings: Settings,
    watch: Watch,
    chunk: int | None = None,
) -> Reached:
    """Integrate from t_store[0] to its end; an interrupt or an error of `watch` ends it early.

    Parameters
    ----------
    stepper : FixedStep or Adaptive
        At the initial state.
    t_store : array
        Instants to store: equally spaced from 0 but for the last.
    settings : Settings
        As it was made with.
    watch : callable
        Called between chunks.
    chunk : int, optional
        Steps per chunk, where results depend on it; as many as take some hundredths of a second if not given.

    Raises
    ------
    InterruptedRunError
        Around what `watch` raised, and KeyboardInterrupt; holds what was reached.
    """
    from ce_dynamics.simulation.integrators.steppers import FixedStep  # here, because it loads Numba

    Y = np.empty((len(t_store), len(stepper.y)))
    Y[0] = stepper.y
    progress = (
        fixed_chunks(stepper, t_store, Y, settings, Chunk(chunk))
        if isinstance(stepper, FixedStep)
        else adaptive_chunks(stepper, t_store, Y, Chunk(chunk))
    )
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


class Progress(NamedTuple):
    """Time, instants stored, evaluations so far, what ended the run; the state between stored instants."""

    t: float
    stored: int
    evaluations: int
    trouble: str
    y: Floats | None = None


def reached(y: Floats, t_store: Floats, Y: Floats, at: Progress, trouble: str) -> Reached:
    """The instants stored, and the last state where it lies beyond them."""
    t, rows = t_store[: at.stored], Y[: at.stored]
    if at.t > t[-1]:
        t, rows = np.append(t, at.t), np.vstack((rows, y if at.y is None else at.y))
    return Reached(t, rows, at.evaluations, trouble)


def fixed_chunks(
    stepper: FixedStep, t_store: Floats, Y: Floats, settings: Settings, chunk: Chunk
) -> Iterator[Progress]:
    """March through all intervals, in pieces where they are long; the last may be shorter than the others."""
    lengths = np.diff(t_store)
    regular = lengths[0] if len(lengths) else 0.0
    n_regular = len(lengths) if math.isclose(lengths[-1], regular) else len(lengths) - 1
    total = 0
    for first, last, length in ((0, n_regular, regular), (n_regular, len(lengths), lengths[-1])):
        n, h = substeps(length, settings.step)
        k, made = first, 0  # intervals, and steps of the one that has been begun
        while k < last:
            end = min(k + max(1, chunk.steps // n), last)
            steps = min(n - made, chunk.pieces) if end == k + 1 else n
            chunk.begin()
            done = stepper.march(t_store[k:end], steps, h, Y[k + 1 : end + 1], made)
            chunk.end()
            stepper.steps += done
            total += done * stepper.evaluations_per_step
            failed = done < (end - k) * steps
            what = f"{settings.method} met accelerations that are not finite" if failed else ""
            whole, made = divmod(made + done, n)
            k += whole
            within = stepper.y.copy() if made else None
            yield Progress(float(t_store[k] + made * h), k + 1, total, what, within)
            if failed:
                return


def adaptive_chunks(stepper: Adaptive, t_store: Floats, Y: Floats, chunk: Chunk) -> Iterator[Progress]:
    """March until the end is reached or steps get too small."""
    from ce_dynamics.simulation.integrators import kernels  # here, because it loads Numba

    stepper.counts[0] = 1
    code = kernels.RUNNING
    while code == kernels.RUNNING:
        chunk.begin()
        code = stepper.march(t_store, chunk.steps, Y)
        chunk.end()
        trouble = "dopri5 stopped (the step it needs is too small)" if code == kernels.STEP_TOO_SMALL else ""
        t, stored, evaluations = float(stepper.clock[0]), int(stepper.counts[0]), int(stepper.counts[1])
        yield Progress(t, stored, evaluations, trouble, stepper.y.copy())
