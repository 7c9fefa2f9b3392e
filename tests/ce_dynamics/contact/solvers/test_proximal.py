"""Proximal points: derivatives, Newton steps, the law as stated, planar contacts, contradictions."""

import numpy as np
import pytest
import scipy.sparse as sp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import Problem
from ce_dynamics.contact.conditions import Conditions, Kind
from ce_dynamics.contact.solvers.friction_problem import contact_conditions, de_saxce_residual
from ce_dynamics.contact.solvers.proximal import (
    BodyPoints,
    RowPoints,
    factor,
    projection_derivative,
    shift_derivative,
    solve_rows,
)
from ce_dynamics.contact.solvers.rows import Judge, ScaledRows, scale_rows
from tests.ce_dynamics.contact.piles import coulomb_violation, rocks, sphere_wall, stack
from tests.ce_dynamics.contact.random_problems import states_of

KINDS = [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2, Kind.FRICTION, Kind.DISC_1, Kind.DISC_2]
KINDS += [Kind.UNILATERAL, Kind.BILATERAL, Kind.BOX, Kind.UNILATERAL, Kind.FRICTION]
NORMAL = [-1, 0, 0, 0, 0, 0, -1, -1, -1, -1, 9]
MU = [0.0, 0.5, 0.5, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4]
BOUNDS = 0.5 * (np.array(KINDS) == Kind.BOX)
"""Sliding, rolling and a disc of μ = 0 on one normal row; one alone, bilateral, a box, planar friction."""


def all_kinds() -> ScaledRows:
    m = len(KINDS)
    return ScaledRows(
        np.eye(m), np.zeros(m), Conditions.of(KINDS, NORMAL, MU, -BOUNDS, BOUNDS), np.arange(m), np.ones(m), m
    )


def test_derivatives_are_those_of_differences(rng: np.random.Generator) -> None:
    """Away from edges differences are off by h² times third derivatives, those of y/|y| at most 6/|y|³, and
    by rounding ε/h: with h = 1e-6 and |y| > 0.05 below 5e-8 + 1e-9.  What bends within h is skipped."""
    given, h, compared = all_kinds(), 1e-6, 0
    steps = h * np.eye(len(given))
    for _ in range(200):
        y = rng.normal(size=len(given)) * rng.choice([0.3, 1.0, 3.0], size=len(given))
        discs = np.hypot(y[[1, 4]], y[[2, 5]])
        D = projection_derivative(given, y, given.project(y)).toarray()
        there = given.project(y)
        right = np.array([given.project(y + e) for e in steps]).T
        left = np.array([given.project(y - e) for e in steps]).T
        bent = np.abs(right - 2.0 * there[:, None] + left).max()
        S = np.array([given.shift(y + e) - given.shift(y - e) for e in steps]).T / (2.0 * h)
        if bent > 1e-9 or min(discs.min(), np.abs(y[[3, 10]]).min()) < 0.05:
            continue
        compared += 1
        np.testing.assert_allclose(D, (right - left) / (2.0 * h), atol=1e-7)
        np.testing.assert_allclose(shift_derivative(given, y).toarray(), S, atol=1e-7)
        np.testing.assert_allclose(D, D.T, atol=1e-15)
        values = np.linalg.eigvalsh(D)
        assert values[0] > -1e-14
        assert values[-1] < 1.0 + 1e-14
    assert compared > 100


def given(W: Floats, q: Floats, mu: Floats, tolerance: float = 1e-10) -> tuple[ScaledRows, Judge]:
    rows = scale_rows(W, q, contact_conditions(W, q, mu), np.diag(W))

    def judge(r: Floats) -> float:
        return de_saxce_residual(r, W @ r + q, mu, q) / tolerance

    return rows, judge


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


def linear_system_of(kind: type[RowPoints], problem: Problem) -> tuple[RowPoints, ScaledRows]:
    """Return points of a problem, with A sparse as of many rows, or dense."""
    rows, _ = given(problem.delassus, problem.b, problem.conditions.mu[1::3])
    A = rows.A
    rows.A = sp.csr_matrix(A)
    return kind(rows), rows


@pytest.mark.parametrize("kind", [BodyPoints, RowPoints])
def test_newton_steps_are_those_of_differences(kind: type[RowPoints]) -> None:
    """Φ by central differences along the step: Φ(z) + ∂Φ step = 0."""
    points, rows = linear_system_of(kind, rocks(8, 0.5))
    centre, rho = rows.project(np.full(len(rows), 0.3)), 30.0 + rows.normal_of  # one for each contact
    z = points.gather(centre)
    z = z + 0.01 * np.sin(1.0 + np.arange(len(z)))

    def Phi(z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        w = points.spread(z) + rows.b
        y = centre - rho * (w + rows.shift(w))
        x = rows.project(y)
        return z - points.gather(x), y, x, w

    value, y, x, w = Phi(z)
    D = sp.csr_matrix(sp.diags(rho) @ projection_derivative(rows, y, x))
    step = points.step(D, shift_derivative(rows, w), value)
    assert step is not None
    # no row changes its state within h = 1e-7 of the step: what is left is rounding, 1e-15 |y| / h
    slope = (Phi(z + 1e-7 * step)[0] - Phi(z - 1e-7 * step)[0]) / 2e-7
    np.testing.assert_allclose(slope, -value, atol=1e-6 * np.max(np.abs(value)))


def test_dense_and_sparse_steps_agree() -> None:
    """The reduced system of many rows and the full one of few have one solution."""
    problem = rocks(8, 0.5)
    sparse, rows = linear_system_of(BodyPoints, problem)
    few, _ = given(problem.delassus, problem.b, problem.conditions.mu[1::3])
    dense = BodyPoints(few)
    w = rows.w(np.full(len(rows), 0.1))
    y = 0.3 - 30.0 * (w + rows.shift(w))
    D, S = 30.0 * projection_derivative(rows, y, rows.project(y)), shift_derivative(rows, w)
    Phi = np.cos(np.arange(sparse.gather(y).size))
    one, other = sparse.step(D, S, Phi), dense.step(D, S, Phi)
    assert one is not None
    assert other is not None
    # pivots down to 1e-11 of A are inverted: half of the digits
    np.testing.assert_allclose(one, other, atol=1e-5 * np.max(np.abs(other)))


def test_jammed_rocks_take_few_linear_systems() -> None:
    """435 contacts of 62 rocks, 1305 rows of rank 372."""
    problem = rocks(62, 0.5, 3)
    rows, judge = given(problem.delassus, problem.b, problem.conditions.mu[1::3], 1e-8)
    found = solve_rows(rows, np.zeros(len(rows)), judge)
    assert found.verdict <= 1.0
    assert found.steps < 1000


def test_heavy_bodies_among_light_ones_take_few_systems() -> None:
    """Masses over six decades: 1,300 systems, and 4,600 with the same step at all contacts."""
    problem = rocks(24, 0.9, 4, decades=6.0)
    rows, judge = given(problem.delassus, problem.b, problem.conditions.mu[1::3], 1e-8)
    found = solve_rows(rows, np.zeros(len(rows)), judge)
    assert found.verdict <= 1.0
    assert found.steps < 2500


def test_walls_of_unique_impulses_are_solved_in_rows() -> None:
    problem = sphere_wall(300, 0.5)
    rows, judge = given(problem.delassus, problem.b, problem.conditions.mu[1::3], 1e-8)
    rows.A = sp.csr_matrix(rows.A)
    found = solve_rows(rows, np.zeros(len(rows)), judge)
    assert coulomb_violation(problem, rows.impulses(found.x)) < 1e-7 * problem.speed


def test_unsymmetric_matrices_are_solved_as_given(rng: np.random.Generator) -> None:
    """Measured matrices are off by 1e-3: the factor is that of half of A, the solution that of A."""
    problem = stack(2)
    W = problem.delassus * (1.0 + 1e-3 * rng.normal(size=problem.delassus.shape))
    rows, judge = given(W, problem.b, problem.conditions.mu[1::3], 1e-8)
    assert solve_rows(rows, np.zeros(len(rows)), judge, 30.0).verdict <= 1.0


def test_contradictions_end_without_a_time_limit() -> None:
    # one body of mass 1 between two walls: w₁ + w₂ = b₁ + b₂ whatever the impulses are, so that the larger
    # violation is at least −(b₁ + b₂)/2
    A, b = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, 0.5])
    rows = scale_rows(A, b, Conditions.of([Kind.UNILATERAL] * 2), np.ones(2))
    found = solve_rows(rows, np.zeros(2), lambda r: float(np.max(-rows.w(rows.scale(r)))) / 1e-8)
    assert found.verdict > 1.0
    np.testing.assert_allclose(rows.w(found.x), [-0.25, -0.25], rtol=1e-3)


@pytest.mark.parametrize(("count", "mu"), [(8, 0.5), (8, 1.2)])
def test_heaps_of_stones_obey_the_law_as_stated(count: int, mu: float) -> None:
    problem = rocks(count, mu)
    rows, judge = given(problem.delassus, problem.b, problem.conditions.mu[1::3])
    assert np.linalg.matrix_rank(problem.delassus) < len(rows)  # impulses are not unique
    x = solve_rows(rows, np.zeros(len(rows)), judge).x
    # the residual of 1e-10 (1 + |q|), in the units of an impulse of a body of 0.3 kg or more
    assert coulomb_violation(problem, rows.impulses(x)) < 1e-7 * problem.speed


def test_planar_problems_have_the_solution_of_enumeration(rng: np.random.Generator) -> None:
    """Contacts in the plane, A regular, μ so small that there is one: every state of every row tried."""
    for _ in range(5):
        G = rng.normal(size=(6, 9))
        conditions = contact_conditions(G @ G.T, rng.normal(size=6), np.full(3, 0.1))
        problem = Problem.from_dense(G, np.eye(9), rng.normal(size=9), np.zeros(6), conditions)
        every = states_of(problem)
        assert len({tuple(p.round(6)) for p in every}) == 1
        rows, judge = given(problem.delassus, problem.b, np.full(3, 0.1), 1e-12)
        # a residual of 1e-12 (1 + |q|) by the smallest eigenvalue of A, 1e-2 for most of such G
        np.testing.assert_allclose(rows.impulses(solve_rows(rows, np.zeros(6), judge).x), every[0], atol=1e-9)
