"""SDF models against the same mechanisms described by hand: frames, turned joints, cuts, gravity."""

from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from tests.ce_dynamics.embedding.closed_forms.test_turn_to_length import ankle
from tests.ce_dynamics.readers.mujoco_states import write

LINK = """<link name="{name}"><pose>{at} 0.3 -0.2 0.5</pose>
  <inertial><pose relative_to="">0 0 0 -0.1 0.2 0.3</pose><mass>{mass}</mass>
    <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy></inertia></inertial>
  <visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>"""
JOINT = """<joint name="{name}" type="revolute"><pose relative_to="__model__">{at} 0 0 0</pose>
  <parent>{parent}</parent><child>{child}</child>
  <axis><xyz expressed_in="__model__">{axis}</xyz>{more}</axis></joint>"""


def four_bar(folder: Path, *, turned: bool = False, more: str = "", extra: str = "", pose: str = "") -> Path:
    """A crank, a coupler and a rocker; the rocker's joint may be written the other way round."""
    links = "".join(
        LINK.format(name=name, at=at, mass=mass)
        for name, at, mass in (
            ("crank", "0.1 0 0.1", 1),
            ("coupler", "0.5 0 0.6", 3),
            ("rocker", "1.1 0 0.5", 2),
        )
    )
    ends = ("rocker", "world", "0 -1 0") if turned else ("world", "rocker", "0 1 0")
    joints = (
        JOINT.format(name="drive", at="0 0 0", parent="world", child="crank", axis="0 1 0", more=more)
        + JOINT.format(name="elbow", at="0.2 0 0.3", parent="crank", child="coupler", axis="0 2 0", more="")
        + JOINT.format(name="tip", at="0.9 0 0.8", parent="rocker", child="coupler", axis="0 1 0", more="")
        + JOINT.format(name="follow", at="1 0 0", parent=ends[0], child=ends[1], axis=ends[2], more="")
    )
    path = folder / "four_bar.sdf"
    path.write_text(
        f'<sdf version="1.9"><world name="w"><gravity>0 0 -5</gravity>'
        f'<model name="four_bar">{pose}{links}{joints}{extra}</model></world></sdf>'
    )
    return path


def rpy(roll: float, pitch: float, yaw: float) -> Array:
    (cr, cp, cy), (sr, sp, sy) = np.cos((roll, pitch, yaw)), np.sin((roll, pitch, yaw))
    X = np.array(((1, 0, 0), (0, cr, -sr), (0, sr, cr)))
    Y = np.array(((cp, 0, sp), (0, 1, 0), (-sp, 0, cp)))
    Z = np.array(((cy, -sy, 0), (sy, cy, 0), (0, 0, 1)))
    product: Array = Z @ Y @ X
    return product


def by_hand() -> ce.System:
    """The same with numbers that no reader has touched."""
    R = rpy(0.3, -0.2, 0.5) @ rpy(-0.1, 0.2, 0.3)
    inertia = R @ np.array(((0.1, 0.01, 0), (0.01, 0.2, 0), (0, 0, 0.25))) @ R.T
    s = ce.System(gravity=(0, 0, -5.0))
    y = (0, 1, 0)
    for name, com, mass, parent, at in (
        ("crank", (0.1, 0, 0.1), 1.0, "ground", (0, 0, 0)),
        ("coupler", (0.5, 0, 0.6), 3.0, "crank", (0.2, 0, 0.3)),
        ("rocker", (1.1, 0, 0.5), 2.0, "ground", (1, 0, 0)),
    ):
        s.add_body(name, mass=mass, com=com, inertia=inertia, parent=parent, hinge=ce.Revolute(y, at=at))
    s.close_loop("tip", "coupler", "rocker", ce.Revolute(y, at=(0.9, 0, 0.8)), independent=["crank"])
    return s


@pytest.fixture(scope="module")
def expected() -> float:
    return float(ce.compile(by_hand()).accelerations([0.3], [2.0])[0])


@pytest.mark.parametrize("turned", [False, True])
def test_a_four_bar(tmp_path: Path, expected: float, turned: bool) -> None:
    system = ce.read_sdf(four_bar(tmp_path, turned=turned), independent=["drive"])
    assert any("visual: skipped" in note for note in system.notes)
    assert any("closes a loop" in note for note in system.notes)
    model = ce.compile(system)
    assert [entry.name for entry in model.layout.q] == ["crank"]
    assert model.accelerations([0.3], [2.0])[0] == pytest.approx(expected, rel=1e-12)


def test_pose_of_the_model_turns_it_against_gravity(tmp_path: Path) -> None:
    """Rolled over by half a turn, it falls the other way: gravity upwards for one that stands."""
    path = four_bar(tmp_path, pose="<pose degrees='true'>1 2 3 180 0 0</pose>")
    rolled = ce.compile(ce.read_sdf(path, independent=["drive"])).accelerations([0.0], [0.0])
    upright = ce.compile(
        ce.read_sdf(four_bar(tmp_path), independent=["drive"], gravity=(0, 0, 5.0))
    ).accelerations([0.0], [0.0])
    assert rolled[0] == pytest.approx(upright[0], rel=1e-12)


def test_motors_armature_damping_and_limits(tmp_path: Path) -> None:
    more = (
        "<limit><lower>-1</lower><upper>1</upper><effort>3</effort></limit>"
        "<dynamics><damping>0.4</damping></dynamics>"
    )
    path = four_bar(tmp_path, more=more)
    system = ce.read_sdf(path, independent=["drive"], motors=["drive"], armature={"drive": 0.5})
    assert any("limit@lower" in note for note in system.notes)
    assert not any("limit@effort" in note for note in system.notes)
    model, plain = ce.compile(system), ce.compile(by_hand())
    q, v = [0.3], [2.0]
    push = plain.mass_matrix(q)[0, 0] * plain.accelerations(q, v)[0] - 0.4 * 2.0
    for torque, felt in ((1.0, 1.0), (7.0, 3.0)):
        expected = (push + felt) / (plain.mass_matrix(q)[0, 0] + 0.5)
        assert model.accelerations(q, v, u=[torque])[0] == pytest.approx(expected, rel=1e-12)


ANKLE = """<sdf version="1.10"><model name="ankle" canonical_link="foot">
  <link name="foot"><pose>0.05 0 -0.05 0 0 0</pose><inertial><mass>1</mass>{light}</inertial></link>
  <joint name="cross" type="universal"><pose relative_to="__model__"/>
    <parent>world</parent><child>foot</child>
    <axis><xyz>0 1 0</xyz></axis><axis2><xyz>1 0 0</xyz></axis2></joint>
  {sides}</model></sdf>"""
SIDE = """
  <frame name="pivot{s}"><pose>0 {y} 0.3 0 0 0</pose></frame>
  <link name="{s} crank"><pose relative_to="pivot{s}">-0.02 0 0 0 0 0</pose>
    <inertial><mass>0.2</mass>{light}</inertial></link>
  <joint name="m{s}" type="revolute"><pose relative_to="pivot{s}"/>
    <parent>world</parent><child>{s} crank</child>
    <axis><xyz>0 1 0</xyz></axis></joint>
  <link name="{s} rod"><pose>{mid} 0 0 0</pose><inertial><mass>0.1</mass>{light}</inertial></link>
  <joint name="u{s}" type="universal"><pose relative_to="pivot{s}">-0.05 0 0.01 0 0 0</pose>
    <parent>{s} crank</parent><child>{s} rod</child>
    <axis><xyz>0 1 0</xyz></axis><axis2><xyz>1 0 0</xyz></axis2></joint>
  <joint name="b{s}" type="ball"><pose relative_to="__model__">-0.055 {end} -0.01 0 0 0</pose>
    <parent>foot</parent><child>{s} rod</child></joint>"""


def test_universal_and_ball_joints(tmp_path: Path) -> None:
    """The ankle that other tests describe by hand."""

    def light(value: float) -> str:
        return "<inertia>" + "".join(f"<{t}>{value}</{t}>" for t in ("ixx", "iyy", "izz")) + "</inertia>"

    sides = "".join(
        SIDE.format(s=s, y=y, end=1.1 * y, light=light(1e-3), mid=f"-0.0525 {1.05 * y!r} 0.15")
        for s, y in (("left", 0.05), ("right", -0.05))
    )
    path = write(tmp_path, ANKLE.format(light=light(0.01), sides=sides), "ankle.sdf")
    system = ce.read_sdf(path, independent=["cross"])
    assert sorted(edge.name for edge in system.closures) == ["bleft", "bright"]
    q, v = [0.2, -0.1], [0.5, 0.7]
    expected = ce.compile(ankle("foot")).accelerations(q, v)
    np.testing.assert_allclose(ce.compile(system).accelerations(q, v), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (
            '<joint name="s" type="spring"><parent>crank</parent><child>rocker</child></joint>',
            "type='spring'",
        ),
        ('<frame name="a" attached_to="b"/><frame name="b" attached_to="a"/>', None),
        ('<link name="loose"/>', r"\['loose'\] are joined to nothing"),
        ("<include><uri>x</uri></include>", "include: line"),
        (
            '<joint name="j" type="ball"><parent>crank</parent><child>none</child></joint>',
            "child 'none' is no",
        ),
        ('<link name="crank"/>', "the name is taken"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, extra: str, message: str | None) -> None:
    path = four_bar(tmp_path, extra=extra)
    if message is None:  # nobody asks for these frames
        ce.read_sdf(path)
        return
    with pytest.raises(ce.DataError, match=rf"(?s)four_bar.sdf.*{message}"):
        ce.read_sdf(path)


def test_words_to_ignore_that_are_nowhere_are_refused(tmp_path: Path) -> None:
    path = four_bar(tmp_path)
    ce.read_sdf(path, ignore={"dynamics@damping", "crank"})
    with pytest.raises(ce.DataError, match=r"'nonsense'.*: nothing there is called so"):
        ce.read_sdf(path, ignore={"nonsense"})
