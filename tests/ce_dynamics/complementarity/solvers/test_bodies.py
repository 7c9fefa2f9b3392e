"""Proximal points in the space of the bodies: the law as stated, the convex problem by a conic solver."""

from __future__ import annotations

import clarabel
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


@pytest.mark.parametrize("shifted", [False, True])
def test_steps_are_those_of_differences(shifted: bool) -> None:
    """Φ and the slope of φ by central differences along the step: Φ(z) + ∂Φ step = 0."""
    problem = rocks(8, 0.5)
    rows, _ = given(problem.delassus, problem.b, problem.conditions.mu[1::3])
    points = Bodies(rows, np.full(len(rows), 0.3))
    points.rho = 30.0
    z = points.z + 0.01 * np.sin(1.0 + np.arange(points.B.shape[1]))
    constant = rows.shift(points.w(z))

    def Phi(z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        w = points.w(z)
        y, x = points.impulses(w + (rows.shift(w) if shifted else constant))
        return z - points.B.T @ x, y, x, w

    value, y, x, w = Phi(z)
    step = points.step(y, x, w if shifted else None, value)
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


def test_with_the_shift_given_it_is_the_convex_problem_of_a_conic_solver() -> None:
    """min ½ |z|² with B z + b + s in the dual cones, w_n ≥ μ |w_t|."""
    problem = rocks(8, 0.5)
    mu = problem.conditions.mu[1::3]
    rows, _ = given(problem.delassus, problem.b, mu)
    shift = np.zeros(len(rows))
    shift[::3] = 0.1 * np.cos(np.arange(len(mu)))
    points = Bodies(rows, np.zeros(len(rows)))
    z = points.z
    for rho in (1e1, 1e2, 1e3, 1e4, 1e5):  # augmented Lagrangian: impulses follow
        points.rho = rho
        for _ in range(4):
            z = points.convex(z, shift, 0.0, np.inf)
            points.x = points.impulses(points.w(z) + shift)[1]
    k = points.B.shape[1]
    scale = np.ones((len(mu), 3))
    scale[:, 1:] = mu[:, None]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    found = clarabel.DefaultSolver(
        sp.identity(k, format="csc"),
        np.zeros(k),
        sp.csc_matrix(-points.B * scale.reshape(-1, 1)),
        (rows.b + shift) * scale.ravel(),
        [clarabel.SecondOrderConeT(3)] * len(mu),
        settings,
    ).solve()
    # the objective is strongly convex with modulus one: a gap of 1e-11 leaves |z − z*| ≤ √(2e-11)
    np.testing.assert_allclose(z, np.array(found.x), atol=5e-6)
