"""Projected Gauss–Seidel and the exact solver: against each other and against the conditions."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    Chain,
    Conditions,
    ConvergenceError,
    Exact,
    GaussSeidel,
    InfeasibleError,
    Kind,
    Problem,
    Solution,
    evenly,
    uniqueness,
)
from ce_dynamics.errors import ModelError
from tests.ce_dynamics.contact.mixed import Mixed
from tests.ce_dynamics.contact.random_problems import frictional, frictionless

TIGHT = GaussSeidel(1e-12, 500_000)
AGREE = 1e-8
"""Asked for of the solvers' w; velocities of the random problems are of order one."""


def violation(problem: Problem, solution: Solution) -> float:
    """Return the violation of the conditions as the table in `problem` states them; no projection."""
    kind, normal, mu, lower, upper = problem.conditions
    p, w = solution.p, solution.w
    worst = float(
        np.max(np.abs(w - problem.GT.toarray() @ (problem.v + problem.YT.toarray().T @ p) - problem.c))
    )
    for i, what in enumerate(kind):
        if what == Kind.BILATERAL:
            wrong = abs(w[i])
        elif what == Kind.UNILATERAL:
            wrong = max(-p[i], -w[i], abs(p[i] * w[i]) / (1.0 + abs(p[i])))
        else:
            low, high = (
                (-mu[i] * p[normal[i]], mu[i] * p[normal[i]])
                if what == Kind.FRICTION
                else (lower[i], upper[i])
            )
            # w < 0 only at the upper bound, w > 0 only at the lower one
            wrong = max(low - p[i], p[i] - high, -w[i] * (high - p[i]), w[i] * (p[i] - low))
        worst = max(worst, float(wrong))
    return worst


@pytest.mark.parametrize("doubled", [False, True])
def test_gauss_seidel_agrees_with_exact_solution_in_w(rng: np.random.Generator, doubled: bool) -> None:
    compared = 0
    for _ in range(100):
        problem = frictionless(rng, doubled=doubled)
        exact, swept = Exact().solve(problem), TIGHT.solve(problem)
        assert exact.converged
        assert violation(problem, exact) <= AGREE
        if swept.converged:  # of a badly conditioned problem it reports that it did not
            compared += 1
            np.testing.assert_allclose(swept.w, exact.w, rtol=0.0, atol=AGREE)
            np.testing.assert_allclose(swept.v, exact.v, rtol=0.0, atol=AGREE)
    assert compared >= 95


def test_gauss_seidel_agrees_with_exact_solution_with_friction(rng: np.random.Generator) -> None:
    sliding = sticking = 0
    compared = 0
    for _ in range(80):
        problem = frictional(rng)
        exact, swept = Exact().solve(problem), TIGHT.solve(problem)
        assert exact.converged
        assert violation(problem, exact) <= AGREE
        if not swept.converged:  # with friction it may go round in circles, and reports that
            continue
        compared += 1
        np.testing.assert_allclose(swept.w, exact.w, rtol=0.0, atol=AGREE)
        friction = (problem.conditions.kind == Kind.FRICTION) & (np.abs(exact.p) > 1e-6)
        sliding += int(np.sum(np.abs(exact.w[friction]) > 1e-6))
        sticking += int(np.sum(np.abs(exact.w[friction]) < 1e-9))
    assert compared >= 60
    assert sliding > 10
    assert sticking > 10


def test_mixed_and_reduced_problem_have_the_same_solution(rng: np.random.Generator) -> None:
    for _ in range(20):
        problem = frictionless(rng, doubled=True)
        rows = problem.conditions.kind == Kind.UNILATERAL
        GT, c = problem.GT.toarray()[rows], problem.c[rows]
        B = rng.normal(size=(GT.shape[1],) * 2)
        M = B @ B.T + 0.5 * np.eye(len(B))
        mixed = Mixed(M, GT.T, M @ problem.v, c)
        v, p, w = mixed.solve()
        m = int(np.sum(rows))
        # the printed matrix form: [0; w] = matrix [v; p] + vector
        lines = mixed.matrix @ np.concatenate((v, p)) + mixed.vector
        np.testing.assert_allclose(lines[: len(v)], 0.0, atol=1e-9 * max(1.0, float(np.max(np.abs(M @ v)))))
        np.testing.assert_allclose(lines[len(v) :], w, atol=1e-9)
        A, b = mixed.eliminate_velocities()
        reduced = Problem.from_dense(GT, M, problem.v, c, Conditions.of([Kind.UNILATERAL] * m))
        np.testing.assert_allclose(A, reduced.delassus, atol=1e-10)
        np.testing.assert_allclose(b, reduced.b, atol=1e-10)
        np.testing.assert_allclose(w, Exact().solve(reduced).w, atol=AGREE)


def test_friction_on_a_disc_opposes_sliding() -> None:
    # a unit mass pressed down by 2 that slides with (3, 4): μ = 0.25 takes 0.5 along (3, 4) / 5
    conditions = Conditions.of([Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2], [-1, 0, 0], [0.0, 0.25, 0.25])
    problem = Problem.from_dense(np.eye(3), np.eye(3), [-2.0, 3.0, 4.0], np.zeros(3), conditions)
    solution = GaussSeidel(1e-13).solve(problem).require()
    np.testing.assert_allclose(solution.p, [2.0, -0.3, -0.4], atol=1e-12)
    # on a box it would take 0.5 of each component
    box = Conditions.of([Kind.UNILATERAL, Kind.FRICTION, Kind.FRICTION], [-1, 0, 0], [0.0, 0.25, 0.25])
    problem = Problem.from_dense(np.eye(3), np.eye(3), [-2.0, 3.0, 4.0], np.zeros(3), box)
    np.testing.assert_allclose(GaussSeidel(1e-13).solve(problem).p, [2.0, -0.5, -0.5], atol=1e-12)


def test_friction_on_a_disc_sticks_where_it_can(rng: np.random.Generator) -> None:
    B = rng.normal(size=(3, 3))
    M = B @ B.T + np.eye(3)
    conditions = Conditions.of([Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2], [-1, 0, 0], [0.0, 9.0, 9.0])
    problem = Problem.from_dense(np.eye(3), M, [-2.0, 0.3, 0.4], np.zeros(3), conditions)
    solution = GaussSeidel(1e-13).solve(problem).require()
    # all held: M v⁺ = 0, so that the impulse is −M v
    np.testing.assert_allclose(solution.p, -M @ problem.v, atol=1e-11)


def test_warm_start_at_the_solution_needs_one_sweep(rng: np.random.Generator) -> None:
    cold = GaussSeidel(1e-13, 100_000).solve(problem := frictional(rng)).require()
    while cold.sweeps < 10:
        cold = GaussSeidel(1e-13, 100_000).solve(problem := frictional(rng)).require()
    warm = GaussSeidel(1e-10).solve(problem, cold.p).require()
    assert warm.sweeps == 1
    np.testing.assert_allclose(warm.w, cold.w, atol=1e-10)


def test_tolerance_bounds_residual_and_few_sweeps_are_reported(rng: np.random.Generator) -> None:
    problem = frictionless(rng, doubled=False)
    while GaussSeidel(1e-12).solve(problem).sweeps < 20:
        problem = frictionless(rng, doubled=False)
    sweeps = []
    for tolerance in (1e-4, 1e-8, 1e-12):
        solution = GaussSeidel(tolerance).solve(problem)
        assert solution.residual <= tolerance
        sweeps.append(solution.sweeps)
    assert sweeps == sorted(sweeps)
    short = GaussSeidel(1e-12, max_sweeps=3).solve(problem)
    assert not short.converged
    assert short.sweeps == 3
    with pytest.raises(ConvergenceError, match="after 3 sweeps"):
        short.require()


def test_contradicting_rows_are_infeasible() -> None:
    rows = Conditions.of([Kind.UNILATERAL] * 2)
    # v ≥ 1 and v ≤ −1
    problem = Problem.from_dense([[1.0], [-1.0]], [[1.0]], [0.0], [-1.0, -1.0], rows)
    with pytest.raises(InfeasibleError, match=r"rows \[0, 1\] contradict"):
        Exact().solve(problem)
    assert not GaussSeidel(max_sweeps=1000).solve(problem).converged
    both = Conditions.of([Kind.BILATERAL] * 2)
    problem = Problem.from_dense([[1.0, 0.0], [1.0, 0.0]], np.eye(2), [0.0, 0.0], [1.0, 2.0], both)
    with pytest.raises(InfeasibleError, match=r"rows \[0, 1\] contradict"):
        Exact().solve(problem)
    mixed = Conditions.of([Kind.BILATERAL, Kind.UNILATERAL])
    problem = Problem.from_dense([[1.0, 0.0], [1.0, 0.0]], np.eye(2), [0.0, 0.0], [0.0, -1.0], mixed)
    with pytest.raises(InfeasibleError, match=r"rows \[0, 1\] contradict"):
        Exact().solve(problem)


def test_rows_that_move_nothing() -> None:
    rows = Conditions.of([Kind.UNILATERAL] * 2)
    fine = Problem.from_dense([[0.0, 0.0], [1.0, 0.0]], np.eye(2), [-1.0, 0.0], [0.5, 0.0], rows)
    for solver in (Exact(), GaussSeidel()):
        np.testing.assert_allclose(solver.solve(fine).p, [0.0, 1.0])
    impossible = Problem.from_dense(
        [[0.0, 0.0]], np.eye(2), [0.0, 0.0], [-0.5], Conditions.of([Kind.UNILATERAL])
    )
    with pytest.raises(InfeasibleError, match=r"rows \[0\] contradict"):
        Exact().solve(impossible)
    assert not GaussSeidel().solve(impossible).converged


def test_no_rows_at_all() -> None:
    nothing = np.zeros((0, 2))
    problem = Problem(nothing, nothing, np.ones(2), np.zeros(0), Conditions.of([]))
    for solver in (Exact(), GaussSeidel()):
        solution = solver.solve(problem).require()
        np.testing.assert_array_equal(solution.v, np.ones(2))


# Uniqueness


def test_parallel_cables_share_their_load_in_any_way() -> None:
    GT = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    problem = Problem.from_dense(
        GT, np.diag([2.0, 1.0]), [-1.0, -3.0], np.zeros(3), Conditions.of([Kind.UNILATERAL] * 3)
    )
    one = GaussSeidel().solve(problem)
    other = GaussSeidel().solve(problem, np.array([0.0, 1.5, 0.0]))
    assert abs(one.p[0] - other.p[0]) > 1.0
    np.testing.assert_allclose(one.v, other.v, atol=1e-9)
    report = uniqueness(problem, one)
    assert report.w_unique
    assert not report.p_unique
    assert report.null_space.shape == (3, 1)
    np.testing.assert_allclose(GT.T @ report.null_space, 0.0, atol=1e-12)
    np.testing.assert_allclose(report.lowest, [0.0, 0.0, 3.0], atol=1e-9)
    np.testing.assert_allclose(report.highest, [2.0, 2.0, 3.0], atol=1e-9)
    np.testing.assert_allclose(evenly(problem, one), [1.0, 1.0, 3.0], atol=1e-9)


def test_opposite_cables_may_be_stretched_without_limit() -> None:
    GT = np.array([[1.0], [-1.0]])
    problem = Problem.from_dense(GT, [[1.0]], [-1.0], np.zeros(2), Conditions.of([Kind.UNILATERAL] * 2))
    solution = Exact().solve(problem)
    report = uniqueness(problem, solution)
    np.testing.assert_allclose(report.lowest, [1.0, 0.0], atol=1e-9)
    assert np.all(np.isinf(report.highest))
    np.testing.assert_allclose(
        evenly(problem, Problem.solution(problem, np.array([4.0, 3.0]), "")), [1.0, 0.0]
    )


def test_independent_rows_have_unique_impulses(rng: np.random.Generator) -> None:
    problem = Problem.from_dense(
        np.eye(3), np.eye(3), -np.ones(3), np.zeros(3), Conditions.of([Kind.UNILATERAL] * 3)
    )
    report = uniqueness(problem, Exact().solve(problem))
    assert report.p_unique
    assert report.null_space.shape == (3, 0)
    assert not uniqueness(frictional(rng), TIGHT.solve(frictional(rng))).w_unique


def test_the_solution_is_the_projection_onto_a_cone() -> None:
    # the point nearest to the origin of {x + y ≥ 2, x ≥ 1.5} is (1.5, 0.5)
    rows = Conditions.of([Kind.UNILATERAL] * 2)
    problem = Problem.from_dense([[1.0, 1.0], [1.0, 0.0]], np.eye(2), np.zeros(2), [-2.0, -1.5], rows)
    np.testing.assert_allclose(Exact().solve(problem).v, [1.5, 0.5], atol=1e-12)


# Refusals


def one_row(**changes: Floats | float) -> Problem:
    given = {"GT": np.ones((1, 1)), "M": np.eye(1), "v": np.zeros(1), "c": np.zeros(1), **changes}
    return Problem.from_dense(
        given["GT"], given["M"], given["v"], given["c"], Conditions.of([Kind.UNILATERAL])
    )


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("v", np.array([np.nan]), "v must be finite numbers"),
        ("c", np.array([np.inf]), "c must be finite numbers"),
        ("GT", np.array([[np.nan]]), "GT must be finite"),
        ("M", np.zeros((1, 1)), "not positive definite"),
        ("M", -np.eye(1), "not positive definite"),
        ("c", np.zeros(2), "GT is 1×1; it must be 2×1"),
    ],
)
def test_problems_with_bad_numbers_are_refused(name: str, value: Floats, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        one_row(**{name: value})


@pytest.mark.parametrize(
    ("kinds", "normal", "mu", "lower", "upper", "words"),
    [
        ([Kind.FRICTION], [-1], [0.5], None, None, "normal of friction row 0 is row -1"),
        ([Kind.BILATERAL, Kind.FRICTION], [-1, 0], [0, 0.5], None, None, "a unilateral row or a box"),
        ([Kind.UNILATERAL, Kind.FRICTION], [-1, 0], [0, -0.5], None, None, "must be finite and at least 0"),
        ([Kind.UNILATERAL, Kind.FRICTION], [-1, 0], [0, np.nan], None, None, "must be finite and at least 0"),
        ([Kind.UNILATERAL, Kind.DISC_1], [-1, 0], [0, 0.5], None, None, "in pairs"),
        ([Kind.BOX], None, None, [1.0], [0.0], "must be in order"),
        ([Kind.BOX], None, None, [np.nan], [0.0], "must be in order"),
        ([Kind.UNILATERAL], None, [0.0, 0.0], None, None, "one entry per row"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(
    kinds: list[Kind], normal: object, mu: object, lower: object, upper: object, words: str
) -> None:
    with pytest.raises(ModelError, match=words):
        Conditions.of(kinds, normal, mu, lower, upper)  # type: ignore[arg-type]


def test_solvers_refuse_bad_settings() -> None:
    for tolerance in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ModelError, match="tolerance"):
            GaussSeidel(tolerance)
    with pytest.raises(ModelError, match="max_sweeps"):
        GaussSeidel(max_sweeps=0)
    with pytest.raises(ModelError, match="start of the iteration"):
        GaussSeidel().solve(one_row(), np.array([np.nan]))


def test_friction_of_a_given_bound(rng: np.random.Generator) -> None:
    # normal rows that are boxes of no width: the conditions are those of boxes ± μ p_n
    for _ in range(30):
        problem = frictional(rng)
        kind, normal, mu, lower, upper = problem.conditions
        given = np.where(kind == Kind.UNILATERAL, rng.uniform(0.0, 2.0, len(kind)), lower)
        held = np.where(kind == Kind.UNILATERAL, given, upper)
        boxed = problem.conditions._replace(
            kind=np.where(kind == Kind.UNILATERAL, int(Kind.BOX), kind), lower=given, upper=held
        )
        boxed.check()
        bound = np.where(kind == Kind.FRICTION, mu * given[normal], held)
        plain = Conditions.of(
            [Kind.BOX] * len(kind), lower=np.where(kind == Kind.FRICTION, -bound, given), upper=bound
        )
        expected = Exact().solve(replace(problem, conditions=plain))
        for solver in (Exact(), Chain(1e-13), GaussSeidel(1e-12)):
            found = solver.solve(replace(problem, conditions=boxed))
            np.testing.assert_allclose(found.w, expected.w, atol=1e-8)


def test_no_interrupt_is_lost_where_kinds_are_compared() -> None:
    """NumPy drops what is raised while it asks for attributes, Ctrl-C too: none of them may run Python."""
    called: list[str] = []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        found = np.arange(6) == Kind.DISC_2
    finally:
        sys.setprofile(None)
    assert called == []
    assert found.tolist() == 5 * [False] + [True]
