"""The Magic Formula as a function: meanings of its numbers, symmetry, limits, low speed, three executions."""

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres import MagicFormula, Outputs
from ce_dynamics.models.tyres.magic_formula.curve import (
    NEAR,
    cos_multiple,
    cosine_curve,
    cosine_curve_near_zero,
    is_near_zero,
    sin_multiple,
    small_arctan,
)
from ce_dynamics.models.tyres.magic_formula.operating_point import Inputs, Mode
from ce_dynamics.models.tyres.magic_formula.radii import (
    Surroundings,
    deflection_61,
    deflection_62,
    free_radius,
    linear_term,
    load_62,
)
from tests.models.tyres.magic_formula.figures import coefficients, symmetric
from tests.searching import examples

VERSIONS = pytest.mark.parametrize("version", [52, 61, 62])


@pytest.fixture(scope="module")
def tyres() -> dict[int, MagicFormula]:
    return {version: MagicFormula(coefficients(version)) for version in (52, 61, 62)}


@VERSIONS
def test_stiffness_and_friction_are_what_they_are_called(version: int) -> None:
    """K_xκ and K_yα are the slopes at zero, μ Fz the peaks: of a tyre without shifts, by differences."""
    tyre = MagicFormula(symmetric(version))
    h = 1e-5
    out = tyre(kappa=[-h, h], use_mode=211)
    # central differences: h² F‴/6 against F′, with F‴/F′ = B² (1 + E + C²/2)/… < 1e4 for B < 50
    assert (out.Fx[1] - out.Fx[0]) / (2.0 * h) == pytest.approx(out.Kxk[0], rel=1e4 * h * h)
    out = tyre(alpha=[-h, h], use_mode=211)
    assert (out.Fy[1] - out.Fy[0]) / (2.0 * h) == pytest.approx(out.Kya[0], rel=1e4 * h * h)
    slips = np.linspace(0.0, 1.0, 2001)
    out = tyre(kappa=slips, use_mode=211)
    assert out.Fx.max() == pytest.approx(out.mux[0] * out.Fz[0], rel=1e-5)
    out = tyre(alpha=-1.4 * slips, use_mode=211)
    assert out.Fy.max() == pytest.approx(out.muy[0] * out.Fz[0], rel=1e-4)


@VERSIONS
@pytest.mark.parametrize("use_mode", [111, 121, 112, 122])
def test_no_slip_no_force(version: int, use_mode: int) -> None:
    out = MagicFormula(symmetric(version))(Vx=[0.3, 20.0], use_mode=use_mode)
    for force in (out.Fx, out.Fy, out.Mx, out.Mz):
        assert force == pytest.approx([0.0, 0.0], abs=1e-9)
    assert (out.My < 0.0).all()


@VERSIONS
@pytest.mark.parametrize("use_mode", [111, 121, 112, 122, 211])
def test_the_other_side_is_the_image(version: int, use_mode: int) -> None:
    c = coefficients(version)
    right = MagicFormula(c, side="right")
    left = MagicFormula(c, side="right", mounted="left")
    assert not MagicFormula(c, side="right", mounted="right").is_mirrored
    assert not MagicFormula(c, mounted="left").is_mirrored
    a = right(4000.0, 0.03, 0.05, 0.02, 0.01, 15.0, use_mode=use_mode)
    b = left(4000.0, 0.03, -0.05, -0.02, -0.01, 15.0, use_mode=use_mode)
    odd = {"Fy", "Mx", "Mz", "Mzr", "alpha", "gamma", "phit"}
    for name in Outputs._fields:
        image = (-1.0 if name in odd else 1.0) * getattr(a, name)
        assert getattr(b, name) == pytest.approx(image, rel=1e-13, abs=1e-13), name
    # a tyre without shifts is its own image, but for Dt's and Bt's terms that are odd in camber (A58), (A60)
    same = MagicFormula(symmetric(version))
    p = same(4000.0, 0.03, 0.05, 0.02, 0.0, 15.0, use_mode=use_mode)
    q = same(4000.0, 0.03, -0.05, -0.02, 0.0, 15.0, use_mode=use_mode)
    assert p.Fx == pytest.approx(q.Fx, rel=1e-12)
    assert p.Fy == pytest.approx(-q.Fy, rel=1e-12)


@VERSIONS
def test_inputs_are_held_within_ranges_of_the_file(version: int, tyres: dict[int, MagicFormula]) -> None:
    tyre, c = tyres[version], tyres[version].coefficients
    for name, low, high in (
        ("alpha", c.ALPMIN, c.ALPMAX),
        ("gamma", c.CAMMIN, c.CAMMAX),
        ("p", c.PRESMIN, c.PRESMAX),
        ("kappa", c.KPUMIN, c.KPUMAX),
    ):
        given: list[dict[str, Any]] = [{name: np.array([low - d, high + d])} for d in (0.4 * high, 0.0)]
        beyond, at = (tyre(**inputs) for inputs in given)
        assert beyond.Fx == pytest.approx(at.Fx, rel=1e-12)
        # friction circle and moments: alpha' is that of the slip held as well
        assert beyond.Fy == pytest.approx(at.Fy, rel=1e-12)
    free = tyre(gamma=1.4 * c.CAMMAX, use_mode=211)
    assert free.Fy != pytest.approx(tyre(gamma=1.4 * c.CAMMAX).Fy, rel=1e-3)


@VERSIONS
@pytest.mark.parametrize("use_mode", [111, 121, 112, 122])
def test_continuous_where_formulas_meet(version: int, use_mode: int, tyres: dict[int, MagicFormula]) -> None:
    """At rest, at VXLOW, at lift-off, where slips change sign: to first order in a tiny step."""
    tyre, c = tyres[version], tyres[version].coefficients
    base: dict[str, Any] = {
        "Fz": 0.8 * c.FNOMIN, "kappa": 0.02, "alpha": 0.03, "gamma": 0.02, "phit": 0.02, "Vx": 10.0,
    }  # fmt: skip
    e = 1e-9
    for change in (
        {"Vx": [-e, 0.0, e]},
        {"Vx": [c.VXLOW - e, c.VXLOW, c.VXLOW + e]},
        {"Vx": [-c.VXLOW - e, -c.VXLOW, -c.VXLOW + e]},
        {"Fz": [0.0, e, 2.0 * e]} if c.FZMIN == 0.0 else {},
        {"Fz": [c.FZMIN - e, c.FZMIN, c.FZMIN + e]} if c.FZMIN > 0.0 else {},
        {"kappa": [-e, 0.0, e]},
        {"gamma": [-e, 0.0, e]},
        {"phit": [-e, 0.0, e]},
    ):
        out = tyre(**(base | change), use_mode=use_mode)
        for name in ("Fx", "Fy", "Mx", "My", "Mz"):
            values = np.atleast_1d(getattr(out, name))
            # slopes are below 1e7 N per unit, except of Fx and Fy over a slip: 1e6 N
            assert np.ptp(values) <= 2e7 * e + 1e-9, (change, name)
    smooth = replace(Mode.of(use_mode), least_load=False)
    lifting = [tyre.outputs(smooth, Inputs(**(base | {"Fz": Fz, "p": 2e5}))) for Fz in (0.0, e, 2.0 * e)]
    for name in ("Fx", "Fy", "Mx", "My", "Mz", "rho", "Rl"):
        assert np.ptp([getattr(out, name) for out in lifting]) <= 2e7 * e + 1e-9, name


def test_moments_of_a_wheel_that_rests_or_hangs(tyres: dict[int, MagicFormula]) -> None:
    for tyre in tyres.values():
        rest = tyre(kappa=0.0, alpha=0.0, Vx=0.0)
        assert (rest.Fx, rest.Fy, rest.My, rest.Mz, rest.omega) == (0.0, 0.0, 0.0, 0.0, 0.0)
        air = tyre(Fz=[-100.0, 0.0], kappa=0.1, alpha=0.1)
        for name in ("Fx", "Fy", "Fz", "Mx", "My", "Mz", "rho", "Cz", "mux", "muy", "two_a"):
            assert (getattr(air, name) == 0.0).all(), name


@VERSIONS
def test_backwards_is_forwards_turned_round(version: int) -> None:
    """With α* a tyre without shifts and moments that know the direction drives alike both ways."""
    tyre = MagicFormula(symmetric(version))
    out = tyre(kappa=0.05, alpha=0.04, Vx=[15.0, -15.0], use_mode=121)
    assert out.Fx[1] == pytest.approx(-out.Fx[0], rel=1e-12)
    assert out.My[1] == pytest.approx(-out.My[0], rel=1e-12)
    assert out.omega[1] == -out.omega[0]


@VERSIONS
@pytest.mark.parametrize("use_mode", [111, 122, 211])
def test_three_executions(version: int, use_mode: int, tyres: dict[int, MagicFormula]) -> None:
    tyre = tyres[version]
    points = np.array([[0.7, 0.04, -0.06, 0.03, 0.02, 12.0], [1.2, -0.3, 0.2, -0.05, 0.0, -0.4]])
    points[:, 0] *= tyre.coefficients.FNOMIN
    points = np.concatenate([points, np.full((2, 1), 2.2e5)], axis=1)
    plain = np.array([tyre.outputs(Mode.of(use_mode), Inputs(*map(float, x))) for x in points])
    traced = tyre.trace(Mode.of(use_mode)).evaluate_many(x=points)["y"]
    columns = dict(zip(Inputs._fields, points.T, strict=False))
    compiled = np.array(tyre(**columns, use_mode=use_mode)).T
    repeated = {name: np.repeat(column, 50) for name, column in columns.items()}
    many = np.array(tyre(**repeated, use_mode=use_mode)).T
    # the same operations; machine code fuses products and sums, and log and exp differ by an ulp
    assert traced == pytest.approx(plain, rel=1e-13, abs=1e-12)
    assert compiled == pytest.approx(plain, rel=1e-9, abs=1e-9)
    assert (many[::50] == compiled).all()


def test_shapes(tyres: dict[int, MagicFormula]) -> None:
    out = tyres[61](Fz=np.full((3, 1), 4000.0), alpha=np.linspace(-0.1, 0.1, 4))
    assert out.Fy.shape == (3, 4)
    assert isinstance(tyres[61]().Fy, float)
    with pytest.raises(DataError, match=r"do not go together: Fz \(3,\), .*alpha \(4,\)"):
        tyres[61](Fz=np.full(3, 4000.0), alpha=np.zeros(4))
    with pytest.raises(DataError, match="alpha must be finite"):
        tyres[61](alpha=[0.0, math.nan])
    for wrong in (1, 311, 131, 113, 1111, "111", 111.5):
        with pytest.raises(DataError, match="use_mode"):
            tyres[61](use_mode=wrong)  # type: ignore[arg-type]
    assert [Mode.of(m).use_mode for m in (111, 121, 112, 211, 222)] == [111, 121, 112, 211, 222]


def test_spin_may_be_given(tyres: dict[int, MagicFormula]) -> None:
    free = tyres[61](kappa=0.1, Vx=30.0)
    given = tyres[61](kappa=0.1, Vx=30.0, omega=free.omega)
    assert given == pytest.approx(free, rel=1e-12)
    assert tyres[61](omega=0.0).Re > tyres[61](Fz=1e4, omega=0.0).Re


@examples(60)
@given(
    st.floats(0.0, 3.0), st.floats(-3.0, 3.0), st.floats(-1.5, 1.5), st.floats(-1.0, 1.0),
    st.floats(-5.0, 5.0), st.floats(-90.0, 90.0), st.floats(0.2, 3.0), st.sampled_from([111, 122]),
)  # fmt: skip
def test_finite_whatever_is_asked(
    Fz: float, kappa: float, alpha: float, gamma: float, phit: float, Vx: float, p: float, use_mode: int
) -> None:
    for version in (52, 61, 62):
        tyre = EVERYWHERE[version]
        out = tyre(Fz * tyre.coefficients.FNOMIN, kappa, alpha, gamma, phit, Vx, p * 2e5, use_mode=use_mode)
        assert np.isfinite(out).all(), out
        assert out.Fz == 0.0 or abs(out.Fx) <= 3.0 * out.Fz


EVERYWHERE = {version: MagicFormula(coefficients(version)) for version in (52, 61, 62)}


def surroundings(c_version: int, gamma: float, Fy: float) -> tuple[Surroundings, float]:
    c = coefficients(c_version)
    R = float(free_radius(c, 50.0))
    return Surroundings(50.0, R, 0.05, gamma, 1500.0, Fy), R


@pytest.mark.parametrize("gamma", [-0.1, 0.0, 0.06])
@pytest.mark.parametrize("Fy", [-3000.0, 0.0, 4000.0])
def test_load_and_loaded_radius_of_62(gamma: float, Fy: float) -> None:
    c = coefficients(62)
    at, R = surroundings(62, gamma, Fy)
    for sunk in (0.01, 0.02, 0.04):
        h = 1e-6
        ahead, behind = load_62(c, sunk + h, at).Fz, load_62(c, sunk - h, at).Fz
        # h² F‴/6 is below 1e-12/sunk² of F′, rounding 1e4 N 1e-16/h
        assert load_62(c, sunk, at).slope == pytest.approx((ahead - behind) / (2.0 * h), rel=1e-6)
    for Fz in (1500.0, 4000.0, 9000.0):
        under = deflection_62(c, Fz, at)
        assert load_62(c, R - under.Rl, at).Fz == pytest.approx(Fz, rel=1e-12)
        assert under.Cz * under.rho == pytest.approx(Fz, rel=1e-14)


def test_deflection_of_61_carries_its_load() -> None:
    """Into (A3.3) by hand; and with Q_FZ2 = 0 the spring is linear."""
    c = coefficients(61)
    at, R = surroundings(61, 0.0, 2000.0)
    under = deflection_61(c, 5000.0, at)
    d = under.rho / c.UNLOADED_RADIUS
    factor = 1.0 + c.Q_V2 * c.UNLOADED_RADIUS / c.LONGVL * 50.0
    factor -= (c.Q_FCX * 1500.0 / c.FNOMIN) ** 2 + (c.Q_FCY * 2000.0 / c.FNOMIN) ** 2
    load = factor * (linear_term(c) * d + c.Q_FZ2 * d * d) * (1.0 + c.PFZ1 * 0.05) * c.FNOMIN
    assert load == pytest.approx(5000.0, rel=1e-13)
    assert under.Rl == pytest.approx(R - under.rho, rel=1e-15)
    at = Surroundings(0.0, c.UNLOADED_RADIUS, 0.0, 0.0, 0.0, 0.0)
    linear = deflection_61(coefficients(61, Q_FZ2=0.0), 5000.0, at)
    assert linear.rho == pytest.approx(5000.0 / c.VERTICAL_STIFFNESS, rel=1e-14)


def test_series_are_exact_to_rounding() -> None:
    """Series are used for small arguments and compared with their functions; larger ones are reported."""
    for x in np.linspace(-NEAR, NEAR, 41):
        assert small_arctan(x) == pytest.approx(math.atan(x), rel=3e-16, abs=1e-300)
        for C, E in ((1.1, -8.0), (2.0, 0.9)):
            b = 0.9 * x / (1.0 + abs(E) * x * x / 3.0)
            assert is_near_zero(C, abs(b), abs(E), 1.0)
            assert cosine_curve_near_zero(C, b, E, 1.0) == pytest.approx(
                cosine_curve(1.0, C, b, E, 1.0), rel=4e-16
            )
    assert not is_near_zero(1.0, 10.0, 0.0, 0.02)
    assert not is_near_zero(1.0, 0.99, 40.0, 0.1)
    assert not is_near_zero(4.0, 0.9, 0.0, 0.1)


def test_multiples_of_arctangents_by_algebra() -> None:
    """Coefficients next to those with an algebraic form give the same."""
    for C in (1.0, 2.0):
        for x in (-3.0, 0.0, 0.4, 20.0):
            assert sin_multiple(C, x) == pytest.approx(sin_multiple(C * (1.0 + 1e-13), x), abs=1e-12)
            assert cos_multiple(C, x) == pytest.approx(cos_multiple(C * (1.0 + 1e-13), x), abs=1e-12)
    points: dict[str, Any] = {"Fz": [500.0, 4000.0], "alpha": 0.08, "kappa": 0.05, "gamma": 0.03}
    for name in ("PKY4", "RVY5", "QSX5"):
        for C in (1.0, 2.0):
            by_algebra, by_functions = (
                MagicFormula(coefficients(61, **{name: value}))(**points) for value in (C, C * (1.0 + 1e-13))
            )
            assert by_algebra.Fy == pytest.approx(by_functions.Fy, rel=1e-10)
            assert by_algebra.Mx == pytest.approx(by_functions.Mx, rel=1e-10)


@VERSIONS
def test_what_a_file_leaves_out_has_no_effect(version: int) -> None:
    """Without coefficients of camber friction is the same at any camber, along and across."""
    c = coefficients(version)
    default: dict[str, Any] = {field.name: field.default for field in fields(c)}
    without = MagicFormula(replace(c, PDX3=default["PDX3"], PDY3=default["PDY3"]))
    upright, leaning = without(alpha=0.05, use_mode=211), without(alpha=0.05, gamma=0.2, use_mode=211)
    assert leaning.muy == upright.muy
    assert leaning.mux == upright.mux


def test_belts_are_damped_less_than_critically_by_default() -> None:
    """Modes of a belt swing: damping ratios and frequencies of a file that says nothing of them."""
    names = [field for field in fields(coefficients(61)) if field.name.startswith(("DAMP_", "FREQ_"))]
    assert len(names) == 10
    for field in names:
        default: Any = field.default
        assert 0.0 < default < (100.0 if field.name.startswith("FREQ") else 0.1), field.name


def test_tyre_52_without_lateral_relaxation_answers_at_once() -> None:
    """Its length is as in the manual: none without PTY2."""
    tyre = MagicFormula(replace(coefficients(52), PTY2=0.0))
    assert tyre(alpha=0.02, use_mode=211).sigmay == 0.0
