"""URDF+ against hand-built systems, MuJoCo's reading of the same file, and the augmented equations."""

import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.hinges import Planar, Revolute
from ce_dynamics.readers.robot import find_loop_joints
from ce_dynamics.readers.urdf.elements import read_robot
from ce_dynamics.readers.xml_file import parse
from tests.ce_dynamics.readers.mujoco_states import ROBOTS, Peer, random_state, write as write_file
from tests.support.augmented import assert_agrees

write = partial(write_file, name="robot.urdf")
FOUR_BAR = (ROBOTS / "four_bar.urdf").read_text()


def four_bar_by_hand() -> ce.System:
    """The mechanism of four_bar.urdf, put up in the world by other means than the reader's."""
    stand, at = Rotation.from_euler("xyz", (0.4, -0.3, 0.2)), np.array((0.1, 0.2, 0.3))

    def point(*xyz: float) -> Array:
        return np.asarray(at + stand.apply(xyz))

    def inertia(moments: Array, turn: Rotation) -> Array:
        R = turn.as_matrix()
        return np.asarray(R @ moments @ R.T)

    axis = stand.apply((0.0, -1.0, 0.0))
    tilted = stand * Rotation.from_euler("y", -np.arctan2(0.8, 0.6))
    A, B, C, D = point(0, 0, 0), point(0.3, 0, 0), point(0.9, 0, 0.8), point(1.32, 0, 0.24)
    crank = np.array(((4.0, 0.2, -0.3), (0.2, 12.0, 0.1), (-0.3, 0.1, 11.0))) * 1e-3
    coupler = Rotation.from_euler("xyz", (0.1, 0.2, -0.3))
    s = ce.System(gravity=(0, 0, -9.81))
    s.add_body(
        "crank",
        mass=1.3,
        com=point(0.15, 0.01, 0.02),
        inertia=inertia(crank, stand),
        parent="ground",
        hinge=Revolute(axis, A),
    )
    s.add_body(
        "coupler",
        mass=2.1,
        com=B + tilted.apply((0.5, 0, 0.03)),
        inertia=inertia(np.diag((0.01, 0.15, 0.15)), tilted * coupler),
        parent="crank",
        hinge=Revolute(axis, B),
    )
    s.add_body(
        "rocker",
        mass=1.7,
        com=point(1.11, -0.01, 0.52),
        inertia=inertia(np.diag((0.06, 0.08, 0.03)), stand),
        parent="ground",
        hinge=Revolute(axis, D),
    )
    s.close_loop("pin", "coupler", "rocker", Revolute(axis, C), ["crank"])
    s.add_force(ce.TorsionSpringDamper("damping", s.find("crank"), damper=0.05))
    return s


@pytest.fixture(scope="module")
def four_bar() -> ce.Model:
    return ce.compile(ce.read_urdf(ROBOTS / "four_bar.urdf"))


def assert_same_motion(a: ce.Model, b: ce.Model) -> None:
    """Two models of one degree of freedom; both loops are closed by Newton to 1e-13 in lengths of 1 m."""
    for angle in np.linspace(0.0, 6.0, 7):
        one, other = (model.accelerations([angle], [2.0]) for model in (a, b))
        np.testing.assert_allclose(one, other, rtol=1e-11)


def test_four_bar_is_the_one_built_by_hand(four_bar: ce.Model) -> None:
    assert_same_motion(four_bar, ce.compile(four_bar_by_hand()))


def test_the_choice_of_the_cut_does_not_matter(tmp_path: Path, four_bar: ce.Model) -> None:
    """The rocker hangs on the coupler, and its pin on the stand closes the loop."""
    start = FOUR_BAR.index('<joint name="follow"')
    text = (
        FOUR_BAR[:start]
        + """<joint name="follow" type="continuous"><origin xyz="1 0 0" rpy="0 0.9272952180016122 0"/>
        <parent link="coupler"/><child link="rocker"/><axis xyz="0 -1 0"/></joint>
        <loop name="pin" type="revolute"><predecessor link="stand"><origin xyz="1.32 0 0.24"/></predecessor>
        <successor link="rocker"><origin xyz="0.42 0 -0.56"/></successor><axis xyz="0 1 0"/></loop></robot>"""
    )
    text = text.replace('<origin xyz="-0.21 -0.01 0.28"/>', '<origin xyz="0.21 -0.01 -0.28"/>')
    assert_same_motion(four_bar, ce.compile(ce.read_urdf(write(tmp_path, text))))


def test_leg_with_two_loops_obeys_the_augmented_equations(rng: np.random.Generator) -> None:
    model = ce.compile(ce.read_urdf(ROBOTS / "leg.urdf", base="floating"))
    q, v = random_state(model, rng, 0.3)
    assert_agrees(model.embedding, q, v, relative=1e-9)
    assert set(model.embedding.q_of) == {"pelvis", "shank", "left_crank", "right_crank"}


def test_both_formats_describe_the_same_leg(rng: np.random.Generator) -> None:
    urdf = ce.compile(ce.read_urdf(ROBOTS / "leg.urdf", base="floating"))
    motors = "left_motor", "right_motor"
    mjcf = ce.compile(ce.read_mjcf(ROBOTS / "leg.xml", independent=motors))
    assert [e.name for e in urdf.layout.q] == [e.name for e in mjcf.layout.q]
    for body in urdf.system.bodies:
        other = mjcf.system.find(
            {
                "cross": "foot/ankle_pitch",
                "left_cross": "left_rod/left_swing",
                "right_cross": "right_rod/right_swing",
            }.get(body.name, body.name)
        )
        np.testing.assert_allclose(body.com, other.com, rtol=0.0, atol=1e-15)
        np.testing.assert_allclose(body.inertia, other.inertia, rtol=0.0, atol=1e-16)
        assert body.mass == other.mass
    q, v = random_state(urdf, rng, 0.3)
    np.testing.assert_allclose(urdf.accelerations(q, v), mjcf.accelerations(q, v), rtol=0.0, atol=1e-10)


def test_both_formats_describe_the_same_four_bar(four_bar: ce.Model) -> None:
    """A pin and a ball joint close a planar loop alike."""
    assert_same_motion(four_bar, ce.compile(ce.read_mjcf(ROBOTS / "four_bar.xml", independent=["drive"])))


TREE = """
<robot name="tree">
  <mujoco><compiler fusestatic="false" discardvisual="false" balanceinertia="false"/></mujoco>
  <link name="root">{inertial}</link>
  <link name="cart">{inertial}</link>
  <link name="post">{inertial}</link>
  <link name="flag">{inertial}</link>
  <link name="top">{inertial}</link>
  <joint name="rail" type="prismatic">
    <origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/>
    <parent link="root"/><child link="cart"/><axis xyz="1 2 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="6"/>
    <dynamics damping="0.7"/>
  </joint>
  <joint name="post_joint" type="fixed">
    <origin xyz="0 0 0.4" rpy="0 0 1"/>
    <parent link="cart"/><child link="post"/>
  </joint>
  <joint name="spin" type="revolute">
    <origin xyz="0.5 0 0" rpy="-1 0.5 2"/>
    <parent link="post"/><child link="flag"/>
    <limit lower="-1" upper="1" effort="5" velocity="6"/>
  </joint>
  <joint name="turn" type="continuous">
    <origin xyz="0.1 0.3 0" rpy="0 0 3"/>
    <parent link="flag"/><child link="top"/><axis xyz="0.1 0 1"/>
    <dynamics damping="0.2" friction="0"/>
  </joint>
</robot>
"""
INERTIAL = """<inertial><origin xyz="0.1 0.2 0.3" rpy="0.5 0.6 0.7"/><mass value="1.5"/>
<inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="0.003" izz="0.04"/></inertial>"""


def test_trees_move_as_mujoco_reads_them(tmp_path: Path, rng: np.random.Generator) -> None:
    path = write(tmp_path, TREE.format(inertial=INERTIAL))
    model = ce.compile(ce.read_urdf(path, ignore={"limit", "mujoco"}))
    peer = Peer(model, path)
    peer.m.jnt_limited[:] = 0
    assert peer.m.nbody == 6, "world and five links"
    for _ in range(3):
        q, v = random_state(model, rng)
        expected = peer.accelerations(q, v)
        np.testing.assert_allclose(
            model.accelerations(q, v), expected, rtol=0.0, atol=1e-11 * abs(expected).max()
        )


@pytest.mark.parametrize("floating", ["base", "joint"])
def test_what_floats_falls(tmp_path: Path, floating: str) -> None:
    path = write(tmp_path, TREE.format(inertial=INERTIAL))
    if floating == "joint":
        path.write_text(
            path.read_text().replace("prismatic", "floating").replace('<dynamics damping="0.7"/>', "")
        )
    base = "floating" if floating == "base" else "fixed"
    model = ce.compile(ce.read_urdf(path, base=base, gravity=(0, 0, -3), ignore={"limit", "mujoco"}))
    a = model.accelerations(model.y0[: model.embedding.n_q], np.zeros(model.embedding.n_v))
    name, at = ("root", (0, 0, 0)) if floating == "base" else ("cart", (0.1, 0.2, 0.3))
    fall = np.zeros(len(a))
    fall[model.embedding.v_of[name].start + 5] = -3.0
    np.testing.assert_allclose(a, fall, rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(model.system.find(name).inboard.at, at)


def test_planar_joints_and_a_ground_of_that_name(tmp_path: Path) -> None:
    text = f"""<robot name="puck"><link name="ground"/><link name="puck">{INERTIAL}</link>
    <joint name="slide" type="planar"><origin xyz="0 0 1" rpy="0.2 0 0"/>
    <parent link="ground"/><child link="puck"/><axis xyz="0 0 1"/></joint></robot>"""
    system = ce.read_urdf(write(tmp_path, text))
    hinge = system.find("puck").inboard
    assert isinstance(hinge, Planar)
    np.testing.assert_allclose(hinge.normal, (0.0, -np.sin(0.2), np.cos(0.2)), rtol=0.0, atol=1e-15)
    assert [body.name for body in system.bodies] == ["puck"]
    assert system.find("puck").parent is system.ground


IN_WORLD = """<robot name="r"><link name="base"/><link name="arm">{inertial}</link>
  <joint name="hold" type="{kind}"><parent link="world"/><child link="{held}"/></joint>
  <joint name="swing" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_world_need_not_be_described(tmp_path: Path, base: str) -> None:
    """Bodies on the world are held without mass; links that no joint carries are held or free."""
    loose = '<link name="loose">{inertial}</link><drake:proximity_properties/></robot>'
    text = IN_WORLD.replace("</robot>", loose).format(inertial=INERTIAL, kind="fixed", held="base")
    drake = text.replace("<robot ", '<robot xmlns:drake="http://drake.mit.edu" ')
    system = ce.read_urdf(write(tmp_path, drake), base=base)
    assert [body.name for body in system.bodies if body.parent is system.ground] == ["base", "loose"]
    assert ce.Model(system).embedding.n_v == (1 if base == "fixed" else 7)


def test_world_that_holds_everything_does_not_float(tmp_path: Path) -> None:
    text = IN_WORLD.format(inertial=INERTIAL, kind="fixed", held="base")
    with pytest.raises(ce.DataError, match="base='floating': its joints hold it on 'world'"):
        ce.read_urdf(write(tmp_path, text), base="floating")


def test_words_to_ignore_that_are_nowhere_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, FOUR_BAR)
    ce.read_urdf(path, ignore={"dynamics@damping", "limit", "pin", "all"})
    with pytest.raises(ce.DataError, match=r"'dynamics@dampin'.*did you mean 'dynamics@damping'"):
        ce.read_urdf(path, ignore={"dynamics@dampin"})


# Loops that are open in the zero pose


def test_loop_open_in_zero_pose_is_assembled(four_bar: ce.Model, tmp_path: Path) -> None:
    text = FOUR_BAR.replace("-0.9272952180016122", "-0.5")
    system = ce.read_urdf(write(tmp_path, text))
    [note] = [note for note in system.notes if "open by" in note]
    gap = 2.0 * np.sin(0.5 * (np.arctan2(0.8, 0.6) - 0.5))  # the coupler's end turns on a circle of 1 m
    assert f"line 54, <loop name='pin'>: open by {gap:.3g} m and 0 deg in the zero pose" in note
    assert_same_motion(four_bar, ce.compile(system))


def test_a_loop_that_cannot_be_closed_is_named(tmp_path: Path) -> None:
    text = FOUR_BAR.replace('<origin xyz="1 0 0"/>', '<origin xyz="0.1 0 0"/>')
    with pytest.raises(
        ce.DataError, match=r"<loop name='pin'>: no pose was found .* open by 0.9 m and 0 deg"
    ):
        ce.read_urdf(write(tmp_path, text))


def test_joints_above_a_loop_are_not_of_it() -> None:
    robot = read_robot(parse(ROBOTS / "four_bar.urdf", "robot"), right_angles=1e-11)
    assert set(robot.joints) > find_loop_joints(robot) == {"drive", "elbow", "follow"}


def test_an_axis_may_point_either_way(tmp_path: Path) -> None:
    text = FOUR_BAR.replace(
        '<origin xyz="-0.42 0 0.56"/>', '<origin xyz="-0.42 0 0.56" rpy="3.141592653589793 0 0"/>'
    )
    system = ce.read_urdf(write(tmp_path, text))
    assert system.closures[0].kind == "Revolute"
    assert not system.notes[1:]


# Independent coordinates


INDEPENDENT = {
    "one true": ({"crank": True}, ["crank"]),
    "no flags": ({}, []),
    "others false": ({"coupler": False, "rocker": False}, ["crank"]),
    "missing counts as true": ({"crank": True, "coupler": False}, ["crank", "rocker"]),
}


@pytest.mark.parametrize("case", INDEPENDENT)
def test_flags_of_the_file_choose_independent_joints(tmp_path: Path, case: str) -> None:
    flags, expected = INDEPENDENT[case]
    text = FOUR_BAR.replace(' independent="true"', "")
    for link, flag in flags.items():
        name = {"crank": "drive", "coupler": "elbow", "rocker": "follow"}[link]
        text = text.replace(f'name="{name}"', f'name="{name}" independent="{str(flag).lower()}"')
    [loop] = ce.read_urdf(write(tmp_path, text)).closures
    assert list(loop.independent) == expected


# Refusals


def test_everything_that_is_refused_is_named_at_once(tmp_path: Path) -> None:
    text = FOUR_BAR.replace(
        '<link name="stand"/>', '<link name="stand"><collision/><inertail/></link><gazebo/>'
    )
    text = text.replace('damping="0.05"', 'damping="0.05" friction="0.1"')
    text = text.replace("</joint>", '<limit lower="-1" effort="1" velocity="2"/></joint>', 2)
    text = text.replace('<mass value="1.3"/>', '<mass value="1.3" unit="kg"/>')
    path = write(tmp_path, text)
    with pytest.raises(ce.DataError) as caught:
        ce.read_urdf(path)
    lines = str(caught.value).splitlines()
    assert lines[0] == "robot.urdf contains what cannot be represented:"
    assert lines[1:-1] == ["  inertail: line 6", "  mass@unit: line 13"]
    names = {"inertail", "mass@unit"}
    assert all(repr(name) in lines[-1] for name in names)
    for ignored in (names, {"all"}):
        system = ce.read_urdf(path, ignore=ignored)
        assert sum("left out as asked" in note for note in system.notes) == 2
        noted = [note for note in system.notes if "not acted on" in note]
        assert [note.split(": ")[1] for note in noted] == [
            "collision",
            "gazebo",
            "limit@effort",
            "limit@lower, limit@upper",
            "limit@velocity",
        ]


def test_looks_are_skipped_and_noted(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="ce_dynamics"):
        system = ce.read_urdf(ROBOTS / "four_bar.urdf")
    assert system.notes == ["four_bar.urdf: visual: skipped, it does not move anything: line 8"]
    assert caplog.messages == system.notes


MASS = '<mass value="1.3"/>'
PARENT = '<parent link="crank"/>'
LOOP = '<predecessor link="coupler"><origin xyz="1 0 0"/></predecessor>'
BROKEN = {
    "not well-formed XML": ("</robot>", ""),
    "the root element must be <robot>": (FOUR_BAR, "<sdf/>"),
    "document type": ('<?xml version="1.0"?>', "<!DOCTYPE robot>"),
    "line 13, <mass>: value='nan' must be a finite number": (MASS, '<mass value="nan"/>'),
    "line 13, <mass>: value='inf' must be a finite number": (MASS, '<mass value="inf"/>'),
    "value='1,3' must be a finite number": (MASS, '<mass value="1,3"/>'),
    "value=-1.0 of link 'crank' must be >= 0": (MASS, '<mass value="-1"/>'),
    "<inertial>: element <mass> is missing": (MASS, ""),
    "<inertial> has 2 elements <mass>": (MASS, 2 * MASS),
    "<mass>: attribute 'value' is missing": (MASS, "<mass/>"),
    "line 7, <link name='crank'>: .* principal moment": ('ixx="0.004"', 'ixx="-0.004"'),
    "xyz='0 -2' must be 3 finite numbers": ("0 -2 0", "0 -2"),
    "xyz='0 0 0' of joint 'drive' is no direction": ("0 -2 0", "0 0 0"),
    "type='ball' is not known; it must be one of revolute, continuous": (
        'name="follow" type="continuous"',
        'name="follow" type="ball"',
    ),
    "type='screw' is not known": ('name="pin" type="revolute"', 'name="pin" type="screw"'),
    "independent='yes' must be true or false": ('independent="true"', 'independent="yes"'),
    "<link name='crank'>: the name is taken by line 7": ('<link name="coupler">', '<link name="crank">'),
    "<joint name='drive'>: the name is taken": ('name="elbow"', 'name="drive"'),
    "name is empty": ('name="elbow"', 'name=""'),
    "<joint name='elbow'>: there is no link 'krank'": (PARENT, '<parent link="krank"/>'),
    "<loop name='pin'>: there is no link 'kuppler'": (
        '<predecessor link="coupler">',
        '<predecessor link="kuppler">',
    ),
    "closure 'pin' joins body 'rocker' to itself": (
        '<predecessor link="coupler">',
        '<predecessor link="rocker">',
    ),
    "element <predecessor> is missing": (LOOP, ""),
    "one link must be the root.*'base', 'spare'": (
        '<link name="stand"/>',
        '<link name="stand"/><link name="spare"/>',
    ),
    "link 'crank' is carried by joint 'drive' already.*<loop>": (
        '<child link="coupler"/>',
        '<child link="crank"/>',
    ),
    "joints 'elbow', 'drive' form a cycle|joints 'drive', 'elbow' form a cycle": (
        '<parent link="stand"/>\n    <child link="crank"/>',
        '<parent link="coupler"/>\n    <child link="crank"/>',
    ),
    "no link: the joints form a cycle": (
        '<link name="stand"/>',
        '<link name="stand"/><joint name="back" type="fixed">'
        '<parent link="rocker"/><child link="base"/></joint>',
    ),
    "link 'ground' moves": ('"rocker"', '"ground"'),
    "macros are not expanded here: expand the file with the command xacro": (
        '<link name="stand"/>',
        '<xacro:arm xmlns:xacro="http://ros.org/wiki/xacro" parent="${base}"/>',
    ),
    "damping=-0.05 of joint 'drive' must be >= 0": ('damping="0.05"', 'damping="-0.05"'),
}


@pytest.mark.parametrize("message", BROKEN)
def test_errors_name_file_and_element(tmp_path: Path, message: str) -> None:
    old, new = BROKEN[message]
    assert old in FOUR_BAR
    with pytest.raises(ce.DataError, match=rf"(?s)^robot.urdf.*({message})"):
        ce.read_urdf(write(tmp_path, FOUR_BAR.replace(old, new)))


def test_moving_massless_link_outside_loops_is_refused(tmp_path: Path) -> None:
    arm = """<robot name="arm"><link name="base"/><link name="hand"/><link name="finger"/>
    <joint name="wrist" type="continuous"><parent link="base"/><child link="hand"/></joint>
    <joint name="grip" type="fixed"><parent link="hand"/><child link="finger"/></joint></robot>"""
    with pytest.raises(ce.DataError, match="<link name='hand'>: joint 'wrist' moves it, but neither"):
        ce.read_urdf(write(tmp_path, arm))
    start, end = FOUR_BAR.index('<link name="coupler">'), FOUR_BAR.index('<link name="rocker">')
    rod = FOUR_BAR[:start] + '<link name="coupler"/>' + FOUR_BAR[end:]
    model = ce.compile(ce.read_urdf(write(tmp_path, rod)))
    assert np.isfinite(model.accelerations([0.5], [1.0])).all()


def test_few_digits_of_right_angles(tmp_path: Path, four_bar: ce.Model) -> None:
    """An axis that is parallel to the others but for 4.6e-8 rad keeps a planar loop from closing."""
    text = FOUR_BAR.replace('rpy="0 -0.9272952180016122 0"', 'rpy="0 -0.9272952180016122 3.1415927"')
    text = text.replace('<origin xyz="1 0 0"/>', '<origin xyz="0.28 0 0.96"/>')  # C in the turned frame
    text = text.replace('<origin xyz="0.5 0 0.03" rpy="0.1 0.2 -0.3"/>', '<origin xyz="0.5 0 0.03"/>')
    path = write(tmp_path, text)
    literally = ce.read_urdf(path)
    assert any("in no pose are the loops closed better than to" in note for note in literally.notes)
    [note] = [note for note in literally.notes if "right angle" in note]
    assert "<origin>: rpy has 3.1415927, 4.6e-08 rad from a right angle" in note
    meant = ce.read_urdf(path, right_angles=1e-4)
    assert not any("right angle" in note for note in meant.notes)
    models = [ce.compile(system) for system in (literally, meant)]
    assert [model.embedding.n_v for model in models] == [1, 1]
    one, other = (model.accelerations([0.5], [2.0]) for model in models)
    np.testing.assert_allclose(one, other, rtol=1e-6)  # 4.6e-8 rad, as a bar of the loop turns three others


def test_arguments(tmp_path: Path) -> None:
    path = ROBOTS / "four_bar.urdf"
    with pytest.raises(ce.ModelError, match="base 'free' is not known; choose one of fixed, floating"):
        ce.read_urdf(path, base="free")
    with pytest.raises(ce.ModelError, match="must be a set of names"):
        ce.read_urdf(path, ignore="limit")
    with pytest.raises(ce.DataError, match=r"nothing.urdf' cannot be read"):
        ce.read_urdf(tmp_path / "nothing.urdf")


OLDER = {
    "rolling": '<constraint name="gear" type="rolling"><predecessor link="arm"/><successor link="rotor"/>'
    '<ratio value="6"/></constraint>',
    "joint": '<joint_constraint name="gear"><parent link="arm"/><child link="rotor"/>'
    '<gear_ratio value="6"/></joint_constraint>',
    "coupling": '<coupling name="gear" type="rolling"><predecessor link="arm"/><successor link="rotor"/>'
    '<ratio value="6"/></coupling>',
}


@pytest.mark.parametrize("spelling", OLDER)
def test_rolling_is_a_coupling(tmp_path: Path, spelling: str) -> None:
    """By hand: a rotor of inertia J that turns six times as fast adds 36 J."""
    path = tmp_path / "arm.urdf"
    path.write_text(f"""<robot name="arm"><link name="base"/>
      <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.3"/></inertial></link>
      <link name="rotor"><inertial><mass value="0"/>
        <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
      <joint name="j" type="continuous"><axis xyz="0 1 0"/><parent link="base"/><child link="arm"/></joint>
      <joint name="r" type="continuous" independent="False"><axis xyz="0 1 0"/>
        <parent link="base"/><child link="rotor"/></joint>{OLDER[spelling]}</robot>""")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a slender arm's inertia about its own line is zero
        model = ce.Model(ce.read_urdf(path))
    q = 0.3
    expected = 2 * 9.81 * 0.5 * np.cos(q) / (0.3 + 2 * 0.25 + 36 * 0.02)
    assert [entry.name for entry in model.layout.q] == ["arm"]
    assert model.accelerations([q], [1.0])[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    "spelling",
    [
        """<constraint name="tip" type="position"><predecessor link="coupler"><origin xyz="0.6 0 0.8"/>
           </predecessor><successor link="rocker"><origin xyz="{r}"/></successor></constraint>""",
        """<loop_constraint name="tip"><parent link="coupler"/><parent_origin xyz="0.6 0 0.8"/>
           <child link="rocker"/><child_origin xyz="{r}"/></loop_constraint>""",
        """<drake:ball_constraint><drake:ball_constraint_body_A name="coupler"/>
           <drake:ball_constraint_p_AP value="1 0 0"/><drake:ball_constraint_body_B name="rocker"/>
           <drake:ball_constraint_p_BQ value="-0.42 0 0.56"/></drake:ball_constraint>""",
    ],
)
def test_other_spellings_of_points_that_links_share(
    tmp_path: Path, four_bar: ce.Model, spelling: str
) -> None:
    loop = FOUR_BAR[FOUR_BAR.index("  <loop") : FOUR_BAR.index("</loop>") + len("</loop>")]
    frames = re.findall(r'<(?:predecessor|successor) link="(\w+)">\s*<origin ([^/]*)/>', loop)
    (one, at_one), (other, at_other) = frames
    text = spelling.replace("coupler", one).replace("rocker", other)
    text = text.replace('xyz="0.6 0 0.8"', at_one).replace('xyz="{r}"', at_other)
    path = tmp_path / "older.urdf"
    robot = FOUR_BAR.replace("<robot ", '<robot xmlns:drake="http://drake.mit.edu" ')
    path.write_text(robot.replace(loop, text))
    model = ce.Model(ce.read_urdf(path))
    np.testing.assert_allclose(
        model.accelerations([0.5], [2.0]), four_bar.accelerations([0.5], [2.0]), rtol=1e-12
    )
