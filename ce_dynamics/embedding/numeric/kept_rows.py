"""Rows of a loop's closures that are kept in all its poses: with them Y₁ is square, and regular."""

from __future__ import annotations

import logging

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.row_choice import RowChoice
from ce_dynamics.embedding.numeric.base_pose import Base
from ce_dynamics.embedding.numeric.branch import Branch

logger = logging.getLogger(__name__)

POOR = 1e-3
"""Quality of a choice below which it is told."""


def rows_along(kernel: LoopKernel, q0: Array, branch: Branch) -> RowChoice:
    """Rows for the poses of a branch."""
    stride = max(1, len(branch.points) // 40)
    poses = ((p.q, np.array((p.theta,))) for p in branch.points[::stride])
    return choose_rows(kernel, [kernel(q, p)[1] for q, p in ((q0, kernel.p0), *poses)])


def rows_around(kernel: LoopKernel, pose: Base) -> RowChoice:
    """Rows for a pose and those around it."""
    m = kernel.loop.m
    samples = [kernel(pose.q, pose.p)[1]]
    for j, scale in enumerate(kernel.column_scales[m:]):
        for amount in (-0.2, -0.05, 0.05, 0.2):
            step = np.zeros(len(kernel.column_scales) - m)
            step[j] = amount * scale
            p = kernel.move_parameters(pose.p, step)
            found = kernel.newton(pose.q, p)
            if found.error <= kernel.tolerance:
                samples.append(kernel(found.q, p)[1])
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
