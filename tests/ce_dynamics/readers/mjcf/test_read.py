"""MJCF against MuJoCo itself: trees exactly, loops against hand-built systems and as far as softness lets."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, strategies as st

import ce_dynamics as ce
from ce_dynamics.mechanism.hinges import Fixed, Prismatic, Revolute, Spherical
from ce_dynamics.readers.mjcf.model import Compiled, find_pairs_in_contact
from tests.ce_dynamics.readers.mujoco_states import (
    ROBOTS,
    Peer,
    assert_hard_limit,
    condition_of,
    random_state,
    write,
)
from tests.searching import examples

TREE = """
<mujoco model="tree">
  <compiler angle="degree"/>
  <option gravity="1 -2 -9"><flag contact="disable"/></option>
  <default>
    <joint damping="0.3"/>
    <geom density="900"/>
    <default class="stiff"><joint stiffness="7" springref="20"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="floater" pos="0.1 0.2 0.3" quat="0.8 0.2 0.3 -0.4">
      <freejoint name="float"/>
      <geom type="box" size="0.1 0.2 0.3" euler="10 20 30" pos="0.02 0.03 0.04"/>
      <body name="plate" pos="0 0 0.5" euler="20 0 10">
        <joint name="x" type="slide" axis="1 0 0" pos="0 0.1 0"/>
        <joint name="y" type="slide" axis="0 1 0.2" ref="5"/>
        <joint name="turn" axis="0 0.1 1" pos="0.1 0.2 0" ref="15" class="stiff"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.3 0.2"/>
        <frame pos="0.2 0 0" euler="0 40 0">
          <body name="ball" pos="0 0.1 0">
            <joint name="socket" type="ball" pos="0.05 -0.02 0.01" damping="0.2"/>
            <geom type="ellipsoid" size="0.1 0.05 0.2" pos="0.1 0 0"/>
            <body name="fin" pos="0.1 0.1 0.1" euler="0 0 70"><geom size="0.07"/></body>
          </body>
        </frame>
      </body>
    </body>
    <body name="arm" pos="1 0 0">
      <joint name="swing" axis="0 1 0" class="stiff"/>
      <inertial pos="0.2 0 0" mass="1.5" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
      <include file="forearm.xml"/>
    </body>
  </worldbody>
</mujoco>
"""
FOREARM = """
<mujocoinclude>
  <body name="forearm" pos="0.4 0 0" euler="0 0 30">
    <joint name="elbow" axis="1 0 1" pos="0.1 0 0"/>
    <geom type="cylinder" size="0.03 0.2"/>
  </body>
</mujocoinclude>
"""
WIND = "<mujoco>{}<worldbody>{}</worldbody>{}</mujoco>"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_trees_move_as_in_mujoco(tmp_path: Path, rng: np.random.Generator) -> None:
    write(tmp_path, FOREARM, "forearm.xml")
    path = write(tmp_path, TREE)
    model = ce.compile(ce.read_mjcf(path))
    peer = Peer(model, path)
    for _ in range(4):
        q, v = random_state(model, rng)
        expected = peer.accelerations(q, v)
        # Both are direct solutions in float64; the conditions of these mass matrices stay below 1e4.
        np.testing.assert_allclose(
            model.accelerations(q, v), expected, rtol=0.0, atol=1e-11 * abs(expected).max()
        )


@st.composite
def trees(draw: st.DrawFn) -> str:
    """Bodies anywhere, each on up to three joints, or on a free one, on the world or on another body."""
    number = st.floats(-1.0, 1.0).map(lambda x: round(x, 3))
    vector = st.tuples(number, number, number).map(lambda v: "{} {} {}".format(*v))
    direction = st.tuples(number, number, number).filter(lambda v: np.hypot.reduce(v) > 0.3)

    def joint(name: str) -> str:
        kind = draw(st.sampled_from(("hinge", "slide")))
        axis = "{} {} {}".format(*draw(direction))
        spring = f'stiffness="{abs(draw(number))}" springref="{draw(number)}" damping="{abs(draw(number))}"'
        at = f'axis="{axis}" pos="{draw(vector)}" ref="{draw(number)}"'
        return f'<joint name="{name}" type="{kind}" {at} {spring}/>'

    def body(name: str, depth: int) -> str:
        kind = draw(
            st.sampled_from(("joints", "joints", "ball", "fixed", *(("free",) if depth == 0 else ())))
        )
        carried = {
            "joints": "".join(joint(f"{name}{k}") for k in range(draw(st.integers(1, 3)))),
            "ball": f'<joint name="{name}" type="ball" pos="{draw(vector)}"/>',
            "fixed": "",
            "free": "<freejoint/>",
        }[kind]
        inside = "".join(body(f"{name}_{k}", depth + 1) for k in range(draw(st.integers(0, 2 - depth))))
        geom = f'<geom type="box" size="0.2 0.3 0.4" pos="{draw(vector)}" euler="{draw(vector)}"/>'
        return (
            f'<body name="{name}" pos="{draw(vector)}" euler="{draw(vector)}">{carried}{geom}{inside}</body>'
        )

    compiler = '<compiler angle="radian"/><option><flag contact="disable"/></option>'
    return f"<mujoco>{compiler}<worldbody>{body('b', 0)}</worldbody></mujoco>"


@given(text=trees(), seed=st.integers(0, 2**32 - 1))
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_trees_move_as_in_mujoco(tmp_path: Path, text: str, seed: int) -> None:
    path = write(tmp_path, text)
    assume(1.0 < condition_of(path) < 1e6)  # joints in line or without mass have errors of their own
    model = ce.Model(ce.read_mjcf(path))
    q, v = random_state(model, np.random.default_rng(seed))
    peer = Peer(model, path)
    peer.set(q, v)
    bound = peer.condition()
    assume(bound < 1e6)
    expected = peer.accelerations(q, v)
    n = model.embedding.n_q
    found = model.instant(np.concatenate((q, v)), model.u0).y_dot[n:].astype(float)
    # Solving M a = f in float64 loses a factor of the condition of M to the 1e-15 of some ten operations; in
    # f accelerations of the size of g may cancel.
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14 * bound * (10.0 + abs(expected).max()))


def test_keyframe_starts_free_and_ball_joints_as_mujoco(tmp_path: Path) -> None:
    write(tmp_path, FOREARM, "forearm.xml")
    qpos = "0.5 0.6 0.7 0.5 -0.5 0.4 0.3  0.11 5.2 0.4  0.9 0.1 0.2 -0.3  0.2 -0.1"
    qvel = "0.1 0.2 0.3 0.4 0.5 0.6  0.7 0.8 0.9  1.0 -1.1 1.2  0.3 -0.4"
    key = f'<keyframe><key/><key name="go" qpos="{qpos}" qvel="{qvel}"/></keyframe>'
    path = write(tmp_path, TREE.replace("</worldbody>", "</worldbody>" + key))
    model = ce.compile(ce.read_mjcf(path, keyframe="go"))
    peer = Peer(model, path)
    n = model.embedding.n_q
    peer.set(model.y0[:n], model.y0[n:])
    expected = np.array(peer.m.key("go").qpos)
    for start in (3, 10):  # quaternions as MuJoCo would normalise them, and of either sign
        expected[start : start + 4] /= np.linalg.norm(expected[start : start + 4])
        expected[start : start + 4] *= np.sign(expected[start] * peer.d.qpos[start])
    np.testing.assert_allclose(peer.d.qpos, expected, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(peer.d.qvel, peer.m.key("go").qvel, rtol=0.0, atol=1e-14)
    with pytest.raises(ce.DataError, match=r"no keyframe 'home'; those with a name are \['', 'go'\]"):
        ce.read_mjcf(path, keyframe="home")


def test_keyframe_that_loops_forbid_is_noted() -> None:
    """In the keyframe the crank has turned, the other joints have not."""
    path = ROBOTS / "four_bar.xml"
    system = ce.read_mjcf(path, independent=["drive"], keyframe="start")
    B = 0.3 * np.array((np.cos(0.7), np.sin(0.7)))
    C, D = np.array((0.9, 0.8)), np.array((1.32, 0.24))
    # where C is with the crank at 0.7: at 1 m from B and 0.7 m from D, on the side where it was
    apart = np.linalg.norm(D - B)
    along = (1.0 - 0.49 + apart**2) / (2.0 * apart)
    e = (D - B) / apart
    C_now = B + along * e + np.sqrt(1.0 - along**2) * np.array((-e[1], e[0]))
    assert np.linalg.norm(C_now - C) < 0.3
    turn = [
        np.arctan2(*(end - start)[::-1]) for start, end in ((B, C_now), ((0.3, 0.0), C), (D, C_now), (D, C))
    ]
    elbow, follow = turn[0] - turn[1] - 0.7, turn[2] - turn[3]
    [note] = [note for note in system.notes if "keyframe" in note]
    assert abs(elbow) > abs(follow)
    assert (
        f"joints ['elbow', 'follow'] follow from the loops, which put them up to {abs(elbow):.3g} (rad"
        in note
    )
    assert "'elbow')" in note


LOOPS = {"four_bar.xml": ["drive"], "leg.xml": ["left_motor", "right_motor"]}


@pytest.mark.parametrize("file", LOOPS)
def test_loops_move_as_in_mujoco_without_its_softness(file: str) -> None:
    path = ROBOTS / file
    model = ce.compile(ce.read_mjcf(path, independent=LOOPS[file], keyframe="start"))
    n = model.embedding.n_q
    q, v = model.y0[:n], model.y0[n:]
    assert_hard_limit(Peer(model, path), q, v, model.accelerations(q, v))


CHAIN = """
<mujoco>
  <option><flag contact="disable"/></option>
  <worldbody>
    <site name="hook" pos="0.8 0 0.1"/>
    <body name="one" euler="0 20 0">
      <joint name="first" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.5 0 0"/>
      <body name="two" pos="0.5 0 0" euler="0 60 0">
        <joint name="second" axis="0 1 0"/><geom type="capsule" size="0.04" fromto="0 0 0 0.6 0 0"/>
        <body name="three" pos="0.6 0 0" euler="0 -130 0">
          <joint name="third" axis="0 1 0"/><geom type="capsule" size="0.05" fromto="0 0 0 0.7 0 0"/>
          <site name="eye" pos="0.6 0 0.05"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>{}</equality>
</mujoco>
"""
ENDS = {"world": '<connect body1="three" anchor="0.7 0 0"/>', "sites": '<connect site1="eye" site2="hook"/>'}


@pytest.mark.parametrize("end", ENDS)
def test_loops_through_the_ground_and_between_sites(tmp_path: Path, end: str) -> None:
    path = write(tmp_path, CHAIN.format(ENDS[end]))
    system = ce.read_mjcf(path, independent=["first"])
    assert system.closures[0].kind == "Spherical"  # where it was open, a design pose was found
    model = ce.compile(system)
    q, v = np.array([0.2]), np.array([1.3])
    assert_hard_limit(Peer(model, path), q, v, model.accelerations(q, v))


WELDED = """
<mujoco>
  <worldbody>
    <body name="arm" pos="0 0 1" euler="0 30 0">
      <joint name="hinge" axis="0 1 0"/>
      <inertial pos="0.3 0 0" mass="2" diaginertia="0.01 0.05 0.05"/>
      <site name="grip" pos="0.6 0.1 0" euler="10 20 30"/>
    </body>
    <body name="load" pos="{pos}" euler="{euler}">
      <freejoint/>
      <inertial pos="0.05 0 0.02" mass="0.7" diaginertia="0.002 0.003 0.004"/>
      <site name="handle" pos="0.01 0.02 0.03"/>
    </body>
  </worldbody>
  <equality>{weld}</equality>
</mujoco>
"""
WELDS = {
    "relpose": '<weld body1="arm" body2="load" relpose="0.6 0.1 0 0.9 0.1 0.3 -0.2"/>',
    "anchor": '<weld body1="arm" body2="load" relpose="0.6 0.1 0 0.9 0.1 0.3 -0.2" anchor="0.2 0.3 0.1"/>',
    "as_placed": '<weld body1="arm" body2="load"/>',
    "sites": '<weld site1="grip" site2="handle"/>',
}


@pytest.mark.parametrize("kind", WELDS)
def test_a_weld_makes_one_body_of_two(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, WELDED.format(pos="0.5 0.1 0.6", euler="5 40 20", weld=WELDS[kind]))
    model = ce.compile(ce.read_mjcf(path, independent=["hinge"]))
    peer = Peer(model, path)
    for angle in (0.0, 0.4):
        q, v = np.array([angle]), np.array([2.0])
        peer.set(q, v)
        peer.accelerations(q, v)
        # MuJoCo counts the same pose as welded: residuals of position and orientation vanish.
        assert np.abs(peer.d.efc_pos[: peer.d.ne]).max() < 1e-11
        mass, inertia, com = swinging(peer)
        expected = -mass * 9.81 * com / inertia
        assert model.accelerations(q, v)[0] == pytest.approx(expected, rel=1e-10)


def swinging(peer: Peer) -> tuple[float, float, float]:
    """Mass, inertia about the hinge, and x of the common centre of mass before it, of all moving bodies."""
    mass, inertia, moment = 0.0, 0.0, 0.0
    y = np.array((0.0, 1.0, 0.0))
    for b in (1, 2):
        m = float(peer.m.body_mass[b])
        R = np.array(peer.d.ximat[b]).reshape(3, 3)
        r = np.array(peer.d.xipos[b]) - np.array((0.0, 0.0, 1.0))
        inertia += float(y @ R @ np.diag(peer.m.body_inertia[b]) @ R.T @ y) + m * float(r[0] ** 2 + r[2] ** 2)
        mass, moment = mass + m, moment + m * float(r[0])
    return mass, inertia, -moment / mass


def test_unnamed_things_get_names(tmp_path: Path) -> None:
    body = '<body><joint/><joint axis="1 0 0"/><geom size="0.1" pos="1 0 0" contype="0"/></body>'
    system = ce.read_mjcf(write(tmp_path, WIND.format("", body, "")))
    assert [body.name for body in system.bodies] == ["body 1/joint 0", "body 1"]
    assert system.name == "MuJoCo Model"


def test_kinds_of_hinges(tmp_path: Path) -> None:
    path = write(tmp_path, TREE)
    write(tmp_path, FOREARM, "forearm.xml")
    system = ce.read_mjcf(path)
    kinds = {body.name: type(body.inboard) for body in system.bodies}
    assert kinds["fin"] is Fixed
    assert kinds["plate/x"] is Prismatic
    assert kinds["plate"] is Revolute
    assert kinds["ball"] is Spherical
    assert [element.name for element in system.forces] == [
        *(f"spring of {name}" for name in ("x", "y", "turn")),
        "damper of socket",
        "spring of swing",
        "spring of elbow",
    ]


HINGE = '<body name="b" pos="0 0 {z}"><joint name="j" {attributes}/><geom size="0.1" {geom}/></body>'
REFUSED = {
    "joint@frictionloss": (HINGE.format(z=0, attributes='type="ball" frictionloss="0.1"', geom=""), ""),
    "joint@stiffness": (HINGE.format(z=0, attributes='type="ball" stiffness="2"', geom=""), ""),
    "actuator": (
        HINGE.format(z=0, attributes="", geom=""),
        '<actuator><muscle joint="j" lengthrange="0 1"/></actuator>',
    ),
    "tendon@frictionloss": (
        HINGE.format(z=0, attributes="", geom=""),
        '<tendon><fixed frictionloss="2"><joint joint="j" coef="1"/></fixed></tendon>',
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_represented_is_named(tmp_path: Path, kind: str) -> None:
    world, rest = REFUSED[kind]
    world += '<geom name="h" size="0.1" pos="9 9 9" contype="0" conaffinity="0"/>'
    path = write(tmp_path, WIND.format("", world, rest))
    with pytest.raises(
        ce.DataError, match=rf"(?s)robot.xml contains what cannot be represented.*\n  {kind}: .*ignore="
    ):
        ce.read_mjcf(path)
    for ignore in ({kind}, {"all"}):
        system = ce.read_mjcf(path, ignore=ignore)
        assert any(f"{kind}: left out as asked" in note for note in system.notes)


def test_notes_name_elements_that_do_not_act(tmp_path: Path) -> None:
    limited = HINGE.format(z=0, attributes='range="-10 20"', geom="")
    other = HINGE.format(z=1, attributes="", geom="").replace('"b"', '"c"').replace('"j"', '"k"')
    path = write(tmp_path, WIND.format("", limited + other, ""))
    notes = ce.read_mjcf(path).notes
    for kind in ("contact", "joint@range"):
        assert sum(f"robot.xml: {kind}: not acted on: " in note for note in notes) == 1
    [stop] = ce.read_mjcf(path, stops=(100.0, 0.1)).forces
    assert isinstance(stop, ce.JointStop)
    np.testing.assert_allclose((stop.lower, stop.upper), np.radians((-10.0, 20.0)), rtol=1e-15)


def test_dry_friction_at_speed_is_that_of_mujoco(tmp_path: Path) -> None:
    """F v/√(v² + ε²) is F to ½ (ε/v)² = 5e-6 at 1 rad/s and twice that; MuJoCo's is regularised too."""
    path = write(tmp_path, WIND.format("", HINGE.format(z=0, attributes='frictionloss="0.1"', geom=""), ""))
    model = ce.compile(ce.read_mjcf(path))
    for speed in (2.0, -1.0):
        peer = Peer(model, path)
        found = model.accelerations([0.3], [speed])
        expected = peer.accelerations(np.array((0.3,)), np.array((speed,)))
        np.testing.assert_allclose(found, expected, rtol=1e-4)
        assert found[0] * speed < 0.0


TOUCHING = """
<mujoco>
  <option><flag {flags}/></option>
  <worldbody>
    <geom name="floor" size="1"/>
    <body name="post"><geom size="1"/>
      <body name="arm"><joint/><geom size="1"/>
        <body name="plate"><geom size="1"/>
          <body name="hand"><joint axis="1 0 0"/><geom size="1"/><geom size="1" contype="2" conaffinity="0"/>
            <body name="finger"><joint/><geom size="1" contype="0" conaffinity="2"/></body>
          </body>
        </body>
      </body>
    </body>
    <body name="ball"><freejoint/><geom size="1"/></body>
    <body name="ghost"><freejoint/><geom size="1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact><exclude body1="arm" body2="ball"/></contact>
</mujoco>
"""


@pytest.mark.parametrize("flags", ["", 'filterparent="disable"', 'contact="disable"'])
def test_bodies_that_may_touch_are_those_of_mujoco(tmp_path: Path, flags: str) -> None:
    """All geoms are at one place, so that whatever may touch does."""
    path = write(tmp_path, TOUCHING.format(flags=flags))
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    touching = {tuple(sorted(m.body(int(m.geom_bodyid[g])).name for g in pair)) for pair in d.contact.geom}
    compiled = Compiled(path)
    found = {
        tuple(
            sorted(
                "world" if name == "ground" else name for name in finding.where.replace("'", "").split(" on ")
            )
        )
        for finding in find_pairs_in_contact(compiled)
    }
    assert found == touching
    assert bool(found) == ("contact" not in flags)


def test_springs_that_are_not_linear_are_refused(tmp_path: Path) -> None:
    joint = 'stiffness="1 2" damping="3" springref="10"'
    path = write(tmp_path, WIND.format("", HINGE.format(z=0, attributes=joint, geom=""), ""))
    with pytest.raises(ce.DataError, match=r"joint@stiffness: line 1 \('j'\)\n"):
        ce.read_mjcf(path)
    [element] = ce.read_mjcf(path, ignore={"joint@stiffness"}).forces
    assert isinstance(element, ce.TorsionSpringDamper)
    assert (element.spring.force(1.0), element.damper.force(1.0)) == (0.0, 3.0)


def test_shapes_in_a_fluid_are_refused(tmp_path: Path) -> None:
    option = '<option density="1.2"/>'
    hinge = HINGE.format(z=0, attributes="", geom='name="fin" fluidshape="ellipsoid"')
    path = write(tmp_path, WIND.format(option, hinge, ""))
    with pytest.raises(ce.DataError, match=r"geom@fluidshape: 'fin'"):
        ce.read_mjcf(path)


def test_flags_switch_things_off(tmp_path: Path) -> None:
    flags = ["constraint", "gravity", "spring", "damper"]
    option = "<option><flag " + " ".join(f'{flag}="disable"' for flag in flags) + "/></option>"
    joint = 'range="-10 20" frictionloss="1" stiffness="3" damping="2"'
    hinge = HINGE.format(z=0, attributes=joint, geom="")
    system = ce.read_mjcf(write(tmp_path, WIND.format(option, hinge, "")))
    assert not system.forces
    assert not system.gravity.any()


def test_inactive_constraints_are_noted(tmp_path: Path) -> None:
    hinge = HINGE.format(z=0, attributes="", geom="")
    equality = '<equality><connect name="off" body1="b" anchor="0 0 0" active="false"/></equality>'
    system = ce.read_mjcf(write(tmp_path, WIND.format("", hinge, equality)))
    assert not system.closures
    assert any("'off'" in note and "switched off" in note for note in system.notes)


def test_one_line_may_include_two_files(tmp_path: Path) -> None:
    (tmp_path / "defaults.xml").write_text('<mujoco><default><geom density="300"/></default></mujoco>')
    (tmp_path / "arm.xml").write_text(
        f"<mujoco><worldbody>{HINGE.format(z=0, attributes='', geom='')}</worldbody></mujoco>"
    )
    both = '<mujoco><include file="defaults.xml"/><include file="arm.xml"/></mujoco>'
    (body,) = ce.read_mjcf(write(tmp_path, both)).bodies
    heavy = ce.read_mjcf(write(tmp_path, both.replace('<include file="defaults.xml"/>', ""))).bodies[0]
    assert body.mass == pytest.approx(0.3 * heavy.mass, rel=1e-12), "1,000 kg/m³ by default"


MALFORMED = {
    "not well-formed": "<mujoco><worldbody></mujoco>",
    "root element must be <mujoco>": "<robot/>",
    "line 2, <joint name='j'>: axis='nan 0 0' must be finite": WIND.format(
        "", '\n<body name="b"><joint name="j" axis="nan 0 0"/><geom size="0.1"/></body>', ""
    ),
    "refused by MuJoCo.*repeated name": WIND.format("", 2 * HINGE.format(z=0, attributes="", geom=""), ""),
    "refused by MuJoCo.*mass and inertia of moving bodies": WIND.format(
        "", '<body name="b"><joint/></body>', ""
    ),
    "refused by MuJoCo.*unrecognized": WIND.format("", "<boddy/>", ""),
    "'ground' exists already": WIND.format("", '<body name="ground"><joint/><geom size="0.1"/></body>', ""),
    "line 3, <connect name='c'>: anchor='0 0 -nan' must be finite": WIND.format(
        "",
        HINGE.format(z=0, attributes="", geom=""),
        '\n\n<equality><connect name="c" body1="b" anchor="0 0 -nan"/></equality>',
    ),
    "count=1000000000 makes 1,000,000,000 copies, 10,000 are allowed": WIND.format(
        "", '<replicate count="1000000000" offset="1 0 0"><geom size="0.1"/></replicate>', ""
    ),
    r"count=\+000000000000001000000000 makes 1,000,000,000 copies": WIND.format(
        "", '<replicate count="+000000000000001000000000"><geom size="0.1"/></replicate>', ""
    ),
    "refused by MuJoCo.*bad format in attribute 'count'": WIND.format(
        "", '<replicate count="2.0"><geom size="0.1"/></replicate>', ""
    ),
    "count=1000000000 makes 1,000,000,000 copies, 10,000": WIND.format(
        "", '<replicate count="0"><replicate count="1000000000"><geom/></replicate></replicate>', ""
    ),
    "count='-3' must be at least 0": WIND.format(
        "", '<replicate count="-3"><geom size="0.1"/></replicate>', ""
    ),
    "count=1000 makes 1,000,000 copies": WIND.format(
        "", '<replicate count="1000"><replicate count="1000"><geom size="1"/></replicate></replicate>', ""
    ),
    "nrow=100000 ncol=100000 take 37.3 GiB, 1 GiB is allowed": (
        '<mujoco><asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset></mujoco>'
    ),
    r"nrow=\+100000 ncol=100000 take 37.3 GiB": (
        '<mujoco><asset><hfield name="h" nrow="+100000" ncol="100000" size="1 1 1 1"/></asset></mujoco>'
    ),
    "width=2000000000 height=1 take 5.59 GiB": (
        '<mujoco><asset><texture type="2d" builtin="flat" width="2000000000" height="1"/></asset></mujoco>'
    ),
    "nuser_geom=1000000000 must be at most 10,000": '<mujoco><size nuser_geom="1000000000"/></mujoco>',
    "nkey=1000000000 must be at most 10,000": '<mujoco><size nkey="1000000000"/></mujoco>',
    "is read already, as the main file": WIND.format("", '<include file="robot.xml"/>', ""),
    "file=./dev/zero. must be a file": '<mujoco><asset><mesh file="/dev/zero"/></asset></mujoco>',
    "document type": '<!DOCTYPE mujoco [<!ENTITY x "1">]><mujoco/>',
    "nothing.xml' cannot be read": WIND.format("", '<include file="nothing.xml"/>', ""),
    "from 90 deg on": WELDED.format(pos="0.5 0.1 0.6", euler="0 170 0", weld=WELDS["relpose"]),
}


@pytest.mark.parametrize("message", MALFORMED)
def test_errors_name_file_and_element(tmp_path: Path, message: str) -> None:
    with pytest.raises(ce.DataError, match=rf"(?s)robot.xml.*({message})|robot file .*{message}"):
        ce.read_mjcf(write(tmp_path, MALFORMED[message]))


def test_bases_welded_to_the_world(tmp_path: Path) -> None:
    """A welded base moves as one without a joint; where nothing else moves, there is an error."""
    base = '<body name="base" pos="0 0 1">{}<geom size="0.1" pos="0.1 0 0"/>{}</body>'
    weld = '<equality><weld body1="base"/></equality>'
    arm = HINGE.format(z=0.2, attributes='axis="0 1 0"', geom='pos="0.3 0 0"')
    welded = ce.read_mjcf(write(tmp_path, WIND.format("", base.format("<freejoint/>", arm), weld)))
    fixed = ce.read_mjcf(write(tmp_path, WIND.format("", base.format("", arm), "")))
    with pytest.warns(ce.ImmobilityWarning, match="'base' has no degree of freedom"):
        found = ce.Model(welded).accelerations([0.3], [2.0])
    np.testing.assert_allclose(found, ce.Model(fixed).accelerations([0.3], [2.0]), rtol=1e-13)
    alone = ce.read_mjcf(write(tmp_path, WIND.format("", base.format("<freejoint/>", ""), weld)))
    with pytest.raises(ce.OverConstrainedError, match=r"nothing of system .* can move"):
        ce.Model(alone)


@pytest.mark.parametrize("count", ["+3", " 3 ", "003", "0"])
def test_counts_of_replicates_follow_mujoco(tmp_path: Path, count: str) -> None:
    balls = f'<replicate count="{count}" offset="1 0 0"><geom size="0.1"/></replicate>'
    text = HINGE.format(z=0, attributes="", geom="").replace("</body>", f"{balls}</body>")
    peer = mujoco.MjModel.from_xml_string(WIND.format("", text, ""))
    assert peer.ngeom == (4 if "3" in count else 1)
    (body,) = ce.read_mjcf(write(tmp_path, WIND.format("", text, ""))).bodies
    assert body.mass == pytest.approx(peer.body_mass[1], rel=1e-14)


def test_buffers_of_simulations_are_not_allocated(tmp_path: Path) -> None:
    size = '<size nuserdata="2000000000" memory="20G"/>'
    text = WIND.format("", HINGE.format(z=0, attributes="", geom=""), "").replace(
        "<worldbody>", f"{size}<worldbody>"
    )
    compiled = Compiled(write(tmp_path, text))
    assert compiled.model.nuserdata == 0
    assert compiled.model.narena < 2**25


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    path = write(tmp_path, WIND.format("", HINGE.format(z=0, attributes="", geom=""), ""))
    with pytest.raises(ce.DataError, match="no joint 'elbow' to be independent"):
        ce.read_mjcf(path, independent={"elbow"})
    with pytest.raises(ce.ModelError, match="must be a set of names"):
        ce.read_mjcf(path, ignore="contact")
    ce.read_mjcf(path, ignore={"contact", "geom@fluidshape", "j"})
    with pytest.raises(ce.DataError, match=r"'nonsense'.*: nothing there is called so"):
        ce.read_mjcf(path, ignore={"nonsense"})
