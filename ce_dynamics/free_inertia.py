"""Inertias that depend on free parameters: checks, and the form that is cheap to rotate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.arrays import Array, Scalar
from ce_dynamics.errors import ModelError
from ce_dynamics.formula import is_free, nominal


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
    for minor in principal_minors(free):
        if is_free(minor) and minor < 0.0:
            raise ModelError(f"body {name!r}: inertia {nominal(free)} must be positive")
    return free


def principal_minors(A: Array) -> list[Scalar]:
    """Diagonal entries, and where there are products also the minors of order 2 and 3.

    A symmetric matrix is positive semi-definite exactly if none of them is negative.
    """
    minors: list[Scalar] = [A[0, 0], A[1, 1], A[2, 2]]
    if has_products(A):
        minors += [A[i, i] * A[j, j] - A[i, j] * A[i, j] for i, j in ((0, 1), (0, 2), (1, 2))]
        minors.append(
            A[0, 0] * (A[1, 1] * A[2, 2] - A[1, 2] * A[1, 2])
            - A[0, 1] * (A[0, 1] * A[2, 2] - A[1, 2] * A[0, 2])
            + A[0, 2] * (A[0, 1] * A[1, 2] - A[1, 1] * A[0, 2])
        )
    return minors


def has_products(A: Array) -> bool:
    """Whether an entry beside the diagonal is free or not zero."""
    return any(is_free(A[i, j]) or A[i, j] != 0.0 for i, j in ((0, 1), (0, 2), (1, 2)))


def free_principal(inertia: Array) -> tuple[Scalar, tuple[tuple[Scalar, Array], ...]]:
    """I = a 1 + Σ k e eᵀ with vectors e that do not depend on the parameters.

    In the nominal principal axes E the matrix M = Eᵀ I E is nominally diagonal, and for any symmetric M
    M = Σ_i (M_ii − Σ_j≠i M_ij) e_i e_iᵀ + Σ_i<j M_ij (e_i + e_j)(e_i + e_j)ᵀ.
    """
    if has_products(inertia):
        E = np.linalg.eigh(nominal(inertia))[1]
        M: Array = E.T @ inertia @ E
    else:
        E, M = np.eye(3), inertia
    middle = int(np.argsort(nominal(M).diagonal())[1])
    a = M[middle, middle]
    terms: list[tuple[Scalar, Array]] = []
    for i in range(3):
        beside = sum((M[min(i, j), max(i, j)] for j in range(3) if j != i), start=0.0)
        terms.append((M[i, i] - a - beside, E[:, i]))
    terms += [(M[i, j], E[:, i] + E[:, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    return a, tuple((k, e) for k, e in terms if is_free(k) or k != 0.0)
