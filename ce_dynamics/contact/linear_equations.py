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
def reduce_from_left(R, order):  # type: ignore[no-untyped-def]
    """Compute R ← Qᵀ [A P, b] in place, (n, n + 1), with P in ``order``; return the rank."""
    n = len(R)
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
        for j in range(k + 1, n + 1):
            total = 0.0
            for i in range(k, n):
                total += R[i, k] * R[i, j]
            total *= scale
            for i in range(k, n):
                R[i, j] -= total * R[i, k]
        R[k, k] = alpha
    return n


@kernel
def reflect(x, k, rank, v, lead, scale):  # type: ignore[no-untyped-def]
    """Reflect x in place along the vector with ``lead`` at k and v from the rank on."""
    total = x[k] * lead
    for j in range(rank, len(v) - 1):
        total += x[j] * v[j]
    total *= scale
    x[k] -= total * lead
    for j in range(rank, len(v) - 1):
        x[j] -= total * v[j]


@kernel
def reduce_from_right(R, rank, lead, scale):  # type: ignore[no-untyped-def]
    """Compute [T 0] ← R Zᵀ of the first rows in place; reflection vectors stay where zeros would be."""
    for k in range(rank - 1, -1, -1):
        square = R[k, k] * R[k, k]
        for j in range(rank, len(R)):
            square += R[k, j] * R[k, j]
        alpha = -math.copysign(math.sqrt(square), R[k, k])
        lead[k] = R[k, k] - alpha
        scale[k] = -1.0 / (alpha * lead[k])
        for i in range(k):
            reflect(R[i], k, rank, R[k], lead[k], scale[k])
        R[k, k] = alpha


@kernel
def shortest(A, b):  # type: ignore[no-untyped-def]
    """Compute the shortest x with A x = b, or of those with the least |A x − b|; A (n, n)."""
    n = b.size
    R, order, x, z = np.empty((n, n + 1)), np.arange(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        R[i, n] = b[i]
        for j in range(n):
            R[i, j] = A[i, j]
    rank = reduce_from_left(R, order)
    lead, scale = np.zeros(rank), np.zeros(rank)
    if rank < n:
        reduce_from_right(R, rank, lead, scale)
    for k in range(rank - 1, -1, -1):
        total = R[k, n]
        for j in range(k + 1, rank):
            total -= R[k, j] * z[j]
        z[k] = total / R[k, k]
    for k in range(rank if rank < n else 0):
        reflect(z, k, rank, R[k], lead[k], scale[k])
    for k in range(n):
        x[order[k]] = z[k]
    return x
