"""Velocities and accelerations against differences of positions along given motions of θ and the steering.

No derivative formula is used: q(t) and s(t) are known functions, positions of points are differenced in time
(`ce_dynamics.kinematics.checking.BenchTrajectory`).
"""

import numpy as np
import pytest

from ce_dynamics.kinematics.checking import FIRST, BenchTrajectory, H, accept_errors
from tests.kinematics.bench import BenchState, bench
from tests.kinematics.registry import LINKAGES, STEERED


@pytest.mark.parametrize("name", LINKAGES)
def test_velocity_and_acceleration_of_body_points(name: str) -> None:
    b = bench(name)
    path = BenchTrajectory(b, np.random.default_rng(sum(map(ord, name)) + 4))
    for t in (0.0, 0.9):
        moved = path.positions(t + H) - path.positions(t - H)
        assert np.abs(moved).max() > 1e-2 * 2 * H  # the linkage does move
        accept_errors(b, path.figures(t), path.at(t)[0].q)


@pytest.mark.parametrize("name", sorted(STEERED))
def test_steering_alone_moves_the_wheel(name: str) -> None:
    """With the arm held, η and its derivative are all there is; without them the wheel would stand still."""
    b = bench(name)
    still = np.zeros(b.N)

    def spindle(t: float) -> np.ndarray:
        s = 0.3 * np.sin(t)
        motion = b.motion(BenchState(still, still, np.array((s, 0.0, 0.0))))
        return motion.point("spindle", motion.body("spindle").at + np.array((0.0, 0.3, 0.1))).r

    t = 0.6
    samples = {k: spindle(t + k * H) for k in range(-4, 5)}
    velocity = sum(weight * (samples[k] - samples[-k]) for k, weight in FIRST.items()) / H
    s = 0.3 * np.array((np.sin(t), np.cos(t), -np.sin(t)))
    motion = b.motion(BenchState(still, still, s))
    point = motion.point("spindle", motion.body("spindle").at + np.array((0.0, 0.3, 0.1)))
    assert np.linalg.norm(velocity) > 0.01
    np.testing.assert_allclose(point.drift, velocity, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(point.v, velocity, rtol=1e-9, atol=1e-11)
