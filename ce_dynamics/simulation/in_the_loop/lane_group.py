"""Copies of a model in the lanes of one call: buffers, steps, and what is seen of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.simulation.integrators.batch import FixedBatch, nothing_scheduled
from ce_dynamics.simulation.integrators.methods import EXPLICIT
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stepper import STEPS_AT_ONCE
from ce_dynamics.simulation.integrators.workspace import Code, Workspace
from ce_dynamics.simulation.interrupts import StopSign


class LaneGroup:
    """Copies of a model, one per lane; the lane is the last axis everywhere.

    ``looking`` is the compiled `ce_dynamics.simulation.in_the_loop.fleet.trace_look` for as many lanes.
    """

    def __init__(
        self, code: Code, looking: CompiledFunction, settings: Settings, y: Floats, u: Floats, stop: StopSign
    ) -> None:
        self._space = Workspace(code)
        self._batch = FixedBatch(self._space, EXPLICIT[settings.method], settings)
        self._batch.follow(nothing_scheduled(self._space.lanes), stop)
        self.y, self.held, self.alive = self._batch.y, self._space.held, self._batch.alive
        self._looking = looking.bind()
        self.given = self._looking.inputs["given"]
        self.seen, self.closure, self.gearing, self.margins = (
            self._looking.outputs[name] for name in ("seen", "closure", "gearing", "margins")
        )
        self.y[:], self.held[:] = y[:, np.newaxis], u[:, np.newaxis]
        self.before = self.y.copy()  # states before the last `march`
        self.stopped = np.zeros(
            self._space.lanes, dtype=np.bool_
        )  # at a state that is not finite in the last `march`
        self._t, self._out = np.zeros(1), np.zeros((1, self.y.size))

    def march(self, n: int, h: float) -> None:
        """Make n steps of h, fewer if it is stopped; sampled controllers begin to count anew."""
        self._space.made[0] = 0
        self.before[:] = self.y
        self.stopped[:] = self.alive
        at_once = n if self._space.code.charts is None else STEPS_AT_ONCE
        for made in range(0, n, at_once):
            self._space.move_to_fresh_charts(self.y, np.flatnonzero(self.alive))
            self._batch.march(self._t, min(at_once, n - made), h, self._out, made)
        self.stopped &= self.alive == 0

    def look(self) -> None:
        """Observe the present state."""
        self._looking.inputs["y"][:] = self.y
        self._looking.inputs["u"][:] = self.held
        self._looking.run()

    def find_sound(self, limits: Floats) -> NDArray[np.bool_]:
        """Return the mask of sound copies, (lanes,) bool.

        Sound copies march, are finite, have loops closed to ``limits`` and no negative margin.
        """
        # Zero times what is not finite is NaN: one sum shows whether there is any.
        finite = (0.0 * self.seen).sum(axis=0) + (0.0 * self.y).sum(axis=0) == 0.0
        closed = (self.closure <= limits).all(axis=0)
        sound: NDArray[np.bool_] = finite & closed & ~(self.margins < 0.0).any(axis=0) & (self.alive != 0)
        return sound
