"""Linear systems of few unknowns, in machine code."""

from __future__ import annotations

from ce_dynamics.compiler.loops import kernel


@kernel
def eliminate(J, x):  # type: ignore[no-untyped-def]
    """x ← J⁻¹ x by Gauss with exchange of rows; says whether J is regular.  J is overwritten."""
    m = x.size
    for k in range(m):
        pivot, size = k, abs(J[k, k])
        for i in range(k + 1, m):
            if abs(J[i, k]) > size:
                pivot, size = i, abs(J[i, k])
        if not size > 0.0:
            return False
        if pivot != k:
            for j in range(k, m):
                J[k, j], J[pivot, j] = J[pivot, j], J[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        inverse = 1.0 / J[k, k]
        for i in range(k + 1, m):
            factor = J[i, k] * inverse
            if factor != 0.0:
                for j in range(k + 1, m):
                    J[i, j] -= factor * J[k, j]
                x[i] -= factor * x[k]
    for k in range(m - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, m):
            total -= J[k, j] * x[j]
        x[k] = total / J[k, k]
    return True
