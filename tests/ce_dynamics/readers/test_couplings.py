"""Couplings in robot files: geared rotors, belts, mimicked joints, polynomials, armatures."""

from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from tests.ce_dynamics.readers.mujoco_states import Peer, assert_hard_limit, random_state, write
from tests.support.augmented import assert_agrees


def link(name: str, mass: float, at: str, inertia: float) -> str:
    moments = f'ixx="{inertia}" ixy="0" ixz="0" iyy="{inertia}" iyz="0" izz="{inertia}"'
    return (
        f'<link name="{name}"><inertial><origin xyz="{at}"/><mass value="{mass}"/>'
        f"<inertia {moments}/></inertial></link>"
    )


def joint(name: str, parent: str, child: str, xyz: str, more: str = "", kind: str = "continuous") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="0 1 0"/>{more}</joint>'
    )


def coupling(predecessor: str, successor: str, ratio: object) -> str:
    return (
        f'<coupling name="gear"><predecessor link="{predecessor}"/><successor link="{successor}"/>'
        f'<ratio value="{ratio}"/></coupling>'
    )


BASE = '<robot name="geared"><link name="base"/>'
ARM = link("arm", 2.0, "0 0 -0.5", 0.1) + joint("shoulder", "base", "arm", "0 0 0")
ROTOR = link("rotor", 0.3, "0 0 0", 1e-3) + joint("motor", "base", "rotor", "0.1 0 0")
FOREARM = link("forearm", 1.0, "0 0 -0.3", 0.05) + joint("elbow", "arm", "forearm", "0 0 -1")
BELT = BASE + ARM + FOREARM + ROTOR + coupling("forearm", "rotor", -4) + "</robot>"


def test_geared_rotor_adds_inertia_times_ratio_squared(tmp_path: Path) -> None:
    path = write(tmp_path, BASE + ARM + ROTOR + coupling("arm", "rotor", 6) + "</robot>", "robot.urdf")
    model = ce.compile(ce.read_urdf(path))
    assert [entry.name for entry in model.layout.q] == ["arm"]
    q = 0.4
    expected = -2.0 * 9.81 * 0.5 * np.sin(q) / (0.1 + 2.0 * 0.5**2 + 36.0 * 1e-3)
    assert model.accelerations([q], [3.0])[0] == pytest.approx(expected, rel=1e-13)


def test_a_belt_counts_all_joints_on_the_way(tmp_path: Path, rng: np.random.Generator) -> None:
    """The rotor on the base turns by -4 (shoulder + elbow): it drives the forearm by its absolute angle."""
    model = ce.compile(ce.read_urdf(write(tmp_path, BELT, "robot.urdf")))
    assert model.embedding.n_v == 2
    q, v = random_state(model, rng)
    assert_agrees(model.embedding, q, v)
    S = model.embedding.owner["rotor"]
    motion = model.instant(np.concatenate((q, v)), model.u0).outward.motions[S.name].hinge_motions
    rates = {name: float((hinge.X @ v)[0]) for name, hinge in motion.items()}
    assert rates["rotor"] == pytest.approx(-4.0 * (rates["arm"] + rates["forearm"]), rel=1e-14)


def test_a_joint_that_mimics_another(tmp_path: Path) -> None:
    mimic = '<mimic joint="shoulder" multiplier="-0.5" offset="0.2"/>'
    tail = link("tail", 1.5, "0.4 0 0", 0.02) + joint("wag", "base", "tail", "0 1 0", mimic)
    model = ce.compile(ce.read_urdf(write(tmp_path, BASE + ARM + tail + "</robot>", "robot.urdf")))
    q = 0.7
    follower = -0.5 * q + 0.2
    inertia = 0.1 + 2.0 * 0.25 + 0.25 * (0.02 + 1.5 * 0.16)
    # d/dq of the potential: the arm hangs at -0.5 cos q, the tail's centre rises by -0.4 sin(follower)
    slope = 9.81 * (2.0 * 0.5 * np.sin(q) - 1.5 * 0.4 * np.cos(follower) * -0.5)
    assert model.accelerations([q], [2.0])[0] == pytest.approx(-slope / inertia, rel=1e-13)


WRONG = {
    "there is no link 'gearbox' that a joint carries": BELT.replace(
        'successor link="rotor"', 'successor link="gearbox"'
    ),
    "link 'arm' carries the other one": BELT.replace('successor link="rotor"', 'successor link="arm"'),
    "the ratio is zero; fix the joint": BELT.replace('"-4"', '"0"'),
    "value='inf' must be a finite number": BELT.replace('"-4"', '"inf"'),
    "joint 'motor' is planar; only joints with one": BELT.replace(
        'name="motor" type="continuous"', 'name="motor" type="planar"'
    ),
    "link 'rotor' does not move against link 'base'": BELT.replace(
        'name="motor" type="continuous"', 'name="motor" type="fixed"'
    ),
    "there is no joint 'wrist' for joint 'motor' to follow": BELT.replace(
        ROTOR, ROTOR.replace("</joint>", '<mimic joint="wrist"/></joint>')
    ),
    "multiplier=0 of joint 'motor'": BELT.replace(
        ROTOR, ROTOR.replace("</joint>", '<mimic joint="elbow" multiplier="0"/></joint>')
    ),
    "joint 'motor' follows itself": BELT.replace(
        ROTOR, ROTOR.replace("</joint>", '<mimic joint="motor"/></joint>')
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_couplings_that_make_no_sense(tmp_path: Path, message: str) -> None:
    with pytest.raises(ce.DataError, match=rf"robot.urdf, line 1, .*{message}"):
        ce.read_urdf(write(tmp_path, WRONG[message], "robot.urdf"))


COUPLED = """
<mujoco>
  <option><flag contact="disable"/></option>
  <worldbody>
    <body name="a">
      <joint name="ja" axis="0 1 0" ref="10"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5"/>
      <body name="b" pos="0 0 -0.5" euler="0 20 0">
        <joint name="jb" axis="0 1 0.3" ref="-5"/><geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.4"/>
      </body>
    </body>
    <body name="c" pos="1 0 0">
      <joint name="jc" type="slide" axis="1 0 1"/><geom size="0.1"/>
    </body>
  </worldbody>
  <equality>{}</equality>
</mujoco>
"""
POLYNOMIALS = {
    "quadratic": '<joint joint1="jb" joint2="ja" polycoef="0.1 0.5 -0.3 0.2 0"/>',
    "linear": '<joint joint1="jc" joint2="ja" polycoef="0.2 -0.4"/>',
    "held": '<joint joint1="jb" polycoef="0.3"/>',
}


@pytest.mark.parametrize("kind", POLYNOMIALS)
def test_joint_constraints_hold_as_in_mujoco(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, COUPLED.format(POLYNOMIALS[kind]), "robot.xml")
    model = ce.compile(ce.read_mjcf(path))
    assert model.embedding.n_v == 2
    # MuJoCo leaves out what the curvature of the polynomial adds to the acceleration: hence at rest.
    q, v = np.array((0.3, -0.2)), np.zeros(2) if kind == "quadratic" else np.array((1.0, 0.8))
    assert_hard_limit(Peer(model, path), q, v, model.accelerations(q, v))


def test_a_curved_joint_constraint_obeys_the_augmented_equations(tmp_path: Path) -> None:
    path = write(tmp_path, COUPLED.format(POLYNOMIALS["quadratic"]), "robot.xml")
    model = ce.compile(ce.read_mjcf(path))
    assert_agrees(model.embedding, np.array((0.3, -0.2)), np.array((1.0, 0.8)))


def test_armature_is_exact(tmp_path: Path, rng: np.random.Generator) -> None:
    text = COUPLED.format("").replace("<joint name", '<joint armature="0.7" name')
    path = write(tmp_path, text, "robot.xml")
    model = ce.compile(ce.read_mjcf(path))
    q, v = random_state(model, rng)
    expected = Peer(model, path).accelerations(q, v)
    np.testing.assert_allclose(
        model.accelerations(q, v), expected, rtol=0.0, atol=1e-12 * abs(expected).max()
    )
    light = ce.compile(ce.read_mjcf(write(tmp_path, COUPLED.format(""), "light.xml")))
    assert abs(light.accelerations(q, v) - expected).max() > 0.1 * abs(expected).max()
