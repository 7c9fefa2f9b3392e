"""Robots whose loops stand beside the file, against the augmented form and Pinocchio if it is there."""

from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from tests.campaigns.robots.compare import Row, compared
from tests.ce_dynamics.readers.mujoco_states import ROBOTS, write

FIVE_BAR = ROBOTS / "five_bar.urdf"


@pytest.mark.parametrize("name", ["five_bar", "rod_leg"])
def test_small_robots_in_the_form_of_parallel_robots(name: str) -> None:
    row: Row = compared(ROBOTS / f"{name}.urdf", ROBOTS / f"{name}.yaml", states=4, thorough=False)
    assert row.trouble == ""
    assert (row.compared, row.unassembled) == (4, 0)
    assert row.freedoms == {"five_bar": 2, "rod_leg": 3}[name]
    # closed to rounding; 1e-9: the condition of both masses, some 1e6, times rounding of a few hundred sums;
    # at coordinates moved by 1e-15 the augmented form differs by the spread, Pinocchio's terms by the noise:
    # two such ways by twice that
    assert not row.closure > 1e-14
    assert row.augmented < max(1e-9, 2.0 * row.spread)
    assert not row.exact > max(1e-9, 2.0 * row.noise)
    assert any("design pose found" in note for note in row.notes)


def test_balls_and_universal_joints_are_those_of_pinocchio() -> None:
    """Rods on balls and cardan joints, ended by a point and by a weld behind another ball."""
    urdf = ROBOTS / "styles" / "differential.urdf"
    row: Row = compared(urdf, urdf.with_suffix(".yaml"), states=4, thorough=False)
    assert row.trouble == ""
    assert (row.freedoms, row.compared) == (4, 4)  # three motors, and a rod that turns about itself
    assert not row.closure > 1e-14
    assert row.augmented < max(1e-9, 2.0 * row.spread)
    assert not row.exact > max(1e-12, 2.0 * row.noise)
    model = row.model
    assert model is not None
    assert [entry.name for entry in model.layout.q] == ["yaw", "rotor1", "rod1", "rotor2"]
    solved = [how for loop in model.system.describe().aggregates for how in loop.solved_by]
    assert [how for how in solved if "rod between two balls" in how] == [solved[-2], solved[-1]]


@pytest.fixture(scope="module")
def five_bar() -> ce.System:
    return ce.read_urdf(FIVE_BAR, loops=FIVE_BAR.with_suffix(".yaml"))


def test_loops_as_a_list_are_the_same(five_bar: ce.System) -> None:
    motors = {"left_motor", "right_motor"}
    system = ce.read_urdf(FIVE_BAR, loops=[("tip_pin", "tip_end", "6d")], independent=motors)
    for body in five_bar.bodies:
        other = system.find(body.name)
        np.testing.assert_array_equal(other.inboard.neutral, body.inboard.neutral)
        np.testing.assert_array_equal(other.com, body.com)
    assert not system.inputs  # motors are those of a file
    assert list(five_bar.inputs) == ["left_motor", "right_motor"]


def test_motors_push_their_joints(five_bar: ce.System) -> None:
    """Virtual work: ∂v̇/∂u = M⁻¹ for coordinates that are the motors' own, so it is symmetric and positive."""
    model = ce.compile(five_bar)
    q, v = model.layout.split(model.y0)[0], np.zeros(2)
    at_rest = model.accelerations(q, v)
    columns = [model.accelerations(q, v, u=u) - at_rest for u in np.eye(2)]
    M_inverse = np.array(columns)
    np.testing.assert_allclose(M_inverse, M_inverse.T, rtol=1e-10)
    assert np.all(np.linalg.eigvalsh(M_inverse) > 0.0)


def test_a_wanted_pose_is_taken_and_completed() -> None:
    near = ce.read_urdf(
        FIVE_BAR, loops=FIVE_BAR.with_suffix(".yaml"), pose={"left_motor": 0.3, "left_elbow": -1.0}
    )
    assert near.find("left_arm").inboard.neutral == pytest.approx(0.3, abs=0.0)
    assert near.find("left_rod").inboard.neutral < 0.0  # the other way of assembly
    assert any("in the wanted pose" in note for note in near.notes)
    with pytest.raises(ce.ModelError, match=r"pose: 'elbow' is no joint with a coordinate"):
        ce.read_urdf(FIVE_BAR, pose={"elbow": 1.0})
    with pytest.raises(ce.ModelError, match=r"pose\['left_elbow'\] nan"):
        ce.read_urdf(FIVE_BAR, pose={"left_elbow": np.nan})


def test_some_independent_coordinates_are_enough() -> None:
    system = ce.read_urdf(FIVE_BAR, loops=[("tip_pin", "tip_end")], independent={"left_elbow"})
    [loop] = system.closures
    assert "left_rod" in loop.independent
    assert len(loop.independent) == 2
    assert ce.compile(system).embedding.n_v == 2


def test_flags_beyond_the_freedoms_are_dropped_and_noted() -> None:
    system = ce.read_urdf(
        FIVE_BAR, loops=[("tip_pin", "tip_end")], independent=["left_motor", "right_motor", "left_elbow"]
    )
    assert sum("is not independent: with the others" in note for note in system.notes) == 1


def test_stops_stand_at_the_limits_of_the_file() -> None:
    loops = [("tip_pin", "tip_end")]
    motors = {"left_motor", "right_motor"}
    free, stopped = (
        ce.compile(ce.read_urdf(FIVE_BAR, loops=loops, independent=motors, stops=stops))
        for stops in (None, (500.0, 0.0))
    )
    inside = free.layout.split(free.y0)[0]
    start = np.concatenate((inside, (0.0, 0.0)))
    rates = [model.instant(start, model.u0).y_dot for model in (free, stopped)]
    np.testing.assert_array_equal(rates[0], rates[1])
    ends = {e.name: (e.lower, e.upper) for e in stopped.system.forces if isinstance(e, ce.JointStop)}
    assert ends == {
        f"stop of {side}_{end}": (-2.0, 2.0) for side in ("left", "right") for end in ("motor", "elbow")
    }


BROKEN = {
    "closed_loop 'a' must be a list": "closed_loop: a",
    r"closed_loop\[0\] \['a'\] must be two names": "closed_loop: [[a]]",
    r"closed_loop\[0\] .* must be a list of names": "closed_loop: [[1, 2]]",
    "type has 2 words for 1 pairs": "closed_loop: [[tip_pin, tip_end]]\ntype: [6d, 6d]",
    "type '5d' is not known; it must be one of": "closed_loop: [[tip_pin, tip_end]]\ntype: [5d]",
    "'rotor' not known": "rotor: 1",
    "must be a mapping": "- 1",
    "not YAML": "a: [",
    "there is no joint or link 'tip'": "closed_loop: [[tip, tip_end]]",
    "name_mot: there is no joint 'm'": "closed_loop: [[tip_pin, tip_end]]\nname_mot: [m]",
    "joint_type has 1 words for 0 joints": "joint_type: [CARDAN]",
    "joint_type 'BALL' is not known": "joint_name: [tip]\njoint_type: [BALL]",
    "joint_name: there is no joint 'm'": "joint_name: [m]\njoint_type: [SPHERICAL]",
    "is given twice": "closed_loop: [[tip_pin, tip_end], [tip_pin, tip_end]]",
}


@pytest.mark.parametrize("message", BROKEN)
def test_errors_name_the_file_and_the_key(tmp_path: Path, message: str) -> None:
    path = write(tmp_path, BROKEN[message], "loops.yaml")
    with pytest.raises(ce.DataError, match=rf"(?s)^loops.yaml.*{message}"):
        ce.read_urdf(FIVE_BAR, loops=path)


BODY = """<link name="{name}"><inertial><mass value="1"/><origin xyz="{com}"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/></inertial></link>"""
CHAIN = f"""<robot name="chain"><link name="base"/>
  {BODY.format(name="a", com="0.3 0 0")} {BODY.format(name="b", com="0 0.2 0")}
  <joint name="ja" type="revolute"><parent link="base"/><child link="a"/><origin rpy="0.1 0.2 0.3"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/><dynamics armature="0.25"/></joint>
  <joint name="jb" type="continuous">
    <parent link="a"/><child link="b"/><origin xyz="0.6 0 0"/></joint></robot>"""


def test_kinds_of_joints_beside_the_file(tmp_path: Path) -> None:
    """Axes of a cardan joint are x and y of its frame; the armature and the effort are those of the file."""
    (tmp_path / "chain.urdf").write_text(CHAIN)
    (tmp_path / "chain.yaml").write_text("joint_name: [jb]\njoint_type: [CARDAN]\nname_mot: [ja]\n")
    system = ce.read_urdf(tmp_path / "chain.urdf", loops=tmp_path / "chain.yaml")
    hinge = system.find("b").inboard
    assert isinstance(hinge, ce.Universal)
    R = np.array([hinge.axis1, hinge.axis2, np.cross(hinge.axis1, hinge.axis2)]).T
    roll = np.array(((1, 0, 0), (0, np.cos(0.1), -np.sin(0.1)), (0, np.sin(0.1), np.cos(0.1))))
    np.testing.assert_allclose(R[2], (-np.sin(0.2), *(np.cos(0.2) * roll[2, 1:])), atol=1e-15)
    model = ce.compile(system)
    q, v = [0.1, 0.2, 0.3], [0.0, 0.0, 0.0]
    (two,), (nine,) = (model.accelerations(q, v, u=[u])[:1] for u in (2.0, 9.0))
    assert two == nine
    bare = ce.compile(
        ce.read_urdf(tmp_path / "chain.urdf", loops=tmp_path / "chain.yaml", armature={"ja": 0.0})
    )
    difference = model.mass_matrix(q) - bare.mass_matrix(q)
    np.testing.assert_allclose(difference, np.diag((0.25, 0.0, 0.0)), atol=1e-14)


@pytest.mark.parametrize("word", ["UJOINT_XY", "UJOINT_ZY", "ujoint_yx"])
def test_universal_joints_have_the_axes_of_their_names(tmp_path: Path, word: str) -> None:
    (tmp_path / "chain.urdf").write_text(CHAIN)
    (tmp_path / "chain.yaml").write_text(f"joint_name: [jb]\njoint_type: [{word}]\n")
    hinge, wanted = (
        ce.read_urdf(tmp_path / "chain.urdf", loops=loops).find("b").inboard
        for loops in (tmp_path / "chain.yaml", None)
    )
    assert isinstance(hinge, ce.Universal)
    assert isinstance(wanted, ce.Revolute)  # about x of the joint
    x_at = word.upper()[-2:].find("X")
    if x_at >= 0:
        np.testing.assert_allclose((hinge.axis1, hinge.axis2)[x_at], wanted.axis, atol=1e-15)
    else:
        np.testing.assert_allclose(np.cross(hinge.axis2, hinge.axis1), wanted.axis, atol=1e-15)  # y × z


def test_older_files_mark_by_parts_of_names(tmp_path: Path, five_bar: ce.System) -> None:
    (tmp_path / "old.yaml").write_text("name_mot: motor\nname_closedloop: end\ntype: 6D\nLidmot: [0, 3]\n")
    text = FIVE_BAR.read_text()
    for k, joint in enumerate(("tip_pin", "tip_end")):
        text = text.replace(f'joint name="{joint}"', f'joint name="end1{"AB"[k]}"')
    (tmp_path / "old.urdf").write_text(text)
    old = ce.read_urdf(tmp_path / "old.urdf", loops=tmp_path / "old.yaml")
    assert list(old.inputs) == list(five_bar.inputs)
    assert [body.inboard.neutral.tolist() for body in old.bodies] == [
        body.inboard.neutral.tolist() for body in five_bar.bodies
    ]
    (tmp_path / "old.yaml").write_text("name_closedloop: start\n")
    with pytest.raises(ce.DataError, match=r"name_closedloop: there is no joint or link .* 'start'"):
        ce.read_urdf(tmp_path / "old.urdf", loops=tmp_path / "old.yaml")


def test_lists_that_are_none() -> None:
    for loops, message in (
        ([("a",)], r"loops\[0\] .* must be two frames"),
        ([("tip_pin", "tip_end", "5d")], r"loops\[0\] '5d' is not known"),
        ({"a": 1}, "loops .* must be a list"),
    ):
        with pytest.raises(ce.ModelError, match=message):
            ce.read_urdf(FIVE_BAR, loops=loops)  # type: ignore[arg-type]


def test_limits_may_be_infinite(tmp_path: Path) -> None:
    path = tmp_path / "five_bar.urdf"
    given = '<limit effort="1" velocity="20" lower="-2" upper="2"/>'
    endless = '<limit effort="inf" velocity="+inf" lower="-inf" upper="Infinity"/>'
    path.write_text(FIVE_BAR.read_text().replace(given, endless))
    assert any("limit@" in note for note in ce.read_urdf(FIVE_BAR).notes)
    assert not any("limit@" in note for note in ce.read_urdf(path).notes)
