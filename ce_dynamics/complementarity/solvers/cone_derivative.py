"""Derivatives of the projection onto friction cones and of De Saxcé's shift, as sparse matrices.

With p = P(y) nearest to y (`Rows.project`), of a normal row n with friction rows i, each a number or a disc
with the direction e_i = y_i / |y_i|:

    p_n > 0, |y_i| ≤ μ_i p_n    ∂p_i = ∂y_i
    p_n > 0, |y_i| > μ_i p_n    ∂p_i = μ_i e_i ∂p_n + (μ_i p_n / |y_i|) (1 − e_i e_iᵀ) ∂y_i
                                ∂p_n = (∂y_n + Σ μ_i e_iᵀ ∂y_i) / (1 + Σ μ_i²), the sums over such i
    p_n = 0                     nothing

so that D = ∂P/∂y is symmetric, positive semidefinite and at most one: P projects onto a convex set.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Booleans, Kind
from ce_dynamics.complementarity.solvers.rows import Rows


def lengths(rows: Rows, y: Floats) -> Floats:
    """|y_i| of every row, of both rows of a disc that of both."""
    partner = rows.partner
    return np.where(partner == np.arange(len(y)), np.abs(y), np.hypot(y, y[partner]))


def tied(rows: Rows) -> Booleans:
    """Friction rows."""
    return np.asarray(rows.conditions.kind >= Kind.FRICTION)


def projection_derivative(rows: Rows, y: Floats, p: Floats) -> Any:
    """D, (m, m) in CSR form.

    Boxes that bound friction count as given, as they do in the projection.

    Parameters
    ----------
    rows : Rows
    y, p : (m,) arrays
        A point and its projection.
    """
    kind, _, mu, lower, upper = rows.conditions
    m, own, n = len(y), np.arange(len(y)), rows.normal_of
    friction, length = tied(rows), lengths(rows, y)
    reach = mu * np.maximum(p[n], 0.0)
    slides = friction & (length > reach) & (p[n] > 0.0)
    direction = np.where(slides, y / np.where(length > 0.0, length, 1.0), 0.0)
    cone = kind == Kind.UNILATERAL
    at_liberty = (kind == Kind.BOX) & (y > lower) & (y < upper)
    bent = np.where(slides, reach / np.where(length > 0.0, length, 1.0), 0.0)
    one = (kind == Kind.BILATERAL) | at_liberty | (friction & ~slides & (p[n] > 0.0))
    disc = slides & (rows.partner != own)
    # 1 of what is free, and (μ p_n/|y|) (1 − e eᵀ) of discs; of a number that slides 1 − e eᵀ = 0
    diagonal = np.where(one, 1.0, np.where(disc, bent * (1.0 - direction**2), 0.0))
    beside = np.where(disc, -bent * direction * direction[rows.partner], 0.0)
    # d = (1, μ_i e_i) of the rows of a cone: D = d dᵀ / dᵀd + ...
    on_cone = slides & cone[n]
    d = np.where(on_cone, mu * direction, np.where(cone & (p > 0.0), 1.0, 0.0))
    root = np.sqrt(1.0 / np.maximum(np.bincount(n, d * d, minlength=m), 1.0))
    E = sp.csr_matrix((d * root[n], (own, n)), shape=(m, m))
    F = sp.csr_matrix(
        (np.concatenate((diagonal, beside)), (np.tile(own, 2), np.concatenate((own, rows.partner)))),
        shape=(m, m),
    )
    return sp.csr_matrix(E @ E.T + F)


def shift_derivative(rows: Rows, w: Floats) -> Any:
    """∂s/∂w of s_n = Σ μ_i |w_i|, (m, m) in CSR form; where w_i = 0 that of any direction is left out."""
    length, own = lengths(rows, w), np.arange(len(w))
    moves = tied(rows) & (length > 0.0) & (rows.conditions.kind[rows.normal_of] == Kind.UNILATERAL)
    slope = np.where(moves, rows.conditions.mu * w / np.where(length > 0.0, length, 1.0), 0.0)
    return sp.csr_matrix((slope, (rows.normal_of, own)), shape=(len(w), len(w)))
