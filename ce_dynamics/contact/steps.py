"""The steps of a run: of first order, or of higher order between events.

Steps of second and fourth order while no row begins or ceases to act.

Between events the rows that act are equations.  With the held rows E (closed contacts, taut cables, what
sticks) and the sliding ones, whose friction is −μ λ_n along the sliding,

    v̇ = v̇_free + M⁻¹ (G_E λ + G_s λ_s),    G_Eᵀ v̇ + γ = 0,

where γ is what ψ̈ (or the rate of the sliding velocity) is without v̇.  That is an ordinary differential
equation in y, which explicit Runge–Kutta methods integrate with their order; what drifts is projected back
onto ψ = 0, ψ̇ = 0 after every step, by less than the error of a step.  A step is good if, at its start and its
end, nothing pulls that can only push, nothing sticks beyond its bound, what slides slides on, no open gap
has closed, and the change of v is nearly that of the trapezoidal rule (which shows steps that are too long);
otherwise it is halved, and at last complementarity decides, in steps of first order.

The step itself is machine code: `ce_dynamics.contact.compiled_smooth`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import RK4, as_table
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.contact.acting_rows import ActingRows, lengths, make_room
from ce_dynamics.contact.compiled_smooth import (
    AT_REST,
    FRESH,
    KNOWN,
    PROJECTION,
    SmoothSpace,
    smooth_step,
)
from ce_dynamics.contact.conditions import Booleans, Kind
from ce_dynamics.contact.embedded import UnilateralModel
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.recorder import NEGLIGIBLE, Recorder
from ce_dynamics.contact.solvers.chain import Patience
from ce_dynamics.contact.tree_step import machine
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.monitors.charts import Charts
from ce_dynamics.simulation.right_hand_side import RightHandSide

STICKING = 1.0 - 1e-6
"""Share of its bound up to which friction sticks."""

MIDPOINT = as_table((0.0, ()), (0.5, (0.5,)), (1.0, (0.0, 1.0)))
TABLES = {2: MIDPOINT, 4: RK4.table}
"""Numbers of the methods by order: the midpoint rule and the classical Runge–Kutta method."""


class Acting(NamedTuple):
    """Rows that act, (m,), and their multipliers."""

    held: Booleans  # rows whose rate is kept at zero
    sliding: Booleans  # friction rows at their bound
    multipliers: Floats  # of the first-order step that determined the acting rows


class Done(NamedTuple):
    """A smooth step: state, multipliers at its end, work of loads and of rows."""

    y: Floats
    multipliers: Floats
    work: float
    contact_work: float


class SmoothSteps:
    """Higher-order steps of a model with unilateral elements; a law of control maps t, y to u."""

    def __init__(
        self, unilateral: UnilateralModel, order: int, u: Floats, control: CompiledFunction | None = None
    ) -> None:
        self.unilateral = unilateral
        self.kind, self.normal = unilateral.conditions.kind, unilateral.conditions.normal
        functions = unilateral.compiled.functions | {"bias": unilateral.compiled.bias}
        self._machine, self._alive = machine(functions, control)
        self._machine.u[:] = u
        n, m, table = len(unilateral.model.layout.y0), len(self.kind), TABLES[order]
        stages = len(table.weights) - 1
        y, ahead, rate = np.zeros((3, n + 2))
        rates = (make_room(n, m) for _ in range(3))
        stage = np.zeros(1, dtype=np.int64)
        self._space = SmoothSpace(y, ahead, *table, np.zeros((stages, n + 2)), rate, stage, *rates)
        self._known: tuple[float, Floats, Acting] | None = None
        self._refused: tuple[float, Floats, Acting] | None = None
        self._leaning: Acting | None = None
        self._nothing = np.zeros(m)

    # Acting rows

    def acting(self, p: Floats, mu: Floats, h: float, rate: Floats) -> Acting:
        """Return the rows that act, from the impulses of a step of length h and the rates after the step.

        Rows that rebound do not act.
        """
        e = self.unilateral.restitution
        rebounds = (e > 0.0) & (rate > 0.5 * e * self.unilateral.rest_speed)
        pushing = (p > NEGLIGIBLE * np.max(np.abs(p), initial=0.0)) & ~rebounds
        closed = np.where(self.kind == Kind.UNILATERAL, pushing, self.kind == Kind.BILATERAL)
        bounded = self.normal >= 0
        reach = np.where(bounded, mu * np.maximum(p[self.normal], 0.0), h * self.unilateral.limit)
        rubs = (self.kind >= Kind.BOX) & (~bounded | closed[self.normal]) & (reach > 0.0)
        sticks = rubs & (lengths(self.kind, p) < STICKING * reach)
        return Acting(closed.astype(bool) | sticks, rubs & ~sticks, p / h)

    def turning(self, t: float, y: Floats, u: Floats, h: float) -> Floats:
        """Return h γ of all rows but of gaps that are open or move: what a step across an event adds to w."""
        stage, compiled, along = self.unilateral.stage(t, y, u), self.unilateral.compiled, np.zeros_like(y)
        q, v, _ = self.unilateral.model.layout.split(y)
        along[: len(q)] = compiled.rates(q, v)[0]
        gamma = compiled.bias(y, u, np.array([t]), along, np.zeros_like(u), np.ones(1))[0]
        size = 1.0 + np.max(np.abs(stage.rate), initial=0.0)
        rests = (np.abs(stage.rate) <= AT_REST * size) & (np.abs(stage.psi) <= AT_REST)
        return np.where((self.kind != Kind.UNILATERAL) | rests, h * gamma, 0.0)

    # A step

    def step(self, t: float, y: Floats, h: float, acting: Acting) -> Done | None:
        """Return a step with the given rows acting; None if they do not act so throughout.

        The derivatives at the end of a step are those at the start of the next.  Where multipliers are not
        unique the shortest are taken if contacts push and friction sticks with them, else those near the
        multipliers of the last step of first order.
        """
        if same(self._refused, t, y, acting):
            return None
        known = same(self._known, t, y, acting)
        done, again = self._run(KNOWN if known else FRESH, t, y, h, acting)
        if not done and not again and self._leaning is not acting:
            self._leaning, self._known = acting, None
            return self.step(t, y, h, acting)
        if not done:
            self._known, self._refused = (None, (t, y, acting)) if not again else ((t, y, acting), None)
            return None
        S = self._space = self._space._replace(first=self._space.last, last=self._space.first)
        y_end, work, contact_work = S.ahead[:-2].copy(), float(S.ahead[-2]), float(S.ahead[-1])
        self._known = t + h, y_end, acting
        return Done(y_end, S.first.multipliers.copy(), work, contact_work)

    def project(self, t: float, y: Floats, acting: Acting) -> tuple[Floats, float] | None:
        """Return the nearest state, in the metric of M, in which held gaps are closed and held rates zero.

        With it comes the work of the impulses that change the rates, ½ pᵀ (rates before and after).
        """
        possible, _ = self._run(PROJECTION, t, y, 0.0, acting)
        ahead = self._space.ahead
        return (ahead[:-2].copy(), float(ahead[-1])) if possible else None

    def _run(self, what: int, t: float, y: Floats, h: float, acting: Acting) -> tuple[bool, bool]:
        """Run the kernel on a state."""
        near = acting.multipliers if self._leaning is acting else self._nothing
        limit, quaternions = self.unilateral.limit, self.unilateral.quaternions
        rows = ActingRows(self.kind, self.normal, limit, acting.held, acting.sliding, near, quaternions)
        self._space.y[:-2] = y
        answer: tuple[bool, bool] = smooth_step(self._machine, rows, self._space, what, t, h)
        return answer


def same(known: tuple[float, Floats, Acting] | None, t: float, y: Floats, acting: Acting) -> bool:
    """Return True if it is the very instant, state and rows; times are sums of steps."""
    return known is not None and known[1] is y and known[2] is acting and abs(known[0] - t) <= 1e-12 * abs(t)


PARTS = 64
"""Part of a step of higher order that is left to a step of first order where rows begin or cease to act."""
LONGEST = 8
"""Such parts that one step of first order takes at most: twice as many as the one before where that changed
nothing.  What has just begun to slide turns so fast that explicit methods do not follow for a while."""


class StepLoop:
    """Makes one step after the other.

    ``force`` are the multipliers of the last step, (m,); ``acting`` are the rows that acted last, None where
    that is not known.
    """

    def __init__(
        self,
        unilateral: UnilateralModel,
        law: RightHandSide,
        solver: Solver,
        recorder: Recorder,
        smooth: SmoothSteps | None,
    ) -> None:
        self.unilateral, self.law, self.patience = unilateral, law, Patience(solver)
        self.recorder, self.smooth = recorder, smooth
        self.force = np.zeros(len(unilateral.row_names))
        self.acting: Acting | None = None
        self._parts = 1  # of the next step of first order

    def run(self, y: Floats, steps: int, progress: Callable[[float], None] | None) -> None:
        """Make so many steps from a state, and store instants."""
        recorder, charts = self.recorder, Charts(self.unilateral.model)
        y = np.array(y)
        charts.renew(y)
        recorder.store(self.law, y, self.force)
        recorder.record_state(y, self.force)
        for k in range(steps):
            y = self.step(y)
            if not np.all(np.isfinite(y)):
                raise SimulationError("the state is no longer finite")
            if charts.renew(y):
                self.acting = None
            recorder.count = k + 1
            recorder.record_state(y, self.force)
            if k == 0:
                recorder.stored[0] = recorder.stored[0]._replace(force=self.force)
            if recorder.count % recorder.every == 0 or recorder.count == steps:
                recorder.store(self.law, y, self.force)
                if progress is not None:
                    progress(recorder.t)

    def step(self, y: Floats) -> Floats:
        """Return the state a step later."""
        t, h = self.recorder.t, self.recorder.h
        if self.smooth is None:
            return self._first_order(t, y, h)
        if self.acting is None and self.recorder.count == 0:
            self.acting = self._acting_at_first(y)
        # parts of h/2^k: halved down to where an event is, doubled behind it
        part, done = PARTS, 0
        while done < PARTS:
            found = self._of_higher_order(self.smooth, t + h * done / PARTS, y, h * part / PARTS)
            if found is not None:
                y, done = found, done + part
                if part > self._parts:
                    self._parts = 1
                part = min(2 * part, PARTS - done)
            elif part > self._parts:
                part //= 2
            else:
                parts, before = min(self._parts, PARTS - done), self.acting
                y = self._across_an_event(self.smooth, t + h * done / PARTS, y, h * parts / PARTS)
                done += parts
                self._parts = min(2 * parts, LONGEST) if have_same_rows(before, self.acting) else 1
            while part > 1 and (done % part or done + part > PARTS):
                part //= 2
        return y

    def _of_higher_order(self, smooth: SmoothSteps, t: float, y: Floats, h: float) -> Floats | None:
        """Return the state after a part of a step in which the same rows act; None if they do not."""
        done = None if self.acting is None else smooth.step(t, y, h, self.acting)
        if done is None:
            return None
        self.force = done.multipliers
        self.recorder.work += done.work
        self.recorder.contact_work += done.contact_work
        self.recorder.smooth += 1
        self.recorder.watch.look(t + h, self.force)
        return done.y

    def _across_an_event(self, smooth: SmoothSteps, t: float, y: Floats, h: float) -> Floats:
        """Return the state after a short step of first order, on the conditions that it left behind."""
        y = self._first_order(t, y, h, smooth.turning(t, y, self.law.inputs_at(t, y), h))
        entered = None if self.acting is None else smooth.project(t + h, y, self.acting)
        if entered is None:
            return y
        self.recorder.contact_work += entered[1]
        return entered[0]

    def _acting_at_first(self, y: Floats) -> Acting | None:
        """Return the rows that act at the start, from a short trial step that leaves the state unchanged."""
        assert self.smooth is not None
        h = self.recorder.h / PARTS
        u = self.law.inputs_at(0.0, y)
        turning = self.smooth.turning(0.0, y, u, h)
        done = self.unilateral.step(0.0, y, u, h, self.patience.solver, turning=turning)
        return self.smooth.acting(done.solution.p, done.stage.mu, h, done.stage.rate)

    def _first_order(self, t: float, y: Floats, h: float, turning: Floats | None = None) -> Floats:
        recorder = self.recorder
        u, start = self.law.inputs_at(t, y), h * self.force
        done = self.unilateral.step(t, y, u, h, self.patience.solver, start, turning)
        self.patience.record_outcome(done.solution.converged)
        recorder.work += h * done.stage.power
        recorder.contact_work += done.work
        recorder.record_solution(done.solution, done.stage.rate)
        recorder.watch.look(t + h, done.solution.p)
        self.force = done.solution.p / h
        if self.smooth is not None:
            _, v, _ = self.unilateral.model.layout.split(y)
            after = done.stage.rate + done.stage.GT @ (done.solution.v - v)
            self.acting = self.smooth.acting(done.solution.p, done.stage.mu, h, after)
        return done.y


def have_same_rows(one: Acting | None, other: Acting | None) -> bool:
    """Return True if the same rows act, and in the same way."""
    if one is None or other is None:
        return False
    return bool(np.array_equal(one.held, other.held) and np.array_equal(one.sliding, other.sliding))
