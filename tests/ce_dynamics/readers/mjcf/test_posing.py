"""Design poses of MJCF files: whatever pose is taken, the same joints give the same motion."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.embed import embed
from tests.ce_dynamics.readers.mujoco_states import ROBOTS, write as write_file
from tests.support.augmented import largest_difference

FOUR_BAR = ROBOTS / "four_bar.xml"

BALLS = """
<mujoco>
  <option gravity="0 0 -9.81"><flag contact="disable"/></option>
  <worldbody>
    <body name="crank" pos="0 0 1">
      <joint name="motor" axis="0.1 1 0"/>
      <inertial pos="0.1 0 0" mass="1" diaginertia="0.001 0.01 0.01"/>
      <body name="rod" pos="0.2 0 0" euler="10 20 30">
        <joint name="socket" type="ball"/>
        <inertial pos="0 0 -0.25" mass="0.5" diaginertia="0.01 0.011 0.002"/>
      </body>
    </body>
    <body name="lever" pos="0.7 0.1 0.4">
      <joint name="pivot" axis="0 1 0.1"/>
      <inertial pos="-0.1 0 0.1" mass="1" diaginertia="0.02 0.02 0.003"/>
    </body>
  </worldbody>
  <equality> <connect name="tip" body1="rod" body2="lever" anchor="{anchor}"/> </equality>
  <keyframe> <key name="ready" qpos="0.3 1 0 0 0 -0.2"/> </keyframe>
</mujoco>
"""


def velocities(model: ce.Model) -> Array:
    return np.linspace(-1.0, 1.0, model.embedding.n_v)


@pytest.mark.parametrize("pose", [{"drive": 0.4}, {"drive": -0.8}])
def test_a_wanted_pose_changes_nothing_but_the_design(pose: dict[str, float]) -> None:
    plain = ce.compile(ce.read_mjcf(FOUR_BAR, independent={"drive"}))
    posed = ce.compile(ce.read_mjcf(FOUR_BAR, independent={"drive"}, pose=pose))
    assert posed.y0[0] == pose["drive"]
    for angle in (0.1, -0.4):
        one, other = (model.accelerations([angle], [2.0]) for model in (plain, posed))
        np.testing.assert_allclose(other, one, rtol=1e-10)


def test_a_keyframe_as_design_pose() -> None:
    path = ROBOTS / "leg.xml"
    motors = "left_motor", "right_motor"
    plain = ce.compile(ce.read_mjcf(path, independent=motors, keyframe="start"))
    posed = ce.compile(ce.read_mjcf(path, independent=motors, pose="start", keyframe="start"))
    q, v, _ = plain.layout.split(plain.y0)
    q_posed, v_posed, _ = posed.layout.split(posed.y0)
    np.testing.assert_allclose(q_posed[:7], (0, 0, 0, 1, 0, 0, 0), atol=1e-15)  # counted from there
    np.testing.assert_allclose(q_posed[7:], q[7:], atol=1e-15)
    np.testing.assert_allclose(v_posed, v, atol=1e-14)
    rates = [model.instant(model.y0, model.u0).y_dot[len(q) :] for model in (posed, plain)]
    np.testing.assert_allclose(rates[0], rates[1], rtol=1e-9)


def write(folder: Path, anchor: str) -> Path:
    return write_file(folder, BALLS.format(anchor=anchor), "balls.xml")


def test_balls_in_open_loop_turn_until_it_closes(tmp_path: Path) -> None:
    """The two points meet in MuJoCo's own kinematics of the pose that is found."""
    path = write(tmp_path, "0.02 0.03 -0.5")
    system = ce.read_mjcf(path, pose="ready")
    model = ce.compile(system)
    assert model.embedding.n_v == 2  # of five, and one is the rod's turn about itself
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    d.qpos[0] = float(system.find("crank").inboard.neutral[0])
    d.qpos[5] = float(system.find("lever").inboard.neutral[0])
    mujoco.mj_kinematics(m, d)
    # the lever's point where the file puts it, and the distance that the rod keeps from the crank's end
    at_lever = d.xpos[3] + d.xmat[3].reshape(3, 3) @ m.eq_data[0][3:6]
    length = float(np.linalg.norm((0.02, 0.03, -0.5)))
    assert np.linalg.norm(at_lever - d.xpos[2]) == pytest.approx(length, abs=1e-12)
    assert np.all(np.isfinite(model.accelerations(model.layout.split(model.y0)[0], velocities(model))))


def test_states_of_balls_are_counted_from_design_pose(tmp_path: Path) -> None:
    """The rod's orientation in the world is MuJoCo's, whatever pose it is counted from."""
    text = BALLS.format(anchor="0 0 -0.5").replace("<equality>", "<!--").replace("</equality>", "-->")
    turn = Rotation.from_rotvec((0.3, -0.4, 0.5))
    x, y, z, w = turn.as_quat()
    text = text.replace('qpos="0.3 1 0 0 0 -0.2"', f'qpos="0.3 {w} {x} {y} {z} -0.2"')
    path = write_file(tmp_path, text, "open.xml")
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    mujoco.mj_forward(m, d)
    plain = ce.compile(ce.read_mjcf(path, keyframe="ready"))
    posed = ce.compile(ce.read_mjcf(path, keyframe="ready", pose="ready"))
    for model in (plain, posed):
        q, v, _ = model.layout.split(model.y0)
        found = model.accelerations(q, v)
        np.testing.assert_allclose(found[[0, -1]], d.qacc[[0, 4]], rtol=1e-9)


def test_what_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "0 0 -0.5")
    with pytest.raises(ce.DataError, match="there is no keyframe 'go'"):
        ce.read_mjcf(path, pose="go")
    with pytest.raises(ce.DataError, match="pose: 'socket' is no hinge or slide"):
        ce.read_mjcf(path, pose={"socket": 0.1})
    with pytest.raises(ce.ModelError, match=r"pose\['motor'\] inf"):
        ce.read_mjcf(path, pose={"motor": np.inf})
    with pytest.raises(ce.ModelError, match="pose 3 must be a keyframe"):
        ce.read_mjcf(path, pose=3)  # type: ignore[arg-type]


ROD = """<mujoco><worldbody>
  <body name="up"><joint name="hip" axis="0 1 0"/><geom size="0.05" pos="0 0 -0.2"/>
    <body name="low" pos="0 0 -0.4"><joint name="knee" axis="0 1 0"/><geom size="0.05" pos="0 0 -0.2"/></body>
    <body name="crank" pos="0.05 0.03 0"><joint name="motor" axis="0 1 0"/>
      <geom size="0.02" pos="0.05 0 0"/></body>
  </body>
  <body name="rod" pos="0.11 0.03 0"><freejoint/><geom size="0.02" pos="0 0 -0.2"/></body></worldbody>
  <equality><connect body1="crank" body2="rod" anchor="0.06 0 0"/>
    <connect body1="rod" body2="low" anchor="0 0 -0.42"/></equality></mujoco>"""


@pytest.mark.parametrize("lead", ["knee", "motor"])
def test_joint_leads_though_a_rod_turns_about_itself(tmp_path: Path, lead: str) -> None:
    """The named joint leads, and components beside it; all against the augmented equations."""
    path = write_file(tmp_path, ROD, "rod.xml")
    embedding = embed(ce.read_mjcf(path, independent={lead}))
    assert {"knee": "low", "motor": "crank"}[lead] in embedding.coordinates
    assert embedding.n_v == 3
    assert largest_difference(embedding, around=0.05) < 1e-11  # condition of the masses 5e3, of Y1 some 10


IN_LINE = """
<mujoco>
  <option gravity="0 0 -9.81"><flag contact="disable"/></option>
  <worldbody>
    <body name="crank">
      <joint name="crank" axis="0 1 0"/>
      <inertial pos="0.5 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
      <body name="rod" pos="1 0 0">
        <joint name="rod" axis="0 1 0"/>
        <inertial pos="1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
      </body>
    </body>
    <body name="foot" pos="3 0 -1.5">
      <joint name="foot" axis="0 1 0"/>
      <inertial pos="0 0 1" mass="1" diaginertia="0.1 0.1 0.1"/>
    </body>
  </worldbody>
  <equality> <connect name="heel" body1="rod" body2="foot" anchor="2 0 {height}"/> </equality>
  <actuator> <motor name="{motor}" joint="{motor}"/> </actuator>
</mujoco>
"""
"""Crank and rod are in line unless the rod ends elsewhere, so that the foot is at a dead centre."""


def test_joint_at_a_dead_centre_leads_from_elsewhere(tmp_path: Path) -> None:
    file = write_file(tmp_path, IN_LINE.format(height=0, motor="foot"), "foot.xml")
    embedding = embed(ce.read_mjcf(file, independent={"foot"}, ignore={"actuator"}))
    assert [*embedding.q_of] == ["foot"]
    assert largest_difference(embedding, 0.01) < 1e-11  # 1e-14, over the smallest singular value of Y1
    assert any("['foot'] cannot lead" in note for note in embedding.system.notes)


@pytest.mark.parametrize(
    ("motor", "height", "leads"),
    [("foot", 0, False), ("crank", 0, True), ("foot", -1, True), ("rod", -1, True)],
)
def test_motors_lead_unless_at_a_dead_centre(tmp_path: Path, motor: str, height: float, leads: bool) -> None:
    file = write_file(tmp_path, IN_LINE.format(height=height, motor=motor), "foot.xml")
    system = ce.read_mjcf(file)
    names = [entry.name for entry in ce.compile(system).layout.q]
    assert (names == [motor]) == leads
    assert any("have motors" in note for note in system.notes) != leads


TWO_BALLS = """
<mujoco>
  <option gravity="0 0 -9.81"/> <default><joint axis="0 1 0"/></default>
  <worldbody>
    <body name="crank"> <joint name="drive"/> <inertial pos=".15 0 0" mass="1" diaginertia=".01 .01 .01"/>
      <body name="coupler" pos=".3 0 0"> <joint name="elbow"/>
        <inertial pos=".3 0 .4" mass="1" diaginertia=".01 .01 .01"/>
        <site name="a1" pos=".6 0 .8"/> <site name="a2" pos=".6 {width} .8"/> </body> </body>
    <body name="rocker" pos="1.32 0 .24"> <joint name="follow"/>
      <inertial pos="-.2 0 .2" mass="1" diaginertia=".01 .01 .01"/>
      <site name="b1" pos="-.42 0 .56"/> <site name="b2" pos="-.42 .1 {height}"/> </body>
  </worldbody>
  <equality> <connect site1="a1" site2="b1"/> <connect site1="a2" site2="b2"/> </equality>
</mujoco>
"""


@pytest.mark.parametrize(
    ("width", "height", "tolerance"),
    [(".1000002", ".56", 1e-5), (".1", ".5600002", 1e-5), (".1001", ".56", 1e-3), (".1001", ".5601", 1e-2)],
)
def test_hinge_of_two_points_has_file_precision(
    tmp_path: Path, width: str, height: str, tolerance: float
) -> None:
    """Against exact data; what is off by 1e-4 of a metre changes accelerations by some times as much."""
    file, exact = tmp_path / "near.xml", tmp_path / "exact.xml"
    file.write_text(TWO_BALLS.format(width=width, height=height))
    exact.write_text(TWO_BALLS.format(width=".1", height=".56"))
    near, expected = (
        ce.compile(ce.read_mjcf(path, independent={"drive"}, tolerance=tolerance)) for path in (file, exact)
    )
    off = max(abs(float(width) - 0.1), abs(float(height) - 0.56))
    found, wanted = (model.accelerations([0.2], [1.0]) for model in (near, expected))
    np.testing.assert_allclose(found, wanted, rtol=20.0 * off)
    assert any(assumption.what == "conditions" for assumption in near.system.assumptions)
