"""The straight path of a loop with several parameters on numbers, by its closures as they were compiled.

These are compiled anyway when a loop is embedded, so that a substep costs some microseconds, where the same
operations on arrays of floats take a millisecond, and compiling a function of the whole system seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.newton import largest
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import with_unit_quaternions
from ce_dynamics.embedding.numeric.base_pose import Base
from ce_dynamics.embedding.numeric.newton_steps import two_steps
from ce_dynamics.embedding.numeric.substeps import Linearised, continue_along


def led_on_numbers(
    kernel: LoopKernel, rows: Sequence[int], base: Base, p: Array, steps: tuple[int, int], tolerance: float
) -> Array:
    """Dependent coordinates at parameters p, NaN where they cannot be reached.

    Parameters
    ----------
    kernel : LoopKernel
    rows : sequence of int
        Rows of the closures that are kept.
    base : Base
        Where the path begins.
    p : (n_p,) array
        Where it ends.
    steps : (int, int)
        Substeps, and pairs of Newton steps at the end.
    tolerance : float
        Residual that counts as closed.
    """
    kept, m = list(rows), kernel.loop.m
    substeps, final = steps

    def linearise(q: Array, s: float) -> Linearised:
        r, Y = kernel(q, base.p + s * (p - base.p))
        return Linearised(r[kept], NumberFactors(Y[kept, :m]))

    q, regular = continue_along(linearise, kernel.advance, base.q, substeps)
    for _ in range(final):
        q = two_steps(lambda q: linearise(q, 1.0), lambda q: kernel(q, p)[0][kept], kernel.advance, q)
    if not (regular and largest(kernel(q, p)[0]) < tolerance):
        return np.full_like(base.q, np.nan)
    return with_unit_quaternions(kernel.loop.dependent, q)


class NumberFactors:
    """A matrix of floats, ready for solutions by LAPACK, which are NaN where it is singular."""

    def __init__(self, A: Array) -> None:
        self._A = A

    @property
    def determinant(self) -> float:
        """Its determinant."""
        return float(np.linalg.det(self._A))

    def solve(self, b: Array) -> Array:
        """A⁻¹ b."""
        try:
            return np.asarray(np.linalg.solve(self._A, b))
        except np.linalg.LinAlgError:
            return np.full(len(b), np.nan)
