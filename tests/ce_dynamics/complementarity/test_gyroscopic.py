"""Free bodies that tumble: no energy gained or lost, angular momentum kept, second-order angular velocity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity import RigidBodies, RigidBody, UnilateralModel, simulate_unilateral
from ce_dynamics.complementarity.gyroscopic import at_midpoint, spun
from ce_dynamics.complementarity.rigid import rotations

INERTIA = np.diag((0.1, 0.2, 0.28))
AXIS = np.array((0.1, 1.0, 0.1))
"""Near the unstable middle axis."""


def euler(w: Floats, T: float) -> Floats:
    """Angular velocity after T by an integrator of high order."""
    done = solve_ivp(
        lambda t, w: np.linalg.solve(INERTIA, -np.cross(w, INERTIA @ w)),
        (0.0, T),
        w,
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    return np.asarray(done.y[:, -1])


@pytest.mark.parametrize("speed", [1.0, 30.0, 300.0])
def test_midpoint_keeps_energy_and_momentum_of_a_free_body(speed: float) -> None:
    w = speed * AXIS[None]
    energy, momentum = w[0] @ INERTIA @ w[0], np.linalg.norm(INERTIA @ w[0])
    steps = 100_000 if speed == 300.0 else 1000  # 100 s for the fastest
    for _ in range(steps):
        w = spun(INERTIA[None], w, 1e-3)
    # each step rounds by some units in the last place, which add up at most linearly
    rounding = 10.0 * steps * np.finfo(float).eps
    assert w[0] @ INERTIA @ w[0] == pytest.approx(energy, rel=rounding)
    assert np.linalg.norm(INERTIA @ w[0]) == pytest.approx(momentum, rel=rounding)


def test_midpoint_is_of_second_order() -> None:
    errors = []
    for steps in (100, 200, 400):
        w = 30.0 * AXIS[None]
        for _ in range(steps):
            w = spun(INERTIA[None], w, 0.2 / steps)
        errors.append(np.linalg.norm(w[0] - euler(30.0 * AXIS, 0.2)))
    # 4 per halving; the next terms of the error, relatively h ω = 6/100, change that by a few per cent
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


def test_angular_momentum_in_space_turns_by_a_bounded_angle() -> None:
    # at the start of each step the error is h/2 of the change of ω since the beginning: h |ω| at most
    h, speed = 1e-3, 30.0
    body = RigidBody("b", 2.0, np.diag(INERTIA), angular_velocity=speed * AXIS)
    bodies = RigidBodies([body], gravity=(0.0, 0.0, 0.0))
    state = bodies.start
    before = INERTIA @ (speed * AXIS)
    energy = bodies.energy(state)
    for _ in range(3000):
        R = rotations(state.quaternion)
        state = bodies.moved(state, bodies.free_velocities(state, R, h).ravel(), h)
    R = rotations(state.quaternion)[0]
    now = R @ INERTIA @ R.T @ state.v[0, 3:]
    assert np.linalg.norm(now - before) <= h * speed * np.linalg.norm(before)
    assert bodies.energy(state) == pytest.approx(energy, rel=3000 * 20 * np.finfo(float).eps)


@pytest.mark.parametrize("speed", [30.0, 300.0])
def test_an_embedded_free_body_keeps_its_energy(speed: float) -> None:
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    body = system.add_body("b", mass=2.0, inertia=np.diag(INERTIA), parent=system.ground, hinge=ce.Free())
    system.start(body, v=[*(speed * AXIS), 0.0, 0.0, 0.0])
    run = simulate_unilateral(UnilateralModel(ce.compile(system), []), duration=0.5, interval=0.1)
    energy = run.results.energy.values
    # 500 steps, each solved to 1e-14 of the speeds
    np.testing.assert_allclose(energy, energy[0], rtol=500 * 4e-14)


def test_midpoint_by_newton_where_the_iteration_does_not_converge() -> None:
    A = np.array([[-900.0, 0.0], [300.0, -5000.0]])  # h |A| / 2 = 2.5
    v, h = np.array([1.0, 2.0]), 1e-3
    exact = np.linalg.solve(np.eye(2) - 0.5 * h * A, (np.eye(2) + 0.5 * h * A) @ v)
    np.testing.assert_allclose(at_midpoint(lambda v: A @ v, v, A @ v, h), exact, rtol=1e-12)
