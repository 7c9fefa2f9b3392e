"""Steps of fixed length in lanes: one group of runs after another, all at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.ensembles import implicit_lane_kernels, lane_kernels
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.ensembles.lane_buffers import Code
from ce_dynamics.simulation.ensembles.lanes import (
    COMPLETED,
    FAILED,
    NOT_FINITE_AT_START,
    STOPPED,
    Group,
    Lanes,
    Outcome,
    Take,
    group_of,
)
from ce_dynamics.simulation.ensembles.looks import Look
from ce_dynamics.simulation.integrators.blocks import block_of
from ce_dynamics.simulation.integrators.explicit import ExplicitRungeKutta
from ce_dynamics.simulation.integrators.explicit_kernels import Explicit
from ce_dynamics.simulation.integrators.linearly_implicit import LinearlyImplicit
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stepper import STEPS_AT_ONCE
from ce_dynamics.simulation.integrators.stretches import stretches
from ce_dynamics.simulation.integrators.table import lower_rows
from ce_dynamics.simulation.interrupts import StopSign


class FixedLanes(Lanes):
    """Lanes that march together.

    Parameters
    ----------
    code : Code
    runs : Runs
    t_store : array
    look : Look
    settings : Settings
    arrays : tuple of arrays
        Work space of the method.
    evaluations : int
        Of the right-hand side, per step.
    """

    march: ClassVar[Callable[..., Any]]
    """The kernel; states are left where `lane_kernels.march_lanes` leaves them."""

    def __init__(
        self,
        code: Code,
        runs: Runs,
        t_store: Floats,
        look: Look,
        settings: Settings,
        arrays: Any,
        evaluations: int,
    ) -> None:
        super().__init__(code, runs, t_store, look)
        self._step, self._evaluations = settings.step, evaluations
        self._arrays, self._work = arrays, block_of(arrays)
        self._Y = np.empty((len(t_store), self.n, self.lanes))

    def begin(self) -> None:
        """What a group of runs begins with beside its states."""

    def restart(self, lane: int) -> None:
        """Go on from a state of a lane that was changed from outside."""

    def work(self, take: Take, stop: StopSign) -> Iterator[tuple[list[int], Outcome]]:
        width = self.seen_at_once
        while not stop.is_set() and (members := take(self.lanes)):
            came = self._run(group_of(self.runs, members, self.lanes), stop)
            for k in range(0, len(members), width):
                some = members[k : k + width]
                parts = (np.ascontiguousarray(part[..., k : k + width]) for part in came)
                yield some, self.outcome(group_of(self.runs, some, width), *parts)

    def _run(self, group: Group, stop: StopSign) -> tuple[Any, ...]:
        """March a group through all stored instants: what an outcome begins with."""
        lanes, t_store = self.lanes, self.t_store
        self.held[:] = group.u
        self.u[:] = group.u
        self.made[0] = 0
        self.begin()
        y = group.y0.copy()
        alive = np.ones(lanes, dtype=np.bool_)
        finite, cursor = np.ones(lanes, dtype=np.bool_), np.array([-1])
        holding = (cursor, group.times, group.values, group.where, self.held)
        lane_kernels.set_out(self.model, holding, y)
        lane_kernels.finite_lanes(self.rate, alive)
        started = alive.copy()
        Y = self._Y
        Y[0], Y[1:] = y, np.nan
        reached, made, cut = np.zeros(lanes), np.zeros(lanes, dtype=np.int64), False
        for first, last, begins, pieces, h, ends in stretches(t_store, self._step, float(self.period[0])):
            cut = cut or stop.is_set()
            if cut or not alive.any():
                break
            before, steps = alive.copy(), np.zeros(lanes, dtype=np.int64)
            for part, made_before, n, out in self._parts(begins, pieces, Y[first + 1 : last + 1]):
                for lane in self.on_fresh_charts(y, np.flatnonzero(alive)):
                    self.restart(lane)
                type(self).march(
                    self.model, self._work, holding, y, alive, finite, steps,
                    part, made_before, n, h, out, stop.flag,
                )  # fmt: skip
            made += steps
            cut = bool((steps[alive] < pieces * len(begins)).any())
            whole, rest = np.divmod(steps, pieces)
            ahead = np.append(begins, t_store[last] if ends else begins[-1] + pieces * h)
            reached[before] = (ahead[whole] + rest * h)[before]
        state = np.where(alive, STOPPED if cut else COMPLETED, np.where(started, FAILED, NOT_FINITE_AT_START))
        return Y, reached, y, state, made, self._evaluations * made

    def _parts(self, begins: Floats, n: int, Y: Floats) -> Iterator[tuple[Floats, int, int, Floats]]:
        """Where intervals of n steps begin, how many are made and to be made, and what is stored then.

        All at once, but where charts are looked at in between, after as many steps as in a single run.
        """
        if self.charts is None:
            yield begins, 0, n, Y
            return
        between = np.empty_like(Y[:1])
        for k in range(len(begins)):
            for made in range(0, n, STEPS_AT_ONCE):
                steps = min(n - made, STEPS_AT_ONCE)
                yield begins[k : k + 1], made, steps, Y[k : k + 1] if made + steps == n else between


class ExplicitLanes(FixedLanes):
    """Lanes of an explicit method."""

    march = lane_kernels.march_lanes

    def __init__(
        self,
        code: Code,
        runs: Runs,
        t_store: Floats,
        look: Look,
        method: ExplicitRungeKutta,
        settings: Settings,
    ) -> None:
        n, _, lanes = code.shapes
        arrays = Explicit(*method.table, np.zeros((method.evaluations, n * lanes)), np.zeros(n * lanes))
        super().__init__(code, runs, t_store, look, settings, arrays, method.evaluations)


class ImplicitLanes(FixedLanes):
    """Lanes of a linearly implicit method, whose Jacobian is evaluated in all of them at once."""

    march = implicit_lane_kernels.march_implicit_lanes

    def __init__(
        self,
        code: Code,
        runs: Runs,
        t_store: Floats,
        look: Look,
        method: LinearlyImplicit,
        settings: Settings,
    ) -> None:
        assert code.jacobian is not None, "implicit methods call it"
        n, _, lanes = code.shapes
        rows, columns = code.jacobian.rows, code.jacobian.columns
        self._jacobian = np.zeros(2, dtype=np.int64)
        arrays = implicit_lane_kernels.ImplicitLanes(
            *method.table, lower_rows(method.mixing), np.zeros((method.evaluations, n * lanes)),
            np.zeros(n * lanes), self._jacobian, np.zeros((max(1, len(rows)), lanes)), rows, columns,
            np.zeros((lanes * n, n)), np.zeros((lanes, n), dtype=np.int64), np.zeros(len(rows)), np.zeros(n),
            np.array([method.gamma]), np.array([settings.jacobian_every], dtype=np.int64),
            np.zeros(lanes, dtype=np.int64), np.zeros(lanes),
        )  # fmt: skip
        super().__init__(code, runs, t_store, look, settings, arrays, method.evaluations)
        used = self.state, self.u, arrays.entries
        self._table = np.array([part.ctypes.data for part in used], dtype=np.int64)
        self._jacobian[:] = code.jacobian.function.table_address, self._table.ctypes.data

    def begin(self) -> None:
        self._arrays.kept[:] = 0.0

    def restart(self, lane: int) -> None:
        self._arrays.kept[lane] = 0.0  # no step has this size: the Jacobian is renewed
