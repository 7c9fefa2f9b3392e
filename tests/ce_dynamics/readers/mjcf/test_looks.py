"""Shapes of MJCF files stand where MuJoCo draws them."""

from pathlib import Path

import mujoco
import numpy as np

import ce_dynamics as ce
from tests.ce_dynamics.readers.mujoco_states import write

FILE = """<mujoco><asset>
    <mesh name="part" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.1"/> <mesh name="lost" file="lost.stl"/></asset>
  <worldbody><geom name="floor" type="plane" size="1 1 1"/>
  <body name="arm" pos="0 0 1"> <joint name="turn" axis="0 1 0"/>
    <geom type="mesh" mesh="part" pos="0.1 0 0" euler="10 20 30" rgba="0 1 0 1"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" group="1"/>
    <geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 0 0.5" group="2"/>
    <geom type="mesh" mesh="lost" mass="0"/>
    <geom size="0.5" group="3" mass="0"/></body></worldbody></mujoco>"""


def test_shapes_stand_where_mujoco_draws_them(tmp_path: Path) -> None:
    path = write(tmp_path, FILE, "arm.xml")
    shapes, left_out = ce.robot_shapes(path, pose={"turn": 0.7})
    assert [shape.kind for shape in shapes["arm"]] == ["mesh", "rod", "mesh"]
    assert [shape.kind for shape in shapes["ground"]] == ["plane"]
    assert left_out == ["'lost.stl' is not there"]
    m = mujoco.MjModel.from_xml_string(
        FILE.replace('<mesh name="lost" file="lost.stl"/>', "").replace(
            '<geom type="mesh" mesh="lost" mass="0"/>', ""
        )
    )
    d = mujoco.MjData(m)
    d.qpos[0] = 0.7
    mujoco.mj_kinematics(m, d)
    mesh, rod, egg = shapes["arm"]
    drawn = m.mesh_vert[:4] @ d.geom_xmat[1].reshape(3, 3).T + d.geom_xpos[1]
    np.testing.assert_allclose(mesh.points, drawn, atol=1e-7)  # MuJoCo keeps meshes in single precision
    # by hand: the corner at the mesh's origin stands at the geom's place in the file, turned about y
    c, s = np.cos(0.7), np.sin(0.7)
    assert np.linalg.norm(mesh.points - (0.1 * c, 0.0, 1.0 - 0.1 * s), axis=1).min() < 1e-7
    np.testing.assert_allclose(
        rod.points, [(0, 0, 1), (0.4 * c, 0, 1 - 0.4 * s)][:: 1 if rod.points[0][0] < 0.1 else -1], atol=1e-12
    )
    away = egg.points - (0.5 * s, 0.0, 1 + 0.5 * c)
    along = away @ np.array(((c, 0, -s), (0, 1, 0), (s, 0, c))).T / (0.1, 0.2, 0.3)
    np.testing.assert_allclose(np.linalg.norm(along, axis=1), 1.0, atol=1e-12)
