"""Inverses of the few rows that the travels of two wheels make, written out for tracing."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, array


def inverse(A: Array) -> Array:
    """Return the inverse of a 1 × 1 or 2 × 2 matrix."""
    if len(A) == 1:
        return array(((1.0 / A[0, 0],),))
    (a, b), (c, d) = A
    found: Array = array((array((d, -b)), array((-c, a)))) / (a * d - b * c)
    return found


def right_inverse(Z: Array) -> Array:
    """The inverse of a square matrix; of more columns Zᵀ (Z Zᵀ)⁻¹, which gives the least change."""
    if Z.shape[0] == Z.shape[1]:
        return inverse(Z)
    result: Array = Z.T @ inverse(Z @ Z.T)
    return result
