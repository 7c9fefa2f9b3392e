"""Copies of a model in the lanes of one call: buffers, steps, and what is seen of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.simulation.ensembles import lane_kernels
from ce_dynamics.simulation.ensembles.lane_buffers import Code, LaneBuffers
from ce_dynamics.simulation.integrators.blocks import block_of
from ce_dynamics.simulation.integrators.explicit import ExplicitRungeKutta
from ce_dynamics.simulation.integrators.explicit_kernels import Explicit
from ce_dynamics.simulation.integrators.stepper import STEPS_AT_ONCE
from ce_dynamics.simulation.interrupts import StopSign


class LaneGroup(LaneBuffers):
    """As many copies as there are lanes; the lane is the last axis everywhere.

    Parameters
    ----------
    code : Code
    looking : CompiledFunction
        Of `ce_dynamics.simulation.in_the_loop.look.traced_look`, for as many lanes.
    method : ExplicitRungeKutta
    y, u : array
        State, and inputs with free parameters, of all copies to begin with.

    Attributes
    ----------
    y, before : arrays
        States, and those before the last `march`.
    given, seen, closure, gearing, margins : arrays
        See `traced_look`.
    alive : bool array
        Which copies march; the others stay where they are.
    stopped : bool array
        Which copies came to a state that is not finite in the last `march`.
    """

    def __init__(
        self, code: Code, looking: CompiledFunction, method: ExplicitRungeKutta, y: Floats, u: Floats
    ) -> None:
        super().__init__(code)
        size = self.n * self.lanes
        self._arrays = Explicit(*method.table, np.zeros((len(method.b), size)), np.zeros(size))
        self._work = block_of(self._arrays)
        self._looking = looking.bind()
        self.given = self._looking.inputs["given"]
        self.seen, self.closure, self.gearing, self.margins = (
            self._looking.outputs[name] for name in ("seen", "closure", "gearing", "margins")
        )
        self.y = np.repeat(y[:, np.newaxis], self.lanes, axis=1)
        self.held[:] = u[:, np.newaxis]
        self.before = self.y.copy()
        self.alive = np.ones(self.lanes, dtype=np.bool_)
        self.stopped = np.zeros(self.lanes, dtype=np.bool_)
        self._finite, self._steps = self.alive.copy(), np.zeros(self.lanes, dtype=np.int64)
        nowhere = np.zeros((0, 0, self.lanes))
        self._holding = np.array([-1]), np.zeros(0), nowhere, np.zeros(0, dtype=np.int64), self.held
        self._t, self._out = np.zeros(1), np.zeros((1, self.n, self.lanes))

    def march(self, n: int, h: float, stop: StopSign) -> None:
        """Make n steps of h, fewer if it is stopped; sampled controllers begin to count anew."""
        self.made[0] = 0
        self.before[:] = self.y
        self.stopped[:] = self.alive
        at_once = n if self.charts is None else STEPS_AT_ONCE
        for made in range(0, n, at_once):
            self.on_fresh_charts(self.y, np.flatnonzero(self.alive))
            lane_kernels.march_lanes(
                self.model, self._work, self._holding, self.y, self.alive, self._finite, self._steps,
                self._t, made, min(at_once, n - made), h, self._out, stop.flag,
            )  # fmt: skip
        self.stopped &= ~self.alive

    def look(self) -> None:
        """See what there is at the present."""
        self._looking.inputs["y"][:] = self.y
        self._looking.inputs["u"][:] = self.held
        self._looking.run()

    def sound(self, limits: Floats) -> NDArray[np.bool_]:
        """Which copies are finite, with their loops closed to ``limits`` and all margins left."""
        # Zero times what is not finite is NaN: one sum tells whether there is any.
        finite = (0.0 * self.seen).sum(axis=0) + (0.0 * self.y).sum(axis=0) == 0.0
        closed = (self.closure <= limits).all(axis=0)
        sound: NDArray[np.bool_] = finite & closed & ~(self.margins < 0.0).any(axis=0) & self.alive
        return sound
