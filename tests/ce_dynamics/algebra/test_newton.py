"""Newton's method on systems whose solutions are known."""

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import (
    Differenced,
    backtrack,
    descend,
    differences,
    find_root,
    largest_residual,
    limit_step,
    polish,
    whole_steps,
)


def circle_and_line(x: Floats) -> tuple[Floats, Floats]:
    """x² + y² = 2 and x = y, which meet at (1, 1), and x = y again."""
    r = np.array((x @ x - 2.0, x[0] - x[1], x[0] - x[1]))
    return r, np.array((2.0 * x, (1.0, -1.0), (1.0, -1.0)))


def test_polish_reaches_rounding_with_redundant_rows() -> None:
    x, error = polish(circle_and_line, np.add, np.array((1.3, 0.9)), 1e-9)
    # quadratic convergence from 1e-9 ends at rounding of x² ≈ 1
    np.testing.assert_allclose(x, (1.0, 1.0), rtol=0.0, atol=4.0 * np.finfo(float).eps)
    assert error <= 4.0 * np.finfo(float).eps


def test_polish_reports_the_least_residual_without_a_solution() -> None:
    """x² + 1 has its least value, 1, at 0, and Newton's steps never come below it."""
    _, error = polish(lambda x: (x * x + 1.0, np.diag(2.0 * x)), np.add, np.array((0.4,)), 1e-9)
    assert error >= 1.0


def test_polish_returns_the_error_of_its_unknowns() -> None:
    """Steps on atan x = 0 from 2 diverge: the error at 2 is less than that where they end."""

    def equations(x: Floats) -> tuple[Floats, Floats]:
        return np.arctan(x), np.diag(1.0 / (1.0 + x * x))

    x, error = polish(equations, np.add, np.array((2.0,)), 1e-9, iterations=3)
    assert abs(x[0]) > 100.0
    assert error == np.arctan(abs(x[0])) > np.arctan(2.0)


class Arctangent:
    """atan x = 0, on which full Newton steps from |x| > 1.4 diverge."""

    def gap(self, x: Floats) -> Floats:
        return np.arctan(x)

    def slope(self, x: Floats) -> Floats:
        return np.diag(1.0 / (1.0 + x * x))

    def displace(self, x: Floats, step: Floats) -> Floats:
        return np.asarray(x + step)


def test_descend_converges_where_full_steps_diverge() -> None:
    found = descend(Arctangent(), np.array((20.0,)), 1e-13)
    assert found.size <= 1e-13
    goal = descend(Arctangent(), np.array((20.0,)), 1e-13, goal=np.array((0.5,)))
    assert goal.x == pytest.approx(np.tan(0.5), rel=1e-12)


def test_descend_stops_when_its_effort_is_spent() -> None:
    found = descend(Arctangent(), np.array((20.0,)), 1e-13, is_spent=lambda: True)
    assert found.x == 20.0


def test_differences_are_those_ahead() -> None:
    """A linear map to rounding, 1e-16 of numbers near 10 over the step; a corner by the piece ahead."""
    A = np.array(((1.0, -2.0, 0.5), (3.0, 0.0, 4.0)))
    np.testing.assert_allclose(differences(lambda x: A @ x, np.array((1.0, 2.0, -1.0)), 1e-7), A, atol=1e-7)
    assert differences(np.abs, np.zeros(1), 1e-7) == 1.0


def test_whole_steps_keep_unknowns_at_rest() -> None:
    """By elimination exactly; a singular system is solved by the least step, (1, 1) of x + y = 2."""
    J = np.array(((3.0, 0.0), (0.1, 7.0)))
    assert next(iter(whole_steps(None, J, np.array((0.0, 1.0)))))[0] == 0.0
    (least,) = whole_steps(None, np.ones((2, 2)), np.array((-2.0, -2.0)))
    np.testing.assert_allclose(least, (1.0, 1.0), rtol=1e-14)


def test_a_root_is_found_where_newton_ends() -> None:
    """x² = 1 from 0, where the tangent is level."""
    start = np.zeros(1)
    assert descend(Differenced(lambda x: x * x - 1.0), start, 0.0, steps=whole_steps).size >= 0.5
    assert abs(find_root(lambda x: x * x - 1.0, start, 1e-9, patient=True).x) == 1.0


def test_without_a_root_the_least_squares_are_returned() -> None:
    """Freudenstein and Roth (1963): 48.98425 at (11.4128, −0.8968), to the digits published."""

    def residual(x: Floats) -> Floats:
        a, b = x
        return np.array((a - 13.0 + ((5.0 - b) * b - 2.0) * b, a - 29.0 + ((b + 1.0) * b - 14.0) * b))

    found = find_root(residual, np.array((0.5, -2.0)), 1e-9, patient=True)
    assert found.gap @ found.gap == pytest.approx(48.98425, abs=5e-6)
    np.testing.assert_allclose(found.x, (11.4128, -0.8968), rtol=0.0, atol=5e-5)


def test_backtrack_halves_down_to_the_smallest_part() -> None:
    asked: list[float] = []
    assert backtrack(lambda part: asked.append(part), 0.25) is None
    assert asked == [1.0, 0.5, 0.25]
    assert backtrack(lambda part: part if part < 0.6 else None) == 0.5


def test_shortened_steps_keep_their_direction() -> None:
    np.testing.assert_allclose(limit_step(np.array((3.0, -6.0)), 0.3), (0.15, -0.3), rtol=1e-15)
    np.testing.assert_array_equal(limit_step(np.array((0.1, -0.2)), 0.3), (0.1, -0.2))
    assert largest_residual(np.array((1.0, np.nan))) == np.inf
