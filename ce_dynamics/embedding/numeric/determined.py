"""Checks that the independent coordinates of a loop determine the others."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import singular_values_and_vectors
from ce_dynamics.embedding.closures.closure_errors import numerical_rank
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.closures.nearby_pose import regular_nearby
from ce_dynamics.embedding.closures.row_choice import smallest_singular
from ce_dynamics.errors import IndependentCoordinatesError, SingularConfigurationError

SINGULAR = 1e-9
"""Smallest singular value of Y₁, over its largest, that counts as regular."""


def refuse_undetermined(kernel: LoopKernel, q0: Array) -> None:
    """Refuse independent coordinates with which Y₁ is singular in the design pose.

    Raises
    ------
    SingularConfigurationError
        If it is regular close by.
    IndependentCoordinatesError
        If it is not.
    """
    loop = kernel.loop
    _, Y = kernel(q0, kernel.p0)
    Y1 = kernel.scale_columns(Y)[:, : loop.m]
    largest = max(1.0, float(np.linalg.norm(Y1, 2)))
    if Y1.shape[0] >= loop.m and smallest_singular(Y1) > SINGULAR * largest:
        return
    given = [body.name for body in kernel.parameters]
    loose = loop.m - numerical_rank(Y1)
    still = blind(Y1, loop)
    trouble = (
        f"the loop of {loop.name!r} cannot be driven by {given}: Y1 is singular in the design pose"
        f"{{}}, so {still} may still move in {loose} way(s) that {given} do not determine; "
    )
    if regular_nearby(kernel, q0):
        raise SingularConfigurationError(
            trouble.format(" and regular close by")
            + "name other independent coordinates, or move the design pose away from this dead centre"
        )
    raise IndependentCoordinatesError(
        trouble.format(" and close by as well") + "name other independent coordinates"
    )


def blind(Y1: Array, loop: Loop) -> list[str]:
    """Bodies whose hinges move in the null space of Y₁."""
    _, _, Vt = singular_values_and_vectors(Y1)
    null = Vt[numerical_rank(Y1) :]
    names = [body.name for body in loop.dependent for _ in range(body.inboard.n_v)]
    largest = np.max(np.abs(null), axis=0, initial=0.0)
    return list(dict.fromkeys(name for name, part in zip(names, largest, strict=True) if part > 1e-6))
