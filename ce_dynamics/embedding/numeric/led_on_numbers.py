"""The straight path of a loop with several parameters on numbers, by its closures as they were compiled.

These are compiled anyway when a loop is embedded, so that a substep costs some microseconds, where the same
operations on arrays of floats take a millisecond, and compiling a function of the whole system seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel, largest
from ce_dynamics.embedding.closures.loop import with_unit_quaternions
from ce_dynamics.embedding.numeric.base_pose import Base


def led_on_numbers(
    kernel: LoopKernel, rows: Sequence[int], base: Base, p: Array, steps: tuple[int, int], tolerance: float
) -> Array:
    """Dependent coordinates at parameters p, NaN where `substeps.led_along` and what follows it say so.

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

    def kept_rows(q: Array, s: float) -> tuple[Array, Array]:
        r, Y = kernel(q, base.p + s * (p - base.p))
        return r[kept], Y[kept, :m]

    try:
        sign = np.sign(np.linalg.det(kept_rows(base.q, 0.0)[1]))
        q, before = base.q, base.q
        for k in range(1, substeps + 1):
            predicted = q + (q - before)
            r, Y1 = kept_rows(predicted, k / substeps)
            if not np.linalg.det(Y1) * sign > 0.0:
                return np.full_like(base.q, np.nan)
            q, before = kernel.advanced(predicted, -np.linalg.solve(Y1, r)), q
        for _ in range(final):
            r, Y1 = kept_rows(q, 1.0)
            q = kernel.advanced(q, -np.linalg.solve(Y1, r))
            q = kernel.advanced(q, -np.linalg.solve(Y1, kept_rows(q, 1.0)[0]))
    except np.linalg.LinAlgError:
        return np.full_like(base.q, np.nan)
    if not largest(kernel(q, p)[0]) < tolerance:
        return np.full_like(base.q, np.nan)
    return with_unit_quaternions(kernel.loop.dependent, q)
