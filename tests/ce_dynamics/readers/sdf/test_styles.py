"""Kinds of joints, springs, gearboxes and models within models of SDF, by hand and against each other."""

import math
from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from tests.ce_dynamics.readers.mujoco_states import write

LINK = (
    '<link name="{name}"><pose{of}>{pose}</pose><inertial><pose>0.1 0 0.2 0 0 0</pose><mass>2</mass>'
    "<inertia><ixx>.3</ixx><ixy>.01</ixy><iyy>.2</iyy><izz>.4</izz></inertia></inertial></link>"
)
JOINT = (
    '<joint name="{name}" type="{kind}"><pose>{pose}</pose><parent>{parent}</parent><child>{child}</child>'
    "{more}</joint>"
)
AXIS = "<axis{number}><xyz>{xyz}</xyz>{more}</axis{number}>"


def axis(xyz: str, more: str = "", number: str = "") -> str:
    return AXIS.format(xyz=xyz, more=more, number=number)


def link(name: str, pose: str = "0 0 0 0 0 0", of: str = "") -> str:
    return LINK.format(name=name, pose=pose, of=f' relative_to="{of}"' if of else "")


def joint(name: str, kind: str, parent: str, child: str, more: str = "", pose: str = "0 0 0 0 0 0") -> str:
    return JOINT.format(name=name, kind=kind, parent=parent, child=child, more=more, pose=pose)


def read(folder: Path, content: str, version: str = "1.10") -> ce.System:
    text = f'<sdf version="{version}"><model name="machine">{content}</model></sdf>'
    return ce.read_sdf(write(folder, text, "machine.sdf"))


def v_dot(system: ce.System, q: list[float], v: list[float]) -> Array:
    model = ce.Model(system)
    return model.instant(np.array([*q, *v]), model.u0).accelerations.v_dot.astype(float)


def test_a_screw_with_a_spring_by_hand(tmp_path: Path) -> None:
    """Down a thread of 0.3 m per turn: (I + m p²) q̈ = −m g p − k (q − r) − c q̇, and the offset's turn."""
    dynamics = (
        "<dynamics><damping>0.5</damping><spring_stiffness>3</spring_stiffness>"
        "<spring_reference>0.2</spring_reference></dynamics>"
    )
    screw = joint(
        "thread",
        "screw",
        "world",
        "nut",
        axis("0 0 1", dynamics) + "<screw_thread_pitch>0.3</screw_thread_pitch>",
    )
    system = read(tmp_path, link("nut") + screw)
    p = 0.3 / (2.0 * math.pi)
    inertia = 0.4 + 2.0 * 0.1**2 + 2.0 * p**2
    expected = (-2.0 * 9.81 * p - 3.0 * (7.0 - 0.2) - 0.5 * 2.0) / inertia
    assert v_dot(system, [7.0], [2.0])[0] == pytest.approx(expected, rel=1e-12)


def test_revolute2_is_universal_with_loads_on_both_axes(tmp_path: Path) -> None:
    found = []
    for kind in ("universal", "revolute2"):
        damper = "<dynamics><damping>0.7</damping></dynamics>"
        spring = "<dynamics><spring_stiffness>4</spring_stiffness></dynamics>"
        both = axis("0 0 1", damper) + axis("0 1 0.2", spring, "2")
        system = read(
            tmp_path, link("wheel") + joint("steer", kind, "world", "wheel", both, "0.1 0.2 0 0 0 0")
        )
        found.append(v_dot(system, [0.3, -0.4], [1.0, 2.0]))
    assert np.array_equal(found[0], found[1])
    wheel = system.find("wheel")
    loads = {
        (element.component, element.spring.force(1.0), element.damper.force(1.0))
        for element in system.forces
        if isinstance(element, ce.TorsionSpringDamper) and element.body is wheel
    }
    assert loads == {(0, 0.0, 0.7), (1, 4.0, 0.0)}


@pytest.mark.parametrize(("sense", "turned"), [(1.0, False), (-1.0, False), (1.0, True)])
def test_a_gearbox_by_hand(tmp_path: Path, sense: float, turned: bool) -> None:
    """Wheels about z on a base at rest: θ₂ = −2.5 θ₁, whichever way their joints count."""
    hinges = joint("first", "revolute", "base", "one", axis("0 0 1"))
    ends = ("two", "base") if turned else ("base", "two")  # a joint's child may be nearer to the ground
    second = axis(f"0 0 {sense}")
    hinges += joint("second", "continuous", *ends, second, "1 0 0 0 0 0")
    gear = axis("0 0 1") + axis("0 0 1", number="2")
    gear += "<gearbox_ratio>2.5</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>"
    box = joint("box", "gearbox", "one", "two", gear)
    tree = link("base") + link("one") + link("two", "1 0 0 0 0 0") + joint("hold", "fixed", "world", "base")
    model = ce.Model(read(tmp_path, tree + hinges + box))
    (name,) = (name for name, part in model.embedding.v_of.items() if part.stop > part.start)
    motions = model.instant(np.array((0.0, 1.0)), model.u0).outward
    rates = {
        each: float(motions.angular_velocity(model.system.find(each), model.system.ground)[2])
        for each in ("one", "two")
    }
    assert abs(rates[name]) == pytest.approx(1.0)
    assert rates["two"] == pytest.approx(-2.5 * rates["one"], rel=1e-12)


def test_models_within_models_are_as_if_written_out(tmp_path: Path) -> None:
    hung = link("arm") + joint("shoulder", "revolute", "world", "arm", axis("0 1 0"))
    inner = link("hand", "0.1 0 0 0 0 0") + link("finger", "0 0 0.2 0.3 0 0", "hand")
    inner += joint("swing", "revolute", "hand", "finger", axis("0 1 0"))
    nested = f'<model name="tool"><pose relative_to="arm">0.3 0 0.1 0 0.2 0</pose>{inner}</model>'
    wrist = joint("wrist", "ball", "arm", "{}", pose="0.3 0 0 0 0 0").replace(
        "<pose>", '<pose relative_to="arm">'
    )
    one = read(tmp_path, hung + nested + wrist.format("tool::hand"))
    frame = '<frame name="tool" attached_to="arm"><pose>0.3 0 0.1 0 0.2 0</pose></frame>'
    flat = frame + link("hand", "0.1 0 0 0 0 0", "tool") + link("finger", "0 0 0.2 0.3 0 0", "hand")
    flat += joint("swing", "revolute", "hand", "finger", axis("0 1 0"))
    other = read(tmp_path, hung + flat + wrist.format("hand"))
    assert [body.name.rpartition("::")[2] for body in one.bodies] == [body.name for body in other.bodies]
    state = [0.1, 0.9, 0.1, -0.3, 0.2, 0.3], [1.0, 2.0, 3.0, 4.0, 5.0]
    assert np.array_equal(v_dot(one, *state), v_dot(other, *state))


def test_weightless_links_are_refused(tmp_path: Path) -> None:
    light = link("arm").replace("</link>", "<gravity>false</gravity></link>")
    with pytest.raises(ce.DataError, match=r"link gravity: line 1 \('arm'\)"):
        read(tmp_path, light + joint("shoulder", "revolute", "world", "arm", axis("0 1 0")))


def test_gearbox_of_what_does_not_turn_is_refused(tmp_path: Path) -> None:
    gear = axis("0 0 1") + axis("0 0 1", number="2")
    gear += "<gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>world</gearbox_reference_body>"
    tree = link("one") + joint("a", "revolute", "world", "one", axis("0 1 0"))
    with pytest.raises(
        ce.DataError, match="link 'one' does not turn on 'ground', its gearbox_reference_body"
    ):
        read(
            tmp_path,
            tree
            + link("two")
            + joint("b", "fixed", "world", "two")
            + joint("g", "gearbox", "one", "two", gear),
        )


QUARTER = "0.3 0 0.1 1.5707963267948966 0 0"
"""Turns y to z: the model's y-axis is (0, 0, −1) there."""
BY_MODEL = "<use_parent_model_frame>{}</use_parent_model_frame>"


@pytest.mark.parametrize(
    ("version", "xyz", "attribute", "nested"),
    [
        ("1.4", "0 1 0", "", False),
        ("1.4", "0 0 -1", BY_MODEL.format("false"), False),
        ("1.5", "0 0 -1", "", True),
        ("1.6", "0 1 0", BY_MODEL.format("1"), False),
        ("1.6", "0 1 0", BY_MODEL.format("true"), True),
        ("1.6", "0 0 -1", BY_MODEL.format("0"), True),
    ],
)
def test_axes_of_older_files(tmp_path: Path, version: str, xyz: str, attribute: str, nested: bool) -> None:
    def arm(version: str, axis: str, nested: bool) -> ce.System:
        inner = link("hand", QUARTER) + joint("wrist", "revolute", "arm", "hand", axis)
        if nested:
            inner = f'<model name="tool">{inner.replace("<parent>arm", "<parent>palm")}{link("palm")}</model>'
            inner += joint("hold", "fixed", "arm", "tool::palm")
        hung = link("arm") + joint("shoulder", "fixed", "world", "arm")
        return read(tmp_path, hung + inner, version)

    found = v_dot(arm(version, f"<axis><xyz>{xyz}</xyz>{attribute}</axis>", nested), [0.4], [0.0])
    expected = v_dot(arm("1.10", axis("0 0 -1"), nested), [0.4], [0.0])
    assert abs(expected[0]) > 1.0
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_joints_hold_frames_that_are_attached_to_links(tmp_path: Path) -> None:
    arm = link("arm") + joint("shoulder", "revolute", "world", "arm", axis("0 1 0"))
    frames = '<frame name="flange" attached_to="arm"><pose>0.3 0 0.1 0 0.2 0</pose></frame>'
    frames += '<frame name="palm" attached_to="hand"><pose>0 0 0.1 0 0 0</pose></frame>'
    hand = link("hand", "0.1 0 0 0 0 0", "flange")
    by_frame = joint("wrist", "revolute", "flange", "palm", axis("1 0 0"), pose="0 0.2 0 0 0 0")
    by_link = joint("wrist", "revolute", "arm", "hand", axis("1 0 0"), pose="0 0.2 0.1 0 0 0")
    one, other = (read(tmp_path, arm + frames + hand + each) for each in (by_frame, by_link))
    state = [0.1, 0.9], [1.0, 2.0]
    np.testing.assert_allclose(v_dot(one, *state), v_dot(other, *state), rtol=1e-13)
    with pytest.raises(ce.DataError, match="its parent 'loose' is no link, nor a frame attached to one"):
        read(tmp_path, arm + '<frame name="loose"/>' + link("hand") + joint("j", "ball", "loose", "hand"))


def test_limits_may_be_infinite(tmp_path: Path) -> None:
    limit = (
        "<limit><lower>-inf</lower><upper>1</upper><effort>inf</effort><velocity>Infinity</velocity></limit>"
    )
    system = read(tmp_path, link("arm") + joint("j", "revolute", "world", "arm", axis("0 1 0", limit)))
    assert [note.split(": ")[1] for note in system.notes] == ["limit@lower, limit@upper"]
    with pytest.raises(ce.DataError, match="'nan' must be a finite number"):
        read(
            tmp_path,
            link("arm")
            + joint("j", "ball", "world", "arm").replace("</joint>", "")
            + axis("0 1 0", limit.replace("-inf", "nan"))
            + "</joint>",
        )


def test_what_is_found_by_engines_only_is_refused(tmp_path: Path) -> None:
    shoulder = joint("shoulder", "revolute", "world", "arm", axis("0 1 0"))
    weighed = (
        '<link name="arm"><inertial auto="true"/><collision name="c"><density>9</density></collision></link>'
    )
    with pytest.raises(ce.DataError, match=r"line 1, <inertial>: auto: .*give <mass> and <inertia>"):
        read(tmp_path, weighed + shoulder)
    screw = joint("thread", "screw", "world", "arm", axis("0 0 1") + "<thread_pitch>-9</thread_pitch>")
    with pytest.raises(ce.DataError, match="<thread_pitch> in different ways; give <screw_thread_pitch>"):
        read(tmp_path, link("arm") + screw)
