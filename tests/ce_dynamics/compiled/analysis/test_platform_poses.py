"""Platforms led by their legs, at wanted poses: lengths are distances."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.model import Model
from tests.support.stewart import points, stewart

TILT = Rotation.from_rotvec((0.4, 0.7, -0.2)).as_matrix()
FEET = np.array(((0.0, 0.0), (1.0, 0.1), (0.4, 0.9)))
HEADS = np.array(((0.55, 0.25), (0.65, 0.5), (0.3, 0.5)))
Y = np.array((0.0, 1.0, 0.0))


def in_space(point: Array) -> Array:
    """A point of the plane in which the planar platform lies."""
    return TILT @ (point[0], 0.3, point[1])


def planar_platform(*, welded: bool = False) -> ce.System:
    """Three telescopes in a tilted plane carry a triangle, led by their lengths; an arm stands on it.

    One of the telescopes may end in a piece of its own that does not move on it.
    """
    s = ce.System(gravity=(0, 0, -9.81), name="planar platform")
    inertia = (0.02, 0.03, 0.04)
    centre = in_space(HEADS.mean(axis=0))
    top = s.add_body("top", mass=2.0, com=centre, inertia=inertia, parent=s.ground,
                     hinge=ce.Planar(TILT @ Y, at=centre))  # fmt: skip
    for k, (foot, head) in enumerate(zip(map(in_space, FEET), map(in_space, HEADS), strict=True)):
        lower = s.add_body(f"lower{k}", mass=0.5, com=foot, inertia=inertia, parent=s.ground,
                           hinge=ce.Revolute(TILT @ Y, at=foot))  # fmt: skip
        upper = s.add_body(f"upper{k}", mass=0.5, com=head, inertia=inertia, parent=lower,
                           hinge=ce.Prismatic(head - foot, at=head))  # fmt: skip
        if welded and k == 1:
            upper = s.add_body("end", mass=0.1, com=head, inertia=inertia, parent=upper, hinge=ce.Fixed())
        s.close_loop(f"pin{k}", upper, top, ce.Revolute(TILT @ Y, at=head), independent=[f"upper{k}"])
    s.add_body("arm", mass=0.1, com=centre + TILT @ (0.2, 0, 0), inertia=inertia, parent=top,
               hinge=ce.Revolute(TILT @ Y, at=centre))  # fmt: skip
    return s


@pytest.fixture(scope="module")
def planar() -> Model:
    return Model(planar_platform())


@pytest.mark.parametrize("way", [{}, {"revolutes": True}, {"on_a_leg": True}, {"skew": True}])
def test_lengths_at_poses_are_distances(way: dict[str, bool]) -> None:
    """|head − foot| of a moved and turned platform: some roundings of a metre, through Newton's last step."""
    model = Model(stewart("legs", R=TILT, **way))
    feet, heads = points(TILT)
    frame = model.frame("platform")
    for turn, shift in (((0.1, -0.15, 0.2), (0.03, -0.04, 0.05)), ((0.0, 0.4, -0.3), (-0.1, 0.05, 0.1))):
        R = Rotation.from_rotvec(turn).as_matrix()
        found = model.inverse_kinematics({frame: (frame.at + shift, R)})
        moved = frame.at + np.array(shift) + (heads - frame.at) @ R.T
        expected = np.linalg.norm(moved - feet, axis=1) - np.linalg.norm(heads - feet, axis=1)
        lengths = [found.coordinates[f"upper{k}"] for k in range(6)]
        np.testing.assert_allclose(lengths, expected, rtol=0.0, atol=1e-13)
        at = found.poses.bodies.index("platform")
        np.testing.assert_allclose(found.poses.rotations[at], R, rtol=0.0, atol=1e-13)
        back = model.assemble({f"upper{k}": length for k, length in enumerate(expected)})
        np.testing.assert_allclose(back.poses.positions[at], frame.at + shift, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(back.y[:6], found.y[:6], rtol=0.0, atol=1e-13)


def test_a_leg_determines_its_head(planar: Model) -> None:
    """Length and direction of a leg, the angle of the platform, and that of an arm in no loop."""
    wanted = {"upper0": 0.05, "lower0": -0.06, "top.angle": 0.1, "arm": -0.4}
    found = planar.assemble(wanted)
    foot, head, centre = in_space(FEET[0]), in_space(HEADS[0]), in_space(HEADS.mean(axis=0))
    ahead = 1.0 + 0.05 / np.linalg.norm(head - foot)
    top, arm = (Rotation.from_rotvec(TILT @ Y * angle).as_matrix() for angle in (0.1, 0.1 - 0.4))
    where = foot + Rotation.from_rotvec(TILT @ Y * -0.06).apply(head - foot) * ahead - top @ (head - centre)
    places = dict(zip(*found.poses[:2], strict=True))
    np.testing.assert_allclose(places["top"], where, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(places["arm"], where + arm @ TILT @ (0.2, 0, 0), rtol=0.0, atol=1e-13)


def test_what_is_fixed_within_a_loop_changes_nothing(planar: Model) -> None:
    wanted = {"upper0": 0.05, "lower0": -0.06, "top.angle": 0.1, "arm": -0.4}
    found, plain = (each.assemble(wanted) for each in (Model(planar_platform(welded=True)), planar))
    assert {name: found.coordinates[name] for name in plain.coordinates} == pytest.approx(
        plain.coordinates, abs=1e-13
    )


def test_poses_beyond_the_legs_are_refused(planar: Model) -> None:
    far = np.array((0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    with pytest.raises(ce.AssemblyError, match="the loop of 'top' cannot be assembled"):
        planar.assemble(y=far)


def test_what_lies_on_another_branch_is_not_taken() -> None:
    """Lengths exist for any pose, but the legs do not lead beyond a singular one: here, about z."""
    model = Model(stewart("legs"))
    frame = model.frame("platform")
    model.inverse_kinematics({frame: (frame.at, Rotation.from_rotvec((0, 0, 0.5)).as_matrix())})
    beyond = Rotation.from_rotvec((0, 0, 3.0)).as_matrix()
    with pytest.raises(ce.AssemblyError, match="out of reach, or on another branch"):
        model.inverse_kinematics({frame: (frame.at, beyond)}, evaluations=200)
