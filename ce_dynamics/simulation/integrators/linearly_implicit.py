"""Linearly implicit methods of fixed steps, whose order does not depend on the matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.method import Method
from ce_dynamics.simulation.integrators.table import Table, as_table, lower_rows

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.fixed_steps import FixedSteps
    from ce_dynamics.simulation.integrators.settings import Settings
    from ce_dynamics.simulation.integrators.wiring import Wiring

DISPLACEMENT = 1e-6
"""By which a state is displaced for its Jacobian, relative to it where it is greater than 1."""


@dataclass(frozen=True, eq=False)
class LinearlyImplicit(Method):
    """(1 − γ h J) k_i = f(t + c_i h, y + h Σ a_ij k_j) + Σ m_ij k_j and y + h Σ b_j k_j.

    A W-method (Hairer, Wanner: Solving ODEs II, IV.7), written without products of J.

    Attributes
    ----------
    gamma : float
    c : tuple of float
    A, mixing : tuples of tuples of float
        Rows a_i1 … a_i,i−1, and the same of m.
    b : tuple of float
    """

    gamma: float
    c: tuple[float, ...]
    A: tuple[tuple[float, ...], ...]
    mixing: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]

    implicit: ClassVar[bool] = True

    @property
    def evaluations(self) -> int:
        return len(self.b)

    @property
    def table(self) -> Table:
        """c, A and b as the kernels read them."""
        return as_table(*zip(self.c, self.A, strict=True), (1.0, self.b))

    def stepper(self, wiring: Wiring, y0: Floats, settings: Settings) -> FixedSteps:
        # here, because it loads Numba
        from ce_dynamics.simulation.integrators.fixed_steps import ImplicitSteps

        mixing = lower_rows(self.mixing)
        return ImplicitSteps(wiring, y0, settings, self.evaluations, self.table, mixing, self.gamma)

    def stepped(
        self, rate: Callable[[Floats], Floats], y: Floats, h: float, jacobian: Floats | None = None
    ) -> Floats:
        """The state a step later, of a right-hand side that does not depend on time, on plain arrays.

        The Jacobian is new, and by differences, where none is given; NaN everywhere if there is no such step.
        """
        J = jacobian_at(rate, y) if jacobian is None else jacobian
        left = np.eye(len(y)) - self.gamma * h * J
        if not np.all(np.isfinite(left)) or np.linalg.cond(left) > 1.0 / np.finfo(float).eps:
            return np.full_like(y, np.nan)
        k: list[Floats] = []
        for row, mixed in zip(self.A, self.mixing, strict=True):
            right = rate(y + h * sum((a * k_j for a, k_j in zip(row, k, strict=True)), start=0.0 * y))
            right = right + sum((m * k_j for m, k_j in zip(mixed, k, strict=True)), start=0.0 * y)
            k.append(np.asarray(np.linalg.solve(left, right), dtype=float))
        total: Floats = sum((b * k_j for b, k_j in zip(self.b, k, strict=True)), start=0.0 * y)
        return y + h * total


def jacobian_at(rate: Callable[[Floats], Floats], y: Floats) -> Floats:
    """J = ∂ẏ/∂y by central differences."""
    d = DISPLACEMENT * np.maximum(1.0, np.abs(y))
    beside = np.concatenate((y + np.diag(d), y - np.diag(d)))
    together = getattr(rate, "of_rows", None)
    rates = np.array([rate(state) for state in beside]) if together is None else together(beside)
    J: Floats = (rates[: len(y)] - rates[len(y) :]).T / (2.0 * d)
    return J
