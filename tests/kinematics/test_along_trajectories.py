"""Velocities and accelerations against differences of positions along given motions of θ and the steering.

No derivative formula is used: q(t) and s(t) are known functions, positions of points are differenced in time.
"""

from __future__ import annotations

import numpy as np
import pytest

from ce_dynamics.motion import PointMotion
from tests.kinematics.bench import Bench, Recorded, State, bench
from tests.kinematics.registry import LINKAGES

H = 4e-3
# central differences of order 8 for the first and the second derivative
FIRST = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
SECOND = {0: -205 / 72, 1: 8 / 5, 2: -1 / 5, 3: 8 / 315, 4: -1 / 560}


class Trajectory:
    """Independent and prescribed coordinates as sines of time inside the middle of their spans."""

    def __init__(self, b: Bench, rng: np.random.Generator) -> None:
        self.b = b
        lower, upper = b.span
        self.middle = 0.5 * (lower + upper)
        self.swing = 0.3 * (upper - lower)
        self.s = 0.6 * b.case.steering_span[1] if b.case.steering is not None else 0.0
        self.phase = rng.uniform(0.0, 6.0, b.N)

    def at(self, t: float) -> tuple[State, np.ndarray]:
        """State and θ̈ at a time."""
        angle = 1.7 * t + self.phase
        q = self.middle + self.swing * np.sin(angle)
        v = 1.7 * self.swing * np.cos(angle)
        a = -(1.7**2) * self.swing * np.sin(angle)
        turn = 1.1 * t + 0.4
        s = self.s * np.array((np.sin(turn), 1.1 * np.cos(turn), -1.21 * np.sin(turn)))
        return State(q, v, s), a

    def positions(self, t: float) -> np.ndarray:
        """Three points of every dependent body, which also pin down its rotation."""
        motion = self.b.motion(self.at(t)[0])
        return np.array([point.r for point in self.points(motion)])

    def points(self, motion: Recorded) -> list[PointMotion]:
        """Motion of the three points of every dependent body."""
        offsets = np.array(((0.0, 0.0, 0.0), (0.3, 0.1, -0.2), (-0.1, 0.4, 0.2)))
        names = self.b.dependents
        return [motion.point(name, motion.hinge(name).at + offset) for name in names for offset in offsets]


@pytest.mark.parametrize("name", LINKAGES)
def test_velocity_and_acceleration_of_body_points(name: str) -> None:
    b = bench(name)
    rng = np.random.default_rng(sum(map(ord, name)) + 4)
    path = Trajectory(b, rng)
    for t in (0.0, 0.9):
        samples = {k: path.positions(t + k * H) for k in range(-4, 5)}
        velocity = sum(weight * (samples[k] - samples[-k]) for k, weight in FIRST.items()) / H
        acceleration = SECOND[0] * samples[0]
        acceleration = acceleration + sum(SECOND[k] * (samples[k] + samples[-k]) for k in range(1, 5))
        acceleration = acceleration / H**2
        state, theta_ddot = path.at(t)
        motion = b.motion(state)
        points = path.points(motion)
        v = np.array([point.v for point in points])
        a = np.array([point.J @ theta_ddot + point.a for point in points])
        # rounding: ~5 ulps of a position of a few metres over H and H²; truncation (H · 10/s)^8 is below both
        rounding = 30 * np.finfo(float).eps * max(1.0, np.abs(samples[0]).max())
        assert np.abs(velocity).max() > 1e-2  # the linkage does move
        np.testing.assert_allclose(v, velocity, rtol=1e-9, atol=rounding / H)
        np.testing.assert_allclose(a, acceleration, rtol=1e-9, atol=4 * rounding / H**2)


@pytest.mark.parametrize("name", [name for name in LINKAGES if bench(name).case.steering is not None])
def test_steering_alone_moves_the_wheel(name: str) -> None:
    """With the arm held, η and its derivative are all there is; without them the wheel would stand still."""
    b = bench(name)
    still = np.zeros(b.N)

    def spindle(t: float) -> np.ndarray:
        s = 0.3 * np.sin(t)
        motion = b.motion(State(still, still, np.array((s, 0.0, 0.0))))
        return motion.point("spindle", motion.body("spindle").at + np.array((0.0, 0.3, 0.1))).r

    t = 0.6
    samples = {k: spindle(t + k * H) for k in range(-4, 5)}
    velocity = sum(weight * (samples[k] - samples[-k]) for k, weight in FIRST.items()) / H
    s = 0.3 * np.array((np.sin(t), np.cos(t), -np.sin(t)))
    motion = b.motion(State(still, still, s))
    point = motion.point("spindle", motion.body("spindle").at + np.array((0.0, 0.3, 0.1)))
    assert np.linalg.norm(velocity) > 0.01
    np.testing.assert_allclose(point.drift, velocity, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(point.v, velocity, rtol=1e-9, atol=1e-11)
