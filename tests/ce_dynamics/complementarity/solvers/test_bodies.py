"""Proximal points in the space of the bodies: the law as stated, all states of planar contacts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity import Problem
from ce_dynamics.complementarity.solvers.bodies import Bodies, factor
from ce_dynamics.complementarity.solvers.friction_problem import contact_conditions, de_saxce_residual
from ce_dynamics.complementarity.solvers.rows import Judge, Rows, scaled_rows
from tests.ce_dynamics.complementarity.piles import coulomb_violation, rocks, stack
from tests.ce_dynamics.complementarity.random_problems import states_of


def given(W: Floats, q: Floats, mu: Floats, tolerance: float = 1e-10) -> tuple[Rows, Judge]:
    """Scaled rows and what judges them."""
    rows = scaled_rows(W, q, contact_conditions(W, q, mu), np.diag(W))

    def judge(x: Floats) -> float:
        r = rows.impulses(x)
        return de_saxce_residual(r, W @ r + q, mu, q) / tolerance

    return rows, judge


def patiently(rows: Rows, judge: Judge) -> Floats:
    """Until a solution."""
    points, over, x = Bodies(rows, np.zeros(len(rows))), False, np.zeros(len(rows))
    while not over and judge(x) > 1.0:
        x, over = points.advance(judge, 2000)
    return x


def test_the_factor_has_the_rank_of_the_bodies() -> None:
    """Three cubes have eighteen velocities; rows that are combinations of others leave rounding."""
    A = stack(3).delassus
    d = np.sqrt(np.diag(A))
    A = A / d / d[:, None]
    B, J = factor(A)
    assert B.shape == (36, 18)
    np.testing.assert_allclose(B @ B.T, A, atol=1e-13)  # 36 roundings of entries of at most one
    assert np.linalg.matrix_rank(A[np.ix_(J, J)]) == 18
    np.testing.assert_array_equal(factor(sp.csr_matrix(A))[0], B)


def test_steps_are_those_of_differences() -> None:
    """Φ by central differences along the step: Φ(z) + ∂Φ step = 0."""
    problem = rocks(8, 0.5)
    rows, _ = given(problem.delassus, problem.b, problem.conditions.mu[1::3])
    points = Bodies(rows, np.full(len(rows), 0.3))
    points.rho = 30.0
    z = points.z + 0.01 * np.sin(1.0 + np.arange(points.B.shape[1]))

    def Phi(z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        w = points.w(z)
        y, x = points.impulses(w + rows.shift(w))
        return z - points.B.T @ x, y, x, w

    value, y, x, w = Phi(z)
    step = points.step(y, x, w, value)
    assert step is not None
    # no row changes its state within h = 1e-7 of the step: what is left is rounding, 1e-15 |y| / h
    slope = (Phi(z + 1e-7 * step)[0] - Phi(z - 1e-7 * step)[0]) / 2e-7
    np.testing.assert_allclose(slope, -value, atol=1e-6 * np.max(np.abs(value)))


@pytest.mark.parametrize(("count", "mu"), [(8, 0.5), (8, 1.2)])
def test_heaps_of_stones_obey_the_law_as_stated(count: int, mu: float) -> None:
    problem = rocks(count, mu)
    rows, judge = given(problem.delassus, problem.b, problem.conditions.mu[1::3])
    assert np.linalg.matrix_rank(problem.delassus) < len(rows)  # impulses are not unique
    x = patiently(rows, judge)
    # the residual of 1e-10 (1 + |q|), in the units of an impulse of a body of 0.3 kg or more
    assert coulomb_violation(problem, rows.impulses(x)) < 1e-7 * problem.speed


def test_jammed_rocks_take_few_linear_systems() -> None:
    """435 contacts of 62 rocks, 1305 rows of rank 372: 380 systems, where longer searches took 671."""
    problem = rocks(62, 0.5, 3)
    rows, judge = given(problem.delassus, problem.b, problem.conditions.mu[1::3], 1e-8)
    points = Bodies(rows, np.zeros(len(rows)))
    over = False
    while not over and judge(points.x) > 1.0:
        _, over = points.advance(judge, 500 - points.steps)
    assert judge(points.x) <= 1.0
    assert points.steps < 500


def test_planar_problems_have_the_solution_of_enumeration(rng: np.random.Generator) -> None:
    """Contacts in the plane, A regular, μ so small that there is one: every state of every row tried."""
    for _ in range(5):
        G = rng.normal(size=(6, 9))
        conditions = contact_conditions(G @ G.T, rng.normal(size=6), np.full(3, 0.1))
        problem = Problem.reduced(G, np.eye(9), rng.normal(size=9), np.zeros(6), conditions)
        every = states_of(problem)
        assert len({tuple(p.round(6)) for p in every}) == 1
        rows, judge = given(problem.delassus, problem.b, np.full(3, 0.1), 1e-12)
        # a residual of 1e-12 (1 + |q|) by the smallest eigenvalue of A, 1e-2 for most of such G
        np.testing.assert_allclose(rows.impulses(patiently(rows, judge)), every[0], atol=1e-9)
