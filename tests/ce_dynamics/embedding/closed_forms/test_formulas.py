"""Formulas for positions: they satisfy the equations that they are solutions of, on the branch asked for."""

import numpy as np
import pytest

from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.formulas import (
    solve_slide,
    solve_turn,
    third_corner,
    turn_equation,
    two_turns,
)

EPS = np.finfo(float).eps


def units(seed: int, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, 3))
    return list(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_turn_brings_a_point_to_its_distance(seed: int, sign: float) -> None:
    """The distance after the turn, and sign of w; some ten operations on numbers up to 4: 100 ε."""
    u, f, delta = units(seed, 3)
    reached = rotate_about(u, np.cos(0.7), np.sin(0.7), f) - delta
    square = float(reached @ reached)  # of some turn, so that there is one
    A, B, C = turn_equation(u, f, delta, square)
    c = solve_turn(A, B, C, sign)
    found = rotate_about(u, c[0], c[1], f) - delta
    assert found @ found == pytest.approx(square, abs=100 * EPS)
    assert np.sign(A * c[1] - B * c[0]) == sign


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("branch", [1.0, -1.0])
def test_two_turns_take_one_vector_to_another(seed: int, branch: float) -> None:
    """Both branches; the division by the sine of the axes' angles, above 0.1 here, costs two digits."""
    a1, a2, e = units(seed, 3)
    d = rotate_about(a1, np.cos(0.4), np.sin(0.4), rotate_about(a2, np.cos(1.1), np.sin(1.1), e))
    outer, inner = two_turns(a1, a2, e, d, branch)
    found = rotate_about(a1, outer[0], outer[1], rotate_about(a2, inner[0], inner[1], e))
    np.testing.assert_allclose(found, d, rtol=0.0, atol=1e4 * EPS)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_third_corner_has_both_lengths(side: float) -> None:
    n, D = np.array((0.0, 0.0, 1.0)), np.array((0.8, 0.3, 0.0))
    J = third_corner(D, n, 0.49, 0.36, side)
    assert pytest.approx(0.49, abs=10 * EPS) == J @ J
    assert pytest.approx(0.36, abs=10 * EPS) == (J - D) @ (J - D)
    assert np.sign(np.cross(D, J) @ n) == side


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("sine", [1e-2, 1e-5])
def test_slide_reaches_a_length(size: float, sine: float) -> None:
    """Sin² from 1e-12 on counts, whatever the size; s is zero as designed, to rounding."""
    axis = np.array((1.0, 0.0, 0.0))
    e = size * np.array((np.sqrt(1.0 - sine**2), sine, 0.0))
    assert solve_slide(axis, e, size**2, 1.0) == pytest.approx(0.0, abs=4e-16 * size)
    along, aside, s = e[0], e[1], 0.3 * size  # out by s: ℓ² = (along + s)² + aside²
    assert solve_slide(axis, e, (along + s) ** 2 + aside**2, 1.0) == pytest.approx(s, abs=4e-16 * size)
