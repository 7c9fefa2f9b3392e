"""The contract of tyre models, of every one: rest, stop, park, roll, lift off, mirror, executions."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from ce_dynamics.compiler.derivatives.compiled import compile_jacobian
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.chrono import ChronoSlipTyre, ChronoTMeasy
from ce_dynamics.models.tyres.contract import TyreModel, WheelOnRoad, bound_slip
from ce_dynamics.models.tyres.magic_formula.contact_mass import ContactMassTyre
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from ce_dynamics.models.tyres.simple.base import SlipModel
from ce_dynamics.models.tyres.simple.brush import BrushTyre
from ce_dynamics.models.tyres.simple.fiala import FialaTyre
from ce_dynamics.models.tyres.simple.linear import LinearTyre
from ce_dynamics.models.tyres.simple.pac89 import Pac89Tyre
from ce_dynamics.models.tyres.simple.tmsimple import TMsimpleTyre
from ce_dynamics.models.tyres.tmeasy import TMeasyTyre
from tests.models.components import TYRE
from tests.models.tyres.magic_formula.figures import coefficients, symmetric
from tests.models.tyres.rig import Floats, Rig, Slide, wheel

SIZE: dict[str, Any] = {
    "radius": 0.31, "cz": 2e5, "dz": 500.0, "cx": 3e5, "cy": 1.5e5, "rolling_resistance": 0.01,
}  # fmt: skip
A = (1.5, -4.85, 812.4, 2613.9, 48.86, 0.0, -0.0088, 0.377) + 6 * (0.0,)
B = (1.5, -15.78, 1022.1, -2.553, 208.8, 0.0073, -0.00376, 0.1563, -1.153, 0.0, 0.0)
"""Coefficients of a truck tyre of Project Chrono's HMMWV (Pac89), rounded."""

MODELS: dict[str, tuple[TyreModel, float]] = {
    "TMeasy": (TMeasyTyre(TYRE), 8000.0),
    "TMeasy of Chrono": (ChronoTMeasy(TYRE), 8000.0),
    "MF 5.2": (MagicFormulaTyre(MagicFormula(coefficients(52))), 9000.0),
    "MF 6.1": (MagicFormulaTyre(MagicFormula(coefficients(61)), turn_slip=True), 5000.0),
    "MF 6.2": (MagicFormulaTyre(MagicFormula(coefficients(62))), 5000.0),
    "MF mass": (ContactMassTyre(MagicFormula(symmetric(61)), mass=2.0), 5000.0),
    "linear": (LinearTyre(**SIZE, slip_stiffness=15.0, cornering_stiffness=12.0, trail=0.03), 4000.0),
    "brush": (BrushTyre(**SIZE, slip_stiffness=15.0, cornering_stiffness=12.0, trail=0.03), 4000.0),
    "Fiala": (
        FialaTyre(**SIZE, slip_stiffness=6e4, cornering_stiffness=4.5e4, mu_sliding=0.8, width=0.2),
        4000.0,
    ),
    "TMsimple": (
        TMsimpleTyre(
            **SIZE,
            pn=4000.0,
            dfx0=(8e4, 1.6e5),
            fxm=(4500.0, 8700.0),
            fxs=(3300.0, 6500.0),
            dfy0=(6.7e4, 1e5),
            fym=(4000.0, 7300.0),
            fys=(3400.0, 6200.0),
        ),
        4000.0,
    ),
    "Pac89": (Pac89Tyre(**SIZE, a=A, b=B, trail=0.03), 4000.0),
    "Fiala of Chrono": (
        ChronoSlipTyre(
            FialaTyre(**SIZE, slip_stiffness=6e4, cornering_stiffness=4.5e4, mu_sliding=0.8, width=0.2)
        ),
        4000.0,
    ),
    "MF 6.1 without shifts": (MagicFormulaTyre(MagicFormula(symmetric(61))), 5000.0),
}
"""Every tyre model, with a load that suits it: register yours here."""


@pytest.fixture(scope="module", params=MODELS)
def rig(request: pytest.FixtureRequest) -> tuple[Rig, float]:
    model, load = MODELS[request.param]
    return Rig(model), load


def test_the_air(rig: tuple[Rig, float]) -> None:
    tyre, _ = rig
    r = 1.2 * tyre.model.unloaded_radius
    x = np.full(tyre.n, 0.01)
    f = tyre(wheel(r, 20.0, 1.0, 60.0, 0.05), x)
    assert (f.Fx, f.Fy, f.Fz, f.Mx, f.My, f.Mz) == (0.0,) * 6
    assert f.deflection == 0.0
    if tyre.n <= 2:  # others swing
        # deflections relax, so that Runge-Kutta steps of 1 ms are stable: 2.785 over the step
        assert all(-2785.0 * 0.01 < rate < 0.0 for rate in f.x_dot)


def test_friction_is_the_peak_at_nominal_load(rig: tuple[Rig, float]) -> None:
    """On a road of 0.3, the mean of driving and braking, between which the shifts of a Magic Formula part.

    Within 1 %: a spinning wheel carries up to 5 % more than its nominal load, which costs 0.4 % of grip, and
    slips are 0.0025 apart.  Fiala's curve is not similar to itself: U (1 − U Fz/(4 C κ)) has its peak at
    κ = 0.25 with U = 0.95, or 0.86 in all, and on a road of a third at 0.15 with 0.97/3, or 0.91/3: 7 %.
    """
    tyre, _ = rig
    model = tyre.model
    if isinstance(model, (TMeasyTyre, ChronoTMeasy)):
        tyre = Rig(type(model)(replace(model.parameters, mu0=model.parameters.fxm[0] / model.parameters.pn)))
        load = model.parameters.pn
    elif isinstance(model, SlipModel):
        load = model.nominal_load
    elif isinstance(model, ChronoSlipTyre):
        load = model.law.nominal_load
    else:
        assert isinstance(model, MagicFormulaTyre)
        load = model.coefficients.FNOMIN
    r = tyre.radius(load)
    turning = (wheel(r, 20.0, 0.0, 20.0 * ratio / r, friction=0.3) for ratio in np.linspace(0.7, 1.3, 241))
    used = [f.Fx / f.Fz for f in (tyre.steady(at)[1] for at in turning)]
    within = 0.07 if isinstance(model, (FialaTyre, ChronoSlipTyre)) else 0.01
    assert 0.5 * (max(used) - min(used)) == pytest.approx(0.3, rel=within)


def test_derivatives_exist_everywhere(rig: tuple[Rig, float]) -> None:
    """They exist also for zero slips, loads and deflections: implicit methods start there."""
    tyre, load = rig
    r, r0 = tyre.radius(load), tyre.model.unloaded_radius
    J = compile_jacobian(tyre.traced, "y", "x")
    rest = np.zeros(tyre.n)
    for at in (
        wheel(r), wheel(r, 20.0, 0.0, 20.0 / r0), wheel(r, 20.0), wheel(r, 0.0, 3.0),
        wheel(r, 0.0, 0.0, 30.0), wheel(r, -5.0, 0.0, -5.0 / r0), wheel(r0),
        wheel(1.2 * r0), wheel(1.2 * r0, 20.0, 1.0, 60.0),
    ):  # fmt: skip
        assert np.isfinite(J(np.array([*at[:8], *rest], dtype=float))).all(), at


def test_lift_off_is_continuous(rig: tuple[Rig, float]) -> None:
    """Sliding, driven, cambered and turning: forces vanish with the load, and touching down is no jump."""
    tyre, _ = rig
    r0 = tyre.model.unloaded_radius
    x = np.full(tyre.n, 0.003)
    for v_x, v_y, spin in ((20.0, 2.0, 70.0), (-5.0, 0.5, -16.0), (0.0, 0.0, 0.0)):
        for radius_rate in (-1.0, 1.0):
            out = [
                tyre(wheel(r0 * (1.0 + part), v_x, v_y, spin, 0.03, 0.2, 1.0, radius_rate), x)
                for part in (-1e-9, -1e-12, 0.0, 1e-12, 1e-9)
            ]
            for name in ("Fx", "Fy", "Fz", "Mx", "My", "Mz"):
                values = [getattr(f, name) for f in out]
                # 1e-9 of r0 is 2e-4 N of the spring, and x stretches it by 1 kN, of which that share is
                # held; a free tyre that grows with its spin touches before
                grown = any(f.Fz > 1.0 for f in out)
                assert np.isfinite(values).all()
                assert grown or np.abs(values).max() < 0.2, (name, values)
                assert np.ptp(values) < 0.2 + 1e-5 * np.abs(values).max(), (name, values)


def test_public_functions_without_a_load(rig: tuple[Rig, float]) -> None:
    """None, or in the air: no forces.  What is no number is refused."""
    tyre, _ = rig
    if isinstance(tyre.model, SlipModel):
        for Fz in (0.0, -10.0):
            assert tyre.model.forces(Fz, kappa=0.1, alpha=0.1) == (0.0, 0.0, 0.0)
        assert tyre.model.forces(4000.0, kappa=0.1, friction=0.0) == (0.0, 0.0, 0.0)
        assert 0.0 < tyre.model.forces(1e-6, kappa=0.1)[0] < 1e-5
        for wrong in ({"Fz": math.nan}, {"Fz": 1.0, "kappa": math.inf}, {"Fz": 1.0, "friction": -1.0}):
            with pytest.raises(DataError, match=f"{list(wrong)[-1]} "):
                tyre.model.forces(**wrong)
    elif isinstance(tyre.model, MagicFormulaTyre):
        out = tyre.model.tyre(Fz=[0.0, -10.0], kappa=0.1, alpha=0.1)
        assert not np.abs([out.Fx, out.Fy, out.Fz, out.Mx, out.My, out.Mz]).any()


def test_rest_and_reversal_are_continuous(rig: tuple[Rig, float]) -> None:
    """Forces over the speed, through zero, with deflections held: no jump but that of damping."""
    tyre, load = rig
    r = tyre.radius(load)
    x = np.full(tyre.n, 0.002)
    for v_y, ratio in ((0.0, 1.0), (0.0, 0.0), (0.3, 1.0)):
        speeds = [-1e-7, -1e-10, 0.0, 1e-10, 1e-7]
        out = [tyre(wheel(r, v, v_y, ratio * v / r), x) for v in speeds]
        for name in ("Fx", "Fy", "Mx", "Mz"):
            values = [getattr(f, name) for f in out]
            assert np.isfinite(values).all()
            # damping times a sliding speed of up to 0.3 m/s beside a spring force, over which curves of
            # both directions may differ by their curvature: 3 % of the load
            assert np.ptp(values) <= (0.03 if v_y else 1e-3) * load, (name, values)


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.2])
def test_a_full_stop_gains_no_energy_and_stands(rig: tuple[Rig, float], angle: float) -> None:
    tyre, load = rig
    velocity = (4.0 * math.cos(angle), 4.0 * math.sin(angle))
    run = Slide(tyre, load, velocity, (0.0, 0.0), 2.5)
    # From 4 m/s it swings on its contact, less and less.  Tolerances of the integrator are 1e-8 of the energy
    # per step; where the load depends on Fy the tyre's springs are not quite those of a potential.
    assert np.diff(run.energy).max() < 1e-4 * run.energy[0]
    assert run.energy[-1] < 0.01 * run.energy[0]
    assert np.abs(run.v[:, -1]).max() < 0.1


def balanced(tyre: Rig, at: WheelOnRoad, x: Floats, axis: int) -> Floats:
    """With a mass at the contact: the deflection of the tread with which it stays."""
    if tyre.n == 2 or tyre.n == 0:
        return x
    unit = np.eye(tyre.n)[4 + axis]
    slope = 1e3 * (tyre(at, x + 1e-3 * unit).x_dot[2 + axis] - tyre(at, x).x_dot[2 + axis])
    for _ in range(8):  # the slope changes little with the load
        x = x - tyre(at, x).x_dot[2 + axis] / slope * unit
    return x


def test_parked_on_grades_up_to_limit_of_friction(rig: tuple[Rig, float]) -> None:
    """A wheel that hangs on its contact at rest does not creep; one let go on a grade swings and stays."""
    tyre, load = rig
    pull = load * math.sin(math.radians(20.0))
    at = wheel(tyre.radius(load))
    for axis, name in enumerate(("Fx", "Fy")):
        for sense in (-1.0, 1.0):

            def excess(deflection: float, axis: int = axis, name: str = name, sense: float = sense) -> float:
                x = np.zeros(tyre.n)
                x[axis] = deflection
                return float(getattr(tyre(at, x), name) - sense * pull)

            x = np.zeros(tyre.n)
            softness = 1e-4 / (excess(1e-4) - excess(0.0))
            x[axis] = brentq(excess, 0.0, 1.5 * softness * sense * pull, xtol=1e-15)
            assert np.abs(tyre(at, balanced(tyre, at, x, axis)).x_dot).max() < 1e-9  # [m/s, m/s²]
        grade = [0.0, 0.0]
        grade[axis] = math.radians(6.0)
        held = Slide(tyre, load, (0.0, 0.0), (grade[0], grade[1]), 3.0)
        late = np.abs(held.r[axis, held.t > 2.0])
        assert late.max() < 0.05
        assert np.diff(held.energy).max() < 1e-4 * pull
    lost = Slide(tyre, load, (0.0, 0.0), (math.radians(65.0), 0.0), 1.5, friction=0.5)
    assert lost.r[0, -1] > 1.0


def test_sliding_is_opposed(rig: tuple[Rig, float]) -> None:
    tyre, load = rig
    r = tyre.radius(load)
    for v_x in (12.0, -12.0):
        for ratio in (0.7, 1.3):
            f = tyre.steady(wheel(r, v_x, 0.0, ratio * v_x / r))[1]
            assert f.Fx * (f.rolling_speed - v_x) > 0.1 * load * abs(f.rolling_speed - v_x)
        for v_y in (2.0, -2.0):
            f = tyre.steady(wheel(r, v_x, v_y, v_x / r))[1]
            assert f.Fy * v_y < -0.1 * load * abs(v_y)
        f = tyre.steady(wheel(r, v_x, 0.0, v_x / r))[1]
        assert f.My * v_x < 0.0  # rolling resistance


def test_load_follows_deflection(rig: tuple[Rig, float]) -> None:
    tyre, load = rig
    r = tyre.radius(load)
    rest = np.zeros(tyre.n)
    assert tyre(wheel(r), rest).Fz == pytest.approx(load, rel=1e-9)
    radii = np.linspace(1.01, 0.9, 12) * tyre.model.unloaded_radius
    loads = [tyre(wheel(float(radius)), rest).Fz for radius in radii]
    assert loads[0] == 0.0
    assert (np.diff(loads)[1:] > 0.0).all()
    # the energy is the work of the load: Simpson's rule over a smooth curve
    fine = np.linspace(radii[3], radii[8], 201)
    out = [tyre(wheel(float(radius)), rest) for radius in fine]
    work = np.trapezoid([f.Fz for f in out], -fine)
    assert out[-1].potential - out[0].potential == pytest.approx(work, rel=1e-3)
    # damping, towards the road
    assert tyre(wheel(r, radius_rate=-0.1), rest).Fz > tyre(wheel(r), rest).Fz


def test_slip_that_is_reported_is_bounded() -> None:
    assert bound_slip(10.0, 0.0) == -1.0
    assert bound_slip(0.0, 5.0) == 1.0
    assert bound_slip(10.0, 10.0) == 0.0
    assert bound_slip(0.0, 0.0) == 0.0
    assert bound_slip(10.0, 9.0) == pytest.approx(-0.1)
    assert bound_slip(10.0, -9.8) == -1.0  # turned against its motion, it slides as a locked wheel at least
    assert bound_slip(-10.0, 9.8) == 1.0


@pytest.mark.parametrize("gamma", [0.0, 0.05, -0.2])
def test_moments_that_are_late_in_the_wheels_axes(gamma: float) -> None:
    """M + r × F about the wheel's centre, turned by θ = ω τ about the spin axis, but for its θ²/2."""
    late, at_once = (Rig(ChronoTMeasy(TYRE, width=0.3, delay=delay)) for delay in (1e-3, 0.0))
    r, spin = 0.97 * TYRE.unloaded_radius, 20.0 / TYRE.unloaded_radius
    found, f = (tyre(wheel(r, 20.0, 1.0, spin, gamma=gamma), np.zeros(2)) for tyre in (late, at_once))
    axis = np.array((0.0, np.cos(gamma), np.sin(gamma)))
    arm = r * np.array((0.0, np.sin(gamma), -np.cos(gamma)))  # from the centre to the contact's
    moment = np.array((f.Mx, f.My, f.Mz)) + np.cross(arm, (f.Fx, f.Fy, f.Fz))
    angle = 1e-3 * spin
    turned = Rotation.from_rotvec(angle * axis).apply(moment) - moment
    difference = np.array((found.Mx - f.Mx, found.My - f.My, found.Mz - f.Mz))
    assert np.abs(difference).max() > 5.0
    assert difference == pytest.approx(turned, abs=0.6 * angle**2 * np.abs(moment).max())
    assert difference @ axis == pytest.approx(0.0, abs=1e-12 * np.abs(moment).max())
    assert (found.Fx, found.Fy, found.Fz) == (f.Fx, f.Fy, f.Fz)


def test_a_cambered_contact_of_chrono_is_righted() -> None:
    """A spring bed of width w: ∫ c_z/w (y γ) y dy = γ w² c_z/12; up to 4 degrees."""
    wide, narrow = Rig(ChronoTMeasy(TYRE, width=0.3)), Rig(ChronoTMeasy(TYRE))
    r, rest = 0.97 * TYRE.unloaded_radius, np.zeros(2)
    y = np.linspace(-0.15, 0.15, 3001)

    def righted(gamma: float) -> float:
        there = wheel(r, 20.0, 0.0, gamma=gamma)
        return float(wide(there, rest).Mx - narrow(there, rest).Mx)

    # all that acts is multiplied by cos γ
    bed = -np.trapezoid(TYRE.cz / 0.3 * 0.03 * y * y, y)
    assert righted(0.03) == pytest.approx(np.cos(0.03) * bed, rel=1e-6)
    assert righted(-0.03) == pytest.approx(-righted(0.03))
    steepest = np.radians(4.0) / 0.03 * bed
    assert righted(0.2) == pytest.approx(np.cos(0.2) * steepest)
    assert righted(np.radians(4.0)) == pytest.approx(np.cos(np.radians(4.0)) * steepest)
    air = wheel(1.01 * TYRE.unloaded_radius, 20.0, 0.0, gamma=0.03)
    assert wide(air, rest).Mx == 0.0
