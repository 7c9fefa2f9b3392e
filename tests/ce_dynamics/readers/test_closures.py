"""Closures between two frames: what they allow, what they forbid, and how far they are open."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.hinges import Closure
from ce_dynamics.mechanism.hinges.conditions import JointEnd
from ce_dynamics.readers.frames import BetweenFrames, Pose, close_between, ordinary

AXIS = np.array((2.0, -1.0, 2.0)) / 3.0
FREEDOMS = {"revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "spherical": 3, "fixed": 0}


def random_pose(rng: np.random.Generator, angle: float = np.pi) -> Pose:
    direction = rng.normal(size=3)
    turn = Rotation.from_rotvec(angle * direction / np.linalg.norm(direction))
    return Pose(turn.as_matrix(), rng.uniform(-1.0, 1.0, 3))


def inverse(pose: Pose) -> Pose:
    return Pose(pose.R.T, -pose.R.T @ pose.r)


def allowed(kind: str, rng: np.random.Generator) -> Pose:
    """A motion of the second frame against the first that the closure leaves free."""
    turn, slide = np.eye(3), np.zeros(3)
    if kind == "spherical":
        turn = Rotation.random(random_state=rng).as_matrix()
    if kind in ("revolute", "continuous", "planar"):
        turn = Rotation.from_rotvec(rng.uniform(-3.0, 3.0) * AXIS).as_matrix()
    if kind == "planar":
        slide = np.cross(AXIS, rng.normal(size=3))
    if kind == "prismatic":
        slide = rng.normal() * AXIS
    return Pose(turn, slide)


def residuals(closure: Closure, p: Pose, c: Pose) -> Array:
    """Return residuals of a closure whose bodies have moved from the design pose by p and c of space."""
    ends = JointEnd(p.R, p.R @ closure.at_parent + p.r), JointEnd(c.R, c.R @ closure.at_child + c.r)
    return np.concatenate([each.residual(*ends) for each in closure.constraints])


@pytest.mark.parametrize("kind", FREEDOMS)
def test_it_holds_where_the_hinge_leaves_the_frames(kind: str, rng: np.random.Generator) -> None:
    for _ in range(5):
        a, b = random_pose(rng), random_pose(rng)
        closure, gap = close_between(kind, a, b, AXIS)
        assert isinstance(closure, BetweenFrames)
        assert not gap.is_closed
        assert sum(condition.rows for condition in closure.constraints) == 6 - FREEDOMS[kind]
        p = random_pose(rng)
        # where the child's body goes if its frame b is to be where the hinge has it, seen from a
        c = (p @ a) @ allowed(kind, rng) @ inverse(b)
        np.testing.assert_allclose(residuals(closure, p, c), 0.0, rtol=0.0, atol=1e-14)
        for _ in range(3):  # any other small motion opens it, by the hinge's own conditions
            turn, slide = 1e-3 * rng.normal(size=3), 1e-3 * rng.normal(size=3)
            step = Pose(Rotation.from_rotvec(turn).as_matrix(), slide)
            hinge = ordinary(kind, AXIS, np.zeros(3))
            expected = residuals(hinge, Pose(np.eye(3), np.zeros(3)), step)
            found = residuals(closure, p, (p @ a) @ step @ inverse(b))
            assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(expected), rel=2e-2)


@pytest.mark.parametrize("kind", FREEDOMS)
def test_frames_that_meet_give_the_hinge_itself(kind: str, rng: np.random.Generator) -> None:
    a = random_pose(rng)
    closure, gap = close_between(kind, a, a, AXIS)
    assert gap.is_closed
    assert type(closure) is type(ordinary(kind, AXIS, a.r))
    np.testing.assert_array_equal(closure.at_parent, a.r)


def test_gaps_are_counted_where_they_have_to_close(rng: np.random.Generator) -> None:
    a = random_pose(rng)
    e = np.cross(AXIS, (1.0, 0.0, 0.0))
    e = e / np.linalg.norm(e)
    moved = a @ Pose(Rotation.from_rotvec(0.3 * e).as_matrix(), 0.2 * AXIS + 0.4 * e)
    distances = {
        "revolute": np.hypot(0.2, 0.4), "prismatic": 0.4, "planar": 0.2, "spherical": np.hypot(0.2, 0.4),
    }  # fmt: skip
    for kind, distance in distances.items():
        _, gap = close_between(kind, a, moved, AXIS)
        assert gap.distance == pytest.approx(distance, rel=1e-13)
        assert gap.angle == pytest.approx(0.0 if kind == "spherical" else 0.3, rel=1e-13)
    half_turn = a @ Pose(Rotation.from_rotvec(np.pi * e).as_matrix(), np.zeros(3))
    assert close_between("fixed", a, half_turn, AXIS)[1].angle == pytest.approx(np.pi, rel=1e-7)
    assert close_between("revolute", a, half_turn, AXIS)[1].is_closed  # the axes are on one line
