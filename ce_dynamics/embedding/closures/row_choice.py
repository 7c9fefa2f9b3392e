"""Selects the rows of redundant closures that are kept: with them Y₁ is square, and regular in all poses."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel

logger = logging.getLogger(__name__)

POOR = 1e-3
"""Quality of a choice below which a warning is logged."""
MOST_POSES = 40
MOST_COMBINATIONS = 3000
ROUNDING = 1e-10
"""A row that is smaller than this part of the largest one, in all poses, is rounding and counts as none.

Rounding leaves at most about 1e-15 of the largest row for every body of a chain.  What is small because data
were printed with few digits is at least as large as the geometric tolerance, or the geometry would be
taken as exact (`ce_dynamics.embedding.precision`): 1e-5 by default.  This is in the middle.
"""


class RowChoice:
    """A fixed selection of m independent rows of Y₁, well conditioned over sample poses.

    Parameters
    ----------
    samples : sequence of (rows, m) arrays
        Scaled Y₁ in several poses, the first being the design pose.

    Attributes
    ----------
    rows : tuple of int
        Kept rows.
    quality : float
        Smallest singular value of the kept rows over that of all rows, worst sample: 1 if nothing is lost.
    """

    def __init__(self, samples: Sequence[Array]) -> None:
        n_rows, m = samples[0].shape
        size = np.max([np.linalg.norm(Y, axis=1) for Y in samples], axis=0)
        counts = size > ROUNDING * np.max(size, initial=0.0)
        scale = np.where(counts, 1.0 / np.where(counts, size, 1.0), 0.0)
        scaled = [Y * scale[:, np.newaxis] for Y in samples]
        references = [smallest_singular(Y) for Y in scaled]
        regular = [(Y, s) for Y, s in zip(scaled, references, strict=True) if s > 1e-7]
        self.rows, self.quality = tuple(range(n_rows)), 1.0
        if n_rows == m or not regular:
            self.rows = tuple(range(m))
            return
        best = -1.0
        for rows in candidates(regular[0][0], m):
            worst = min(smallest_singular(Y[list(rows)]) / s for Y, s in regular)
            if worst > best * (1.0 + 1e-9):
                best, self.rows = worst, rows
        self.quality = best


def candidates(Y: Array, m: int) -> Iterator[tuple[int, ...]]:
    """Selections of m rows: all; where they are too many, that of a pivoted QR and its neighbours."""
    import scipy.linalg  # here, because most models never ask

    useful = [i for i in range(len(Y)) if np.any(Y[i] != 0.0)]
    if math.comb(len(useful), m) <= MOST_COMBINATIONS:
        yield from combinations(useful, m)
        return
    _, _, order = scipy.linalg.qr(Y.T, pivoting=True, mode="economic")
    first = tuple(sorted(order[:m].tolist()))
    yield first
    for out in first:
        for other in order[m:].tolist():
            yield tuple(sorted({*first, other} - {out}))


def smallest_singular(Y: Array) -> float:
    """The m-th singular value of a matrix with m columns."""
    return float(np.linalg.svd(Y, compute_uv=False)[-1]) if Y.size else 1.0


def rows_along(kernel: LoopKernel, q0: Array, poses: Sequence[tuple[Array, Array]]) -> RowChoice:
    """Rows for the design pose and some of many others, which are given by q and p."""
    some = poses[:: max(1, len(poses) // MOST_POSES)]
    return choose_rows(kernel, [kernel(q, p)[1] for q, p in ((q0, kernel.p0), *some)])


def rows_around(kernel: LoopKernel, q: Array, p: Array) -> RowChoice:
    """Rows for a pose and those around it."""
    m = kernel.loop.m
    samples = [kernel(q, p)[1]]
    for j, scale in enumerate(kernel.column_scales[m:]):
        for amount in (-0.2, -0.05, 0.05, 0.2):
            step = np.zeros(len(kernel.column_scales) - m)
            step[j] = amount * scale
            moved = kernel.move_parameters(p, step)
            found = kernel.newton(q, moved)
            if found.error <= kernel.tolerance:
                samples.append(kernel(found.q, moved)[1])
    return choose_rows(kernel, samples)


def choose_rows(kernel: LoopKernel, samples: list[Array]) -> RowChoice:
    """Rows for all samples of Y."""
    choice = RowChoice([kernel.scale_columns(Y)[:, : kernel.loop.m] for Y in samples])
    if choice.quality < POOR:
        logger.warning(
            "loop of %r: no fixed choice of rows is well conditioned (quality %.2g); cut it elsewhere",
            kernel.loop.name,
            choice.quality,
        )
    return choice
