"""Inertial parameters by linear regression."""

import numpy as np
import pytest

from ce_dynamics.models.identification.inertia import balance, base_parameters, regressor
from ce_dynamics.models.identification.recording import Channel, Recording
from ce_dynamics.models.vehicles.description import VehicleParameters


def test_regressor_sums_forces_of_points() -> None:
    # A rigid body of points: f = Σ mᵢ aᵢ and Σ rᵢ × mᵢ aᵢ, aᵢ = a + α × rᵢ + ω × (ω × rᵢ).
    rng = np.random.default_rng(0)
    m, r = rng.uniform(1.0, 2.0, 7), rng.normal(size=(7, 3))
    a, omega, alpha = rng.normal(size=(3, 5, 3))
    inertia = sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r, strict=True))
    pi = np.array([m.sum(), *(m @ r), *np.asarray(inertia)[np.triu_indices(3)]])
    for k, wrench in enumerate(regressor(a, omega, alpha) @ pi):
        points = a[k] + np.cross(alpha[k], r) + np.cross(omega[k], np.cross(omega[k], r))
        forces = m[:, np.newaxis] * points
        np.testing.assert_allclose(wrench[:3], forces.sum(axis=0), rtol=1e-12)
        np.testing.assert_allclose(wrench[3:], np.cross(r, forces).sum(axis=0), rtol=1e-12)


def test_balance_finds_mass_and_yaw_inertia() -> None:
    data = VehicleParameters.load("hatchback")
    rng, t = np.random.default_rng(1), np.arange(0.0, 60.0, 0.01)
    yaw, turning = 0.2 * np.sin(2.0 * t), 0.4 * np.cos(2.0 * t)
    ay = 3.0 * np.sin(2.0 * t - 0.4) + np.sin(0.7 * t)
    base = base_parameters(data)
    m, mx, izz = 1.1 * base[0], 0.9 * base[1], 1.2 * base[9]
    # m a_y + m x α = F, m x a_y + I α = M; no sensor is elsewhere than at the origin.
    force, moment = m * ay + mx * turning, mx * ay + izz * turning
    W = {name: np.asarray(c.W, dtype=float) for name, c in data.corners.items()}
    ahead, behind = W["front_left"][0], W["rear_left"][0]
    front = (moment - behind * force) / (ahead - behind)
    sides = {"front": front, "rear": force - front}
    outputs = {"yaw_rate": Channel(yaw, "rad/s", "yaw_rate"), "ay": Channel(ay, "m/s^2", "ay")}
    for name in data.corners:
        side = 0.5 * sides[name.partition("_")[0]] + 20.0 * rng.normal(size=len(t))
        outputs[f"{name}.tyre.Fy"] = Channel(side, "N", f"{name}.tyre.Fy")
    run = Recording("made", "", t, {}, outputs, [(0.0, 60.0)])
    found = {one.name: one for one in balance(run, data)}
    # Rates over 0.1 s lose (2·0.1)²/24 = 0.2 % of α.
    for name, truth in (("m", m), ("m c_x", mx), ("I_zz", izz)):
        assert found[name].value == pytest.approx(truth, abs=3.0 * found[name].sd + 0.004 * abs(truth))
        assert found[name].sd < 0.03 * abs(truth)
    assert {"m", "m c_x", "I_zz"} <= {name for name, one in found.items() if one.is_told}
    assert not found["I_xx"].is_told, "roll is not measured"
    assert not balance(Recording("made", "", t, {}, {"ay": outputs["ay"]}, [(0.0, 60.0)]), data)
