"""Inertias that depend on free parameters: checks, and the form that is cheap to rotate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, where
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.compiler.free_numbers import decide, is_free, nominal
from ce_dynamics.errors import ModelError

ROUNDING = 1e-12
"""Rounding of principal minors of an inertia, relative to powers of its trace [-]."""


def checked_free_inertia(value: object, name: str, check: Callable[[Array], Array]) -> Array:
    """A user's inertia with free entries as a symmetric (3, 3) array.

    Parameters
    ----------
    value : (3,) or (3, 3) array_like
    name : str
        Of the body, for messages.
    check : callable
        Refuses plain inertias; is given the nominal one.

    Raises
    ------
    ModelError
        If the nominal inertia is refused; values of the parameters that make a diagonal entry negative, or a
        matrix of products that is not positive, are refused when they are given.
    """
    given = np.array(value, dtype=object)
    check(nominal(given))
    if given.shape == (3,):
        free = np.zeros((3, 3), dtype=object)
        free[np.diag_indices(3)] = given
    else:
        free = 0.5 * (given + given.T)
        free[np.diag_indices(3)] = given[np.diag_indices(3)]
    if negative(free, f"body {name!r}: its inertia is not positive"):
        raise ModelError(f"body {name!r}: inertia {nominal(free)} must be positive")
    return free


def negative(A: Array, meaning: str) -> bool:
    """Return True if a symmetric matrix with free entries has a negative eigenvalue, beyond rounding.

    It has none exactly if none of the principal minors is negative.  What is asked here of the nominal values
    is kept for all (see `decide`).
    """
    if any(decide(A[i, i] < 0.0, meaning) for i in range(3)):
        return True
    if not has_products(A):
        return False
    trace = A[0, 0] + A[1, 1] + A[2, 2]
    pairs = [A[i, i] * A[j, j] - A[i, j] * A[i, j] for i, j in ((0, 1), (0, 2), (1, 2))]
    determinant = (
        A[0, 0] * (A[1, 1] * A[2, 2] - A[1, 2] * A[1, 2])
        - A[0, 1] * (A[0, 1] * A[2, 2] - A[1, 2] * A[0, 2])
        + A[0, 2] * (A[0, 1] * A[1, 2] - A[1, 1] * A[0, 2])
    )
    least = -ROUNDING * trace * trace
    return any(decide(minor < least, meaning) for minor in pairs) or decide(
        determinant < least * trace, meaning
    )


def has_products(A: Array) -> bool:
    """Return True if an entry beside the diagonal is free or not zero."""
    return any(is_free(A[i, j]) or A[i, j] != 0.0 for i, j in ((0, 1), (0, 2), (1, 2)))


def free_principal(inertia: Array) -> tuple[Scalar, tuple[tuple[Scalar, Array], ...]]:
    """I = a 1 + Σ k e eᵀ for an inertia with free entries.

    A diagonal one has a = I_22 (or another, of middle size) and constant vectors.  One with products is
    L D Lᵀ, whose three terms take fewer operations to rotate than the matrix: a = 0 and e are the columns of
    L, which depend on the parameters and have no unit length.
    """
    if has_products(inertia):
        return 0.0, cholesky_terms(inertia)
    middle = int(np.argsort(nominal(inertia).diagonal())[1])
    a = inertia[middle, middle]
    differences = [(inertia[i, i] - a, IDENTITY[i]) for i in range(3)]
    return a, tuple((k, e) for k, e in differences if is_free(k) or k != 0.0)


def cholesky_terms(A: Array) -> tuple[tuple[Scalar, Array], ...]:
    """A = L D Lᵀ as Σ d l lᵀ, for a positive semi-definite A: where a pivot is zero, so is its column."""

    def ratio(entry: Scalar, pivot: Scalar) -> Scalar:
        return where(pivot == 0.0, 0.0, entry / where(pivot == 0.0, 1.0, pivot))

    l21, l31 = ratio(A[0, 1], A[0, 0]), ratio(A[0, 2], A[0, 0])
    d2, m32 = A[1, 1] - l21 * A[0, 1], A[1, 2] - l31 * A[0, 1]
    l32 = ratio(m32, d2)
    d3 = A[2, 2] - l31 * A[0, 2] - l32 * m32
    columns = np.array([[1.0, l21, l31], [0.0, 1.0, l32], [0.0, 0.0, 1.0]], dtype=object)
    return tuple(zip((A[0, 0], d2, d3), columns, strict=True))
