"""Proximal points: what jams is solved, and what contradicts itself is violated as little as can be."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Conditions, Kind
from ce_dynamics.complementarity.solvers.friction_problem import (
    contact_conditions,
    de_saxce_residual,
    matrix_and_diagonal,
)
from ce_dynamics.complementarity.solvers.proximal_points import Creeping
from ce_dynamics.complementarity.solvers.rows import scaled_rows
from tests.ce_dynamics.complementarity.piles import stack


def test_contacts_that_hold_a_body_more_than_once_are_solved_from_nothing() -> None:
    problem = stack(3)
    mu, q = problem.conditions.mu[1::3], problem.b
    A, d = matrix_and_diagonal(problem.delassus, len(q), None)
    rows = scaled_rows(A, q, contact_conditions(A, q, mu), d)
    assert np.linalg.matrix_rank(A) < len(q)  # impulses are not unique

    def judge(x: Floats) -> float:
        r = rows.impulses(x)
        return de_saxce_residual(r, A @ r + q, mu, q) / 1e-10

    assert judge(np.zeros(len(rows))) > 1e6
    assert judge(Creeping(rows, np.zeros(len(rows))).advance(judge, 500)) <= 1.0


def test_walls_that_leave_no_room_are_entered_as_little_as_can_be() -> None:
    # one body of mass 1 between two walls: w₁ + w₂ = b₁ + b₂ whatever the impulses are, so that the larger
    # violation is at least −(b₁ + b₂)/2; proximal points creep to infinity along (1, 1) and leave just that
    A, b = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, 0.5])
    rows = scaled_rows(A, b, Conditions.of([Kind.UNILATERAL] * 2), np.ones(2))

    def judge(x: Floats) -> float:
        return float(np.max(-rows.w(x))) / 1e-8

    points = Creeping(rows, np.zeros(2))
    best = points.advance(judge, 40)
    # (A + ε) (x − x_k) = −w(x_k): what is left of the rest of w shrinks by ε/(2 + ε) each time
    np.testing.assert_allclose(rows.w(best), [-0.25, -0.25], rtol=1e-9)
    assert points.steps >= 40  # it goes on for as long as it may
    np.testing.assert_allclose(np.diff(points.x), [-0.75], rtol=1e-6)  # −w₁ = x₂ − x₁ + 1
    assert np.min(points.x) > 1e3
