"""Force laws against quadrature, differences, SciPy and hand-made values; what is refused."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator

from ce_dynamics.compiler import trace
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.forces.laws import DryFriction, Law, Linear, Polynomial, Tabulated

X = (-1.0, -0.2, 0.1, 0.5, 2.0)
Y = (-4.0, -3.0, 0.5, 0.6, 5.0)

LAWS: dict[str, Callable[[], Law]] = {
    "linear": lambda: Linear(3.0),
    "dry friction": lambda: DryFriction(3.0, 0.4),
    "polynomial": lambda: Polynomial((2.0, -1.0, 0.5, 4.0)),
    "constant": lambda: Polynomial((2.0,)),
    "table": lambda: Tabulated(X, Y),
    "smooth table": lambda: Tabulated(X, Y, "cubic"),
    "table of two": lambda: Tabulated((0.5, 1.0), (1.0, 3.0), "cubic"),
    "table below zero": lambda: Tabulated((-2.0, -1.0, -0.5), (1.0, 3.0, 0.0)),
}
ARGUMENTS = (-3.0, -1.0, -0.7, -0.2, 0.0, 0.07, 0.1, 0.3, 0.5, 1.2, 2.0, 3.3)


@pytest.fixture(params=LAWS)
def law(request: pytest.FixtureRequest) -> Law:
    return LAWS[request.param]()


@pytest.mark.parametrize("x", ARGUMENTS)
def test_energy_is_the_integral_of_the_force(law: Law, x: float) -> None:
    """Quadrature between the break points, to its own precision of about 1e-10."""
    expected = sum(
        quad(law.force, a, b, epsabs=1e-12, epsrel=1e-12)[0] * math.copysign(1.0, x)
        for a, b in between(min(0.0, x), max(0.0, x))
    )
    assert law.energy(x) == pytest.approx(expected, rel=1e-10, abs=1e-10)


def between(a: float, b: float) -> list[tuple[float, float]]:
    points = [a, *sorted(p for p in (*X, -2.0, -0.5, 1.0) if a < p < b), b]
    return list(pairwise(points))


def test_no_energy_at_zero(law: Law) -> None:
    assert law.energy(0.0) == 0.0


def test_traced_equals_float(law: Law) -> None:
    traced = trace("law", lambda x: {"F": law.force(x), "E": law.energy(x)}, {"x": ()})
    for x in ARGUMENTS:
        result = traced.evaluate(x=x)
        assert result["F"] == law.force(x)
        assert result["E"] == law.energy(x)


def test_polynomial_by_hand() -> None:
    law = Polynomial((2.0, -1.0, 0.5, 4.0))
    assert law.force(2.0) == 2.0 - 2.0 + 2.0 + 32.0
    assert law.energy(2.0) == pytest.approx(4.0 - 2.0 + 8.0 / 6.0 + 16.0)


def test_table_by_hand() -> None:
    law = Tabulated((0.0, 1.0, 3.0), (0.0, 2.0, 1.0))
    assert [law.force(x) for x in (-1.0, 0.5, 2.0, 5.0)] == [-2.0, 1.0, 1.5, 0.0]
    assert law.energy(3.0) == pytest.approx(1.0 + 3.0)
    assert law.energy(-1.0) == pytest.approx(1.0)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_passes_through_its_points(interpolation: str) -> None:
    law = Tabulated(X, Y, interpolation)
    np.testing.assert_allclose([law.force(x) for x in X], Y, rtol=0.0, atol=1e-15)


def test_cubic_is_pchip_inside_and_straight_outside() -> None:
    law, reference = Tabulated(X, Y, "cubic"), PchipInterpolator(X, Y)
    slope = reference.derivative()
    for x in np.linspace(X[0], X[-1], 57):
        assert law.force(float(x)) == pytest.approx(float(reference(x)), abs=1e-13)
    assert law.force(X[0] - 2.0) == pytest.approx(Y[0] - 2.0 * float(slope(X[0])))
    assert law.force(X[-1] + 2.0) == pytest.approx(Y[-1] + 2.0 * float(slope(X[-1])))


def test_cubic_does_not_overshoot() -> None:
    """A step: values stay between those of the points, where a cubic spline would swing beyond."""
    law = Tabulated((-2.0, -1.0, -0.1, 0.1, 1.0, 2.0), (0.0, 0.0, 0.0, 1.0, 1.0, 1.0), "cubic")
    values = [law.force(float(x)) for x in np.linspace(-2.0, 2.0, 201)]
    assert min(values) >= 0.0
    assert max(values) <= 1.0
    assert all(np.diff(values) >= 0.0)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_nan_beyond_the_table_on_request(interpolation: str) -> None:
    law = Tabulated(X, Y, interpolation, extrapolation="nan")
    unlimited = Tabulated(X, Y, interpolation)
    traced = trace("law", lambda x: {"F": law.force(x), "E": law.energy(x)}, {"x": ()})
    for x in (*X, 0.0, 1.0):
        assert law.force(x) == unlimited.force(x)
        assert law.energy(x) == unlimited.energy(x)
        assert traced.evaluate(x=x)["F"] == law.force(x)
    for x in (np.nextafter(X[0], -9.0), np.nextafter(X[-1], 9.0), -9.0, 9.0):
        assert math.isnan(law.force(float(x)))
        assert math.isnan(law.energy(float(x)))
        assert np.isnan(traced.evaluate(x=x)["F"])


def test_nan_in_nan_out(law: Law) -> None:
    assert math.isnan(law.energy(math.nan))
    if not isinstance(law, Polynomial):
        assert math.isnan(law.force(math.nan))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Linear(math.nan), "k nan must be a finite number"),
        (lambda: Polynomial(()), "coefficients are empty"),
        (lambda: Polynomial((1.0, math.inf)), "must be a list of finite numbers"),
        (lambda: Polynomial(["x"]), "must be a list of numbers"),  # type: ignore[list-item]
        (lambda: Tabulated((0.0,), (1.0,)), "x has 1 points; give at least 2"),
        (lambda: Tabulated((0.0, 1.0), (1.0,)), "x has 2 points but y has 1"),
        (lambda: Tabulated((0.0, 1.0, 1.0), (1.0, 2.0, 3.0)), r"x\[2\] = 1 is not greater than x\[1\] = 1"),
        (lambda: Tabulated((0.0, math.nan), (1.0, 2.0)), "x .* must be a list of finite numbers"),
        (lambda: Tabulated((0.0, 1.0), (1.0, math.inf)), "y .* must be a list of finite numbers"),
        (
            lambda: Tabulated(X, Y, "spline"),
            "interpolation 'spline' is not known; choose one of linear, cubic",
        ),
        (lambda: Tabulated(X, Y, extrapolation="clamp"), "extrapolation 'clamp' is not known"),
        (lambda: Tabulated((1.0, 2.0), (1.0, 2.0), extrapolation="nan"), "does not contain 0"),
    ],
)
def test_refuses(make: Callable[[], Law], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def test_keeps_its_own_copy_of_the_table() -> None:
    x, y = np.array(X), np.array(Y)
    law = Tabulated(x, y)
    before = law.force(0.3)
    x[:], y[:] = 0.0, 0.0
    assert law.force(0.3) == before
