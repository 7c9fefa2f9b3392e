"""Copies of a model that a caller steps together, in SIMD lanes and threads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import EXPLICIT
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.observed import closure_norms, system_outputs
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, trace
from ce_dynamics.embedding.aggregate import gearing
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.signals import check_range, held_number
from ce_dynamics.simulation.ensembles.lane_functions import compile_lanes
from ce_dynamics.simulation.integrators.batch import FixedBatch, nothing_scheduled
from ce_dynamics.simulation.integrators.settings import (
    Settings,
    check_step,
    check_steps,
    settings_of,
    substeps,
)
from ce_dynamics.simulation.integrators.workspace import Code, StopSign, Workspace
from ce_dynamics.simulation.monitors.jumps import make_check
from ce_dynamics.simulation.monitors.postconditions import Postconditions
from ce_dynamics.simulation.monitors.reach import CLOSE, Reaches, first_jump
from ce_dynamics.simulation.right_hand_side import RightHandSide


class LaneGroup:
    """Copies of a model, one per lane; the lane is the last axis everywhere.

    ``looking`` is the compiled `trace_look` for as many lanes.
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
        # at a state that is not finite in the last `march`
        self.stopped = np.zeros(self._space.lanes, dtype=np.bool_)
        self._t, self._out = np.zeros(1), np.zeros((1, self.y.size))

    def march(self, n: int, h: float) -> None:
        """Make n steps of h, fewer if it is stopped; sampled controllers begin to count anew."""
        self._space.made[0] = 0
        self.before[:] = self.y
        self.stopped[:] = self.alive
        self._batch.march(self._t, n, h, self._out)
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


Look = Callable[[Mapping[str, Scalar], Array], Sequence[Scalar]]
"""Function from outputs and inputs by name, and from numbers given to each copy of a model, to observations;
the function has no branches on its arguments, as laws have none."""


def trace_look(model: Model, look: Look, given: int) -> TracedFunction:
    """Trace the observations of a copy as a function of y, u and ``given`` numbers.

    Besides ``seen`` these are the ``closure`` error of every loop closure, the ``gearing`` of every geared
    loop, and ``margins``, the distances from limits (see `Postconditions`).
    """
    layout = model.layout

    def evaluate(y: Array, u: Array, given: Array) -> dict[str, Array]:
        instant = model.instant(y, u)
        held = {entry.name: u[k] for k, entry in enumerate(layout.u[: layout.n_inputs])}
        outputs = system_outputs(model, instant)
        values = outputs | {
            f"{name}.{output}": value
            for name, response in instant.loads.responses.items()
            for output, value in response.outputs.items()
        }
        return {
            "seen": array(look({**outputs, **held}, given)),
            "closure": closure_norms(model, instant),
            "gearing": array(gearing(S, instant.outward.motions[S.name]) for S in model.geared_loops),
            "margins": array(values[name] for name in model.system.limits),
        }

    return trace("look", evaluate, {"y": len(layout.y0), "u": len(layout.u), "given": given})


LONG = 20_000  # number of group steps from which Ctrl-C must be able to interrupt a thread

UNLIMITED = -sys.float_info.max, sys.float_info.max


class Fleet:
    """Copies of one model, each with its own state, inputs and free parameters.

    A copy equals a `Simulator` with the same step, bit by bit where the compiler fuses the same operations
    for one lane and for several.

    ``look`` gives the observations of every copy after every step, from ``given`` numbers of its own, too.
    The longest step is ``step`` [s]; one call evaluates as many copies as there are lanes (2, 4, 8 or 16).  A
    copy that failed keeps its last state until `start`; ``failures`` has the causes by the number of the
    copy.
    """

    def __init__(
        self,
        model: Model,
        number: int,
        look: Look,
        given: int = 1,
        *,
        method: str = "rk4",
        step: float = 1e-3,
        lanes: int | None = None,
        threads: int | None = None,
    ) -> None:
        checks.integer("Fleet: number", number, at_least=1)
        if method not in EXPLICIT:
            raise ModelError(f"method {checks.show(method)}: fleets take {', '.join(EXPLICIT)}")
        check_step(step)
        workers = checks.integer("threads", 1 if threads is None else threads, at_least=1)
        width = (8 if number > 4 else 4) if lanes is None else checks.integer("lanes", lanes, at_least=1)
        self.model, self.number, self.step_size = model, number, step
        _ = model.dynamics  # which sets the last guards of the parameters
        code = compile_lanes(model, None, width, None)
        looking = compile_function(trace_look(model, look, given), width)
        count = -(-number // width)
        settings, self._stop = settings_of(method, tuple(EXPLICIT), step=step), StopSign()
        self._groups: list[LaneGroup] = [
            LaneGroup(code, looking, settings, model.y0, model.u0, self._stop) for _ in range(count)
        ]
        self._width = width
        self._limits = model.closure_limits[:, np.newaxis]
        self._postconditions = Postconditions(model)
        self._inputs = {entry.name: k for k, entry in enumerate(model.layout.u)}
        self._pool = ThreadPoolExecutor(min(workers, count)) if min(workers, count) > 1 else None
        self._shares = [self._groups[k :: min(workers, count)] for k in range(min(workers, count))]
        self.failures: dict[int, str] = {}
        for group in self._groups:
            group.look()
        self.seen = self._rows("seen")

    @property
    def states(self) -> Floats:
        """Copy of the states, (number, n)."""
        return self._rows("y")

    @property
    def inputs(self) -> Floats:
        """Copy of inputs, then free parameters, (number, m)."""
        return self._rows("held")

    @property
    def given(self) -> Floats:
        """Copy of the numbers that `look` receives, (number, g)."""
        return self._rows("given")

    def start(self, members: Sequence[int], y: ArrayLike, u: ArrayLike, given: ArrayLike) -> None:
        """Start some copies from states y, with inputs and parameters u and numbers for `look`."""
        states, inputs, numbers = (np.asarray(part, dtype=float) for part in (y, u, given))
        for k, member in enumerate(members):
            group, lane = self._groups[member // self._width], member % self._width
            group.y[:, lane], group.held[:, lane], group.given[:, lane] = states[k], inputs[k], numbers[k]
            group.alive[lane] = 1
            self.failures.pop(member, None)
        for which in {member // self._width for member in members}:
            self._groups[which].look()
        self._look_at()
        for member in members:
            if member in self.failures:
                raise ModelError(f"copy {member} cannot start: {self.failures[member]}")

    def step(self, dt: float, inputs: Mapping[str, ArrayLike] | None = None) -> Floats:
        """Set inputs, one number for each copy, and advance by dt [s]; return the observations, (number, k).

        A refused input and Ctrl-C change nothing.
        """
        check_steps(checks.number("dt", dt, above=0.0), self.step_size)
        model_ranges, spread = self.model.ranges, dict[int, Floats]()
        for name, values in (inputs or {}).items():
            checks.check_name("Fleet: inputs", name, list(self._inputs), "input")
            given = np.broadcast_to(np.asarray(values, dtype=float), self.number)
            lower, upper = model_ranges.get(name, UNLIMITED)
            if not ((given >= lower) & (given <= upper)).all():
                worst = given[~((given >= lower) & (given <= upper))][0]
                check_range(name, held_number(name, float(worst)), (lower, upper))
            spread[self._inputs[name]] = given
        n, h = self._division(dt)
        in_threads = self._pool is not None or n * len(self._groups) >= LONG
        before = (self.states, self.inputs) if in_threads else None
        for row, given in spread.items():
            self._spread(row, given)
        self._stop.clear()

        def work(share: list[LaneGroup]) -> None:
            for group in share:
                group.march(n, h)
                group.look()

        if before is None:
            work(self._groups)
        else:
            self._in_threads(work, *before)
        self._look_at(dt)
        return self.seen

    def _in_threads(self, work: Callable[[list[LaneGroup]], None], states: Floats, inputs: Floats) -> None:
        """Work in other threads, so that Ctrl-C reaches this one; on Ctrl-C restore the state before."""
        pool = self._pool or ThreadPoolExecutor(1)
        parts = [pool.submit(work, share) for share in self._shares]
        try:
            for part in parts:
                part.result()
        except BaseException:
            self._stop.set()
            wait(parts)
            self.put_back(states, inputs, self.given, self.failures)
            raise
        finally:
            if self._pool is None:
                pool.shutdown()

    def put_back(self, states: Floats, inputs: Floats, given: Floats, failures: Mapping[int, str]) -> None:
        """Restore all copies from former `states`, `inputs`, `given` and `failures`."""
        for k, group in enumerate(self._groups):
            mine = slice(k * self._width, (k + 1) * self._width)
            for part, rows in ((group.y, states), (group.held, inputs), (group.given, given)):
                part[:, : len(rows[mine])] = rows[mine].T
            group.alive[:] = [k * self._width + lane not in failures for lane in range(self._width)]
            group.look()
        self.failures = dict(failures)
        self.seen = self._rows("seen")

    def _division(self, dt: float) -> tuple[int, float]:
        """Return number and length of the steps; controllers sample at the first one of each period."""
        period = self.model.layout.sampling.period
        if not period:
            return substeps(dt, self.step_size)
        looks = round(dt / period)
        if looks < 1 or abs(looks * period - dt) > 1e-9 * dt:
            raise ModelError(
                f"dt = {dt:g} s: controllers sample every {period:g} s; go on by whole multiples of that"
            )
        between, _ = substeps(period, self.step_size)
        return looks * between, dt / (looks * between)

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _rows(self, name: str) -> Floats:
        """Return the array of a given name of all groups, one row per copy."""
        parts = [getattr(group, name) for group in self._groups]
        rows: Floats = np.concatenate(parts, axis=1).T[: self.number].copy()
        return rows

    def _spread(self, row: int, values: Floats) -> None:
        for k, group in enumerate(self._groups):
            mine = values[k * self._width : (k + 1) * self._width]
            group.held[row, : len(mine)] = mine

    def _look_at(self, dt: float = 0.0) -> None:
        """Collect observations and failures of the copies."""
        self.seen = self._rows("seen")
        for k, group in enumerate(self._groups):
            sound = group.find_sound(self._limits)
            geared = sound & (group.gearing > CLOSE).any(axis=0) if dt > 0.0 else ~sound & sound
            if sound.all() and not geared.any():
                continue
            for lane in range(min(self._width, self.number - k * self._width)):
                member = k * self._width + lane
                if member in self.failures:
                    continue
                if not sound[lane]:
                    self.failures[member] = self._reason(group, lane)
                elif geared[lane]:
                    what = self._describe_throw(group, lane, dt)
                    if what:
                        self.failures[member] = what
                        group.alive[lane] = 0

    def _reason(self, group: LaneGroup, lane: int) -> str:
        """Stop a copy, and return the postcondition that it violates."""
        group.alive[lane] = 0
        y, u = group.y[:, lane].copy(), group.held[:, lane].copy()
        if group.stopped[lane]:
            return "accelerations are not finite"
        seen = self.model.observation(y, u)
        violated = self._postconditions.at(y, u, seen[0], seen[1])
        return violated or "an observation is not finite"

    def _describe_throw(self, group: LaneGroup, lane: int, dt: float) -> str:
        """Return a message on the loop that was thrown over a dead centre in a step; empty if none was."""
        u = group.held[:, lane]
        values = {name: float(u[k]) for name, k in self._inputs.items()}
        parameters = {p.name: values.pop(p.name) for p in self.model.layout.parameters}
        rhs = RightHandSide(self.model, values, True, parameters)
        times, Y = np.array((0.0, dt)), np.stack((group.before[:, lane], group.y[:, lane]))
        near = Reaches(self.model).near(times, Y, rhs.inputs_at)
        jump = first_jump(near, times, Y, make_check(self.model, rhs.audit))
        return "" if jump is None else jump.what
