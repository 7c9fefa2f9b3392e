"""The shock absorber in the paper's symbols, (28)-(30), and the linkage against it."""

import math

import numpy as np
import pytest
import sympy

from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.shock import Shock, shock_angles, shock_rates, shock_second
from tests.kinematics.bench import BenchState, bench

EPS = np.finfo(float).eps
X, Y, BETA = 0.55, 0.31, 1.1


@pytest.mark.parametrize("eta", [-2.9, -1.0, 0.2, 0.9, 2.2])
def test_formulas_by_symbolic_differentiation(eta: float) -> None:
    """γ and z as functions of η by implicit differentiation of (28)."""
    e = sympy.Symbol("eta")
    gamma, z = sympy.Function("gamma")(e), sympy.Function("z")(e)
    loop = sympy.Matrix(
        [
            Y * sympy.cos(e) + z * sympy.cos(gamma) - X * sympy.cos(BETA),
            Y * sympy.sin(e) + z * sympy.sin(gamma) - X * sympy.sin(BETA),
        ]
    )
    first = sympy.solve(list(loop.diff(e)), [gamma.diff(e), z.diff(e)], dict=True)[0]
    second = sympy.solve(list(loop.diff(e, 2)), [gamma.diff(e, 2), z.diff(e, 2)], dict=True)[0]
    angles = shock_angles(X, Y, BETA, eta)
    values = {z: angles.z, gamma: angles.gamma, e: eta}
    rates = {d: value.subs(values) for d, value in first.items()}
    gap = loop.subs(values)
    assert max(abs(float(x)) for x in gap) <= 4 * EPS
    # ∠DBJ = γ − η and r = z − const (29)
    expected = [float(rates[gamma.diff(e)]) - 1.0, float(rates[z.diff(e)])]
    np.testing.assert_allclose(shock_rates(Y, angles), expected, rtol=1e-14, atol=10 * EPS)
    curved = [float(second[f.diff(e, 2)].subs(rates).subs(values)) for f in (gamma, z)]
    np.testing.assert_allclose(shock_second(Y, angles), curved, rtol=1e-13, atol=20 * EPS)


def test_the_linkage_follows_the_formulas() -> None:
    """A planar shock on an arm in a skew plane is (28)-(30) about that plane's normal."""
    b = bench("shock, planar")
    shock = b.linkage
    assert isinstance(shock, Shock)
    axis = b.case.carriers[0].hinge.axis  # type: ignore[attr-defined]
    ex = shock.J / np.linalg.norm(shock.J)  # A is the origin
    ey = np.cross(axis, ex)
    x, y = float(np.linalg.norm(shock.J)), float(np.linalg.norm(shock.B))
    design = math.atan2(ey @ shock.B, ex @ shock.B)
    at_design = shock_angles(x, y, 0.0, design)
    rate = 1.3
    for theta in np.linspace(-0.9, 0.9, 7):
        motion = b.motion(BenchState(np.array((theta,)), np.array((rate,)), np.zeros(3)))
        angles = shock_angles(x, y, 0.0, design + theta)
        turn = (angles.gamma - angles.eta) - (at_design.gamma - at_design.eta)
        np.testing.assert_allclose(
            b.coordinates(motion), (turn, angles.z - at_design.z), rtol=0.0, atol=10 * EPS
        )
        kappa = 1.0 / angles.z
        X = b.stack(motion, "X")[:, 0]
        np.testing.assert_allclose(X, shock_rates(y, angles), rtol=0.0, atol=10 * EPS * kappa**2)
        bias = np.array(shock_second(y, angles)) * rate**2
        np.testing.assert_allclose(b.stack(motion, "bias"), bias, rtol=0.0, atol=40 * EPS * kappa**3)


def test_rate_of_extension_is_regular_at_zero_compression() -> None:
    """The printed (30) divides by r, which is zero in the design pose."""
    b = bench("shock, spatial")
    motion = b.motion(BenchState(np.zeros(1), np.ones(1), np.zeros(3)))
    displacement = b.coordinates(motion)[-1]
    assert abs(displacement) <= 2 * EPS
    h = 1e-5
    lengths = [
        b.coordinates(b.motion(BenchState(np.array((s * h,)), np.zeros(1), np.zeros(3))))[-1] for s in (1, -1)
    ]
    # central difference: truncation ~h², rounding ~eps / h
    assert b.stack(motion, "X")[-1, 0] == pytest.approx((lengths[0] - lengths[1]) / (2 * h), abs=1e-9)


def test_refused_geometry() -> None:
    with pytest.raises(ModelError, match="points BJ coincide"):
        Shock((1, 2, 3), (1, 2, 3))
    with pytest.raises(ModelError, match="out of the plane perpendicular to the axis"):
        Shock((0, 0, 0), (0, 1, 0.1), axis=(0, 0, 1))
