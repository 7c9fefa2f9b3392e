"""Steps of second and fourth order while no row begins or ceases to act.

Between events the rows that act are equations.  With the held rows E (closed contacts, taut cables, what
sticks) and the sliding ones, whose friction is −μ λ_n along the sliding,

    v̇ = v̇_free + M⁻¹ (G_E λ + G_s λ_s),    G_Eᵀ v̇ + γ = 0,

where γ is what ψ̈ (or the rate of the sliding velocity) is without v̇.  That is an ordinary differential
equation in y, which explicit Runge–Kutta methods integrate with their order; what drifts is projected back
onto ψ = 0, ψ̇ = 0 after every step, by less than the error of a step.  A step is good if, at its start and its
end, nothing pulls that can only push, nothing sticks beyond its bound, what slides slides on, no open gap
has closed, and the change of v is nearly that of the trapezoidal rule (which knows when a step is too long);
otherwise it is halved, and at last complementarity decides, in steps of first order.

The step itself is machine code: `ce_dynamics.complementarity.compiled_smooth`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.complementarity.acting_rows import Rows, room
from ce_dynamics.complementarity.compiled_smooth import AT_REST, BIAS, PROJECTION, STEP, smooth_step
from ce_dynamics.complementarity.conditions import Booleans, Kind
from ce_dynamics.complementarity.embedded import UnilateralModel
from ce_dynamics.complementarity.events import NEGLIGIBLE
from ce_dynamics.complementarity.machine import machine

STICKING = 1.0 - 1e-6
"""Share of its bound up to which friction sticks."""

Tableau = tuple[tuple[float, ...], tuple[float, ...]]
TABLEAUS: dict[int, Tableau] = {
    2: ((0.0, 0.5), (0.0, 1.0)),
    4: ((0.0, 0.5, 0.5, 1.0), (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)),
}
"""Nodes and weights, by order, of explicit methods whose stages use only the previous stage (the midpoint
rule and the classical Runge–Kutta method)."""


class Acting(NamedTuple):
    """Rows that act, and their multipliers.

    Attributes
    ----------
    held : (m,) bool array
        Rows whose rate is kept at zero.
    sliding : (m,) bool array
        Friction rows at their bound.
    multipliers : (m,) array
        Multipliers of the first-order step that determined the acting rows.
    """

    held: Booleans
    sliding: Booleans
    multipliers: Floats


class Done(NamedTuple):
    """A smooth step: state, multipliers at its end, work of loads and of rows."""

    y: Floats
    multipliers: Floats
    work: float
    contact_work: float


class SmoothSteps:
    """Higher-order steps of a model with unilateral elements.

    Parameters
    ----------
    unilateral : UnilateralModel
    order : int
        2 or 4.
    u : array
        Inputs.
    control : CompiledFunction, optional
        The law that answers them, if there is one: t, y → u.
    """

    def __init__(
        self, unilateral: UnilateralModel, order: int, u: Floats, control: CompiledFunction | None = None
    ) -> None:
        self.unilateral = unilateral
        self.when, self.weights = (np.array(part) for part in TABLEAUS[order])
        kinds = unilateral.row_kinds
        self.kind = np.array([int(row.kind) for row in kinds], dtype=np.int64)
        self.normal = np.array([row.normal for row in kinds], dtype=np.int64)
        self.firsts = np.flatnonzero(self.kind == Kind.DISC_1)
        functions = unilateral.functions._replace(bias=unilateral.compiled.bias, control=control)
        self._machine, self._alive = machine(functions)
        self._machine.u[:] = u
        n, m = len(unilateral.model.layout.y0), len(kinds)
        self._first, self._middle, self._last = (room(n, m) for _ in range(3))
        self._quaternions = np.array([where.start for where in unilateral.quaternions], dtype=np.int64)
        self._known: tuple[float, Floats, Acting] | None = None
        self._refused: tuple[float, Floats, Acting] | None = None
        self._leaning: Acting | None = None
        self._nothing = np.zeros(m)
        self._nobody = Acting(np.zeros(m, dtype=bool), np.zeros(m, dtype=bool), self._nothing)

    # Which rows act

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
        sticks = rubs & (self._lengths(p) < STICKING * reach)
        return Acting(closed.astype(bool) | sticks, rubs & ~sticks, p / h)

    def _lengths(self, values: Floats) -> Floats:
        """|values|, of disc rows that of both."""
        size = np.abs(values)
        size[self.firsts] = size[self.firsts + 1] = np.hypot(values[self.firsts], values[self.firsts + 1])
        return size

    def turning(self, t: float, y: Floats, h: float) -> Floats:
        """h γ of all rows but of gaps that are open or move: what a step across an event adds to w."""
        R = self._middle
        self._asked(BIAS, t, y, 0.0, self._rows(self._nobody), False, y)
        gamma = self._machine.gamma
        size = 1.0 + np.max(np.abs(R.rate), initial=0.0)
        rests = (np.abs(R.rate) <= AT_REST * size) & (np.abs(R.psi) <= AT_REST)
        return np.where((self.kind != Kind.UNILATERAL) | rests, h * gamma, 0.0)

    # A step

    def step(self, t: float, y: Floats, h: float, acting: Acting) -> Done | None:
        """A step with the given rows acting; None if they do not act so throughout.

        The derivatives at the end of a step are those at the start of the next.  Where multipliers are not
        unique the shortest are taken if contacts push and friction sticks with them, else those near the
        multipliers of the last step of first order.
        """
        if same(self._refused, t, y, acting):
            return None
        known = same(self._known, t, y, acting)
        rows, y_end = self._rows(acting), np.empty_like(y)
        done, again, *work = self._asked(STEP, t, y, h, rows, known, y_end)
        if not done and not again and self._leaning is not acting:
            self._leaning, self._known = acting, None
            return self.step(t, y, h, acting)
        if not done:
            self._known, self._refused = (None, (t, y, acting)) if not again else ((t, y, acting), None)
            return None
        self._first, self._last = self._last, self._first
        self._known = t + h, y_end, acting
        return Done(y_end, self._first.multipliers.copy(), *work)

    def projected(self, t: float, y: Floats, acting: Acting) -> tuple[Floats, float] | None:
        """The nearest state, in the metric of M, in which held gaps are closed and held rates zero.

        With it comes the work of the impulses that change the rates, ½ pᵀ (rates before and after).
        """
        near = y.copy()
        possible, _, _, work = self._asked(PROJECTION, t, y, 0.0, self._rows(acting), False, near)
        return (near, float(work)) if possible else None

    def _asked(
        self, what: int, t: float, y: Floats, h: float, rows: Rows, known: bool, y_end: Floats
    ) -> tuple[bool, bool, float, float]:
        """The kernel's answer."""
        rates = self._first, self._middle, self._last
        answer: tuple[bool, bool, float, float] = smooth_step(
            self._machine, rows, what, t, y, h, self.when, self.weights, known, *rates, y_end
        )
        return answer

    def _rows(self, acting: Acting) -> Rows:
        near = acting.multipliers if self._leaning is acting else self._nothing
        limit = self.unilateral.limit
        return Rows(self.kind, self.normal, limit, acting.held, acting.sliding, near, self._quaternions)


def same(known: tuple[float, Floats, Acting] | None, t: float, y: Floats, acting: Acting) -> bool:
    """Return True if it is the very instant, state and rows; times are sums of steps."""
    return known is not None and known[1] is y and known[2] is acting and abs(known[0] - t) <= 1e-12 * abs(t)
