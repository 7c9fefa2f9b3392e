"""Kinematics of chains against SciPy's rotations and finite differences; the search for a pose."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.readers.chains import ChainLaw, ChainLink, ChainLoop, Chains, turns
from ce_dynamics.readers.design_pose import DesignPoseSearch, leading, wrap_angle
from ce_dynamics.readers.frames import Pose

KINDS = ("revolute", "prismatic", "planar", "spherical", "fixed")


def pose(rng: np.random.Generator) -> Pose:
    return Pose(Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3))


def unit(rng: np.random.Generator) -> Array:
    axis = rng.normal(size=3)
    return np.asarray(axis / np.linalg.norm(axis))


def two_arms(rng: np.random.Generator, kind: str) -> Chains:
    """Two branches on a common link, with turning, sliding and still joints, closed at their ends."""
    kinds = "turn", "turn", "slide", "still", "turn", "turn", "slide"
    parents = -1, 0, 1, 2, 0, 4, 5
    links = [ChainLink(p, pose(rng), k, unit(rng)) for p, k in zip(parents, kinds, strict=True)]
    loop = ChainLoop("loop", kind, 3, pose(rng), 6, pose(rng), unit(rng))
    return Chains(links, [loop], [ChainLaw((1,), (1.0,), 4, (0.1, 0.5, 0.3))])


@pytest.mark.parametrize("kind", KINDS)
def test_jacobian_by_differences(rng: np.random.Generator, kind: str) -> None:
    chains = two_arms(rng, kind)
    q = rng.uniform(-1.0, 1.0, (3, chains.n))
    _, J = chains.errors(q)
    h = 1e-6
    for j in range(chains.n):
        step = h * chains.scales[j] * np.eye(chains.n)[j]
        ahead, behind = (chains.errors(q + sign * step)[0] for sign in (1.0, -1.0))
        slope = (ahead - behind) / (2.0 * h)
        if kind in ("prismatic", "fixed"):  # J has angular velocities, not rates of the rotation vector
            keep = [*range(3), 6]
            np.testing.assert_allclose(J[:, keep, j], slope[:, keep], rtol=0.0, atol=1e-8)
        else:
            np.testing.assert_allclose(J[:, :, j], slope, rtol=0.0, atol=1e-8)
    assert not chains.moved_by_loops()[0]  # it carries both ends


def test_angular_rows_by_differences(rng: np.random.Generator) -> None:
    """J times a step is the rotation vector of R(q)ᵀ… seen from the frame a, for the frame's rotation R."""
    chains = two_arms(rng, "fixed")
    q = rng.uniform(-1.0, 1.0, (1, chains.n))
    _, J = chains.errors(q)
    h = 1e-6
    for j in range(chains.n):
        step = h * chains.scales[j] * np.eye(chains.n)[j]
        R = [Rotation.from_rotvec(chains.errors(q + s * step)[0][0, 3:6]).as_matrix() for s in (-1.0, 1.0)]
        turned = Rotation.from_matrix(R[1] @ R[0].T).as_rotvec() / (2.0 * h)
        np.testing.assert_allclose(J[0, 3:6, j], turned, rtol=0.0, atol=1e-8)


def test_rotations_against_scipy(rng: np.random.Generator) -> None:
    for angle in (0.0, 1e-12, 0.3, 2.0, np.pi - 1e-9, np.pi):
        axis = unit(rng)
        R = turns(axis, np.array((angle,)))
        np.testing.assert_allclose(R[0], Rotation.from_rotvec(angle * axis).as_matrix(), rtol=0.0, atol=1e-15)


def planar(lengths: tuple[float, ...], base: float, turned: Rotation) -> Chains:
    """Turning bars in a row whose end is held at ``base`` on the axis of x, all turned in space."""
    links = [ChainLink(-1, Pose(turned.as_matrix(), np.zeros(3)), "turn", np.array((0.0, 0.0, 1.0)))]
    for k, length in enumerate(lengths[:-1]):
        frame = Pose(np.eye(3), np.array((length, 0.0, 0.0)))
        links.append(ChainLink(k, frame, "turn", np.array((0.0, 0.0, 1.0))))
    tip = Pose(np.eye(3), np.array((lengths[-1], 0.0, 0.0)))
    at = Pose(turned.as_matrix(), turned.apply((base, 0.0, 0.0)))
    return Chains(
        links, [ChainLoop("tip", "revolute", len(lengths) - 1, tip, -1, at, np.array((0.0, 0.0, 1.0)))]
    )


def test_a_flat_pose_is_left(rng: np.random.Generator) -> None:
    """A parallelogram with all bars in line has two freedoms there, one everywhere else."""
    chains = planar((1.0, 2.0, 1.0), 2.0, Rotation.random(random_state=rng))
    flat = np.array((0.0, 0.0, np.pi))
    assert np.max(np.abs(chains.errors(flat[np.newaxis])[0])) < 1e-15
    found = DesignPoseSearch(chains, flat, [0]).find()
    assert found is not None
    assert found.freedoms == 1
    assert found.quality > 0.1
    assert np.max(np.abs(chains.errors(found.q[np.newaxis])[0])) < 1e-13
    assert found.lead == (0,)


def test_closed_regular_pose_is_kept_to_the_bit(rng: np.random.Generator) -> None:
    chains = planar((1.0, 2.0, 1.0), 2.0, Rotation.identity())
    square = np.array((0.5 * np.pi, -0.5 * np.pi, -0.5 * np.pi))
    found = DesignPoseSearch(chains, square, [0]).find()
    assert found is not None
    assert found.how == "as given"
    np.testing.assert_array_equal(found.q, square)


def test_independent_coordinate_is_held_if_it_can_be() -> None:
    chains = planar((1.0, 2.0, 1.5), 2.0, Rotation.identity())
    found = DesignPoseSearch(chains, np.array((0.7, 0.0, 0.0)), [0]).find()
    assert found is not None
    assert found.q[0] == 0.7
    # the two circles about the elbow and the foot meet by the law of cosines
    elbow = np.array((np.cos(0.7), np.sin(0.7)))
    joint = elbow + 2.0 * np.array((np.cos(0.7 + found.q[1]), np.sin(0.7 + found.q[1])))
    assert np.hypot(*(joint - (2.0, 0.0))) == pytest.approx(1.5, abs=1e-12)


def test_what_cannot_be_closed() -> None:
    search = DesignPoseSearch(planar((0.2, 0.3, 0.4), 2.0, Rotation.identity()), np.zeros(3), [0])
    assert search.find() is None
    assert search.tried > 50


def test_leading_coordinates_take_the_wished_for_first() -> None:
    N = np.array(((1.0, 0.0), (1.0, 1e-9), (0.0, 1.0), (0.3, 0.3)))
    assert leading(N, [1, 0]) == [1, 2] or leading(N, [1, 0]) == [0, 2]  # these two are the same motion
    assert sorted(leading(N, [3])) == [0, 3] or sorted(leading(N, [3])) == [2, 3]
    np.testing.assert_allclose(
        wrap_angle(np.array((3.5, -3.5, np.pi))), (3.5 - 2 * np.pi, 2 * np.pi - 3.5, np.pi)
    )
