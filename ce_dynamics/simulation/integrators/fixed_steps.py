"""Steppers of fixed steps: work space, and the loops of the kernels."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators import kernels
from ce_dynamics.simulation.integrators.blocks import block_of
from ce_dynamics.simulation.integrators.explicit_kernels import Explicit, march_explicit
from ce_dynamics.simulation.integrators.implicit_kernels import Implicit, march_implicit
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stepper import AT_ONCE, UNGUARDED, Chunk, Progress, Stepper
from ce_dynamics.simulation.integrators.stretches import stretches
from ce_dynamics.simulation.integrators.table import Table
from ce_dynamics.simulation.integrators.wiring import Wiring


class FixedSteps(Stepper):
    """A method of fixed steps.

    Parameters
    ----------
    wiring : Wiring
    y0 : array
    settings : Settings
    stages : int
        Evaluations per step.
    """

    def __init__(self, wiring: Wiring, y0: Floats, settings: Settings, stages: int) -> None:
        self.wiring, self.y = wiring, np.array(y0, dtype=float)
        self._name, self._step, self._steps = settings.method, settings.step, 0
        self._begin, self._n, self._h, self._made = 0.0, 0, 0.0, 0
        self._start, self._out = np.zeros(1), np.zeros((1, wiring.n))
        self._evaluations_per_step = stages
        self.march(np.zeros(0), 1, settings.step, np.empty((0, wiring.n)))  # compiles the loop

    @abstractmethod
    def march(
        self, t: Floats, n: int, h: float, out: Floats, first: int = 0, guards: Floats = UNGUARDED
    ) -> int:
        """From each t[k] + first·h make n steps of h and leave the state in out[k].

        Returns
        -------
        int
            Steps that led to finite states; fewer than all if the next one did not, or left the guards.
        """

    @property
    def steps(self) -> int:
        return self._steps

    @property
    def t(self) -> float:
        return self._begin + self._made * self._h

    @property
    def ahead(self) -> float:
        return self._h

    def advance(self, t: float, t_end: float, n: int, h: float, guards: Floats) -> int:
        self._start[0] = t
        done = 0 if n > AT_ONCE else self.march(self._start, n, h, self._out, 0, guards)
        if done == n:
            return kernels.DONE
        self._begin, self._n, self._h, self._made = t, n, h, done
        return kernels.RUNNING

    def go(self, most: int, guards: Floats = UNGUARDED) -> int:
        n = min(most, self._n - self._made)
        done = self.march(self._start, n, self._h, self._out, self._made, guards)
        self._made += done
        if done < n:
            guarded = kernels.leaves(guards, self.y, self._h) >= 0
            return kernels.GUARDED if guarded else kernels.NOT_FINITE
        return kernels.DONE if self._made == self._n else kernels.RUNNING

    def run(self, t_store: Floats, Y: Floats, chunk: Chunk) -> Iterator[Progress]:
        """March through all intervals, in pieces where they are long; the last may be shorter."""
        self.wiring.made[0] = total = 0
        for first, last, begins, n, h, ends in stretches(t_store, self._step, float(self.wiring.period[0])):
            k, made = first, 0  # intervals, and steps of the one that has been begun
            while k < last:
                end = min(k + max(1, chunk.steps // n), last)
                steps = min(n - made, chunk.pieces) if end == k + 1 else n
                chunk.begin()
                done = self.march(begins[k - first : end - first], steps, h, Y[k + 1 : end + 1], made)
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
        """The state n steps of h after another one than that reached; NaN where they do not lead on."""
        reached = self.y.copy()
        out: Floats = np.full((1, self.wiring.n), np.nan)
        self.forget()
        self.y[:] = y
        self.march(np.array((t,)), n, h, out)
        self.y[:] = reached
        return out.reshape(-1)

    @property
    def memory(self) -> Floats:
        return np.empty(0)

    @memory.setter
    def memory(self, saved: Floats) -> None:
        pass

    def remembers(self, saved: Floats) -> bool:
        return len(saved) == 0

    def restart(self) -> None:
        """Every step begins with the state alone."""

    def forget(self) -> None:
        """Every step begins with the state alone."""


class ExplicitSteps(FixedSteps):
    """Steps of an explicit method, which is its table."""

    def __init__(self, wiring: Wiring, y0: Floats, settings: Settings, stages: int, table: Table) -> None:
        n = wiring.n
        self._arrays = Explicit(*table, np.zeros((stages, n)), np.zeros(n))
        self._work = block_of(self._arrays)
        super().__init__(wiring, y0, settings, stages)

    def march(
        self, t: Floats, n: int, h: float, out: Floats, first: int = 0, guards: Floats = UNGUARDED
    ) -> int:
        done: int = march_explicit(self.wiring.block, self._work, self.y, t, first, n, h, guards, out)
        return done


class ImplicitSteps(FixedSteps):
    """Steps of a linearly implicit method, which is its table, the square mixing and γ."""

    def __init__(
        self,
        wiring: Wiring,
        y0: Floats,
        settings: Settings,
        stages: int,
        table: Table,
        mixing: Floats,
        gamma: float,
    ) -> None:
        n = wiring.n
        self._factors = Implicit(
            *table, mixing, np.zeros((stages, n)), np.zeros(n),
            wiring.entries, wiring.rows, wiring.columns, np.zeros((n, n)), np.zeros(n, dtype=np.int64),
            np.array([gamma]), np.array([settings.jacobian_every], dtype=np.int64),
            np.zeros(1, dtype=np.int64), np.zeros(1),
        )  # fmt: skip
        self._work = block_of(self._factors)
        super().__init__(wiring, y0, settings, stages)

    def march(
        self, t: Floats, n: int, h: float, out: Floats, first: int = 0, guards: Floats = UNGUARDED
    ) -> int:
        done: int = march_implicit(self.wiring.block, self._work, self.y, t, first, n, h, guards, out)
        return done

    def remembers(self, saved: Floats) -> bool:
        if not len(saved):
            return len(self.memory) == 0
        n = len(self.y)
        kept, age, pivots = saved[0], saved[1], saved[2 : 2 + n]
        whole = np.all(pivots == np.floor(pivots)) and age == np.floor(age)
        within = np.all((pivots >= 0) & (pivots < n)) and 0 <= age <= self._factors.every
        return bool(math.isfinite(kept) and whole and within)

    @property
    def memory(self) -> Floats:
        """The factors it may go on with."""
        f = self._factors
        if f.every[0] == 1:
            return np.empty(0)
        parts = (f.kept, f.age, f.pivots, f.matrix.reshape(-1))
        return np.concatenate([np.asarray(part, dtype=float) for part in parts])

    @memory.setter
    def memory(self, saved: Floats) -> None:
        if len(saved):
            f, n = self._factors, len(self.y)
            f.kept[0], f.age[0] = saved[0], int(saved[1])
            f.pivots[:] = saved[2 : 2 + n].astype(np.int64)
            f.matrix[:] = saved[2 + n :].reshape(n, n)

    def restart(self) -> None:
        self._factors.kept[0] = 0.0

    def forget(self) -> None:
        self._factors.kept[0] = 0.0  # no step has this size: the Jacobian is renewed
