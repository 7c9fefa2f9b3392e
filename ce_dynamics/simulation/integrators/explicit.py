"""Explicit Runge–Kutta methods of fixed steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.method import Method
from ce_dynamics.simulation.integrators.table import Table, as_table, lower_rows

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.fixed_steps import FixedSteps
    from ce_dynamics.simulation.integrators.settings import Settings
    from ce_dynamics.simulation.integrators.wiring import Wiring


@dataclass(frozen=True, eq=False)
class ExplicitRungeKutta(Method):
    """k_i = f(t + c_i h, y + h Σ a_ij k_j) and y + h/over Σ b_j k_j.

    Attributes
    ----------
    c : tuple of float
    A : tuple of tuples of float
        Rows a_i1 … a_i,i−1.
    b : tuple of float
    over : float
        What the weights b are divided by.
    """

    c: tuple[float, ...]
    A: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    over: float = 1.0

    @property
    def evaluations(self) -> int:
        return len(self.b)

    @property
    def table(self) -> Table:
        """All of it as the kernels read it."""
        return as_table(*zip(self.c, self.A, strict=True), (self.over, self.b))

    def stepper(self, wiring: Wiring, y0: Floats, settings: Settings) -> FixedSteps:
        # here, because it loads Numba
        from ce_dynamics.simulation.integrators.fixed_steps import ExplicitSteps

        return ExplicitSteps(wiring, y0, settings, self.evaluations, self.table)

    @cached_property
    def stability(self) -> Floats:
        """Coefficients of R(z) = 1 + z bᵀ 1 + z² bᵀA 1 + …: what a step makes of ẏ = λ y, z = h λ."""
        s = len(self.b)
        A, b = lower_rows(self.A), np.array(self.b) / self.over
        powers, ones = [1.0], np.ones(s)
        for _ in range(s):
            powers.append(float(b @ ones))
            ones = A @ ones
        return np.array(powers)

    def amplification(self, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """R(z)."""
        result = np.full(z.shape, self.stability[-1], dtype=complex)
        for coefficient in self.stability[-2::-1]:
            result = coefficient + z * result
        return result

    def stepped(self, rate: Callable[[Floats], Floats], y: Floats, h: float) -> Floats:
        """The state a step later, of a right-hand side that does not depend on time, on plain arrays."""
        k: list[Floats] = []
        for row in self.A:
            k.append(rate(y + h * sum((a * k_j for a, k_j in zip(row, k, strict=True)), start=0.0 * y)))
        total: Floats = sum((b * k_j for b, k_j in zip(self.b, k, strict=True)), start=0.0 * y)
        return y + h / self.over * total
