"""A closed pose near a given one: what holds there and not here is an accident of the pose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closures.closure_errors import numerical_rank
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel, largest, least_squares
from ce_dynamics.embedding.closures.loop import with_unit_quaternions

STEP = 0.03  # rad, or sizes of the loop, along the null space of Y
ITERATIONS = 40

Equations = Callable[[Array], tuple[Array, Array]]
"""Residual and scaled Y over all hinges at given coordinates."""


def closed_nearby(
    equations: Equations, advanced: Callable[[Array, Array], Array], q: Array, tolerance: float
) -> Array | None:
    """Scaled Y in a closed pose a small step away, in a direction that the closures allow to first order.

    Parameters
    ----------
    equations : callable
        Residual and scaled Y over all hinges at coordinates q.
    advanced : callable
        Coordinates moved by a small step in scaled velocities.
    q : (n_q,) array
        Coordinates of a closed pose.
    tolerance : float
        Residual that counts as closed.

    Returns
    -------
    (rows, n) array or None
        None if nothing can be moved or no closed pose was found.
    """
    _, Y = equations(q)
    _, _, Vt = np.linalg.svd(Y)
    null = Vt[numerical_rank(Y) :]
    if not len(null):
        return None
    # unequal parts of all null vectors, so that no symmetry of the pose is kept
    direction = (1.0 / np.arange(1.0, len(null) + 1.0)) @ null
    here = advanced(q, STEP * direction / np.linalg.norm(direction))
    for _ in range(ITERATIONS):
        r, Y = equations(here)
        if largest(r) <= tolerance:
            return Y
        here = advanced(here, least_squares(Y, -r))
    return None


def regular_nearby(kernel: LoopKernel, q0: Array) -> bool:
    """Whether Y₁ is regular in a closed pose near the one with dependent coordinates q0."""
    m, n_q, loop = kernel.loop.m, len(q0), kernel.loop

    def equations(q: Array) -> tuple[Array, Array]:
        r, Y = kernel(q[:n_q], q[n_q:])
        return r, kernel.scaled(Y)

    def advanced(q: Array, step: Array) -> Array:
        moved = step * kernel.column_scales
        dependent = with_unit_quaternions(loop.dependent, loop.advanced(q[:n_q], moved[:m]))
        parameters = kernel.moved_parameters(q[n_q:], moved[m:])
        return np.concatenate((dependent, with_unit_quaternions(kernel.parameters, parameters)))

    Y = closed_nearby(equations, advanced, np.concatenate((q0, kernel.p0)), kernel.tolerance)
    return Y is not None and numerical_rank(Y[:, :m]) == m
