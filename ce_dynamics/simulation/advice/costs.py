"""What evaluations, Jacobians and factors cost on this machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.methods import Method
from ce_dynamics.simulation.integrators.scipy_jacobian import DenseJacobian
from ce_dynamics.simulation.right_hand_side import RightHandSide


class Costs(NamedTuple):
    """Seconds of an evaluation of ẏ, of its Jacobian, and of factors of a matrix of its size."""

    rate: float
    jacobian: float
    factors: float

    def of(self, method: Method, steps: float, evaluations: float) -> float:
        """Of so many steps with so many evaluations in all."""
        matrices = steps * (self.jacobian + self.factors) if method.implicit else 0.0
        return evaluations * self.rate + matrices


def measured(rhs: RightHandSide, jacobian: DenseJacobian, states: list[tuple[float, Floats]]) -> Costs:
    """What evaluations cost, as the loops over steps call them: the shortest of some batches."""
    from ce_dynamics.simulation.integrators.fixed_kernels import factorise  # here, because it loads Numba

    t, y = states[-1]
    matrix = np.eye(len(y)) - 1e-3 * jacobian(t, y)
    pivots = np.zeros(len(y), dtype=np.int64)
    rhs(t, y)
    calls = [evaluation.run for evaluation in rhs.bindings]

    def rate() -> None:
        for call in calls:
            call()

    return Costs(
        shortest(rate, 200),
        shortest(jacobian.native, 50),
        shortest(lambda: factorise(matrix.copy(), pivots), 50),
    )


def shortest(call: Callable[[], object], n: int) -> float:
    """Seconds of one call."""
    found = math.inf
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(n):
            call()
        found = min(found, (time.perf_counter() - began) / n)
    return found
