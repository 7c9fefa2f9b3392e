"""Adaptive methods: pairs of explicit Runge–Kutta methods that share their stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.method import Method
from ce_dynamics.simulation.integrators.table import Table, as_table

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.adaptive import Adaptive
    from ce_dynamics.simulation.integrators.settings import Settings
    from ce_dynamics.simulation.integrators.wiring import Wiring


@dataclass(frozen=True, eq=False)
class EmbeddedPair(Method):
    """Stages of which the last is at the state after the step, and is the first one of the next.

    Attributes
    ----------
    c : tuple of float
    A : tuple of tuples of float
        Rows a_i1 … a_i,i−1; the last are the weights of the method.
    error : tuple of float
        Weights of the difference to the other method of the pair.
    dense : tuple of float
        Weights d of Hairer's dense output.
    """

    c: tuple[float, ...]
    A: tuple[tuple[float, ...], ...]
    error: tuple[float, ...]
    dense: tuple[float, ...]

    fixed: ClassVar[bool] = False

    @property
    def evaluations(self) -> int:
        return len(self.c) - 1

    @property
    def table(self) -> Table:
        """c and A as the kernels read them."""
        return as_table(*zip(self.c, self.A, strict=True))

    def stepper(self, wiring: Wiring, y0: Floats, settings: Settings) -> Adaptive:
        from ce_dynamics.simulation.integrators.adaptive import Adaptive  # here, because it loads Numba

        error, dense = np.array(self.error), np.array(self.dense)
        return Adaptive(wiring, y0, settings, self.order, self.table, error, dense)
