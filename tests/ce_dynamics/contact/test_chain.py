"""The chain of solvers: piles, problems by enumeration, matrices, operators, messages of failures."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from ce_dynamics.contact import (
    Chain,
    Conditions,
    ConvergenceError,
    Exact,
    InfeasibleError,
    Kind,
    Problem,
    solve_friction,
)
from ce_dynamics.contact.exact import find_certificate
from ce_dynamics.contact.solvers.friction_problem import de_saxce_residual
from ce_dynamics.contact.solvers.rows import ScaledRows, proximal, scale_rows
from ce_dynamics.errors import ModelError
from tests.ce_dynamics.contact.piles import bricks, coulomb_violation, rocks, sphere_wall, stack
from tests.ce_dynamics.contact.random_problems import frictional, frictionless, states_of

MET = 1e-10
"""Asked for of piles [m/s]."""

PILES = {
    "5 cubes, each 10 times as heavy": lambda: stack(5, ratio=10.0),
    "5 cubes, each a tenth as heavy": lambda: stack(5, ratio=0.1),
    "12 cubes": lambda: stack(12),  # 30 are in the benchmarks
    "bricks": lambda: bricks(4, 4),
    "spheres": lambda: sphere_wall(200, 0.5),
    "slippery spheres": lambda: sphere_wall(200, 0.1),
    "rough spheres": lambda: sphere_wall(200, 1.0),
    "rocks, where the widest path turns back": lambda: rocks(12, 0.9, 6),
    "rocks, where all paths turn back": lambda: rocks(20, 0.9, 6),
}


@pytest.mark.parametrize("name", PILES)
def test_piles_are_solved(name: str) -> None:
    problem = PILES[name]()
    solution = Chain(time_limit=600.0).solve(problem)  # whatever else the machine does
    assert solution.converged
    assert solution.residual <= MET
    # the natural map bounds the parts of the law up to the contact's conditioning, a factor of some tens
    assert coulomb_violation(problem, solution.p) <= 100.0 * MET


def test_solution_is_found_again_from_itself_at_once() -> None:
    problem = stack(5)
    solution = Chain().solve(problem)
    again = Chain().solve(problem, solution.p)
    assert again.sweeps <= 1
    np.testing.assert_array_equal(again.p, solution.p)


# Enumeration


def test_solutions_are_among_all_solutions_by_enumeration(rng: np.random.Generator) -> None:
    several = 0
    for _ in range(25):
        problem = frictional(rng)
        while len(problem.c) > 7:
            problem = frictional(rng)
        every = states_of(problem)
        several += len({tuple(np.round(problem.w(p), 7)) for p in every}) > 1
        assert every
        for solver in (Chain(1e-12), Exact()):
            solution = solver.solve(problem)
            assert solution.converged
            # w of random problems of order one, solved to 1e-12 and 1e-9
            assert min(np.max(np.abs(problem.w(p) - solution.w)) for p in every) <= 1e-7


def test_problem_with_several_solutions_gets_one_of_them() -> None:
    # a rod on one foot with much friction (Painlevé): pressing down lifts the foot, A_nn + μ A_nt < 0
    A = np.array([[1.0, -1.5], [-1.5, 4.0]])
    L = np.linalg.cholesky(A)
    conditions = Conditions.of([Kind.UNILATERAL, Kind.FRICTION], [-1, 0], [0.0, 1.0])
    problem = Problem.from_dense(L, np.eye(2), np.linalg.solve(L, [0.5, -1.0]), np.zeros(2), conditions)
    every = states_of(problem)
    assert len(every) > 1
    for solver in (Chain(), Exact()):
        solution = solver.solve(problem)
        assert solution.converged
        assert min(np.max(np.abs(p - solution.p)) for p in every) <= 1e-9


# Single methods


def rows_of(problem: Problem) -> ScaledRows:
    return scale_rows(problem.delassus, problem.b, problem.conditions, problem.diagonal)


def test_the_derivative_of_the_natural_map(rng: np.random.Generator) -> None:
    kinds = [
        Kind.BILATERAL, Kind.UNILATERAL, Kind.BOX, Kind.UNILATERAL, Kind.FRICTION, Kind.DISC_1,
        Kind.DISC_2,
    ]  # fmt: skip
    conditions = Conditions.of(
        kinds,
        [-1, -1, -1, -1, 3, 3, 3],
        [0, 0, 0, 0, 0.4, 0.7, 0.7],
        [0, 0, -0.3, 0, 0, 0, 0],
        [0, 0, 0.2, 0, 0, 0, 0],
    )
    B = rng.normal(size=(7, 7))
    rows = ScaledRows(B @ B.T, np.zeros(7), conditions, np.arange(7), np.ones(7), 7)
    for _ in range(20):
        y = rng.normal(size=7)
        y[3] = abs(y[3])
        _, Ds, Dn, Dp = (part.copy() for part in rows.map(y))
        D = np.diag(Ds)
        D[np.arange(7), rows.normal_of] += Dn * (rows.normal_of != np.arange(7))
        D[np.arange(7), rows.partner] += Dp * (rows.partner != np.arange(7))
        h = 1e-6
        difference = np.empty((7, 7))
        for j, e in enumerate(np.eye(7)):
            ahead = rows.map(y + h * e)[0].copy()
            difference[:, j] = (ahead - rows.map(y - h * e)[0]) / (2.0 * h)
        # central differences: h² by third derivatives of order one, and rounding 1e-16/h
        np.testing.assert_allclose(D, difference, atol=1e-8)


def test_projection_onto_cones_is_the_nearest_point(rng: np.random.Generator) -> None:
    kinds = [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2, Kind.FRICTION, Kind.DISC_1, Kind.DISC_2]
    conditions = Conditions.of(kinds, [-1, 0, 0, 0, 0, 0], [0.0, 0.5, 0.5, 0.3, 0.2, 0.2])
    rows = ScaledRows(np.eye(6), np.zeros(6), conditions, np.arange(6), np.ones(6), 6)
    reach = np.array([0.5, 0.3, 0.2])
    for _ in range(200):
        y = rng.normal(size=6)
        P = rows.project(y)
        lengths = np.array([np.hypot(P[1], P[2]), abs(P[3]), np.hypot(P[4], P[5])])
        assert np.all(lengths <= reach * P[0] + 1e-15)
        # the nearest point of a convex cone: y − P is orthogonal to P and has no part along any of its rays
        assert abs((y - P) @ P) <= 1e-14
        for _ in range(20):
            ray = np.concatenate(([1.0], np.repeat(reach, (2, 1, 2)) * rng.uniform(-0.7, 0.7, size=5)))
            assert (y - P) @ ray <= 1e-14


@pytest.mark.parametrize("many", [False, True])
def test_proximal_newton_ends_near_a_solution(many: bool) -> None:
    problem = stack(4)
    rows = rows_of(problem)
    if many:
        rows.A = sp.csr_matrix(rows.A)
    near = rows.scale(Chain().solve(problem).p) * 1.001
    assert proximal(rows, near, steps=60, tolerance=1e-12).verdict <= 1e-12


# By matrix


def test_matrix_operator_and_problem_have_the_same_solution() -> None:
    problem = sphere_wall(60, 0.3)
    W, q, mu = problem.delassus, problem.b, problem.conditions.mu[1::3]
    reference = Chain(1e-12).solve(problem)
    for given in (W, sp.csr_matrix(W), sp.bsr_matrix(W, blocksize=(3, 3)), aslinearoperator(W)):
        found = solve_friction(given, q, mu, tolerance=1e-11)
        assert found.converged
        assert found.residual == pytest.approx(de_saxce_residual(found.r, W @ found.r + q, mu, q))
        # A has no null space in velocities: those of Coulomb's law are unique for these small μ
        np.testing.assert_allclose(found.u, reference.w, atol=1e-8)


def test_contacts_in_the_plane_have_two_rows() -> None:
    # a unit mass pressed by 2 slides with 3: μ = 0.25 takes 0.5
    found = solve_friction(np.eye(2), [-2.0, 3.0], [0.25])
    np.testing.assert_allclose(found.r, [2.0, -0.5], atol=1e-8)
    assert found.residual <= 1e-8


def test_bad_matrices_are_refused() -> None:
    for W, q, mu, words in (
        (np.eye(3), [0.0, 0.0], [0.5], "must be"),
        (np.eye(4), np.zeros(4), [0.5], "3 rows per contact"),
        (np.eye(3), np.zeros(3), [-0.5], "not negative"),
        (np.eye(3), [np.nan, 0.0, 0.0], [0.5], "finite"),
        (np.full((3, 3), np.inf), np.zeros(3), [0.5], "not finite"),
    ):
        with pytest.raises(ModelError, match=words):
            solve_friction(W, q, mu)
    with pytest.raises(ModelError, match="start"):
        solve_friction(np.eye(3), np.zeros(3), [0.5], start=[1.0])
    assert solve_friction(np.zeros((0, 0)), [], []).converged


# Where there is no solution


def contradiction(kinds: list[Kind]) -> Problem:
    conditions = Conditions.of(kinds, [-1, -1, 0][: len(kinds)], [0.0, 0.0, 0.5][: len(kinds)])
    GT = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])[: len(kinds)]
    return Problem.from_dense(GT, np.eye(2), [0.0, 1.0], [-1.0, -1.0, 0.0][: len(kinds)], conditions)


def test_only_limit_stops_and_best_point_is_returned() -> None:
    problem = contradiction([Kind.UNILATERAL] * 2)  # v ≥ 1 and v ≤ −1
    solution = Chain(time_limit=0.2).solve(problem)
    assert not solution.converged
    # of any v the larger violation is 1 at least, and 1 at v = 0
    assert solution.residual == pytest.approx(1.0, abs=0.5)
    with pytest.raises(ConvergenceError, match=r"the limit is 0\.1"):
        Chain(limit=0.1, time_limit=0.2).solve(problem)


def test_infeasible_problems_have_a_certificate() -> None:
    problem = contradiction([Kind.UNILATERAL, Kind.UNILATERAL, Kind.FRICTION])
    y = find_certificate(problem)
    assert y is not None
    assert np.all(y[:2] >= 0.0)
    np.testing.assert_allclose(problem.GT.T @ y, 0.0, atol=1e-12)
    assert problem.c @ y < 0.0
    with pytest.raises(InfeasibleError, match=r"rows \[0, 1\] contradict"):
        Exact().solve(problem)


def test_solvable_problems_have_no_certificate(rng: np.random.Generator) -> None:
    for _ in range(20):
        assert find_certificate(frictionless(rng, doubled=True)) is None
    assert find_certificate(stack(3)) is None


def test_bad_settings_are_refused() -> None:
    for changes in ({"tolerance": 0.0}, {"tolerance": np.nan}, {"limit": -1.0}, {"time_limit": 0.0}):
        with pytest.raises(ModelError, match=next(iter(changes))):
            Chain(**changes)


def test_many_contacts_from_nothing() -> None:
    problem = sphere_wall(2200, 0.5, 150)
    solution = Chain().solve(problem)
    assert solution.converged
    # the law itself; A_nn p_n of the lowest spheres is some tens of the speed
    assert coulomb_violation(problem, solution.p) < 1e-9 * problem.speed
