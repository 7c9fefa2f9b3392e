"""Steppers: one run by a native method, as a whole or one stretch after another.

1. ``y`` is the state it has reached, written in place; ``steps`` the steps made, `set_samples` sets how many
   samples of controllers were made.
2. `run` goes through a whole run, a chunk of steps at a time, and stores states.
3. `advance` goes on by one stretch of a run that is led from outside (n steps of h where steps are fixed),
   `go` by what is left of it; they return one of the codes of the kernels: DONE, RUNNING, GUARDED before a
   step that would leave the guards, else what went wrong.  ``t`` is the time reached, ``next_length`` the
   length of the next step.
4. ``memory`` holds all that the next step depends on besides the state.  `accepts_memory` checks numbers
   for it, `restart` follows a change of the state or parameters from outside, `reset` starts afresh.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import EmbeddedPair, ExplicitRungeKutta, LinearlyImplicit
from ce_dynamics.simulation.integrators import kernels
from ce_dynamics.simulation.integrators.batch import UNGUARDED, AdaptiveBatch, FixedBatch
from ce_dynamics.simulation.integrators.fixed_kernels import ExplicitSpace
from ce_dynamics.simulation.integrators.settings import Settings, stretches
from ce_dynamics.simulation.integrators.workspace import Workspace

STEPS_PER_CHUNK = 16  # steps before the first look at progress and interrupts; of no influence on the results

MOST_PER_CHUNK = 2**20

AT_ONCE = 32  # steps that are made without a look at interrupts

LOOKS_EVERY = 0.02, 0.06
"""Shortest and longest time between two looks that changes the number of steps between them [s]."""


class Progress(NamedTuple):
    """Time, instants stored, evaluations so far, what ended the run; the state between stored instants."""

    t: float
    stored: int
    evaluations: int
    trouble: str
    y: Floats | None = None


class Chunk:
    """Number of steps between two checks of progress and interrupts.

    By default it is as many as take some hundredths of a second.
    """

    def __init__(self, fixed: int | None = None) -> None:
        self.steps = STEPS_PER_CHUNK if fixed is None else fixed
        self._fixed = fixed is not None
        self._began = time.perf_counter()

    def begin(self) -> None:
        """Begin a chunk of steps."""
        self._began = time.perf_counter()

    def end(self) -> None:
        """End a chunk of steps and choose the length of the next."""
        if self._fixed:
            return
        took = time.perf_counter() - self._began
        if took < LOOKS_EVERY[0]:
            self.steps = min(2 * self.steps, MOST_PER_CHUNK)
        elif took > LOOKS_EVERY[1] and self.steps > 1:
            self.steps //= 2


class FixedSteps:
    """A method of fixed steps."""

    def __init__(
        self,
        space: Workspace,
        method: ExplicitRungeKutta | LinearlyImplicit,
        y0: Floats,
        settings: Settings,
    ) -> None:
        self.space, self.batch = space, FixedBatch(space, method, settings)
        self.y = self.batch.y.reshape(-1)
        self.y[:] = y0
        self._name, self._step, self._steps = settings.method, settings.step, 0
        self._begin, self._n, self._h, self._made = 0.0, 0, 0.0, 0
        self._start, self._out = np.zeros(1), np.zeros((1, space.n))
        self._evaluations_per_step = method.evaluations

    def _march(
        self, t: Floats, n: int, h: float, out: Floats, first: int = 0, guards: Floats = UNGUARDED
    ) -> int:
        """Call `FixedBatch.march`; let the run continue after a failed step."""
        done = self.batch.march(t, n, h, out, first, guards)
        if done < n * len(t):
            self.batch.alive[0] = 1
        return done

    @property
    def steps(self) -> int:
        return self._steps

    @property
    def t(self) -> float:
        return self._begin + self._made * self._h

    @property
    def next_length(self) -> float:
        return self._h

    def advance(self, t: float, t_end: float, n: int, h: float, guards: Floats) -> int:
        self._start[0] = t
        done = 0 if n > AT_ONCE else self.batch.march(self._start, n, h, self._out, 0, guards)
        if done == n:
            return kernels.DONE
        self.batch.alive[0] = 1
        self._begin, self._n, self._h, self._made = t, n, h, done
        return kernels.RUNNING

    def go(self, most: int, guards: Floats = UNGUARDED) -> int:
        n = min(most, self._n - self._made)
        done = self._march(self._start, n, self._h, self._out, self._made, guards)
        self._made += done
        if done < n:
            guarded = kernels.leaves(guards, self.y, self._h) >= 0
            return kernels.GUARDED if guarded else kernels.NOT_FINITE
        return kernels.DONE if self._made == self._n else kernels.RUNNING

    def run(self, t_store: Floats, Y: Floats, chunk: Chunk) -> Iterator[Progress]:
        """March through all intervals, in pieces where they are long; the last may be shorter."""
        self.set_samples(0)
        total = 0
        for first, last, begins, n, h, ends in stretches(t_store, self._step, float(self.space.period[0])):
            k, made = first, 0  # intervals, and steps of the one that has been begun
            while k < last:
                end = min(k + max(1, chunk.steps // n), last)
                steps = min(n - made, chunk.steps) if end == k + 1 else n
                chunk.begin()
                done = self._march(begins[k - first : end - first], steps, h, Y[k + 1 : end + 1], made)
                chunk.end()
                self._steps += done
                total += done * self._evaluations_per_step
                failed = done < (end - k) * steps
                what = f"{self._name} met accelerations that are not finite" if failed else ""
                whole, made = divmod(made + done, n)
                k += whole
                if ends:
                    at, stored, within = t_store[k] + made * h, k + 1, self.y.copy() if made else None
                else:
                    at, stored, within = begins[0] + (made or whole * n) * h, first + 1, self.y.copy()
                yield Progress(float(at), stored, total, what, within)
                if failed:
                    return

    def after(self, t: float, y: Floats, n: int, h: float) -> Floats:
        """Return the state n steps of h after a given one, not that reached; NaN where the steps fail."""
        reached = self.y.copy()
        out: Floats = np.full((1, self.space.n), np.nan)
        self.reset()
        self.y[:] = y
        self._march(np.array((t,)), n, h, out)
        self.y[:] = reached
        return out.reshape(-1)

    def set_samples(self, number: int) -> None:
        self.space.made[0] = number

    def accepts_memory(self, saved: Floats) -> bool:
        if not len(saved):
            return len(self.memory) == 0
        n, every = len(self.y), self.batch.work.every  # type: ignore[union-attr]  # there is memory
        kept, age, pivots = saved[0], saved[1], saved[2 : 2 + n]
        whole = np.all(pivots == np.floor(pivots)) and age == np.floor(age)
        within = np.all((pivots >= 0) & (pivots < n)) and 0 <= age <= every[0]
        return bool(math.isfinite(kept) and whole and within)

    @property
    def memory(self) -> Floats:
        """The factors of an implicit method with which the next step may go on."""
        f = self.batch.work
        if isinstance(f, ExplicitSpace) or f.every[0] == 1:
            return np.empty(0)
        parts = (f.kept, f.age, f.pivots, f.factors)
        return np.concatenate([np.asarray(part, dtype=float).reshape(-1) for part in parts])

    @memory.setter
    def memory(self, saved: Floats) -> None:
        f, n = self.batch.work, len(self.y)
        if len(saved) and not isinstance(f, ExplicitSpace):
            f.kept[0], f.age[0] = saved[0], int(saved[1])
            f.pivots[0] = saved[2 : 2 + n].astype(np.int64)
            f.factors[:] = saved[2 + n :].reshape(n, n)

    def restart(self) -> None:
        self.batch.reset_lanes()

    reset = restart


FAILED = {
    kernels.STEP_TOO_SMALL: "stopped (the step it needs is too small)",
    kernels.NOT_FINITE: "met accelerations that are not finite",
}
"""Codes that end a run of adaptive steps, as a clause for messages."""


class Adaptive:
    """An embedded pair at work."""

    def __init__(self, space: Workspace, method: EmbeddedPair, y0: Floats, settings: Settings) -> None:
        self.space, self.batch = space, AdaptiveBatch(space, method, settings)
        track = self.batch.track
        # clock and counts of one lane, see `PairTrack`
        self.y, self.clock, self.counts = (
            track.y.reshape(-1),
            track.clock.reshape(-1),
            track.counts.reshape(-1),
        )
        self.y[:] = y0
        self._name = settings.method
        self._span, self._out = np.zeros(2), np.zeros((1, 2, space.n))
        self.reset()
        self.restart()

    def march(self, t_store: Floats, budget: int, out: Floats, guards: Floats = UNGUARDED) -> int:
        """Go on towards the last of t_store by at most `budget` steps; states go into out[0]."""
        return self.batch.march(t_store, budget, out, guards)

    @property
    def steps(self) -> int:
        return int(self.counts[2])

    @property
    def t(self) -> float:
        return float(self.clock[0])

    @property
    def next_length(self) -> float:
        return min(float(self.clock[1]), float(self._span[1]) - float(self.clock[0]))

    def advance(self, t: float, t_end: float, n: int, h: float, guards: Floats) -> int:
        self.clock[0], self.counts[0] = t, 1
        self._span[:] = t, t_end
        self.restart()
        return self.go(STEPS_PER_CHUNK, guards)

    def go(self, most: int, guards: Floats = UNGUARDED) -> int:
        return self.march(self._span, most, self._out, guards)

    def run(self, t_store: Floats, Y: Floats, chunk: Chunk) -> Iterator[Progress]:
        """March until the end is reached or steps get too small."""
        self.counts[0] = 1
        self.set_samples(0)
        code = kernels.RUNNING
        while code == kernels.RUNNING:
            chunk.begin()
            code = self.march(t_store, chunk.steps, Y[np.newaxis])
            chunk.end()
            trouble = f"{self._name} {FAILED[code]}" if code in FAILED else ""
            yield Progress(self.t, int(self.counts[0]), int(self.counts[1]), trouble, self.y.copy())

    @property
    def memory(self) -> Floats:
        return np.array(self.clock)

    @memory.setter
    def memory(self, saved: Floats) -> None:
        self.clock[:] = saved

    def set_samples(self, number: int) -> None:
        self.batch.track.made[0] = number

    def accepts_memory(self, saved: Floats) -> bool:
        return bool(np.isfinite(saved).all() and (saved[1:] >= 0.0).all())

    def restart(self) -> None:
        track = self.batch.track
        track.code[0], track.fresh[0] = kernels.RUNNING, 1

    def reset(self) -> None:
        self.clock[:] = (0.0, 0.0, 1e-4)


Stepper: TypeAlias = FixedSteps | Adaptive
