"""TMeasy tyre: characteristic, contact, stand-still, relaxation, lift-off."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import PointLoad, Response
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import BumpRoad, FlatRoad, InclinedRoad
from ce_dynamics.models.tyres.contact.choice import TangentPlane
from ce_dynamics.models.tyres.contact.frame import WheelContact, WheelPose, contact_on
from ce_dynamics.models.tyres.contract import TyreAnswer, WheelOnRoad
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.tyres.tmeasy import TMeasyTyre, tyre_forces, vertical_force
from ce_dynamics.models.tyres.tmeasy_curves import (
    SlipCurve,
    axis_curve,
    force_over_slip,
    normalising_slips,
    pneumatic_trail,
    slip_force,
)
from tests.ce_dynamics.opaque import opaque, reveal_scalar
from tests.models.components import CZ, PN, TYRE, Scripted, body, steady_force

Vector = NDArray[np.float64]

LOADS = pytest.mark.parametrize(("load", "index"), [(PN, 0), (2.0 * PN, 1)])
AXES = pytest.mark.parametrize("axis", ["x", "y"])


def pure(axis: str, Fz: float, s: float, friction: float = 1.0) -> float:
    forces = (
        steady_force(TYRE, Fz, s, 0.0, friction) if axis == "x" else steady_force(TYRE, Fz, 0.0, s, friction)
    )
    return float(forces[0 if axis == "x" else 1])


def derivative(f: Callable[[float], float], x: float, h: float) -> float:
    return (f(x + h) - f(x - h)) / (2.0 * h)


@AXES
@LOADS
def test_pure_slip_reproduces_the_data(axis: str, load: float, index: int) -> None:
    dF0, FM, sM, FS, sS = (
        getattr(TYRE, name)[index]
        for name in (f"df{axis}0", f"f{axis}m", f"s{axis}m", f"f{axis}s", f"s{axis}s")
    )
    # TINY_SPEED = 1e-9 beside the transport speed 1 shifts slips by 1e-9 relative.
    assert pure(axis, load, sM) == pytest.approx(FM, rel=1e-8)
    assert pure(axis, load, sS) == pytest.approx(FS, rel=1e-8)
    assert pure(axis, load, 3.0 * sS) == pytest.approx(FS, rel=1e-8)
    # The rise is dF0 s/(1 + (k − 2) s/sM + …), k = dF0 sM/FM: over h its slope falls by (k − 2) h/sM.
    h = 1e-6
    short = abs(dF0 * sM / FM - 2.0) * h / sM
    assert derivative(lambda s: pure(axis, load, s), 0.0, h) == pytest.approx(dF0, rel=2.0 * short)
    # A maximum: flat at sM (F'' ≤ 4 FM/sM², h = 1e-6), lower on both sides.
    assert abs(derivative(lambda s: pure(axis, load, s), sM, 1e-6)) < 1e-3 * FM / sM
    assert max(pure(axis, load, 0.9 * sM), pure(axis, load, 1.1 * sM)) < FM


@AXES
def test_forces_are_parabolas_through_zero_in_the_load(axis: str) -> None:
    # Through (0, 0), (pn, F1), (2 pn, F2): Lagrange's form at 1.6 pn.
    y1, y2 = getattr(TYRE, f"f{axis}s")
    expected = y1 * 1.6 * (1.6 - 2.0) / (1.0 * (1.0 - 2.0)) + y2 * 1.6 * (1.6 - 1.0) / (2.0 * (2.0 - 1.0))
    assert pure(axis, 1.6 * PN, 2.0) == pytest.approx(expected, rel=1e-8)


@AXES
@pytest.mark.parametrize("z", [0.01, 0.7, 1.0, 2.0, 3.4])
def test_curve_is_once_continuously_differentiable(axis: str, z: float) -> None:
    curve = axis_curve(TYRE, axis, z, 1.0)
    dF0, FM, sM, FS, sS = curve
    a = FM**2 / (dF0 * sM**3)
    s_star = sM + (FM - FS) / (a * (sS - sM))
    assert sM < s_star < sS

    def F(s: float) -> float:
        return float(force_over_slip(curve, s) * s)

    h = 1e-7
    steepest = dF0  # no slope of the curve exceeds its initial one by much; scale for both comparisons
    for join in (sM, s_star, sS):
        left, right = (F(join) - F(join - h)) / h, (F(join + h) - F(join)) / h
        # One-sided slopes of a C1 function differ by |F''| h at most, times two for both sides.
        bend = 4.0 * a * max(1.0, (s_star - sM) / (sS - s_star)) + 8.0 * FM / sM**2
        assert abs(right - left) <= bend * h + 1e-8 * steepest
        assert abs(F(join + h) - F(join - h)) <= 2.0 * h * steepest


@AXES
def test_characteristic_is_odd(axis: str, rng: np.random.Generator) -> None:
    for s in rng.uniform(0.0, 1.5, 20):
        assert pure(axis, PN, -s) == -pure(axis, PN, s)


def test_combined_slip_stays_within_the_ellipse_of_maxima(rng: np.random.Generator) -> None:
    for _ in range(2000):
        z = rng.uniform(0.01, 3.5)
        sx, sy = rng.normal(size=2) * 10.0 ** rng.uniform(-4.0, 1.0)
        Fx, Fy = steady_force(TYRE, z * PN, sx, sy)
        x, y = axis_curve(TYRE, "x", z, 1.0), axis_curve(TYRE, "y", z, 1.0)
        # F ≤ FM(φ) = hypot(FMx cos φ, FMy sin φ), φ the direction of force and normalised slip alike.
        direction = math.atan2(Fy, Fx)
        bound = z * PN * math.hypot(x.FM * math.cos(direction), y.FM * math.sin(direction))
        # Near the maximum (s > 0.16) the blended slopes, 3 % apart, weigh (0.01/0.16)² = 0.4 %.
        assert math.hypot(Fx, Fy) <= bound * (1.0 + 0.03 * 0.004)
        # Friction opposes sliding.
        assert Fx * sx >= 0.0
        assert Fy * sy >= 0.0


def test_full_sliding_opposes_the_normalised_slip(rng: np.random.Generator) -> None:
    hat_x, hat_y = normalising_slips(axis_curve(TYRE, "x", 1.0, 1.0), axis_curve(TYRE, "y", 1.0, 1.0))
    for angle in rng.uniform(0.0, math.pi, 10):
        c, s = math.cos(angle), math.sin(angle)
        Fx, Fy = steady_force(TYRE, PN, 50.0 * c * hat_x, 50.0 * s * hat_y)
        # Rill's generalised sliding force; at s = 50 the blending of the slopes is (0.01/50)² = 4e-8.
        FS = math.hypot(TYRE.fxs[0] * c, TYRE.fys[0] * s)
        assert (Fx, Fy) == pytest.approx((FS * c, FS * s), rel=1e-6, abs=1e-6 * FS)


def test_combined_force_is_differentiable_at_rest() -> None:
    # The slope along any direction must be the linear combination of both axes' slopes.
    h = 1e-6
    for angle in np.linspace(0.1, 3.0, 7):
        Fx, Fy = steady_force(TYRE, PN, h * math.cos(angle), h * math.sin(angle))
        # Second-order terms: slip/sM ~ 1e-5 and blending (h/0.01)² ~ 1e-8.
        assert Fx / h == pytest.approx(TYRE.dfx0[0] * math.cos(angle), rel=1e-4)
        assert Fy / h == pytest.approx(TYRE.dfy0[0] * math.sin(angle), rel=1e-4)


@AXES
def test_friction_scales_forces_and_slips_but_not_slope(axis: str) -> None:
    for s in (0.01, 0.05, 0.1, 0.3, 0.7):
        assert pure(axis, PN, 0.5 * s, friction=0.5) == pytest.approx(0.5 * pure(axis, PN, s), rel=1e-7)


def test_force_grows_no_further_beyond_the_data() -> None:
    assert pure("y", 5.0 * PN, 0.1) == pure("y", TYRE.pn_max, 0.1)


def test_pneumatic_trail_meets_its_conditions() -> None:
    def n(s: float) -> float:
        return float(pneumatic_trail(TYRE, PN, s, 1.0, 0.2))

    s0, sE, n0 = TYRE.sq0[0], TYRE.sqe[0], TYRE.nL0[0] * 0.2
    assert n(0.0) == pytest.approx(n0, rel=1e-15)
    assert abs(n(s0)) < 1e-15
    assert n(0.5 * (s0 + sE)) < 0.0
    assert n(sE) == n(2.0 * sE) == 0.0
    h = 1e-7
    for join in (s0, sE):
        left, right = (n(join) - n(join - h)) / h, (n(join + h) - n(join)) / h
        # Second derivatives are below 10 n0/s0².
        assert abs(right - left) < 10.0 * n0 / s0**2 * h + 1e-8 * n0


def test_self_aligning_torque_turns_wheel_towards_velocity() -> None:
    c = flat_contact(PN / CZ, v_x=10.0, v_y=0.2, spin=None)
    y_e = steady_force(TYRE, PN, 0.0, -0.02)[1] / TYRE.cy
    f = tyre_forces(TYRE, c, 0.0, y_e)
    assert f.Fy < 0.0
    assert f.Mz > 0.0  # the velocity points to the left of the wheel's plane


def test_aligning_torque_has_trail_of_contact_length() -> None:
    """Without lateral slip the trail is n_L0 L, L = 2 √(r0 δ) the chord of the undeflected circle."""
    deflection = PN / CZ
    chord = 2.0 * math.sqrt(TYRE.unloaded_radius * deflection)
    f = tyre_forces(TYRE, flat_contact(deflection, v_x=10.0, spin=None), 0.0, 0.01)
    assert f.Fy != 0.0
    # L² has 1e-24 m² added, of 0.04 m²; rounding.
    assert f.Mz == pytest.approx(-TYRE.nL0[0] * chord * f.Fy, rel=1e-12)


def flat_contact(
    deflection: float,
    v_x: float = 0.0,
    v_y: float = 0.0,
    spin: float | None = 0.0,
    rate: float = 0.0,
    friction: float = 0.8,
) -> WheelOnRoad:
    """A contact on the flat; spin None rolls freely."""
    radius = TYRE.unloaded_radius - deflection
    r_D = (2.0 * TYRE.unloaded_radius + radius) / 3.0
    omega = v_x / r_D if spin is None else spin
    return WheelOnRoad(radius, -rate, v_x, v_y, omega, 0.0, 0.0, friction)


def seen(c: WheelContact) -> WheelOnRoad:
    """Return the part of a contact on which the forces depend."""
    return WheelOnRoad(c.radius, -c.deflection_rate, c.v_x, c.v_y, c.spin, 0.0, 0.0, c.friction)


def contact(road: Road, r0: float, r: Vector, axis: Vector, v: Vector, omega: Vector) -> WheelContact:
    pose = WheelPose(r0, 0.3, r, axis)
    return contact_on(TangentPlane().plane(road, pose), pose, v, omega)


@AXES
@pytest.mark.parametrize("speed", [2.0, 12.0])
def test_force_lags_by_the_relaxation_length(axis: str, speed: float) -> None:
    # For slip s ≪ sM: W = u, G = dF0, (1 + u d/dF0) ẋ = −v − (u c/dF0) x, first order with the time constant
    # T = (dF0 + u d)/(u c), that is the relaxation length dF0/c at low speed.
    s = 1e-4
    dF0 = getattr(TYRE, f"df{axis}0")[0]
    c, d = (TYRE.cx, TYRE.dx) if axis == "x" else (TYRE.cy, TYRE.dy)
    T = (dF0 + speed * d) / (speed * c)
    road = flat_contact(PN / CZ, v_x=speed, v_y=-s * speed if axis == "y" else 0.0, spin=None)
    if axis == "x":
        road = road._replace(v_x=(1.0 - s) * speed)
    k = 0 if axis == "x" else 1

    def rate(t: float, x: Vector) -> list[float]:
        f = tyre_forces(TYRE, road, x[0], x[1])
        return [*f.x_dot]

    times = np.array([0.5 * T, T, 3.0 * T])
    x = solve_ivp(rate, (0.0, 3.0 * T), [0.0, 0.0], t_eval=times, rtol=1e-9, atol=1e-15).y[k]
    final = s * dF0 / c
    # Curvature of the characteristic: |1 − (k − 2) s/sM| with k − 2 ≤ 1.3 and s/sM ≤ 1e-3.
    assert x == pytest.approx(final * (1.0 - np.exp(-times / T)), rel=3e-3)


def test_settled_force_is_the_steady_characteristic() -> None:
    for sx, sy in ((0.02, 0.05), (0.1, 0.1), (0.5, -0.5), (-1.0, 0.0)):
        c = flat_contact(PN / CZ, spin=20.0)
        u = (3.0 * TYRE.unloaded_radius - PN / CZ) / 3.0 * 20.0
        c = c._replace(v_x=u * (1.0 - sx), v_y=-u * sy)
        Fx, Fy = steady_force(TYRE, PN, sx, sy)
        f = tyre_forces(TYRE, c, Fx / TYRE.cx, Fy / TYRE.cy)
        # TINY_SPEED/u ~ 1e-10 and TINY_FORCE/G ~ 1e-13.
        assert (f.Fx, f.Fy) == pytest.approx((Fx, Fy), rel=1e-8)
        assert abs(f.x_dot[0]) < 1e-8 * u
        assert abs(f.x_dot[1]) < 1e-8 * u


def parked(slope_force: float, friction: float, duration: float) -> tuple[Vector, Vector, Vector]:
    """Mass on a locked tyre, pulled down the slope; position, velocity and deflection over time."""
    mass = PN / 9.81

    def rate(t: float, y: Vector) -> list[float]:
        _, velocity, x_e = y
        f = tyre_forces(TYRE, flat_contact(PN / CZ, v_x=velocity, friction=friction), x_e, 0.0)
        return [velocity, (f.Fx - slope_force) / mass, f.x_dot[0]]

    times = np.linspace(0.0, duration, 5)
    run = solve_ivp(rate, (0.0, duration), [0.0, 0.0, 0.0], "DOP853", times, rtol=1e-9, atol=1e-12)
    assert run.success
    return run.y[0], run.y[1], run.y[2]


def test_parked_on_slope_holds_by_deflection_without_creep() -> None:
    weight = 0.2 * PN
    position, velocity, x_e = parked(weight, 0.8, 80.0)
    # Weakly damped, decay time 2 m/d = 0.95 s: settled after 40 s to e^-42.  The equilibrium is a balance of
    # forces, whatever the friction has taken up while it swung: F = c x.
    assert x_e[2:] == pytest.approx(np.full(3, weight / TYRE.cx), rel=1e-8)
    assert np.all(np.abs(velocity[2:]) < 1e-9)
    # No drift over another 40 s: 1e-9 m/s of creep would be 4e-8 m.
    assert position[2:] == pytest.approx(np.full(3, position[2]), abs=4e-9)


def test_parked_beyond_friction_slides_at_the_sliding_force() -> None:
    pull = 0.8 * PN
    _, velocity, x_e = parked(pull, 0.8, 3.0)
    assert velocity[-1] < -3.0
    # Locked wheel: infinite slip, F = FS.
    assert TYRE.cx * x_e[-1] == pytest.approx(TYRE.fxs[0], rel=1e-3)


@AXES
def test_deflection_is_shed_with_lost_friction(axis: str) -> None:
    # At rest with the deflection of 0.7 pn on a road that only offers 0.1/0.8 of the data's maximum.
    along = axis == "x"
    stiffness, most = (TYRE.cx, TYRE.fxm[0]) if along else (TYRE.cy, TYRE.fym[0])
    road = flat_contact(PN / CZ, friction=0.1)

    def rate(t: float, x: Vector) -> list[float]:
        f = tyre_forces(TYRE, road, x[0] if along else 0.0, 0.0 if along else x[0])
        return [float(f.x_dot[0 if along else 1])]

    run = solve_ivp(rate, (0.0, 20.0), [0.7 * PN / stiffness], method="Radau", rtol=1e-8, atol=1e-12)
    # The rest decays towards the capacity at RELEASE_SPEED/pn of the excess: after 20 s all but gone.
    assert stiffness * run.y[0, -1] == pytest.approx(most / 8.0, rel=0.03)


def test_potential_is_that_of_the_elastic_forces() -> None:
    """At rest the tyre is three springs: −∂V/∂x_e, −∂V/∂y_e and −∂V/∂δ are its forces, to differences."""
    wheel, carrier, ground = body("wheel"), body("carrier"), body("ground")
    r0, h = TYRE.unloaded_radius, 1e-6

    def response(x_e: float, y_e: float, depth: float) -> Response:
        tyre = RoadTyre(
            "tyre", wheel, carrier, (0, 0, r0 - depth), (0, 1, 0), TMeasyTyre(TYRE), FlatRoad(0.8), ground
        )
        return tyre.evaluate(Scripted(v={}, omega={}), np.array([x_e, y_e]), {})

    at = np.array([0.004, -0.007, 0.02])
    (load,) = response(*at).loads
    assert isinstance(load, PointLoad)
    for k, force in enumerate((load.force[0], load.force[1], load.force[2])):
        step = h * np.eye(3)[k]
        slope = (response(*(at + step)).potential - response(*(at - step)).potential) / (2.0 * h)
        assert slope == pytest.approx(force, rel=1e-7)


def test_airborne_deflection_relaxes_at_c_over_d() -> None:
    for spin in (0.0, 30.0):
        f = tyre_forces(TYRE, flat_contact(-0.05, v_x=5.0, v_y=1.0, spin=spin), 0.01, -0.02)
        assert f.Fx == f.Fy == f.Fz == f.My == f.Mz == 0.0
        assert f.x_dot[0] == pytest.approx(-TYRE.cx / TYRE.dx * 0.01, rel=1e-9)
        assert f.x_dot[1] == pytest.approx(TYRE.cy / TYRE.dy * 0.02, rel=1e-9)


def test_vertical_force_is_continuous_and_never_pulls() -> None:
    # At 5 m/s: across ε of depth the force may change by c_z ε + d_z (onset) v with onset ≤ 10 (ε/1 mm)³.
    for rate in (-5.0, 0.0, 5.0):
        assert vertical_force(TYRE, -1e-9, rate) == vertical_force(TYRE, 0.0, rate) == 0.0
        assert vertical_force(TYRE, 1e-6, rate) < CZ * 1e-6 + TYRE.dz * 5.0 * 1e-8 + 1e-12
        assert vertical_force(TYRE, 0.01, -100.0) == 0.0
    assert vertical_force(TYRE, 0.02, 0.3) == pytest.approx(CZ * 0.02 + TYRE.dz * 0.3, rel=1e-14)


def numbers(answer: TyreAnswer) -> list[Any]:
    return [*answer[:6], *answer.x_dot, *answer[7:]]


def test_finite_for_any_finite_motion(rng: np.random.Generator) -> None:
    speeds = (0.0, 1e-300, 1e-12, 1e-9, 1e-3, 1.0, 60.0, -10.0)
    for deflection in (-1.0, -1e-15, 0.0, 1e-18, 1e-9, 0.02, 0.3):
        for v_x in speeds:
            for v_y in speeds:
                spin = float(rng.choice([0.0, 1e-12, -1e-3, 25.0, -300.0]))
                c = flat_contact(
                    deflection, v_x=v_x, v_y=v_y, spin=spin, rate=float(rng.choice([0.0, -3.0, 3.0]))
                )
                f = tyre_forces(TYRE, c, float(rng.choice([0.0, 0.05])), float(rng.choice([0.0, -0.05])))
                assert all(map(math.isfinite, numbers(f))), (deflection, v_x, v_y, spin)


def test_relaxation_is_continuous_through_stand_still(rng: np.random.Generator) -> None:
    # κ = W/G is homogeneous of degree one in (u, v): it vanishes like the speeds in every direction.  Beyond
    # the peak what hardly slides holds up to the peak: less κ, by sliding over peak force.
    for _ in range(200):
        u, vx, vy = abs(rng.normal()), rng.normal(), rng.normal()
        big = slip_force(TYRE, PN, 1.0, u, vx, vy)
        for scale in (1e-2, 1e-4):
            small = slip_force(TYRE, PN, 1.0, scale * u, scale * vx, scale * vy)
            # TINY_SPEED/(scale u): excluded rare tiny u by the absolute part.
            found, expected = small.W_x / small.G_x, scale * big.W_x / big.G_x
            assert 0.45 * expected - 1e-10 <= found <= 1.001 * expected + 1e-10
            if big.s < 0.05:
                assert found == pytest.approx(expected, rel=1e-3, abs=1e-10)


def test_locked_wheel_holds_with_peak_friction_until_sliding() -> None:
    """At creeping sliding the steady force is the peak's, at the speed of a slide that of sliding."""
    peak, sliding = TYRE.fxm[0], TYRE.fxs[0]
    for speed, force in ((1e-6, peak), (1e-4, peak), (1.0, sliding), (10.0, sliding)):
        f = slip_force(TYRE, PN, 1.0, 0.0, speed, 0.0)
        assert f.G_x / f.W_x * speed == pytest.approx(force, rel=1e-3)


@pytest.mark.parametrize("camber", [0.0, 0.1, -0.2])
def test_contact_of_cambered_rolling_wheel_on_the_flat(camber: float) -> None:
    r0, height = TYRE.unloaded_radius, 0.44
    axis = np.array([0.0, math.cos(camber), math.sin(camber)])
    omega = 20.0 * axis + np.array([0.0, 0.0, 0.3])
    c = contact(FlatRoad(0.8), r0, np.array([1.0, 2.0, height]), axis, np.array([9.0, 0.5, -0.2]), omega)
    # Trigonometry of the wheel plane: the contact is straight down along the plane.
    assert c.radius == pytest.approx(height / math.cos(camber), rel=1e-12)
    assert c.r == pytest.approx([1.0, 2.0 + height * math.tan(camber), 0.0], abs=1e-12)
    assert c.spin == pytest.approx(20.0 + 0.3 * math.sin(camber), rel=1e-14)
    assert c.deflection_rate == pytest.approx(0.2 / math.cos(camber), rel=1e-12)
    # Velocity of the contact point by finite differences of its position under translation and yaw.
    h = 1e-6

    def foot(t: float) -> Vector:
        yaw = 0.3 * t
        turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
        centre = np.array([1.0, 2.0, height]) + t * np.array([9.0, 0.5, -0.2])
        turned = contact(FlatRoad(0.8), r0, centre, turn @ axis, np.zeros(3), np.zeros(3))
        return np.asarray(turned.r, dtype=float)

    velocity = (foot(h) - foot(-h)) / (2.0 * h)
    # Only rotation about the spin axis is left out of the contact velocity: 0.3 sin(camber) of the yaw.
    spin_part = np.cross(0.3 * math.sin(camber) * axis, foot(0.0) - np.array([1.0, 2.0, height]))
    assert c.v_x == pytest.approx(float(velocity[0] - spin_part[0]), abs=1e-8)
    assert c.v_y == pytest.approx(float(velocity[1]), abs=1e-8)


def test_contact_on_an_incline_is_perpendicular() -> None:
    road = InclinedRoad(0.8, 0.2)
    c = contact(road, 0.4699, np.array([3.0, 0.0, 3.0 * math.tan(0.2) + 0.45]), np.array([0.0, 1.0, 0.0]),
                np.array([1.0, 0.0, 0.0]), np.zeros(3))  # fmt: skip
    assert c.radius == pytest.approx(0.45 * math.cos(0.2), rel=1e-12)
    assert c.r[2] == pytest.approx(road.height(c.r[0], c.r[1]), abs=1e-12)
    assert c.v_x == pytest.approx(math.cos(0.2), rel=1e-12)
    assert c.deflection_rate == pytest.approx(math.sin(0.2), rel=1e-12)


def test_contact_survives_a_wheel_lying_flat() -> None:
    c = contact(
        FlatRoad(0.8), 0.4699, np.array([0.0, 0.0, 0.3]), np.array([0.0, 0.0, 1.0]), np.ones(3), np.ones(3)
    )
    assert not np.any(np.isnan(np.concatenate([c.r, c.e_x, c.e_y, [c.radius, c.v_x, c.v_y]]).astype(float)))


def test_element_loads_the_wheel_at_the_contact() -> None:
    wheel, carrier, ground = body("wheel"), body("carrier"), body("ground")
    centre = np.array([0.3, 0.9, 0.45])
    tyre = RoadTyre(
        "tyre",
        wheel,
        carrier,
        centre,
        (0.0, 2.0, 0.0),
        TMeasyTyre(TYRE),
        BumpRoad(0.8, 0.05, 2.0, -0.5),
        ground,
    )
    observer = Scripted(v={"wheel": np.array([5.0, 0.4, 0.1])}, omega={"wheel": np.array([0.0, 12.0, 0.2])})
    x = np.array([0.004, -0.003])
    response = tyre.evaluate(observer, x, {})
    (load,) = response.loads
    assert isinstance(load, PointLoad)
    c = tyre.contact(observer)
    f = tyre_forces(TYRE, seen(c), x[0], x[1])
    assert load.body is wheel
    assert load.frame is ground
    assert load.force == pytest.approx(f.Fx * c.e_x + f.Fy * c.e_y + f.Fz * c.e_n, rel=1e-12)
    # The normal force meets the road's normal, not the vertical.
    assert float(load.force @ np.cross(c.e_x, c.e_y)) == pytest.approx(f.Fz, rel=1e-12)
    assert response.x_dot == f.x_dot
    assert set(response.outputs) == set(tyre.outputs)
    # Rolling resistance brakes the spin.
    assert float(load.torque @ np.array([0.0, 1.0, 0.0])) < 0.0


def test_runs_on_traced_scalars(rng: np.random.Generator) -> None:
    axis = np.array([0.05, 0.998, 0.03])
    arguments = (
        np.array([1.0, 0.5, 0.44]), axis / np.linalg.norm(axis), rng.normal(size=3), rng.normal(size=3),
    )  # fmt: skip
    road = BumpRoad(0.8, 0.1, 2.0, 0.0, "left")
    x = rng.normal(size=2) * 1e-2
    plain = tyre_forces(TYRE, seen(contact(road, 0.4699, *arguments)), *x)
    hidden = contact(road, 0.4699, *(opaque(argument) for argument in arguments))
    traced = tyre_forces(TYRE, seen(hidden), *opaque(x))
    assert [reveal_scalar(value) for value in numbers(traced)] == numbers(plain)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cz": -1.0}, "cz"),
        ({"dz": math.nan}, "dz"),
        ({"mu0": math.inf}, "mu0"),
        ({"sxm": (0.7, 0.7)}, "sxm"),
        ({"fys": (2.0 * PN, 4.0 * PN)}, "fys"),
        ({"fxm": (1.0,)}, "fxm"),
        ({"pn_max": 0.5 * PN}, "pn_max"),
        ({"dfx0": (17.0 * PN, 2.0 * PN)}, "dfx0"),
        ({"sxs": (0.12, 0.13)}, "sxs"),
        ({"sq0": (0.3, 1.2)}, "sq0"),
    ],
)
def test_wrong_parameters_are_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        replace(TYRE, **change)  # type: ignore[arg-type]


def test_curve_of_generalised_direction_falls_before_it_slides() -> None:
    # The two parabolas of the fall need s* < sS in every direction, not only along the axes.
    for z in np.linspace(0.0, 3.5, 8):
        x, y = axis_curve(TYRE, "x", z, 1.0), axis_curve(TYRE, "y", z, 1.0)
        hat_x, hat_y = normalising_slips(x, y)
        for angle in np.linspace(0.0, math.pi / 2, 19):
            c, s = math.cos(angle), math.sin(angle)
            g = SlipCurve(
                math.hypot(x.dF0 * hat_x * c, y.dF0 * hat_y * s), math.hypot(x.FM * c, y.FM * s),
                math.hypot(x.sM / hat_x * c, y.sM / hat_y * s), math.hypot(x.FS * c, y.FS * s),
                math.hypot(x.sS / hat_x * c, y.sS / hat_y * s),
            )  # fmt: skip
            s_star = g.sM + (g.FM - g.FS) * g.dF0 * g.sM**3 / (g.FM**2 * (g.sS - g.sM))
            assert g.sM < s_star < g.sS


def test_forces_and_trail_vanish_with_friction() -> None:
    """On a road without friction nothing is singular, and forces shrink in proportion."""
    for friction in (0.0, 1e-5):
        forces = np.abs(steady_force(TYRE, PN, 0.1, -0.2, friction))
        most = max(TYRE.fxm[0], TYRE.fym[0])
        # friction counts as 1e-6 at least
        assert np.all(forces <= max(friction, 1e-6) * most * (1.0 + 1e-9))
        assert pneumatic_trail(TYRE, PN, 0.3, friction, 0.2) == 0.0  # far beyond its last slip


def falls_until(sliding: float, at: float) -> float:
    """The least sliding slip to which a curve with the maximum 1 at slip `at` and slope 20 can fall.

    Both parabolas must fit: the first, with the curvature of the rise at the maximum, has to reach sliding
    before the end.  The curvature is found by differences of Rill's rise F = dF0 s/(1 + n (n + k − 2)).
    """

    def rise(s: float) -> float:
        n = s / at
        return 20.0 * s / (1.0 + n * (n + 20.0 * at - 2.0))

    h = 1e-4 * at
    bend = (rise(at + h) - 2.0 * rise(at) + rise(at - h)) / h**2
    return at + math.sqrt((1.0 - sliding) / (-0.5 * bend))


@pytest.mark.parametrize(("sliding", "at"), [(0.5, 0.11), (0.8, 0.2), (0.3, 0.3)])
def test_only_curves_that_cannot_fall_are_refused(sliding: float, at: float) -> None:
    def tyre(end: float) -> object:
        same = {"dfx0": (20.0, 40.0), "fxm": (1.0, 2.0), "fxs": (sliding, 2.0 * sliding)}
        forces = {name: (a * PN, b * PN) for name, (a, b) in same.items()}
        return replace(TYRE, **forces, sxm=(at, at), sxs=(end, end))  # type: ignore[arg-type]

    least = falls_until(sliding, at)
    tyre(least * 1.001)  # the differences above are good to 1e-5
    with pytest.raises(DataError, match="cannot fall from its maximum"):
        tyre(at + 0.999 * (least - at))


FULL = replace(TYRE, camber_thrust=1.0 / 3.0, overturning=1.0, bore_radius=0.06)


@pytest.mark.parametrize("spin", [20.0, -20.0])
def test_a_wheel_pushes_to_where_it_leans(spin: float) -> None:
    """Rolling forwards or back, by a third of the slope times the camber slip L sin γ/(2 r_D)."""
    gamma, deflection = 0.02, PN / CZ
    c = flat_contact(deflection, spin=spin)._replace(gamma=gamma)
    r_D = TYRE.unloaded_radius - deflection / 3.0
    c = c._replace(v_x=r_D * spin)
    slip = math.sqrt(TYRE.unloaded_radius * deflection) * math.sin(gamma) / r_D / 3.0
    expected = -steady_force(TYRE, PN, 0.0, slip)[1]
    f = tyre_forces(FULL, c, 0.0, expected / TYRE.cy)
    assert f.Fy == pytest.approx(expected, rel=1e-6)
    assert abs(f.x_dot[1]) < 1e-6
    assert f.slip_angle == 0.0
    assert tyre_forces(FULL, c._replace(v_x=0.0, spin=0.0), 0.0, 0.0).Fy == 0.0  # not at rest


def test_the_load_moves_aside_with_the_contact() -> None:
    f = tyre_forces(FULL, flat_contact(PN / CZ), 0.0, 0.01)
    assert f.Mx == pytest.approx(0.01 * f.Fz)


def test_turning_on_the_spot_is_braked() -> None:
    """A standing wheel that is turned fast enough slides all over: the arm times the sliding force."""
    at = flat_contact(PN / CZ)
    for rate in (2.0, -2.0):
        moment = tyre_forces(FULL, at._replace(yaw_rate=rate), 0.0, 0.0).Mz
        assert moment == pytest.approx(-math.copysign(0.06 * TYRE.fys[0], rate), rel=1e-6)
    rolling = flat_contact(PN / CZ, v_x=20.0, spin=None)._replace(yaw_rate=0.1)
    slope = 0.06**2 * TYRE.dfy0[0] * 0.1 / 20.0
    assert tyre_forces(FULL, rolling, 0.0, 0.0).Mz == pytest.approx(-slope, rel=0.01)


def test_the_rim_carries_where_the_tyre_is_flat() -> None:
    rim = replace(TYRE, rim_radius=0.24, rim_stiffness=2e6)
    flat = TYRE.unloaded_radius - 0.24
    assert vertical_force(rim, 0.9 * flat, 0.0) == vertical_force(TYRE, 0.9 * flat, 0.0)
    assert vertical_force(rim, flat + 0.01, 0.0) == pytest.approx(CZ * (flat + 0.01) + 2e4, rel=1e-12)
    model, h = TMeasyTyre(rim), 1e-6
    energies = [model.evaluate(flat_contact(flat + 0.01 + d), np.zeros(2)).potential for d in (-h, h)]
    force = model.evaluate(flat_contact(flat + 0.01), np.zeros(2)).Fz
    assert (energies[1] - energies[0]) / (2.0 * h) == pytest.approx(force, rel=1e-8)
