"""Shapes of URDF files: where they are in the design pose, meshes that are there or not, and feet."""

import struct
from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce

CORNERS = np.array([(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.1)])
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
LEG = """<robot name="leg"><material name="red"><color rgba="1 0 0 0.5"/></material>
  <link name="base">
    <visual><geometry><box size="0.2 0.4 0.6"/></geometry><material name="red"/></visual></link>
  <link name="leg"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><origin xyz="0 0 -0.1"/><geometry><cylinder radius="0.02" length="0.2"/></geometry></visual>
    <visual><origin xyz="0 0 -0.3" rpy="0 0 {turn}"/>
      <geometry><mesh filename="package://robot/meshes/part.stl" scale="0.1 0.1 0.1"/></geometry></visual>
    <visual><geometry><mesh filename="package://robot/meshes/lost.stl"/></geometry></visual>
    <collision><origin xyz="0 0 -0.4"/><geometry><sphere radius="0.05"/></geometry></collision>
    <collision name="heel"><origin xyz="0.1 0 -0.4"/>
      <geometry><box size="0.02 0.04 0.06"/></geometry></collision>
    <collision name="shank"><geometry><cylinder radius="0.02" length="0.2"/></geometry></collision>
    <collision name="toe"><origin xyz="0 0 -0.5" rpy="0 {turn} 0"/>
      <geometry><capsule radius="0.03" length="0.2"/></geometry></collision></link>
  <joint name="hip" type="revolute"><origin xyz="0 0.5 1"/><axis xyz="0 1 0"/>
    <parent link="base"/><child link="leg"/></joint></robot>"""


@pytest.fixture
def leg(tmp_path: Path) -> Path:
    folder = tmp_path / "robot"
    (folder / "meshes").mkdir(parents=True)
    (folder / "urdf").mkdir()
    (folder / "urdf" / "leg.urdf").write_text(LEG.format(turn=np.pi / 2))
    with (folder / "meshes" / "part.stl").open("wb") as file:
        file.write(bytes(80) + struct.pack("<I", len(FACES)))
        for face in FACES:
            file.write(struct.pack("<12fH", 0.0, 0.0, 0.0, *CORNERS[list(face)].ravel(), 0))
    return folder / "urdf" / "leg.urdf"


def test_shapes_stand_where_the_design_pose_has_them(leg: Path) -> None:
    """With the hip at 90 degrees, what was below it lies along -x."""
    shapes, left_out = ce.robot_shapes(leg, pose={"hip": np.pi / 2})
    assert [shape.kind for shape in shapes["leg"]] == ["rod", "mesh"]
    (lost,) = left_out
    assert lost.startswith("leg: leg.urdf")
    assert lost.endswith("'package://robot/meshes/lost.stl' is not there")
    rod, mesh = shapes["leg"]
    ends = sorted(rod.points.tolist())
    np.testing.assert_allclose(ends, [(-0.2, 0.5, 1.0), (0.0, 0.5, 1.0)], atol=1e-15)
    # (0.03, 0, 0) turned by 90 degrees about z is (0, 0.03, 0); then the hip makes (x, y, z) (z, y, -x);
    # single precision in the file
    wanted = CORNERS * 0.1 @ np.array(((0, 1, 0), (-1, 0, 0), (0, 0, 1))) + (0, 0, -0.3)
    wanted = np.stack((wanted[:, 2], 0.5 + wanted[:, 1], 1.0 - wanted[:, 0]), axis=1)
    assert len(mesh.triangles) == 4
    for corner in wanted:
        assert np.linalg.norm(mesh.points - corner, axis=1).min() < 1e-7
    (block,) = shapes["base"]
    assert (block.colour, block.opacity) == ("#ff0000", 0.5)
    np.testing.assert_allclose(np.diag(block.points[1:] - block.points[0]), (0.1, 0.2, 0.3))


def test_shapes_are_drawn_by_the_view(leg: Path, tmp_path: Path) -> None:
    model = ce.Model(ce.read_urdf(leg))
    shapes, _ = ce.robot_shapes(leg)
    ce.view(model, shapes=shapes).save(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 1e4


def test_feet_are_balls_corners_and_ends_of_capsules(leg: Path) -> None:
    feet, others = ce.urdf_feet(leg, friction=0.6)
    assert others == ["leg shank (cylinder)"]
    ball, *corners, heel, tip = feet
    for end, x in ((heel, -0.1), (tip, 0.1)):  # the capsule lies along x, its caps 0.2 m apart
        assert end.radius == 0.03
        np.testing.assert_allclose(end.at, (x, 0.5, 0.5), atol=1e-15)
    assert (ball.body, ball.radius, ball.friction, len(corners)) == ("leg", 0.05, 0.6, 8)
    np.testing.assert_allclose(ball.at, (0.0, 0.5, 0.6), atol=1e-15)
    np.testing.assert_allclose(np.ptp([foot.at for foot in corners], axis=0), (0.02, 0.04, 0.06))
    assert len({foot.name for foot in feet}) == 11
    with pytest.raises(ce.ModelError, match="friction"):
        ce.urdf_feet(leg, friction=-1.0)


def test_other_files_have_no_shapes(tmp_path: Path) -> None:
    with pytest.raises(ce.ModelError, match=r"must be a \.urdf, "):
        ce.robot_shapes(tmp_path / "robot.dae")
