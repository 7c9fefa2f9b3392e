"""Rounded corners: the convolution they are, their offset, area and slopes."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from ce_dynamics.models.parts.rounding import (
    AREA,
    OFFSET,
    fillet,
    nearness,
    round_absolute,
    round_clip,
    round_ramp,
    rounded_ramp_integral,
    vertex_offset,
)

W = 0.3
U = np.linspace(-1.0, 1.0, 401)


def test_rounded_ramp_is_the_convolution_with_the_kernel() -> None:
    """max(u, 0) ∗ 15/16 (1 − v²)² of half width 1, by SymPy, for both halves of the rounding."""
    u, v, t = sp.symbols("u v t", real=True)
    convolved = sp.integrate((u - v) * sp.Rational(15, 16) * (1 - v**2) ** 2, (v, -1, u))
    written = sp.nsimplify(sp.expand(fillet(t)))
    assert sp.expand(written.subs(t, 1 + u) - convolved) == 0  # u < 0: nothing but the fillet
    assert sp.expand(written.subs(t, 1 - u) + u - convolved) == 0  # u > 0: the line as well
    # smooth at its ends (t⁴) and within, where both halves are this one polynomial
    assert [written.diff(t, k).subs(t, 0) for k in range(4)] == [0, 0, 0, 0]
    assert written.subs(t, 1) == sp.Rational(5, 32) == sp.nsimplify(OFFSET)
    assert 2 * sp.integrate(written, (t, 0, 1)) == sp.nsimplify(AREA, rational=True)


def test_rounding_is_exact_outside_and_between_lines_inside() -> None:
    for u in U:
        ramp, size = round_ramp(u, W), round_absolute(u, W)
        if abs(u) >= W:
            assert (ramp, size) == (max(u, 0.0), abs(u))
        assert 0.0 <= ramp - max(u, 0.0) <= OFFSET * W
        assert 0.0 <= size - abs(u) <= 2.0 * OFFSET * W
    slopes = np.diff([round_ramp(u, W) for u in U]) / np.diff(U)
    assert np.all(np.diff(slopes) >= -1e-12)  # convex; rounding is 1e-16 over 5e-3
    assert -1e-13 < slopes.min() < slopes.max() < 1.0 + 1e-13


@pytest.mark.parametrize("u", [-0.4, -0.2, 0.0, 0.1, 0.3, 0.9])
def test_integral_of_a_rounded_ramp(u: float) -> None:
    integral = quad(lambda s: float(round_ramp(s, W)), -1.0, u, points=[-W, 0.0, W], epsabs=1e-13)[0]
    assert rounded_ramp_integral(u, W) == pytest.approx(integral, abs=1e-12)


def test_pinned_corner_stays_and_overshoots_by_a_third() -> None:
    sizes = np.array(
        [abs(u) + 2.0 * W * (fillet(t) - vertex_offset(t)) for u in U for t in (nearness(u, W),)]
    )
    assert sizes[U == 0.0] == 0.0
    assert np.all((sizes >= 0.0) & (sizes <= np.abs(U) + 1e-15))
    slopes = np.abs(np.diff(sizes) / np.diff(U))
    assert 1.3 < slopes.max() < 4.0 / 3.0
    assert float(nearness(2.0 * W, W)) == 0.0


def test_rounded_limits() -> None:
    x = np.linspace(-0.5, 1.5, 201)
    found = np.array([round_clip(value, 0.1) for value in x])
    assert np.all(np.diff(found) >= -1e-16)
    exact = (np.abs(x) >= 0.1) & (np.abs(x - 1.0) >= 0.1)
    assert found[exact] == pytest.approx(np.clip(x, 0.0, 1.0)[exact], abs=1e-15)
