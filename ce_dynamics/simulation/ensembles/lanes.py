"""Buffers of one thread, and one group of runs after another in their lanes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.simulation.ensembles import kernels
from ce_dynamics.simulation.integrators.blocks import block_of
from ce_dynamics.simulation.integrators.explicit import ExplicitRungeKutta
from ce_dynamics.simulation.integrators.explicit_kernels import Explicit
from ce_dynamics.simulation.integrators.settings import substeps

INTERVALS_PER_CHUNK = 64
"""Stored intervals between two looks at whether to stop; of no influence on the results."""


class Code(NamedTuple):
    """Compiled functions of a model, for several lanes.

    Attributes
    ----------
    dynamics : CompiledFunction
        ẏ of y and u.
    control : CompiledFunction or None
        u of t, y and the held inputs; None if these are all.
    observation : CompiledFunction or None
        Outputs and closure errors of y and u; None if they are not wanted.
    """

    dynamics: CompiledFunction
    control: CompiledFunction | None
    observation: CompiledFunction | None


class Group(NamedTuple):
    """What a group of runs begins with, one column per lane.

    Attributes
    ----------
    y0, u : (n, lanes), (m, lanes) arrays
        Initial states; inputs and parameters.
    times, values, where : arrays
        From times[k] on the inputs ``u[where]`` are values[k], (n_where, lanes).
    """

    y0: Floats
    u: Floats
    times: Floats
    values: Floats
    where: NDArray[np.int64]


class Outcome(NamedTuple):
    """What became of a group, the lane being the last axis everywhere.

    Attributes
    ----------
    Y, U, outputs, closures : arrays
        At the stored instants; NaN after a run has failed.
    t : (lanes,) array
        Time of the last finite state.
    y, u : arrays
        The last finite state, and the inputs then.
    state : (lanes,) int array
        `COMPLETED`, `FAILED`, `NOT_FINITE_AT_START` or `STOPPED`.
    """

    Y: Floats
    U: Floats
    outputs: Floats
    closures: Floats
    t: Floats
    y: Floats
    u: Floats
    state: NDArray[np.int64]


COMPLETED, FAILED, NOT_FINITE_AT_START, STOPPED = range(4)


class Lanes:
    """Buffers that the compiled functions of a model work on in one thread.

    Parameters
    ----------
    code : Code
    method : ExplicitRungeKutta
    """

    def __init__(self, code: Code, method: ExplicitRungeKutta) -> None:
        self._alive = code
        lanes = code.dynamics.lanes
        n, _ = code.dynamics.input_shapes["y"]
        m, _ = code.dynamics.input_shapes["u"]
        self.lanes = lanes
        self.time, self.state, self.rate = np.zeros((1, lanes)), np.zeros((n, lanes)), np.zeros((n, lanes))
        self.held = np.zeros((m, lanes))
        self.u = self.held if code.control is None else np.zeros((m, lanes))
        shapes = {} if code.observation is None else code.observation.output_shapes
        self.outputs = np.zeros(shapes.get("outputs", (0, lanes)))
        self.closures = np.zeros(shapes.get("closure", (0, lanes)))
        self.gearing = np.zeros(shapes.get("gearing", (0, lanes)))
        stages = len(method.b)
        self._arrays = Explicit(*method.table, np.zeros((stages, n * lanes)), np.zeros(n * lanes))
        self._work = block_of(self._arrays)
        arguments = (
            (code.dynamics, (self.state, self.u, self.rate)),
            (code.control, (self.time, self.state, self.held, self.u)),
            (code.observation, (self.state, self.u, self.outputs, self.closures, self.gearing)),
        )
        self._tables = [np.array([a.ctypes.data for a in given], dtype=np.int64) for _, given in arguments]
        addresses = []
        for (function, _), table in zip(arguments, self._tables, strict=True):
            addresses += [0, 0] if function is None else [function.table_address, table.ctypes.data]
        self.calls = np.array(addresses, dtype=np.int64)
        flat = (part.reshape(-1) for part in (self.time, self.state, self.rate))
        self._model = block_of((self.calls, *flat))
        self._observation = (*addresses[4:], self.u, self.outputs, self.closures)

    def run(self, group: Group, t_store: Floats, step: float, stopped: Callable[[], bool]) -> Outcome:
        """March a group through all stored instants."""
        lanes, n = self.lanes, len(self.state)
        self.held[:] = group.u
        self.u[:] = group.u
        y = group.y0.copy()
        alive = np.ones(lanes, dtype=np.bool_)
        finite, cursor = np.ones(lanes, dtype=np.bool_), np.array([-1])
        holding = (cursor, group.times, group.values, group.where, self.held)
        kernels.set_out(self._model, holding, y)
        kernels.finite_lanes(self.rate, alive)
        started = alive.copy()
        Y = np.full((len(t_store), n, lanes), np.nan)
        Y[0] = y
        reached, cut = np.zeros(lanes), False
        for first, last, pieces, h in chunks(t_store, step):
            if not alive.any():
                break
            if stopped():
                cut = True
                break
            before, steps = alive.copy(), np.zeros(lanes, dtype=np.int64)
            kernels.march_lanes(
                self._model, self._work, holding, y, alive, finite, steps,
                t_store[first:last], pieces, h, Y[first + 1 : last + 1],
            )  # fmt: skip
            whole, rest = np.divmod(steps, pieces)
            reached[before] = (t_store[first + whole] + rest * h)[before]
        state = np.where(alive, STOPPED if cut else COMPLETED, np.where(started, FAILED, NOT_FINITE_AT_START))
        at_end = self._inputs_at(reached, y, group)
        return Outcome(Y, *self._observe(group, t_store, Y), reached, y, at_end, state)

    def _inputs_at(self, t: Floats, y: Floats, group: Group) -> Floats:
        """Inputs in every lane at its own time."""
        for lane, latest in enumerate(t):
            column = int(np.searchsorted(group.times, latest, side="right")) - 1
            if column >= 0:
                self.held[group.where, lane] = group.values[column, :, lane]
        self.time[0], self.state[:] = t, y
        if self._alive.control is not None:
            kernels.call_control(self.calls)
        return self.u.copy()

    def _observe(self, group: Group, t: Floats, Y: Floats) -> tuple[Floats, Floats, Floats]:
        """Inputs, outputs and closure errors at the stored instants."""
        n_t, lanes = len(t), self.lanes
        U = np.empty((n_t, len(self.u), lanes))
        outputs = np.empty((n_t, *self.outputs.shape))
        closures = np.empty((n_t, *self.closures.shape))
        self.held[:] = group.u
        cursor = np.array([-1])
        kernels.observe_lanes(
            self._model, self._observation, (cursor, group.times, group.values, group.where, self.held),
            t, Y, (U, outputs, closures),
        )  # fmt: skip
        failed = np.isnan(Y[:, 0, :])[:, np.newaxis, :]
        return tuple(np.where(failed, np.nan, part) for part in (U, outputs, closures))  # type: ignore[return-value]


def chunks(t_store: Floats, step: float) -> list[tuple[int, int, int, float]]:
    """First and last instant, number of steps per interval and their size, as in a single run."""
    lengths = np.diff(t_store)
    if len(lengths) == 0:
        return []
    regular = lengths[0]
    n_regular = len(lengths) if math.isclose(lengths[-1], regular) else len(lengths) - 1
    result = []
    for first, last, length in ((0, n_regular, regular), (n_regular, len(lengths), lengths[-1])):
        pieces, h = substeps(length, step)
        result += [
            (k, min(k + INTERVALS_PER_CHUNK, last), pieces, h)
            for k in range(first, last, INTERVALS_PER_CHUNK)
        ]
    return result
