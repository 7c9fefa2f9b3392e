"""Newton steps on the kept rows of a loop's closures, on floats or traced scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ce_dynamics.algebra.arrays import Array, zeros
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.numeric.substeps import Linearised, Pose


def polish(loop: Loop, rows: Sequence[int], q: Array, pose: Pose) -> Array:
    """Two Newton steps on the kept rows, the second with the Y₁ of the first."""
    kept = list(rows)
    return two_steps(
        lambda q: linearise_closures(loop, rows, q, pose),
        lambda q: loop.residual(q, *pose)[kept],
        loop.advance,
        q,
    )


def two_steps(
    linearise: Callable[[Array], Linearised],
    residual: Callable[[Array], Array],
    advance: Callable[[Array, Array], Array],
    q: Array,
) -> Array:
    """The same of any equations."""
    r, Y1 = linearise(q)
    q = advance(q, -Y1.solve(r))
    return advance(q, -Y1.solve(residual(q)))


def linearise_closures(loop: Loop, rows: Sequence[int], q: Array, pose: Pose) -> Linearised:
    """The kept rows of the closures at a trial."""
    given, siblings = pose
    N = next((motion.X.shape[1] for motion in given.values()), 0)
    errors = loop.errors(q, zeros(loop.m + N), given, siblings)
    return Linearised(errors.residual[list(rows)], PivotedLU(errors.Y[list(rows), : loop.m]))
