"""The rolling ball against theory, in both formulations, and its command line.

Integrations run at rtol 1e-11 (embedded) and 1e-10 (augmented) over some 20 to 150 steps; what they lose is
below 1e-9 of lengths and forces of order 1 to 10.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import ModelError
from ce_dynamics.models.demonstrations.rolling_ball import (
    GRAVITY,
    HOLLOW,
    SCENES,
    BallScene,
    RollingBall,
    incline,
    momentum,
    run_constrained,
    run_embedded,
    turntable,
)

LOST = 1e-9


def times(scene: BallScene) -> Any:
    return np.linspace(0.0, scene.duration, 21)


@pytest.mark.parametrize("name", sorted(SCENES))
def test_both_formulations_agree_with_theory_and_each_other(name: str) -> None:
    scene = SCENES[name](RollingBall())
    t = times(scene)
    embedded, augmented = run_embedded(scene, t), run_constrained(scene, t)
    np.testing.assert_allclose(embedded.centre, augmented.centre, atol=LOST)
    np.testing.assert_allclose(embedded.force, augmented.force, atol=10.0 * LOST)
    assert augmented.error.max() < 10.0 * LOST
    if scene.expected is None:
        return
    for found in (embedded, augmented):
        np.testing.assert_allclose(found.centre, scene.expected.centre(t), atol=LOST)
        np.testing.assert_allclose(found.normal, scene.expected.normal, atol=10.0 * LOST)
        np.testing.assert_allclose(found.friction, scene.expected.friction(t), atol=10.0 * LOST)


def test_incline_gives_fractions_of_solid_and_hollow_balls() -> None:
    slope, t = 0.4, np.array((0.0, 0.5, 1.0))
    for ball, share in ((RollingBall(mass=3.0, radius=0.2), 5.0 / 7.0), (RollingBall(k=HOLLOW), 3.0 / 5.0)):
        found = run_embedded(incline(ball, slope, across_speed=0.0), t)
        way = np.linalg.norm(found.centre - found.centre[0], axis=1)
        np.testing.assert_allclose(way, 0.5 * share * GRAVITY * math.sin(slope) * t**2, rtol=1e-12)
        np.testing.assert_allclose(found.energy, found.energy[0], atol=1e-12)


def test_turntable_makes_circles_at_two_sevenths() -> None:
    """Speed and curvature of the path by differences of its own points, not from the expected circle."""
    rate, speed = 3.0, 0.5
    scene = turntable(RollingBall(), rate, (0.3, -0.2), speed)
    t = np.linspace(0.0, scene.duration, 401)
    path = run_embedded(scene, t).centre[:, :2]
    middle = 0.5 * (path[0] + path[200])  # half a circle apart
    np.testing.assert_allclose(np.linalg.norm(path - middle, axis=1), speed / (2.0 / 7.0 * rate), rtol=1e-10)
    angle = np.unwrap(np.arctan2(*(path - middle).T[::-1]))
    np.testing.assert_allclose(
        np.diff(angle) / np.diff(t), 2.0 / 7.0 * rate, rtol=1e-9
    )  # the turntable's sense
    np.testing.assert_allclose(path[-1], path[0], atol=1e-10)


def test_ceiling_needs_negative_normal_force_throughout() -> None:
    scene = SCENES["ceiling"](RollingBall())
    found = run_constrained(scene, times(scene))
    assert np.all(found.normal < 0.0)


def test_floating_plate_and_ball_keep_momenta_and_energy() -> None:
    scene = SCENES["floating"](RollingBall())
    t = times(scene)
    for found in (run_embedded(scene, t), run_constrained(scene, t)):
        total = momentum(scene, found)
        np.testing.assert_allclose(total, np.broadcast_to(total[0], total.shape), atol=LOST)
        np.testing.assert_allclose(found.energy, found.energy[0], atol=LOST)
        assert np.ptp(np.array([plate.w for plate in found.plate], dtype=float), axis=0).max() > 0.01
        assert np.linalg.norm(total[0, :3]) > 0.1


@pytest.mark.parametrize(
    "wrong", [{"mass": 0.0}, {"mass": -1.0}, {"radius": -0.1}, {"k": 0.0}, {"mass": math.nan}]
)
def test_impossible_balls_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=next(iter(wrong))):
        RollingBall(**wrong)


def test_impossible_scenes_are_refused() -> None:
    with pytest.raises(ModelError, match="slope 100 deg"):
        incline(RollingBall(), math.radians(100.0))
    with pytest.raises(ModelError, match="rate 0"):
        turntable(RollingBall(), rate=0.0)
    with pytest.raises(ModelError, match="slope nan must"):
        incline(RollingBall(), math.nan)


def test_half_width_of_a_plane_is_not_negative() -> None:
    with pytest.raises(ModelError, match="half_width"):
        replace(incline(RollingBall()), half_width=-1.0)
