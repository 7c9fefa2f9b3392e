"""Velocity and acceleration of the steered wheel against finite differences of its position alone."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from tests.models.vehicles.hmmwv.vehicle_states import (
    PITMAN_ARM,
    driven_vehicle,
    measured,
    random_inputs,
    random_state,
)

FRONT = CORNERS[:2]

# Central differences of orders 8 and 6: coefficients of r(t + k h) for k = 1 … 4.
FIRST = {8: (4 / 5, -1 / 5, 4 / 105, -1 / 280), 6: (3 / 4, -3 / 20, 1 / 60)}
SECOND = {8: (8 / 5, -1 / 5, 8 / 315, -1 / 560), 6: (3 / 2, -3 / 20, 1 / 90)}


class Differences(NamedTuple):
    """Derivatives of a position and bounds of their errors."""

    v: Array
    a: Array
    v_error: float
    a_error: float


def differences(position: Callable[[float], Array], h: float) -> Differences:
    """Return differences of order 8 at t = 0.

    Their errors: truncation, for which the difference between orders 6 and 8 is a generous bound (order 8 is
    better by (ω h)² for motions of frequency ω), and rounding of positions of some metres, of which the
    differences add up a few times 1e-16 |r| / h and / h².
    """
    r = {k: position(k * h) for k in range(-4, 5)}
    v = {n: sum(c * (r[k] - r[-k]) for k, c in enumerate(row, 1)) / h for n, row in FIRST.items()}
    a = {
        n: sum(c * (r[k] - 2.0 * r[0] + r[-k]) for k, c in enumerate(row, 1)) / h**2
        for n, row in SECOND.items()
    }
    rounding = 20.0 * np.finfo(float).eps * float(np.max(np.abs(r[0])))
    truncation = [float(np.max(np.abs(d[8] - d[6]))) for d in (v, a)]
    return Differences(
        np.asarray(v[8]), np.asarray(a[8]), truncation[0] + rounding / h, truncation[1] + rounding / h**2
    )


@pytest.fixture(scope="module")
def vehicle() -> System:
    return driven_vehicle()


def test_differences_of_a_known_motion() -> None:
    """Their error bounds hold, and are tight enough to mean something."""
    found = differences(lambda t: np.array((np.sin(10.0 * t + 0.3), np.exp(5.0 * t))), 4e-3)
    assert np.max(np.abs(found.v - (10.0 * np.cos(0.3), 5.0))) < found.v_error < 1e-7
    assert np.max(np.abs(found.a - (-100.0 * np.sin(0.3), 25.0))) < found.a_error < 1e-5


@pytest.mark.parametrize("name", FRONT)
@pytest.mark.parametrize("t0", [0.0, 0.13, 0.4])
def test_relative_to_the_chassis(vehicle: System, name: str, t0: float) -> None:
    """Along given steering(t) and arm(t): columns, drift and bias of the wheel's motion inside its corner."""
    embedding = embed(vehicle)
    layout = Layout(embedding)
    names = [entry.name for entry in layout.u]
    arm, side = embedding.q_of[f"{name}.lower_arm"], 1.0 if name == "front_left" else -1.0
    q0, v0, x0 = (np.array(part) for part in layout.split(layout.y0))

    def at(t: float) -> tuple[Instant, float]:
        """The vehicle at a time, and the arm's acceleration."""
        q, v, u = q0.copy(), v0.copy(), np.array(layout.u0)
        phase, turn = 6.0 * t + 0.2, 8.0 * t - 0.5
        q[arm] = side * (0.05 + 0.3 * np.sin(phase))
        v[embedding.v_of[f"{name}.lower_arm"]] = side * 1.8 * np.cos(phase)
        u[names.index("driven")] = 0.5 * np.sin(turn)
        u[names.index("driven_rate")] = 4.0 * np.cos(turn)
        u[names.index("driven_acceleration")] = -32.0 * np.sin(turn)
        return Instant(embedding, layout, q, v, x0, u), side * -10.8 * np.sin(phase)

    def centre(t: float) -> Array:
        wheel = vehicle.find(f"{name}.wheel")
        point = at(t)[0].outward.point(wheel, wheel.inboard.at, vehicle.find("chassis"))
        return np.asarray(point.r, dtype=float)

    found = differences(lambda t: centre(t0 + t), 4e-3)
    instant, arm_acceleration = at(t0)
    wheel, chassis = vehicle.find(f"{name}.wheel"), vehicle.find("chassis")
    observed = instant.outward.point(wheel, wheel.inboard.at, chassis)
    point = instant.outward.motions[f"{name}.lower_arm"].point(f"{name}.spindle", wheel.inboard.at)
    assert found.v_error < 1e-7 * np.linalg.norm(found.v)
    assert found.a_error < 1e-6 * np.linalg.norm(found.a)
    np.testing.assert_allclose(observed.v, found.v, rtol=0.0, atol=found.v_error)
    np.testing.assert_allclose(point.v, found.v, rtol=0.0, atol=found.v_error)
    np.testing.assert_allclose(
        point.a + point.J[:, 0] * arm_acceleration, found.a, rtol=0.0, atol=found.a_error
    )
    assert np.linalg.norm(point.drift) > 0.1  # the steering moves the wheel's centre, beside the arm


@pytest.mark.parametrize("name", CORNERS)
@pytest.mark.parametrize("seed", range(3))
def test_in_the_world(vehicle: System, name: str, seed: int, rng: np.random.Generator) -> None:
    """The whole vehicle in motion: positions along the motion that starts with the accelerations found.

    Coordinates with the right value, rate and acceleration at t = 0 give the right velocity and acceleration
    there, whatever their higher derivatives: q + v t + v̇ t²/2, and for the attitude the rotation by the
    vector ω t + ω̇ t²/2, whose angular acceleration at t = 0 is ω̇.
    """
    embedding = embed(vehicle)
    layout = Layout(embedding)
    inputs = random_inputs(rng)
    state = random_state(embedding, rng, True, inputs)
    start = Instant(embedding, layout, *state)
    v_dot = start.accelerations.v_dot.astype(float)
    attitude = Rotation.from_quat(np.roll(state.q[3:7], -1))
    names = [entry.name for entry in layout.u]
    wheel = vehicle.find(f"{name}.wheel")

    def centre(t: float) -> Array:
        travelled = state.v * t + 0.5 * v_dot * t * t
        q, u = state.q.copy(), state.u.copy()
        q[:3] += travelled[3:6]
        q[3:7] = np.roll((Rotation.from_rotvec(travelled[:3]) * attitude).as_quat(), 1)
        for body, where in embedding.q_of.items():
            if body != "chassis":
                q[where] += travelled[embedding.v_of[body]]
        u[names.index("driven")] += inputs["driven_rate"] * t + 0.5 * inputs["driven_acceleration"] * t * t
        moved = Instant(embedding, layout, q, state.v, state.x, u)
        return np.asarray(moved.outward.point(wheel, wheel.inboard.at, vehicle.ground).r, dtype=float)

    found = differences(centre, 1e-3)
    assert PITMAN_ARM in start.prescribed
    assert found.v_error < 1e-6 * np.linalg.norm(found.v)
    assert found.a_error < 1e-5 * np.linalg.norm(found.a)
    observed = start.outward.point(wheel, wheel.inboard.at, vehicle.ground)
    measured("bound of the velocity's error", float(found.v_error / np.linalg.norm(found.v)))
    measured("bound of the acceleration's error", float(found.a_error / np.linalg.norm(found.a)))
    np.testing.assert_allclose(observed.v.astype(float), found.v, rtol=0.0, atol=found.v_error)
    acceleration = start.acceleration(wheel, wheel.inboard.at).astype(float)
    np.testing.assert_allclose(acceleration, found.a, rtol=0.0, atol=found.a_error)
