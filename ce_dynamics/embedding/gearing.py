"""Ratio of the dependent to the independent hinge velocities of a loop: the norm of X_S.

The norm grows without bound towards a configuration that the independent hinges cannot lead.  The largest
singular value is at most the Frobenius norm, which needs no iteration.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, sqrt
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.closures.loop import velocity_scales
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.embedding.whole_loop import led_by_no_hinge

CLOSED = 1e-9  # largest closure error, in sizes of the loop: rounding leaves 1e-15


def find_geared_loops(embedding: Embedding) -> tuple[Aggregate, ...]:
    """Return aggregated bodies with closures that some of their own hinges lead."""
    return tuple(
        S for S in embedding.aggregates if S.closures and S.N and S.dependent and not led_by_no_hinge(S)
    )


def closure_limits(embedding: Embedding) -> Floats:
    """Return the largest error of every closure that counts as closed, in the order of `System.closures`."""
    sizes = {loop.name: S.loop.size for S in embedding.aggregates for loop in S.closures}
    return CLOSED * np.array([sizes[loop.name] for loop in embedding.system.closures])


def gearing(S: Aggregate, motion: SubgraphMotion) -> Scalar:
    """Return frobenius norm of the dependent rows of X_S, per radian or size of the loop."""
    size = S.loop.size
    given = velocity_scales(S.independent, size)
    squared: Scalar = 0.0
    for body in S.dependent:
        X = motion.hinge_motions[body.name].X * given / velocity_scales([body], size)[:, None]
        for entry in X.flat:
            squared = squared + entry * entry
    return sqrt(squared)
