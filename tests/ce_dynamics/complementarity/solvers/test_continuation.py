"""The smoothed conditions: derivatives along their path by hand, and every start on its own."""

from __future__ import annotations

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Conditions, Kind
from ce_dynamics.complementarity.solvers.continuation import STARTS, Path, shrinking
from ce_dynamics.complementarity.solvers.rows import Rows


def unilateral(A: Floats, b: Floats) -> Rows:
    """Rows 0 ≤ x ⊥ A x + b ≥ 0."""
    m = len(b)
    kind, none = np.full(m, int(Kind.UNILATERAL)), np.full(m, -1)
    conditions = Conditions(kind, none, np.zeros(m), np.full(m, -np.inf), np.full(m, np.inf))
    return Rows(A, b, conditions, np.arange(m), np.ones(m), m)


def well_posed(rng: np.random.Generator, m: int) -> Rows:
    """With one solution: A is positive definite."""
    G = rng.normal(size=(m, 2 * m))
    return unilateral(G @ G.T / (2 * m), rng.normal(size=m))


def test_derivative_by_the_logarithm_of_the_width(rng: np.random.Generator) -> None:
    """P = ½ (y + √(y² + 4 σ²)) has σ ∂P/∂σ = 2 σ²/√(y² + 4 σ²), and F = x − P(y) with y = x − A x − b."""
    rows = well_posed(rng, 6)
    for tau in (-2.0, -0.5):
        x, sigma = rng.normal(size=6), np.exp(tau)
        y = x - rows.w(x)
        by_hand = -2.0 * sigma**2 / np.sqrt(y**2 + 4.0 * sigma**2)
        np.testing.assert_allclose(Path(rows).linear(x, tau)[2], by_hand, rtol=1e-8)


@pytest.mark.parametrize("start", STARTS)
def test_every_start_leads_to_the_solution_where_there_is_one(
    start: tuple[float, float, float, float], rng: np.random.Generator
) -> None:
    """Of a strictly monotone problem; complementarity is looked at in x and w themselves."""
    width, close, pull, grows = start
    assert width > 0.0
    assert 0.0 < close < 1.0  # a share of σ: no point is nearer than nothing
    rows = well_posed(rng, 8)
    found = shrinking(rows, np.zeros(8), tolerance=1e-12, width=width, close=close, pull=pull, grows=grows)
    w = rows.w(found.x)
    assert np.min(found.x) > -1e-10
    assert np.min(w) > -1e-10
    assert np.max(np.abs(found.x * w)) < 1e-10
