"""Replicas of what Chrono's program does: the order in which it works, with one wheel, and its PAC2002.

After Project Chrono's source of 2025.  Each step of a vehicle is

1. `ChWheeledVehicle::Synchronize`: the tyre's moment about the wheel's centre goes into an accumulator of the
   spindle, turned into its axes of now (`ChBody::AccumulateTorque`);
2. `ChSystem::AdvanceDynamics`: what acts is what bodies summed when they were updated last
   (`ChBody::UpdateForces`).  That was at the end of the step before, which `ChTimestepperImplicit` closes by
   `StateScatter`: only new systems, and those with contacts of the kind NSC, are updated before a step.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ce_dynamics.models.tyres.chrono import ChronoMagicFormula, ChronoTMeasy, contact_axes
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from tests.models.components import TYRE
from tests.models.tyres.magic_formula.figures import coefficients
from tests.models.tyres.rig import Rig, wheel

Floats = NDArray[np.float64]
INERTIA = np.diag((4.3, 7.4, 4.3))


def on_the_carrier(moment: Floats, spin: float, h: float, update_first: bool, steps: int = 40) -> Floats:
    """Return the moment that a wheel on a revolute joint transmits of a constant one, after some steps.

    Velocities by linearised implicit Euler in the spindle's axes, with multipliers of the joint; about the
    spin axis a drive holds the speed, and what it has to do is handed on as well.
    """
    R, omega = np.eye(3), np.array((0.0, spin, 0.0))
    accumulator, acting, handed = np.zeros(3), np.zeros(3), np.zeros(3)
    for _ in range(steps):
        accumulator = R.T @ moment
        if update_first:
            acting = accumulator
        gyroscopic = np.cross(omega, INERTIA @ omega)
        # J (ω′ − ω) = h (acting − gyroscopic + Rᵀ λ), R ω′ = spin e_y
        after = R.T @ np.array((0.0, spin, 0.0))
        needed = INERTIA @ (after - omega) / h + gyroscopic - acting
        handed = -R @ needed
        omega = after
        R = R @ Rotation.from_rotvec(h * omega).as_matrix()
        acting = accumulator  # the state is scattered, and bodies are updated
    return handed


@pytest.mark.parametrize("h", [1e-3, 1e-4])
def test_moments_act_one_step_late_in_wheels_axes(h: float) -> None:
    """About the vertical the replica has −θ R F_y over, θ = ω h: what the tyre with a delay of h has."""
    r, spin = 0.97 * TYRE.unloaded_radius, 20.0 / TYRE.unloaded_radius
    late, at_once = (Rig(ChronoTMeasy(TYRE, delay=delay)) for delay in (h, 0.0))
    there, rest = wheel(r, 20.0, 1.0, spin), np.zeros(2)
    f, g = at_once(there, rest), late(there, rest)

    def about_the_centre(one: object) -> Floats:
        M, F = (np.array([getattr(one, f"{kind}{axis}") for axis in "xyz"]) for kind in "MF")
        return np.asarray(M + np.cross((0.0, 0.0, -r), F), dtype=np.float64)

    moment = about_the_centre(f)
    handed = on_the_carrier(moment, spin, h, update_first=False)
    angle = spin * h
    assert handed[2] - moment[2] == pytest.approx(-angle * r * f.Fy, rel=angle)
    assert handed[1] == pytest.approx(moment[1])  # nothing is left over about the spin axis
    assert handed == pytest.approx(about_the_centre(g), abs=0.6 * angle**2 * np.abs(moment).max())
    assert on_the_carrier(moment, spin, h, update_first=True) == pytest.approx(moment)


def quaternion_of(M: Floats) -> Floats:
    """Return the quaternion of `ChMatrix33::GetQuaternion`, for columns of any length."""
    q = np.empty(4)
    trace = M[0, 0] + M[1, 1] + M[2, 2]
    if trace >= 0.0:
        s = np.sqrt(trace + 1.0)
        q[:] = s * s, M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]
        q *= 0.5 / s
        return q
    i = 1 if M[1, 1] > M[0, 0] else 0
    i = 2 if M[2, 2] > M[i, i] else i
    j, k = (i + 1) % 3, (i + 2) % 3
    s = np.sqrt(M[i, i] - M[j, j] - M[k, k] + 1.0)
    q[1 + i] = 0.5 * s
    q[0], q[1 + j], q[1 + k] = np.array((M[k, j] - M[j, k], M[j, i] + M[i, j], M[k, i] + M[i, k])) * 0.5 / s
    return q


def rotation_of(q: Floats) -> Floats:
    """Return the matrix by which `ChQuaternion::Rotate` turns a vector."""
    e0, e1, e2, e3 = q
    return np.array(
        (
            (2 * (e0 * e0 + e1 * e1) - 1, 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)),
            (2 * (e1 * e2 + e0 * e3), 2 * (e0 * e0 + e2 * e2) - 1, 2 * (e2 * e3 - e0 * e1)),
            (2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 2 * (e0 * e0 + e3 * e3) - 1),
        )
    )


@pytest.mark.parametrize("gamma", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("heading", np.linspace(-3.1, 3.1, 9))
def test_contact_axes_are_turned_by_chronos_quaternion(gamma: float, heading: float) -> None:
    """Of axes along and across of length cos γ; their trace is negative from 2.1 rad of heading on."""
    c, s = np.cos(heading), np.sin(heading)
    level, lengths = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))), (np.cos(gamma),) * 2 + (1.0,)
    turned = level.T @ rotation_of(quaternion_of(level * lengths))
    axes = contact_axes(lengths[0], (c, s))
    for vector in np.eye(3):
        assert axes.turn(*vector) == pytest.approx(turned @ vector, abs=1e-15)
        assert axes.turn_back(*vector) == pytest.approx(turned.T @ vector, abs=1e-15)
    if gamma == 0.0:
        np.testing.assert_allclose(turned, np.eye(3), rtol=0.0, atol=1e-15)


def chronos_contact(gamma: float, height: float, r: float) -> Floats:
    """Return the contact of `ChTire::DiscTerrainCollision1pt` on a level road, from the wheel's centre.

    The wheel rolls along x and leans by γ.
    """
    centre, up = np.array((0.0, 0.0, height)), np.array((0.0, 0.0, 1.0))
    axis = np.array((0.0, np.cos(gamma), np.sin(gamma)))
    ahead = np.cross(axis, up)
    lowest = centre + r * np.cross(axis, ahead / np.linalg.norm(ahead))
    below = lowest * (1.0, 1.0, 0.0)
    normal = up - (up @ axis) * axis
    normal /= np.linalg.norm(normal)
    projected = centre - ((centre - below) @ normal) * normal
    return np.asarray(projected * (1.0, 1.0, 0.0) - centre)


@pytest.mark.parametrize("gamma", [0.0, -0.2, 0.5])
def test_forces_act_at_the_contact_of_chrono(gamma: float) -> None:
    """The moment about the wheel's centre along the line of travel is that of F_y and F_z there."""
    r, radius = TYRE.unloaded_radius, 0.75 * TYRE.unloaded_radius  # 60 mm too deep: 6 mm aside at 0.5 rad
    f = Rig(ChronoTMeasy(TYRE))(wheel(radius, 20.0, 1.0, 20.0 / r)._replace(gamma=gamma), np.zeros(2))
    assert f.Fz > 1000.0
    at = chronos_contact(gamma, radius * np.cos(gamma), r)
    own = radius * np.array((np.sin(gamma), -np.cos(gamma)))  # across and upwards, of the library's contact
    here = f.Mx + own[0] * f.Fz - own[1] * f.Fy
    assert here == pytest.approx(at[1] * f.Fz - at[2] * f.Fy, rel=1e-9)
    if gamma:
        assert abs(own[0] - at[1]) > 1e-4


def pac2002(c: Coefficients, Fz: float, kappa: float, alpha: float) -> tuple[float, float, float]:
    """F_x, and F_y and M_z as Chrono turns them round, by the ellipse."""
    Fz0 = c.FNOMIN * c.LFZO
    df = Fz / Fz0 - 1.0
    alpha = -alpha

    def pure(D: float, C: float, B: float, E: float, slip: float) -> float:
        bent = np.clip(B * slip, 0.01 - np.pi / 2, np.pi / 2 - 0.01)
        return float(D * np.sin(C * np.arctan(bent - min(E, 1.0) * (bent - np.arctan(bent)))))

    Dx, Kx = (c.PDX1 + c.PDX2 * df) * Fz, Fz * (c.PKX1 + c.PKX2 * df) * np.exp(c.PKX3 * df) * c.LKX
    Shx, Svx = c.PHX1 + c.PHX2 * df, Fz * (c.PVX1 + c.PVX2 * df)
    k = kappa + Shx
    Ex = (c.PEX1 + c.PEX2 * df + c.PEX3 * df**2) * (1.0 - c.PEX4 * np.sign(k))
    own_x = pure(Dx, c.PCX1, Kx / (c.PCX1 * Dx), Ex, k)
    Dy = (c.PDY1 + c.PDY2 * df) * Fz
    Ky = c.PKY1 * Fz0 * np.sin(2.0 * np.arctan(Fz / (c.PKY2 * Fz0)))
    Shy, Svy = c.PHY1 + c.PHY2 * df, Fz * (c.PVY1 + c.PVY2 * df)
    a = alpha + Shy
    By = Ky / (c.PCY1 * Dy)
    own_y = pure(Dy, c.PCY1, By, (c.PEY1 + c.PEY2 * df) * (1.0 - c.PEY3 * np.sign(a)), a)
    along, across = abs(k + Svx / Kx), abs(np.sin(a + Svy / Ky))
    Fx = (own_x + Svx) / np.hypot(1.0, across * own_x / (along * Dy))
    Fy = (own_y + Svy) / np.hypot(1.0, along * own_y / (across * Dx))
    t_slip, r_slip = alpha + c.QHZ1 + c.QHZ2 * df, alpha + Shy + Svy / Ky
    Bt = c.QBZ1 + c.QBZ2 * df + c.QBZ3 * df**2
    Et = (c.QEZ1 + c.QEZ2 * df + c.QEZ3 * df**2) * (
        1.0 + c.QEZ4 * 2.0 / np.pi * np.arctan(Bt * c.QCZ1 * t_slip)
    )
    bent = Bt * t_slip
    bent -= min(Et, 1.0) * (bent - np.arctan(bent))
    Dt = Fz * (c.QDZ1 + c.QDZ2 * df) * c.UNLOADED_RADIUS / Fz0
    trail = Dt * np.cos(c.QCZ1 * np.arctan(bent)) * np.cos(alpha)
    Br = c.QBZ9 + c.QBZ10 * By * c.PCY1
    residual = Fz * (c.QDZ6 + c.QDZ7 * df) * c.UNLOADED_RADIUS * np.cos(np.arctan(Br * r_slip))
    return Fx, -Fy, trail * Fy - residual * np.cos(alpha)


@pytest.mark.parametrize(("kappa", "alpha"), [(0.01, -0.02), (-0.06, 0.1), (0.5, 0.02), (-0.01, 0.6)])
def test_pac2002_is_that_of_chrono(kappa: float, alpha: float) -> None:
    """At 20 m/s, slips being per speed plus 0.1 m/s; the last two beyond where curves hold their force."""
    c = replace(coefficients(52, LFZO=0.6), ellipse=True)
    tyre = ChronoMagicFormula(MagicFormula(c, "left", "right"), 1.0)
    rig, v = Rig(tyre), 20.0
    r = rig.radius(6000.0)
    rolling = tyre.rolling_radius(c.UNLOADED_RADIUS - r)
    f = rig(wheel(r, v, (v + 0.1) * np.tan(alpha), (v + kappa * (v + 0.1)) / rolling), np.zeros(2))
    # 1e-5: Chrono's curves have 0.1 N, of more than 1e4 N, in a denominator
    assert (f.Fx, f.Fy, f.Mz) == pytest.approx(pac2002(c, 6000.0, kappa, alpha), rel=1e-5)


def test_pac2002_is_mirrored_across_the_vehicle() -> None:
    """The left tyre to the left and its image to the right answer in mirror images."""
    c = coefficients(52)
    left, right = (Rig(ChronoMagicFormula(MagicFormula(c, "left", side), 1.0)) for side in ("right", "left"))
    one, other = (rig(wheel(0.3, 20.0, v, 66.0), np.zeros(2)) for rig, v in ((left, 0.5), (right, -0.5)))
    assert (other.Fx, other.Fy, other.Mz) == pytest.approx((one.Fx, -one.Fy, -one.Mz))


@pytest.mark.parametrize(("h", "oscillates"), [(1e-3, True), (2e-4, False)])
def test_light_wheels_oscillate_in_steps_of_chrono(h: float, oscillates: bool) -> None:
    """Forces act two steps late: ω‴ − ω″ + g ω = 0 with g = h R² C/(J v) grows where g > 2 sin 18° = 0.618.

    One step is the accumulator's, and one passes before `ChWheel::Synchronize` has what `ChTire::Advance`
    found.  A braked wheel at 10 m/s, of an inertia at which g is 0.8 in steps of 1 ms.  It swings in ten
    steps, 2π/36°, as far as slip reaches from driving to braking.
    """
    v, load, torque = 10.0, 8000.0, 1000.0
    rig = Rig(ChronoTMeasy(TYRE))
    radius, rest = rig.radius(load), np.zeros(2)

    def force(spin: float) -> float:
        return float(rig(wheel(radius, v, 0.0, spin), rest).Fx)

    low, high = 0.8 * v / radius, v / radius
    for _ in range(60):  # the spin at which the road holds the brake
        spin = 0.5 * (low + high)
        low, high = (spin, high) if radius * force(spin) < -torque else (low, spin)
    slope = (force(spin + 1e-4) - force(spin - 1e-4)) / 2e-4
    J = 1e-3 * radius * slope / 0.8
    omega, late = spin * 1.001, [force(spin)] * 2
    found = []
    for _ in range(int(1.0 / h)):
        late.append(force(omega))
        omega += h / J * (-torque - radius * late.pop(0))
        found.append(omega)
    swing = np.ptp(found[len(found) // 2 :]) / spin
    if not oscillates:
        assert swing < 1e-6
        return
    assert swing > 0.05
    spectrum = np.abs(np.fft.rfft(np.array(found[-500:]) - np.mean(found[-500:])))
    assert 500 / int(np.argmax(spectrum)) == pytest.approx(10.0, rel=0.02)
