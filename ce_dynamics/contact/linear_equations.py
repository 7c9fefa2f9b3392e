"""Shortest solutions of linear equations that may depend on each other, in machine code.

A complete orthogonal decomposition, A P = Q [T 0] Z with T upper triangular, by
Householder's reflections from the left, with exchange of columns, and from the right [1]_.

References
----------
.. [1] G. H. Golub, C. F. Van Loan: Matrix Computations, 4th edition, Johns Hopkins 2013, section 5.4.7.

Linear systems of some hundred unknowns at most, in machine code.
"""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.simulation.integrators.kernels import kernel

AT_ONCE = 4
"""Columns that are eliminated before the rest of the matrix is touched: it is read a quarter as often."""


@kernel
def exchange_rows(J, x, k, first):  # type: ignore[no-untyped-def]
    """Bring the row with the largest entry of column k to its place; return True if there is one."""
    m = x.size
    pivot, size = k, abs(J[k, k])
    for i in range(k + 1, m):
        if abs(J[i, k]) > size:
            pivot, size = i, abs(J[i, k])
    if not size > 0.0:
        return False
    if pivot != k:
        for j in range(first, m):
            J[k, j], J[pivot, j] = J[pivot, j], J[k, j]
        x[k], x[pivot] = x[pivot], x[k]
    return True


@kernel
def eliminate(J, x):  # type: ignore[no-untyped-def]
    """Compute x ← J⁻¹ x by Gauss with row exchanges, overwriting J; return True if J is regular."""
    m = x.size
    for first in range(0, m, AT_ONCE):
        last = min(first + AT_ONCE, m)
        for k in range(first, last):
            if not exchange_rows(J, x, k, first):
                return False
            inverse = 1.0 / J[k, k]
            for i in range(k + 1, m):
                if J[i, k] != 0.0:
                    factor = J[i, k] * inverse
                    J[i, k] = factor
                    for j in range(k + 1, last):
                        J[i, j] -= factor * J[k, j]
                    x[i] -= factor * x[k]
        if last == m:
            break
        for k in range(first, last):
            for i in range(k + 1, last):
                for j in range(last, m):
                    J[i, j] -= J[i, k] * J[k, j]
        for i in range(last, m):  # there are AT_ONCE columns where rows are left
            a, b, c, d = J[i, first], J[i, first + 1], J[i, first + 2], J[i, first + 3]
            if a != 0.0 or b != 0.0 or c != 0.0 or d != 0.0:
                for j in range(last, m):
                    J[i, j] -= (
                        a * J[first, j] + b * J[first + 1, j] + c * J[first + 2, j] + d * J[first + 3, j]
                    )
    for k in range(m - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, m):
            total -= J[k, j] * x[j]
        x[k] = total / J[k, k]
    return True


RANK = 1e-10
"""Share of the largest column below which what is left of A is rounding: it depends on the others."""


@kernel
def reduced_from_left(R, y, order):  # type: ignore[no-untyped-def]
    """Compute R ← Qᵀ A P, y ← Qᵀ y in place, with P in ``order``; return the rank."""
    n = y.size
    top = 0.0
    for k in range(n):
        longest, square = k, -1.0
        for j in range(k, n):
            total = 0.0
            for i in range(k, n):
                total += R[i, j] * R[i, j]
            if total > square:
                longest, square = j, total
        size = math.sqrt(square)
        if k == 0:
            top = size
        if not size > RANK * top:
            return k
        order[k], order[longest] = order[longest], order[k]
        for i in range(n):
            R[i, k], R[i, longest] = R[i, longest], R[i, k]
        alpha = -math.copysign(size, R[k, k])
        R[k, k] -= alpha  # the column is the reflection's vector v now, 2/|v|² = −1/(α v_k)
        scale = -1.0 / (alpha * R[k, k])
        for j in range(k + 1, n):
            total = 0.0
            for i in range(k, n):
                total += R[i, k] * R[i, j]
            total *= scale
            for i in range(k, n):
                R[i, j] -= total * R[i, k]
        total = 0.0
        for i in range(k, n):
            total += R[i, k] * y[i]
        total *= scale
        for i in range(k, n):
            y[i] -= total * R[i, k]
        R[k, k] = alpha
    return n


@kernel
def reduced_from_right(R, rank, lead, scale):  # type: ignore[no-untyped-def]
    """Compute [T 0] ← R Zᵀ of the first rows in place; reflection vectors stay where zeros would be."""
    n = R.shape[0]
    for k in range(rank - 1, -1, -1):
        square = R[k, k] * R[k, k]
        for j in range(rank, n):
            square += R[k, j] * R[k, j]
        alpha = -math.copysign(math.sqrt(square), R[k, k])
        lead[k] = R[k, k] - alpha
        scale[k] = -1.0 / (alpha * lead[k])
        for i in range(k):
            total = R[i, k] * lead[k]
            for j in range(rank, n):
                total += R[i, j] * R[k, j]
            total *= scale[k]
            R[i, k] -= total * lead[k]
            for j in range(rank, n):
                R[i, j] -= total * R[k, j]
        R[k, k] = alpha


@kernel
def shortest(A, b):  # type: ignore[no-untyped-def]
    """Compute the shortest x with A x = b, or of those with the least |A x − b|; A (n, n)."""
    n = b.size
    R, y, order = A.copy(), b.copy(), np.arange(n)
    rank = reduced_from_left(R, y, order)
    lead, scale = np.zeros(rank), np.zeros(rank)
    if rank < n:
        reduced_from_right(R, rank, lead, scale)
    z = np.zeros(n)
    for k in range(rank - 1, -1, -1):
        total = y[k]
        for j in range(k + 1, rank):
            total -= R[k, j] * z[j]
        z[k] = total / R[k, k]
    if rank < n:
        for k in range(rank):
            total = z[k] * lead[k]
            for j in range(rank, n):
                total += z[j] * R[k, j]
            total *= scale[k]
            z[k] -= total * lead[k]
            for j in range(rank, n):
                z[j] -= total * R[k, j]
    x = np.zeros(n)
    for k in range(n):
        x[order[k]] = z[k]
    return x
