"""Linearly implicit methods of fixed steps, whose order does not depend on the matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.method import Method
from ce_dynamics.simulation.integrators.table import Table, as_table, lower_rows

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.fixed_steps import FixedSteps
    from ce_dynamics.simulation.integrators.settings import Settings
    from ce_dynamics.simulation.integrators.wiring import Wiring


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
