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
        self,
        rate: Callable[[Floats], Floats],
        y: Floats,
        h: float,
        jacobian: Floats | None = None,
        times: int = 1,
    ) -> Floats:
        """The state some steps later, of a right-hand side that does not depend on time, on plain arrays.

        All steps have one Jacobian, new and by differences where none is given; NaN everywhere if there is no
        such step.
        """
        inverse = self._inverse(jacobian_at(rate, y) if jacobian is None else jacobian, h)
        if inverse is None:
            return np.full_like(y, np.nan)
        for _ in range(times):
            k: list[Floats] = []
            for row, mixed in zip(self.A, self.mixing, strict=True):
                right = rate(y + h * sum((a * k_j for a, k_j in zip(row, k, strict=True)), start=0.0 * y))
                right = right + sum((m * k_j for m, k_j in zip(mixed, k, strict=True)), start=0.0 * y)
                k.append(inverse @ right)
            y = y + h * sum((b * k_j for b, k_j in zip(self.b, k, strict=True)), start=0.0 * y)
        return y

    def _inverse(self, J: Floats, h: float) -> Floats | None:
        """Of 1 − γ h J, which all stages of steps of a length share; None if it has none."""
        left = np.eye(len(J)) - self.gamma * h * J
        if not np.all(np.isfinite(left)):
            return None
        try:
            inverse: Floats = np.asarray(np.linalg.inv(left), dtype=float)
        except np.linalg.LinAlgError:
            return None
        condition = np.linalg.norm(left, 1) * np.linalg.norm(inverse, 1)
        return inverse if condition < 1.0 / np.finfo(float).eps else None


def jacobian_at(rate: Callable[[Floats], Floats], y: Floats, central: bool = True) -> Floats:
    """J = ∂ẏ/∂y by central differences, or by those ahead, which take half the time."""
    d = DISPLACEMENT * np.maximum(1.0, np.abs(y))
    beside = np.concatenate((y + np.diag(d), y - np.diag(d) if central else y[np.newaxis]))
    together = getattr(rate, "of_rows", None)
    rates = np.array([rate(state) for state in beside]) if together is None else together(beside)
    J: Floats = (rates[: len(y)] - rates[len(y) :]).T / ((2.0 if central else 1.0) * d)
    return J
