"""Orthonormal directions of some columns, on floats or traced scalars."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, array, dot, sqrt


def gram_schmidt(M: Array) -> tuple[Array, Array]:
    """M = Q R with QᵀQ = 1 and R upper triangular, by the modified Gram–Schmidt process.

    Parameters
    ----------
    M : (n, m) array
        Columns that are far from dependent: QᵀQ − 1 is rounding times their condition number.

    Returns
    -------
    Q : (n, m) array
    R : (m, m) array
        Its diagonal is positive.
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
