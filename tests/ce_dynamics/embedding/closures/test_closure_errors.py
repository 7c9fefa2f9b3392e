"""Closure errors against finite differences, and ranks of closure Jacobians against counting."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.embedding.closures.choices import RowChoice, smallest_singular
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.embedding.closures.loop import ClosureErrors, Loop, moving, numerical_rank
from ce_dynamics.mechanism.hinges.conditions import Closure
from tests.ce_dynamics.opaque import opaque, reveal
from tests.support.systems import add, bricard, five_bar, floating_coupler, four_bar, rsur, spatial_slider

CLOSURES: dict[str, Closure] = {
    "revolute": ce.Revolute((0.2, 1.0, 0.3), (0.7, 0.4, -0.2)),
    "spherical": ce.Spherical((0.7, 0.4, -0.2)),
    "universal": ce.Universal((1.0, 0.0, 0.2), (0.0, 1.0, 0.4), (0.7, 0.4, -0.2)),
    "prismatic": ce.Prismatic((1.0, 0.5, 0.0), (0.7, 0.4, -0.2)),
    "cylindrical": ce.Cylindrical((1.0, 0.5, 0.0), (0.7, 0.4, -0.2)),
    "screw": ce.Screw((1.0, 0.5, 0.0), 0.8, (0.7, 0.4, -0.2)),
    "distance": ce.Distance((0.7, 0.4, -0.2), (0.1, 0.9, 0.3)),
}


def open_loop(closure: Closure) -> Loop:
    """Two branches of two bodies with hinges of every sort, whose tips a closure compares."""
    system = ce.System()
    add(system, "a", "ground", ce.Revolute((0.0, 0.3, 1.0)), np.array((0.2, 0.1, 0.0)))
    add(
        system,
        "b",
        "a",
        ce.Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.2), (0.4, 0.1, 0.0)),
        np.array((0.5, 0.2, 0.1)),
    )
    add(system, "c", "ground", ce.Cylindrical((1.0, 0.2, 0.0), (1.0, 0.0, 0.0)), np.array((1.0, 0.1, 0.0)))
    add(system, "d", "c", ce.Screw((0.0, 0.0, 1.0), 0.5, (0.9, 0.3, 0.0)), np.array((0.8, 0.3, 0.1)))
    loop = system.close_loop("tips", "b", "d", closure)
    return Loop(system.ground, tuple(system.bodies), (loop,), tuple(system.bodies[:2]))


def errors(loop: Loop, q: Array, v: Array) -> ClosureErrors:
    """Closure errors with all six coordinates moving: three dependent, three given."""
    return loop.errors(q[:3], v, moving(loop.given, q[3:]), {})


@pytest.mark.parametrize("name", CLOSURES)
def test_velocity_and_acceleration_rows_are_derivatives_of_residual(
    name: str, rng: np.random.Generator
) -> None:
    """Central differences with h = 1e-4: errors h² f‴ / 6 < 1e-6 for |f‴| < 600, and 1e-16 / h² = 1e-8."""
    loop = open_loop(CLOSURES[name])
    q, v = 0.3 * rng.normal(size=6), rng.uniform(-1.0, 1.0, 6)
    h = 1e-4
    before, now, after = (errors(loop, q + s * v, v) for s in (-h, 0.0, h))
    np.testing.assert_allclose(now.Y @ v, (after.residual - before.residual) / (2.0 * h), rtol=0.0, atol=2e-6)
    second = (after.residual - 2.0 * now.residual + before.residual) / h**2
    np.testing.assert_allclose(now.delta_dot, second, rtol=0.0, atol=2e-6)
    np.testing.assert_allclose(now.drift, 0.0, atol=0.0)


@pytest.mark.parametrize("name", CLOSURES)
def test_positions_alone_give_the_same_residual(name: str, rng: np.random.Generator) -> None:
    loop = open_loop(CLOSURES[name])
    q = 0.3 * rng.normal(size=6)
    alone = loop.residual(q[:3], moving(loop.given, q[3:]), {})
    np.testing.assert_array_equal(alone, errors(loop, q, np.zeros(6)).residual)


@pytest.mark.parametrize("name", ["revolute", "distance"])
def test_residual_does_not_look_at_its_values(name: str, rng: np.random.Generator) -> None:
    loop = open_loop(CLOSURES[name])
    q = 0.3 * rng.normal(size=6)
    hidden = loop.residual(opaque(q[:3]), moving(loop.given, opaque(q[3:])), {})
    plain = loop.residual(q[:3], moving(loop.given, q[3:]), {})
    # NumPy may add up the products of floats in another order
    np.testing.assert_allclose(reveal(hidden), plain, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize(
    ("system", "freedoms"),
    [
        (four_bar((1.0, 3.0, 2.5, 3.2), 0.7), 1),  # Grübler in the plane: 3·3 − 2·4
        (five_bar(), 2),
        (floating_coupler(), 1),
        (rsur(), 1),  # in space: 6·3 − 5 − 3 − 4 − 5
        (spatial_slider("cylindrical"), 1),
        (bricard(), 1),  # Grübler's formula gives 0
    ],
    ids=["four-bar", "five-bar", "floating coupler", "RSUR", "cylindrical", "Bricard"],
)
def test_degrees_of_freedom(system: ce.System, freedoms: int) -> None:
    assert Freedoms(system.bodies, system.closures, system.bodies).number == freedoms


def test_rank_of_dependent_rows() -> None:
    Y = np.array([[1.0, 2.0, 3.0], [0.5, 1.0, 1.5], [0.0, 1.0, 0.0], [1.0, 3.0, 3.0]])
    assert numerical_rank(Y) == 2
    assert numerical_rank(Y + 1e-6 * np.eye(4, 3)) == 3
    assert numerical_rank(np.zeros((0, 4))) == 0


def test_kept_rows_are_independent_in_every_sample(rng: np.random.Generator) -> None:
    """Rows 0 and 1 coincide in the first sample, 1 and 2 in the second: only 0 and 2 serve in both."""
    first = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    second = np.array([[1.0, 0.5], [0.2, 1.0], [0.2, 1.0], [0.0, 0.0]])
    choice = RowChoice([first, second])
    assert choice.rows == (0, 2)
    assert choice.quality > 0.5


def test_kept_rows_of_many(rng: np.random.Generator) -> None:
    """30 rows of rank 12, beyond exhaustive search: nothing of the rank may be lost."""
    Y = rng.normal(size=(30, 12))
    kept = Y[list(RowChoice([Y]).rows)]
    assert kept.shape == (12, 12)
    assert smallest_singular(kept) > 0.02 * smallest_singular(Y)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_solution_of_small_systems(n: int, rng: np.random.Generator) -> None:
    for _ in range(10):
        A, b = rng.normal(size=(n, n)), rng.normal(size=n)
        A[rng.integers(n), rng.integers(n)] = 0.0 if n > 1 else 1.0
        lu = PivotedLU(opaque(A))
        x = reveal(lu.solve(opaque(b)))
        np.testing.assert_allclose(A @ x, b, rtol=0.0, atol=1e-14 * n * np.linalg.cond(A))
        determinant = reveal(np.array([lu.determinant], dtype=object))[0]
        assert determinant == pytest.approx(np.linalg.det(A), rel=1e-12, abs=1e-14)


def test_zero_pivots_are_exchanged() -> None:
    """A permutation has only zeros where the pivots stand; zeros by structure and by value."""
    A = np.array([[0.0, 0.0, 2.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    b = np.array([2.0, 3.0, 4.0])
    np.testing.assert_allclose(PivotedLU(A).solve(b), (1.0, 1.0, 1.0), rtol=1e-15)
    np.testing.assert_allclose(reveal(PivotedLU(opaque(A)).solve(opaque(b))), (1.0, 1.0, 1.0), rtol=1e-15)
    assert PivotedLU(A).determinant == pytest.approx(24.0)


def test_singular_matrix_gives_no_number() -> None:
    A = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert not np.all(np.isfinite(PivotedLU(A).solve(np.array([1.0, 0.0]))))
