"""Dense decompositions that terminate without output for any entries.

LAPACK's singular value decomposition with vectors never returns where an entry is infinite, and its least
squares print on stdout where one is no number.  Loops that a step threw open have such entries.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra.arrays import Array, array, dot, sqrt

Floats = NDArray[np.float64]

LARGE = 24  # columns from which on triangular factors are three times as fast as singular values
CLEARLY_REGULAR = 1e-6
"""Ratio of the entries on the diagonal of R above which no singular value is as small as those that do not
count, 1e-11 of the largest: five orders are more than R hides in practice."""


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread.

    Its threads wait for each other in a loop.  On matrices of a hundred columns, as those of loops, that
    takes ten times as long as one thread where other processes want the processors too.
    """
    try:
        controller = find_thread_pools(len(sys.modules))
    except ImportError:  # without threadpoolctl the results are the same
        yield
        return
    with controller.limit(limits=1, user_api="blas"):
        yield


@functools.lru_cache(maxsize=1)
def find_thread_pools(modules: int) -> Any:
    """Return the thread pools of the loaded libraries; a module that is imported may bring another."""
    from threadpoolctl import ThreadpoolController  # here, because models that are recalled build nothing

    return ThreadpoolController()


def least_squares(A: ArrayLike, b: ArrayLike, rcond: float | None = 1e-11) -> Floats:
    """Return the smallest x that minimises |A x − b|; NaN where A or b has numbers that are not finite."""
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        return np.full((A.shape[1], *b.shape[1:]), np.nan)
    if LARGE <= A.shape[1] <= A.shape[0]:
        Q, R = np.linalg.qr(A)
        diagonal = np.abs(np.diagonal(R))
        if np.min(diagonal) > CLEARLY_REGULAR * np.max(diagonal):
            return np.asarray(np.linalg.solve(R, Q.T @ b), dtype=float)
    return np.asarray(np.linalg.lstsq(A, b, rcond=rcond)[0], dtype=float)


def singular_values_and_vectors(A: ArrayLike, full_matrices: bool = True) -> tuple[Floats, Floats, Floats]:
    """Return U, σ and Vᵀ of A = U diag(σ) Vᵀ; `LinAlgError` if an entry is no finite number."""
    A = np.asarray(A, dtype=float)
    if not np.isfinite(A).all():
        raise np.linalg.LinAlgError("a matrix with entries that are no finite numbers has no singular values")
    found: Any = np.linalg.svd(A, full_matrices=full_matrices)
    return found[0], found[1], found[2]


def gram_schmidt(M: Array) -> tuple[Array, Array]:
    """Return Q and R of M = Q R with QᵀQ = 1 and R upper triangular, by the modified Gram–Schmidt process.

    QᵀQ − 1 is rounding times the condition number of the columns.  The diagonal of R is positive.
    """
    n, m = M.shape
    left, directions, rows = list(M.T), [], []
    for k in range(m):
        length = sqrt(dot(left[0], left[0]))
        q, others = left[0] / length, left[1:]
        along = [dot(q, column) for column in others]
        left = [column - part * q for column, part in zip(others, along, strict=True)]
        directions.append(q)
        rows.append([0.0] * k + [length, *along])
    return array(directions).reshape(m, n).T, array(rows).reshape(m, m)
