"""Shapes of SDF files: where they are in the design pose, whatever their frames are relative to."""

from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from tests.ce_dynamics.readers.mujoco_states import write

BOX = "<geometry><box><size>0.1 0.2 0.3</size></box></geometry>"
ARM = f"""<sdf version="1.9"><model name="arm"><pose>1 0 0 0 0 {np.pi / 2!r}</pose>
  <frame name="mark" attached_to="leg"><pose relative_to="base">0 0 2 0 0 0</pose></frame>
  <link name="base"><visual name="v"><pose>0.5 0 0 0 0 0</pose>{BOX}
    <material><diffuse>1 0 0</diffuse></material><transparency>0.25</transparency></visual></link>
  <link name="leg"><pose>0 0.3 1 0 0 0</pose>
    <inertial><mass>1</mass></inertial>
    <visual name="a"><pose>0 0 -0.4 0 0 0</pose>
      <geometry><cylinder><radius>0.02</radius><length>0.2</length></cylinder></geometry></visual>
    <visual name="b"><pose relative_to="mark">0 0 0 0 0 0</pose>
      <geometry><sphere><radius>0.05</radius></sphere></geometry></visual>
    <visual name="c"><geometry><mesh><uri>model://arm/lost.stl</uri></mesh></geometry></visual>
    <visual name="d"><geometry><heightmap/></geometry></visual></link>
  <joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="hip" type="revolute"><parent>leg</parent><child>base</child>
    <pose relative_to="leg">0 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    return write(tmp_path, ARM, "arm.sdf")


def placed(points: tuple[tuple[float, float, float], ...]) -> list[list[float]]:
    """Points of the model in the world: turned by 90 degrees about z, and 1 m along x."""
    return [[1.0 - y, x, z] for x, y, z in points]


def test_shapes_stand_where_the_model_stands(arm: Path) -> None:
    shapes, left_out = ce.robot_shapes(arm)
    base, leg = shapes["base"], shapes["leg"]
    assert [shape.kind for shape in leg] == ["rod", "ball"]
    np.testing.assert_allclose(base[0].points[0], placed(((0.5, 0.0, 0.0),))[0], atol=1e-15)
    assert (base[0].colour, base[0].opacity) == ("#ff0000", 0.75)
    np.testing.assert_allclose(
        sorted(leg[0].points.tolist()), placed(((0.0, 0.3, 0.5), (0.0, 0.3, 0.7))), atol=1e-15
    )
    np.testing.assert_allclose(leg[1].points[0], placed(((0.0, 0.0, 2.0),))[0], atol=1e-15)
    lost, unknown = left_out
    assert "'model://arm/lost.stl' is not there" in lost
    assert "heightmap" in unknown


def test_a_pose_turns_shapes_with_their_links(arm: Path) -> None:
    """The leg is the hinge's parent: with the hip at 90 degrees it turns by as much the other way."""
    shapes, _ = ce.robot_shapes(arm, pose={"hip": np.pi / 2})
    rod, ball = shapes["leg"]
    np.testing.assert_allclose(
        sorted(rod.points.tolist()), placed(((0.3, 0.3, 1.0), (0.5, 0.3, 1.0))), atol=1e-15
    )
    np.testing.assert_allclose(ball.points[0], placed(((-1.0, 0.0, 1.0),))[0], atol=1e-15)
