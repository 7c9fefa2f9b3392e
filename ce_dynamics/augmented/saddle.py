"""Linear algebra of the augmented equations (8): M V̇ = f + Gᵀ λ, G V̇ = −γ, with redundant rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.embedding.closures.row_choice import ROUNDING

RANK_TOLERANCE = 1e-9
"""Pivots of the row-normalised constraint Jacobian below this, relative to the largest, count as zero."""


class RowRank(NamedTuple):
    """Result of a rank-revealing factorisation of the constraint rows.

    Attributes
    ----------
    kept, dropped : (rank,), (n − rank,) int arrays
        Indices of a largest set of independent rows, and of the rows that are combinations of that set.
    """

    kept: Array
    dropped: Array

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return len(self.kept)


class SaddleSolution(NamedTuple):
    """Solution of the augmented equations.

    Attributes
    ----------
    V_dot : (n_V,) array
    multipliers : (n,) array
        λ of least norm (of the normalised rows) where rows are redundant.
    rank : int
    inconsistency : float
        Largest violation of a redundant row, relative to the right-hand side: rounding, if the rows agree.
    """

    V_dot: Array
    multipliers: Array
    rank: int
    inconsistency: float


def normalise_rows(G: Array) -> tuple[Array, Array]:
    """G with rows of length one, and the lengths they had; rows that are rounding stay so (length 1)."""
    lengths = np.linalg.norm(G, axis=1)
    lengths = np.where(lengths > ROUNDING * np.max(lengths, initial=0.0), lengths, 1.0)
    return G / lengths[:, None], lengths


def row_rank(G: Array) -> RowRank:
    """A largest set of independent rows of G, by QR with pivoting of the normalised rows."""
    if G.size == 0:
        return RowRank(np.arange(0), np.arange(len(G)))
    normal, _ = normalise_rows(G)
    R, pivots = scipy.linalg.qr(normal.T, mode="r", pivoting=True)
    rank = count_pivots(R)
    return RowRank(np.sort(pivots[:rank]), np.sort(pivots[rank:]))


def redundant_rows(G: Array) -> Array:
    """Rows that take part in a redundancy: combinations of others and what they combine; (n,) of bool."""
    marked = np.zeros(len(G), dtype=bool)
    if G.size == 0:
        return marked
    normal, _ = normalise_rows(G)
    R, pivots = scipy.linalg.qr(normal.T, mode="r", pivoting=True)
    rank = count_pivots(R)
    combined = scipy.linalg.solve_triangular(R[:rank, :rank], R[:rank, rank:])  # row = Σ combined × kept rows
    marked[pivots[rank:]] = True
    marked[pivots[:rank]] = np.any(np.abs(combined) > RANK_TOLERANCE, axis=1)
    return marked


def count_pivots(R: Array) -> int:
    """Rank from the diagonal of R."""
    diagonal = np.abs(np.diagonal(R))
    return int(np.sum(diagonal > RANK_TOLERANCE * max(diagonal[0], 1e-300)))


def solve_saddle(M: Array, G: Array, f: Array, gamma: Array) -> SaddleSolution:
    """Solve M V̇ = f + Gᵀ λ, G V̇ = −γ by the null space of G.

    M may be singular (points without inertia) as long as it is not along motions the constraints allow.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the mass matrix is singular along an allowed motion.
    """
    if len(G) == 0:
        return SaddleSolution(np.linalg.solve(M, f), np.zeros(0), 0, 0.0)
    normal, lengths = normalise_rows(G)
    target = -gamma / lengths
    Q, R, pivots = scipy.linalg.qr(normal.T, pivoting=True)
    rank = count_pivots(R)
    Q1, Q2 = Q[:, :rank], Q[:, rank:]  # V̇ = Q1 y + Q2 z
    y = scipy.linalg.solve_triangular(R[:rank, :rank], target[pivots[:rank]], trans="T")
    violation = R[:rank, rank:].T @ y - target[pivots[rank:]]
    V_dot = Q1 @ y
    if Q2.shape[1]:
        V_dot = V_dot + Q2 @ np.linalg.solve(Q2.T @ M @ Q2, Q2.T @ (f - M @ V_dot))
    multipliers = least_squares(normal.T, M @ V_dot - f, rcond=RANK_TOLERANCE) / lengths
    scale = max(float(np.max(np.abs(target))), 1.0)
    return SaddleSolution(V_dot, multipliers, rank, float(np.max(np.abs(violation), initial=0.0)) / scale)
