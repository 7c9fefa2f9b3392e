"""Linear systems of some hundred unknowns at most, in machine code."""

from __future__ import annotations

from ce_dynamics.compiler.loops import kernel

AT_ONCE = 4
"""Columns that are eliminated before the rest of the matrix is touched: it is read a quarter as often."""


@kernel
def exchanged(J, x, k, first):  # type: ignore[no-untyped-def]
    """Bring the row with the largest entry of column k to its place; says whether there is one."""
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
    """x ← J⁻¹ x by Gauss with exchange of rows; says whether J is regular.  J is overwritten."""
    m = x.size
    for first in range(0, m, AT_ONCE):
        last = min(first + AT_ONCE, m)
        for k in range(first, last):
            if not exchanged(J, x, k, first):
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
