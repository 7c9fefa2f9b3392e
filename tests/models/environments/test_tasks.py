"""Tasks: what is seen and how it is judged, against plain geometry."""

import numpy as np
import pytest

from ce_dynamics.models.environments.task import DrivenVehicle, PathFollowing, corners
from ce_dynamics.models.environments.tasks import LaneChange, Parking, overlap
from tests.models.environments.toy import toy


@pytest.fixture(scope="module")
def vehicle() -> DrivenVehicle:
    return toy("lane-change")


def test_rectangles_overlap_where_they_share_a_point() -> None:
    """Points of a grid over one rectangle, looked for in the other; touching by a hair is left out."""
    random = np.random.default_rng(1)
    n = 300
    yaw = random.uniform(-np.pi, np.pi, n)
    at = random.uniform(-4.0, 4.0, (n, 2))
    own = corners(4.0, 1.8)
    R = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    mine = np.einsum("ijn,kj->nki", R, own) + at[:, np.newaxis]
    a, b = np.meshgrid(np.linspace(-2.0, 2.0, 81), np.linspace(-0.9, 0.9, 37))
    grid = np.stack((a.ravel(), b.ravel()), axis=1)
    answers = overlap(mine, own, R)
    for k in range(n):
        placed = grid @ R[:, :, k].T + at[k]
        deepest = (np.minimum(2.0 - np.abs(placed[:, 0]), 0.9 - np.abs(placed[:, 1]))).max()
        if abs(deepest) > 0.06:  # the grid is 0.05 m wide
            assert answers[k] == (deepest > 0.0)
    assert 0.2 < answers.mean() < 0.8


def test_the_bay_as_the_driver_sees_it(vehicle: DrivenVehicle) -> None:
    """By complex numbers; the frame of the world does not matter."""
    task = Parking(vehicle)
    random = np.random.default_rng(2)
    for _ in range(20):
        x, y, yaw = random.uniform(-10.0, 10.0, 3)
        goal = random.uniform(-10.0, 10.0, 3)
        sensors = {"x": x, "y": y, "yaw": yaw, "vx": 0.0, "yaw_rate": 0.0, "steering": 0.0}
        seen = task.observe(sensors, goal)
        middle = x + 1j * y + vehicle.middle * np.exp(1j * yaw)
        there = (goal[0] + 1j * goal[1] - middle) * np.exp(-1j * yaw)
        turned = np.exp(1j * (goal[2] - yaw))
        expected = [there.real, there.imag, turned.real, turned.imag, abs(there) ** 2]
        names = ("goal_ahead", "goal_left", "cos_goal", "sin_goal", "distance")
        np.testing.assert_allclose([float(seen[name]) for name in names], expected, atol=1e-12)
    # where the bay is drawn, the vehicle is parked
    at = {name: np.zeros(1) for name in task.names}
    assert task.judge(at, at, np.zeros((1, 2)), np.zeros((1, 2))).success.all()
    beside = at | {"aside": np.array([0.9]), "distance": np.array([0.81])}
    touched = task.judge(at, beside, np.zeros((1, 2)), np.zeros((1, 2)))
    assert touched.ended.all()
    assert not touched.success.any()


def test_the_cones_are_where_the_standard_has_them(vehicle: DrivenVehicle) -> None:
    """ISO 3888-1: lanes of 1.1, 1.2, 1.3 widths + 0.25 m; the room left is half of what is over."""
    task = LaneChange(vehicle)
    for gate, factor in zip(task.gates, (1.1, 1.2, 1.3), strict=True):
        x = 0.5 * (gate.start + gate.end) - vehicle.middle
        sensors = dict.fromkeys(("yaw", "vx", "vy", "yaw_rate", "steering"), 0.0) | {"x": x, "y": gate.centre}
        room = 0.5 * (factor * 1.8 + 0.25 - 1.8)
        assert float(task.observe(sensors, np.zeros(3))["room"]) == pytest.approx(room)
        # shifted by more than that, a cone falls
        seen = task.observe(sensors | {"y": gate.centre - room - 0.01}, np.zeros(3))
        assert float(seen["room"]) == pytest.approx(-0.01)
    before = {name: np.zeros(1) for name in task.names} | {"room": np.ones(1)}
    none = np.zeros((1, 2))
    at_speed = before | {"along": np.array([vehicle.speed])}
    assert task.judge(before, at_speed, none, none).reward == pytest.approx(1.0)
    assert task.judge(before, at_speed | {"room": -np.ones(1)}, none, none).ended.all()
    beyond = at_speed | {"progress": np.array([task.gates[-1].end + 5.0])}
    assert task.judge(before, beyond, none, none).success.all()


def test_best_step_is_along_the_path_at_speed(vehicle: DrivenVehicle) -> None:
    task = PathFollowing(vehicle)
    on = {name: np.zeros(1) for name in task.names} | {"along": np.array([vehicle.speed])}
    none = np.zeros((1, 2))
    best = task.judge(on, on, none, none)
    assert best.reward == pytest.approx(1.0)
    assert not best.ended.any()
    off = on | {"offset": np.array([1.5])}
    assert task.judge(on, off, none, none).reward == pytest.approx(0.75)
    assert task.judge(on, on | {"offset": np.array([3.1])}, none, none).ended.all()
