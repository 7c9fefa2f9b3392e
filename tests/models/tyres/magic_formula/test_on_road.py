"""The Magic Formula tyre on a vehicle: steady state, relaxation lengths, sides, rim, turn slip."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.compiler.free_numbers import evaluate
from ce_dynamics.errors import ModelError
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.tyres.magic_formula.outputs import peak_of
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from tests.models.tyres.magic_formula.figures import coefficients, symmetric
from tests.models.tyres.rig import Rig, wheel

VERSIONS = pytest.mark.parametrize("version", [52, 61, 62])


@VERSIONS
@pytest.mark.parametrize("v_x", [15.0, -8.0, 2.0])
@pytest.mark.parametrize(
    ("ratio", "slope", "gamma"), [(1.0, 0.04, 0.0), (1.05, -0.06, 0.03), (0.6, 0.01, 0.0)]
)
def test_steady_state_is_that_of_the_array_function(
    version: int, v_x: float, ratio: float, slope: float, gamma: float
) -> None:
    tyre = MagicFormula(coefficients(version))
    rig = Rig(MagicFormulaTyre(tyre, reference_friction=1.0))
    r = rig.radius(0.6 * tyre.coefficients.FNOMIN)
    at = wheel(r, v_x, slope * abs(v_x), ratio * v_x / r, gamma)
    _, f = rig.steady(at)
    steady = tyre(
        f.Fz, (f.rolling_speed - v_x) / v_x, math.atan(slope), gamma, Vx=v_x, omega=at.spin, use_mode=121
    )
    for name in ("Fx", "Fy", "Mx", "My", "Mz"):
        # the speed in the denominator of slips is 1e-9 m/s larger
        assert getattr(f, name) == pytest.approx(getattr(steady, name), rel=1e-7, abs=1e-5), name
    # and the wheel has sunk as far as its load says
    if version != 52:
        assert steady.Rl == pytest.approx(r, abs=6e-4)  # Fy in it is that of the deflection


@VERSIONS
@pytest.mark.parametrize("speed", [5.0, 30.0])
def test_small_slips_follow_with_the_relaxation_length(version: int, speed: float) -> None:
    """After a step of side slip Fy grows as 1 − exp(−s/σ) over the distance s, at any speed."""
    tyre = MagicFormula(symmetric(version))
    rig = Rig(MagicFormulaTyre(tyre))
    r = rig.radius(tyre.coefficients.FNOMIN)
    at = wheel(r, speed, 0.002 * speed, speed / r)
    _, end = rig.steady(wheel(r, speed, 0.0, speed / r))
    sigma = tyre(end.Fz, omega=at.spin, Vx=speed).sigmay
    # both axes from the state of rolling without side slip
    x0, _ = rig.steady(wheel(r, speed, 0.0, speed / r))
    _, steady = rig.steady(at)
    times = np.array([0.5, 1.0, 2.0]) * sigma / speed
    run = solve_ivp(
        lambda t, x: rig(at, x).x_dot, (0.0, times[-1]), x0, "LSODA", times, rtol=1e-10, atol=1e-13
    )
    grown = [rig(at, x).Fy / steady.Fy for x in run.y.T]
    # Damping C d, d = 2 to 3 ms, is a lead and a lag of speed d/σ each: 0.09 m of 0.4 m at 30 m/s
    lag = speed * (tyre.coefficients.DAMP_RESIDUAL + tyre.coefficients.DAMP_VLOW) / sigma
    assert grown == pytest.approx(1.0 - np.exp([-0.5, -1.0, -2.0]), abs=0.01 + 1.5 * lag)


@VERSIONS
def test_the_other_side_is_the_image(version: int) -> None:
    c = coefficients(version)
    right, left = (
        Rig(MagicFormulaTyre(MagicFormula(c, side="right", mounted=side), turn_slip=True))
        for side in ("right", "left")
    )
    r = right.radius(0.7 * c.FNOMIN)
    a = right(wheel(r, 12.0, 0.3, 12.5 / r, 0.02, 0.1), np.array([0.001, 0.002]))
    b = left(wheel(r, 12.0, -0.3, 12.5 / r, -0.02, -0.1), np.array([0.001, -0.002]))
    for name in ("Fx", "Fz", "My", "slip", "deflection", "potential"):
        assert getattr(a, name) == pytest.approx(getattr(b, name), rel=1e-12)
    for name in ("Fy", "Mx", "Mz", "slip_angle"):
        assert getattr(a, name) == pytest.approx(-getattr(b, name), rel=1e-9)
    assert a.x_dot == pytest.approx((b.x_dot[0], -b.x_dot[1]), rel=1e-9)


def test_the_rim_meets_the_road() -> None:
    c = coefficients(62)
    rig = Rig(MagicFormulaTyre(MagicFormula(c)))
    rest = np.zeros(2)
    touching = c.RIM_RADIUS + c.BOTTOM_OFFST
    above, below = (rig(wheel(touching + h), rest).Fz for h in (1e-3, -1e-3))
    before = rig(wheel(touching + 2e-3), rest).Fz
    slope = (below - above) / 2e-3 - (above - before) / 1e-3
    assert slope == pytest.approx(0.5 * c.BOTTOM_STIFF, rel=0.05)


def test_turning_on_spot_meets_a_moment_that_opposes() -> None:
    c = coefficients(61)
    rig = Rig(MagicFormulaTyre(MagicFormula(c), turn_slip=True))
    r = rig.radius(c.FNOMIN)
    slow = [rig.steady(wheel(r, 2.0, 0.0, 2.0 / r, yaw_rate=rate))[1].Mz for rate in (-0.3, 0.0, 0.3)]
    assert slow[0] > slow[1] > slow[2]


def test_friction_of_the_road_scales_the_peak() -> None:
    c = symmetric(61)
    half = Rig(MagicFormulaTyre(MagicFormula(c), reference_friction=0.8))
    r = half.radius(c.FNOMIN)
    grip = [
        max(
            half.steady(wheel(r, 20.0, 0.0, 20.0 * (1.0 + slip) / r, friction=mu))[1].Fx
            for slip in (0.05, 0.08, 0.11)
        )
        for mu in (0.4, 0.8)
    ]
    assert grip[0] / grip[1] == pytest.approx(0.5, abs=0.05)


def test_peaks() -> None:
    c = symmetric(61)
    tyre = MagicFormula(c)
    peaks = peak_of(c)
    slips = np.linspace(0.0, 1.0, 4001)
    assert peaks.kappa == pytest.approx(slips[np.argmax(tyre(kappa=slips, use_mode=211).Fx)], rel=0.07)
    side = np.abs(tyre(alpha=np.arctan(slips), use_mode=221).Fy)
    assert peaks.tan_alpha == pytest.approx(slips[np.argmax(side)], rel=0.07)


def test_coefficients_may_stay_free() -> None:
    """A tyre whose grip is a free parameter is, at every value, the tyre that was built with that grip."""
    c = coefficients(62)
    grip: Any = ce.Parameter("grip", 1.0)
    at, x = wheel(0.93 * c.UNLOADED_RADIUS, 15.0, 0.4, 15.0 / (0.97 * c.UNLOADED_RADIUS)), np.full(2, 1e-3)
    free = MagicFormulaTyre(MagicFormula(replace(c, LMUY=grip, LMUX=grip)), reference_friction=1.0).evaluate(
        at, x
    )
    for value in (1.0, 0.6):
        plain = MagicFormulaTyre(
            MagicFormula(replace(c, LMUY=value, LMUX=value)), reference_friction=1.0
        ).evaluate(at, x)
        forces = evaluate([free.Fx, free.Fy, free.Mz], {id(grip): (grip, value)})
        assert forces == pytest.approx([plain.Fx, plain.Fy, plain.Mz], rel=1e-12)


def test_arguments() -> None:
    tyre = MagicFormula(coefficients(61))
    for wrong in ({"pressure": -1.0}, {"reference_friction": 0.0}, {"turn_slip": 1}):
        with pytest.raises(ModelError, match=next(iter(wrong))):
            MagicFormulaTyre(tyre, **wrong)
    with pytest.raises(ModelError, match="tyre"):
        MagicFormulaTyre("car.tir")  # type: ignore[arg-type]
