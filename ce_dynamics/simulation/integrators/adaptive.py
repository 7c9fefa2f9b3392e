"""The stepper of embedded pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators import kernels
from ce_dynamics.simulation.integrators.blocks import block_of
from ce_dynamics.simulation.integrators.pair_kernels import Pair, first_stage, march_pair
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stepper import (
    STEPS_PER_CHUNK,
    UNGUARDED,
    Chunk,
    Progress,
    Stepper,
)
from ce_dynamics.simulation.integrators.table import Table
from ce_dynamics.simulation.integrators.wiring import Wiring


class Adaptive(Stepper):
    """An embedded pair at work.

    Attributes
    ----------
    clock : (3,) array
        Time, size of the next step (0 before the first), error of the last one.
    counts : (4,) int array
        Instants stored, evaluations, steps accepted and rejected.
    """

    def __init__(
        self,
        wiring: Wiring,
        y0: Floats,
        settings: Settings,
        order: int,
        table: Table,
        error: Floats,
        dense: Floats,
    ) -> None:
        self.wiring, self.y = wiring, np.array(y0, dtype=float)
        self._name = settings.method
        self.clock, self.counts = np.zeros(3), np.zeros(4, dtype=np.int64)
        n, stages = wiring.n, len(table.weights)
        self._arrays = Pair(*table, error, dense, np.zeros((stages, n)), np.zeros(n), np.zeros(n))
        self._work = block_of(self._arrays)
        tolerances = float(settings.rtol), float(settings.atol), float(settings.max_step)
        self._control = 1.0 / order, *tolerances
        self._span, self._out = np.zeros(2), np.zeros((2, n))
        self.forget()
        self._begin()
        self.march(np.zeros(1), 0, np.empty((0, n)))  # compiles the loop

    def march(self, t_store: Floats, budget: int, out: Floats, guards: Floats = UNGUARDED) -> int:
        """Go on towards the last of t_store by at most `budget` steps; one of the codes of the kernels."""
        code: int = march_pair(
            self.wiring.block, self._work, self._control, self.y, self.clock, self.counts, t_store, budget,
            guards, out,
        )  # fmt: skip
        return code

    def _begin(self) -> None:
        """Take the present rate as that of the first stage: at the start and when inputs have changed."""
        first_stage(self.wiring.block, self._work, self.y, self.clock[0])
        self.counts[1] += 1

    @property
    def steps(self) -> int:
        return int(self.counts[2])

    @property
    def t(self) -> float:
        return float(self.clock[0])

    @property
    def ahead(self) -> float:
        return min(float(self.clock[1]), float(self._span[1]) - float(self.clock[0]))

    def advance(self, t: float, t_end: float, n: int, h: float, guards: Floats) -> int:
        self.clock[0], self.counts[0] = t, 1
        self._span[:] = t, t_end
        self._begin()
        return self.go(STEPS_PER_CHUNK, guards)

    def go(self, most: int, guards: Floats = UNGUARDED) -> int:
        return self.march(self._span, most, self._out, guards)

    def run(self, t_store: Floats, Y: Floats, chunk: Chunk) -> Iterator[Progress]:
        """March until the end is reached or steps get too small."""
        self.counts[0], self.wiring.made[0] = 1, 0
        code = kernels.RUNNING
        while code == kernels.RUNNING:
            chunk.begin()
            code = self.march(t_store, chunk.steps, Y)
            chunk.end()
            small = code == kernels.STEP_TOO_SMALL
            trouble = f"{self._name} stopped (the step it needs is too small)" if small else ""
            yield Progress(self.t, int(self.counts[0]), int(self.counts[1]), trouble, self.y.copy())

    @property
    def memory(self) -> Floats:
        return self.clock.copy()

    @memory.setter
    def memory(self, saved: Floats) -> None:
        self.clock[:] = saved

    def remembers(self, saved: Floats) -> bool:
        return bool(np.isfinite(saved).all() and (saved[1:] >= 0.0).all())

    def restart(self) -> None:
        self._begin()

    def forget(self) -> None:
        self.clock[:] = (0.0, 0.0, 1e-4)
