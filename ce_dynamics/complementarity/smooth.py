"""Steps of second and fourth order while no row begins or ceases to act.

Between events the rows that act are equations.  With the held rows E (closed contacts, taut cables, what
sticks) and the sliding ones, whose friction is −μ λ_n along the sliding,

    v̇ = v̇_free + M⁻¹ (G_E λ + G_s λ_s),    G_Eᵀ v̇ + γ = 0,

where γ is what ψ̈ (or the rate of the sliding velocity) is without v̇.  That is an ordinary differential
equation in y, which explicit Runge–Kutta methods integrate with their order; what drifts is projected back
onto ψ = 0, ψ̇ = 0 after every step, by less than the error of a step.  A step is good if, at its start and its
end, nothing pulls that can only push, nothing sticks beyond its bound, what slides slides on, and no open gap
has closed; otherwise complementarity decides, in steps of first order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.complementarity.embedded import Stage, UnilateralModel
from ce_dynamics.complementarity.events import NEGLIGIBLE
from ce_dynamics.complementarity.problem import Booleans, Kind

DIFFERENCE = 1e-6
"""Half the time over which γ is differenced [s]."""
STICKING = 1.0 - 1e-6
"""Share of its bound up to which friction sticks."""
CONSISTENT = 1e-7
"""Part of the accelerations that may remain of the rows' equations, where rows depend on each other."""
PUSH = 1e-9
"""Part of the largest multiplier by which others may pull: rounding."""
AT_REST = 1e-6
"""Rate and gap of held rows, next to a rate of one, with which a smooth step may begin."""
SLOW = 1e-9
"""Sliding slower than this has no direction [m/s or rad/s]."""

Tableau = tuple[tuple[float, ...], tuple[float, ...]]
TABLEAUS: dict[int, Tableau] = {
    2: ((0.0, 0.5), (0.0, 1.0)),
    4: ((0.0, 0.5, 0.5, 1.0), (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)),
}
"""Of explicit methods whose stages build on the one before only: when, and with what weights (the midpoint
rule and the classical Runge–Kutta method)."""


class Acting(NamedTuple):
    """Which rows act, and how.

    Attributes
    ----------
    held : (m,) bool array
        Rows whose rate is kept at zero.
    sliding : (m,) bool array
        Friction rows at their bound.
    """

    held: Booleans
    sliding: Booleans


class Rates(NamedTuple):
    """Derivatives at one instant."""

    y: Floats
    multipliers: Floats
    stage: Stage
    power: float


class Done(NamedTuple):
    """A smooth step: state, multipliers at its end, work of loads and of rows."""

    y: Floats
    multipliers: Floats
    stage: Stage
    work: float
    contact_work: float


class SmoothSteps:
    """Higher-order steps of a model with unilateral elements.

    Parameters
    ----------
    unilateral : UnilateralModel
    order : int
        2 or 4.
    inputs_at : callable
        Inputs at a time and a state.
    """

    def __init__(
        self, unilateral: UnilateralModel, order: int, inputs_at: Callable[[float, Floats], Floats]
    ) -> None:
        self.unilateral, self.inputs_at = unilateral, inputs_at
        self.when, self.weights = TABLEAUS[order]
        kinds = unilateral.row_kinds
        self.kind = np.array([int(row.kind) for row in kinds], dtype=np.int64)
        self.normal = np.array([row.normal for row in kinds], dtype=np.int64)
        self.firsts = np.flatnonzero(self.kind == Kind.DISC_1)
        self._rate = self._compiled_rate()

    def _compiled_rate(self) -> Callable[[Floats, Floats, float], Floats]:
        unilateral, model = self.unilateral, self.unilateral.model

        def rate(y: Array, u: Array, t: Array) -> dict[str, Array]:
            outward = model.instant(y, u).outward
            rows = [row for element in unilateral.elements for row in element.rows(outward, t[0])]
            return {"rate": array(row.rate for row in rows)}

        sizes = {"y": len(model.layout.y0), "u": len(model.layout.u), "t": 1}
        compiled = compile_function(trace("unilateral_row_rates", rate, sizes))
        return lambda y, u, t: np.asarray(compiled(y, u, np.array([t]))[0])

    # Which rows act

    def acting(self, p: Floats, mu: Floats, h: float, rate: Floats) -> Acting:
        """What the impulses of a step of length h and the rates after it say; what rebounds does not act."""
        e = self.unilateral.restitution
        rebounds = (e > 0.0) & (rate > 0.5 * e * self.unilateral.rest_speed)
        pushing = (p > NEGLIGIBLE * np.max(np.abs(p), initial=0.0)) & ~rebounds
        closed = np.where(self.kind == Kind.UNILATERAL, pushing, self.kind == Kind.BILATERAL)
        bounded = self.normal >= 0
        reach = np.where(bounded, mu * np.maximum(p[self.normal], 0.0), h * self.unilateral.limit)
        rubs = (self.kind >= Kind.BOX) & (~bounded | closed[self.normal]) & (reach > 0.0)
        sticks = rubs & (self._lengths(p) < STICKING * reach)
        return Acting(closed.astype(bool) | sticks, rubs & ~sticks)

    def directions(self, sliding: Booleans, rate: Floats) -> Floats:
        """Unit sliding velocities of the sliding rows, zero of others; NaN where there is no sliding."""
        d = np.where(sliding, rate, 0.0)
        size = self._lengths(d)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(sliding, np.where(size > SLOW, d / size, np.nan), 0.0)

    # Derivatives

    def rates(self, t: float, y: Floats, acting: Acting, direction: Floats | None = None) -> Rates | None:
        """ẏ and multipliers; None where the rows' equations have no solution or sliding has no direction."""
        unilateral, model = self.unilateral, self.unilateral.model
        u = self.inputs_at(t, y)
        stage = unilateral.stage(t, y, u)
        q, v, _ = model.layout.split(y)
        q_dot = unilateral._rates(q, v)[0]
        held, slides = np.flatnonzero(acting.held), np.flatnonzero(acting.sliding)
        lam = np.zeros(len(stage.psi))
        v_dot = stage.v_dot
        if len(held) or len(slides):
            d = self.directions(acting.sliding, stage.rate) if direction is None else direction
            if not np.all(np.isfinite(d)):
                return None
            Y = np.zeros_like(stage.GT)
            rows = np.concatenate((held, slides))
            Y[rows] = unilateral.responses(y, u, np.ascontiguousarray(stage.GT[rows]))
            # friction of a constant bound, and that of μ times a normal row, which adds to its response
            loose = slides[self.normal[slides] < 0]
            lam[loose] = -unilateral.limit[loose] * d[loose]
            v_dot = v_dot + lam[loose] @ Y[loose]
            bound = slides[self.normal[slides] >= 0]
            B = Y.copy()
            for s in bound:
                B[self.normal[s]] -= stage.mu[s] * d[s] * Y[s]
            gamma = self._bias(t, y, u, q_dot)[held]
            A = stage.GT[held] @ B[held].T
            wanted = -(stage.GT[held] @ v_dot + gamma)
            lam[held] = solution = least(A, wanted)
            left = np.abs(A @ solution - wanted)
            if np.any(left > CONSISTENT * (1.0 + np.max(np.abs(wanted), initial=0.0))):
                return None
            v_dot = v_dot + lam[held] @ B[held]
            lam[bound] = -stage.mu[bound] * d[bound] * lam[self.normal[bound]]
        y_dot = np.concatenate((q_dot, v_dot, stage.x_dot))
        if not np.all(np.isfinite(y_dot)):
            return None
        return Rates(y_dot, lam, stage, float(lam @ stage.rate))

    def _bias(self, t: float, y: Floats, u: Floats, q_dot: Floats) -> Floats:
        """γ: the rate of change of the rows' rates at constant v."""
        along = np.zeros_like(y)
        along[: len(q_dot)] = DIFFERENCE * q_dot
        ahead, behind = (self._rate(y + s * along, u, t + s * DIFFERENCE) for s in (1.0, -1.0))
        return np.asarray((ahead - behind) / (2.0 * DIFFERENCE))

    # A step

    def step(self, t: float, y: Floats, h: float, acting: Acting) -> Done | None:
        """A step with the given rows acting; None if they do not act so throughout."""
        first = self.rates(t, y, acting)
        if first is None or not (self.consistent(first, acting) and self.sound(first, acting)):
            return None
        found = first
        y_end = y + h * self.weights[0] * first.y
        work = h * self.weights[0] * first.stage.power
        contact_work = h * self.weights[0] * first.power
        for c, weight in zip(self.when[1:], self.weights[1:], strict=True):
            stage = self.rates(t + c * h, y + c * h * found.y, acting)
            if stage is None or not self._slides_on(first, stage, acting):
                return None
            found = stage
            y_end = y_end + h * weight * found.y
            work += h * weight * found.stage.power
            contact_work += h * weight * found.power
        closed = self.projected(t + h, self._unit(y_end), acting)
        if closed is None:
            return None
        last = self.rates(t + h, closed[0], acting)
        if last is None or not self.sound(last, acting):
            return None
        if np.any(last.stage.psi[(self.kind == Kind.UNILATERAL) & ~acting.held] < 0.0):
            return None
        if not self._slides_on(first, last, acting):
            return None
        return Done(closed[0], last.multipliers, last.stage, work, contact_work + closed[1])

    def consistent(self, rates: Rates, acting: Acting) -> bool:
        """Whether held rows are at rest and held gaps closed, so that nothing is to be projected."""
        rate, psi = np.abs(rates.stage.rate), np.abs(rates.stage.psi)
        gaps = acting.held & (self.kind == Kind.UNILATERAL)
        size = 1.0 + np.max(rate, initial=0.0)
        return bool(np.all(rate[acting.held] <= AT_REST * size) and np.all(psi[gaps] <= AT_REST))

    def sound(self, rates: Rates, acting: Acting) -> bool:
        """Whether contacts push and what sticks stays within its bounds."""
        lam, mu = rates.multipliers, rates.stage.mu
        if np.any(lam[self.kind == Kind.UNILATERAL] < -PUSH * np.max(np.abs(lam), initial=0.0)):
            return False
        sticks = acting.held & (self.kind >= Kind.BOX)
        if not np.any(sticks):
            return True
        reach = np.where(self.normal >= 0, mu * np.maximum(lam[self.normal], 0.0), self.unilateral.limit)
        return bool(np.all(self._lengths(lam)[sticks] <= reach[sticks]))

    def _slides_on(self, before: Rates, after: Rates, acting: Acting) -> bool:
        """Whether sliding has turned by less than 60°: towards rest it turns ever faster, and back."""
        if not np.any(acting.sliding):
            return True
        d = self.directions(acting.sliding, before.stage.rate)
        product = d * self.directions(acting.sliding, after.stage.rate)
        product[self.firsts] = product[self.firsts + 1] = product[self.firsts] + product[self.firsts + 1]
        return bool(np.all(product[acting.sliding] > 0.5))

    def _lengths(self, values: Floats) -> Floats:
        """|values|, of disc rows that of both."""
        size = np.abs(values)
        size[self.firsts] = size[self.firsts + 1] = np.hypot(values[self.firsts], values[self.firsts + 1])
        return size

    def projected(self, t: float, y: Floats, acting: Acting) -> tuple[Floats, float] | None:
        """The nearest state, in the metric of M, in which held gaps are closed and held rates zero.

        With it comes the work of the impulses that change the rates, ½ pᵀ (rates before and after).
        """
        held = np.flatnonzero(acting.held)
        if not len(held):
            return y, 0.0
        unilateral, layout = self.unilateral, self.unilateral.model.layout
        gaps = np.flatnonzero(acting.held & (self.kind == Kind.UNILATERAL))
        for _ in range(2):
            q, v, x = layout.split(y)
            u = self.inputs_at(t, y)
            stage = unilateral.stage(t, y, u)
            if not np.all(np.isfinite(stage.GT)):
                return None
            GT = np.ascontiguousarray(stage.GT[gaps])
            Y = unilateral.responses(y, u, GT)
            dv = -least(GT @ Y.T, stage.psi[gaps]) @ Y
            y = self._unit(np.concatenate((q + unilateral._rates(q, dv)[0], v, x)))
        q, v, x = layout.split(y)
        u = self.inputs_at(t, y)
        stage = unilateral.stage(t, y, u)
        GT = np.ascontiguousarray(stage.GT[held])
        Y = unilateral.responses(y, u, GT)
        p = -least(GT @ Y.T, stage.rate[held])
        return np.concatenate((q, v + p @ Y, x)), 0.5 * float(p @ stage.rate[held])

    def _unit(self, y: Floats) -> Floats:
        for where in self.unilateral._quaternions:
            y[where] /= np.linalg.norm(y[where])
        return y


def least(A: Floats, b: Floats) -> Floats:
    """The shortest x with A x = b, or nearest to it."""
    if not len(b):
        return np.zeros(0)
    if np.max(np.abs(A), initial=0.0) == 0.0:
        return np.zeros(len(b))
    return np.asarray(np.linalg.lstsq(A, b, rcond=1e-10)[0], dtype=float)
