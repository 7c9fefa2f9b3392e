"""Actuators of MJCF against MuJoCo: exactly, clamped or not."""

from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from tests.ce_dynamics.readers.mujoco_states import Peer, write as write_file

ARM = """
<mujoco>
  <option actuatorgroupdisable="2"><flag contact="disable" {flags}/></option>
  <default><position kp="30"/></default>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" axis="0 1 0" ref="20" {limit}/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.4 0 0"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="slide" type="slide" axis="1 0 0.2" ref="0.3"/><geom size="0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator>{actuators}</actuator>
  <keyframe><key name="on" ctrl="{ctrl}"/></keyframe>
</mujoco>
"""
MOTORS = [
    '<motor name="motor" joint="shoulder" gear="-3" ctrlrange="-1 2"/>',
    '<position name="servo" joint="slide" kv="4" gear="2" forcerange="-50 1000"/>',
    '<velocity name="speed" joint="shoulder" kv="5"/>',
    '<damper name="brake" joint="slide" kv="2" ctrlrange="0 3"/>',
    '<general joint="shoulder" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 5 6"/>',
    '<motor name="off" joint="slide" gear="99" group="2"/>',
]
ON = "1 0.5 -2 1.5 0.7 1"


def write(
    folder: Path, actuators: str = "".join(MOTORS), ctrl: str = ON, limit: str = "", flags: str = ""
) -> Path:
    return write_file(folder, ARM.format(actuators=actuators, ctrl=ctrl, limit=limit, flags=flags), "arm.xml")


@pytest.mark.parametrize("flags", ["", 'clampctrl="disable"', 'actuation="disable"'])
def test_actuators_push_as_in_mujoco(tmp_path: Path, flags: str) -> None:
    path = write(tmp_path, flags=flags)
    model = ce.compile(ce.read_mjcf(path))
    inputs = [entry.name for entry in model.layout.u]
    assert inputs == ([] if "actuation" in flags else ["motor", "servo", "speed", "brake", "actuator 4"])
    peer = Peer(model, path)
    q, v = np.array((0.4, -0.1)), np.array((0.6, -0.8))
    free = peer.accelerations(q, v)
    for ctrl in ((0, 0, 0, 0, 0, 0), (1, 0.5, -2, 1.5, 0.7, 1), (5, -9, 3, 7, -1, 1), (-5, 90, 3, -7, -1, 1)):
        peer.d.ctrl[:] = ctrl
        expected = peer.accelerations(q, v)
        found = model.accelerations(q, v, u=np.array(ctrl[: len(inputs)], dtype=float))
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * abs(expected).max())
        assert ("actuation" in flags) == bool(np.all(expected == free)) or not any(ctrl)


def test_the_command_of_a_keyframe_is_the_default(tmp_path: Path) -> None:
    system = ce.read_mjcf(write(tmp_path), keyframe="on")
    assert [given.default for given in system.inputs.values()] == [1.0, 0.5, -2.0, 1.5, 0.7]


KNEE = """<mujoco><worldbody><body name="knee">
  <joint name="knee" axis="0 1 0"/><inertial pos="0 0 -1" mass="1" diaginertia=".1 .1 .1"/>
</body></worldbody><actuator>{}</actuator></mujoco>"""


def test_motors_may_be_called_as_their_joints(tmp_path: Path) -> None:
    motors = '<motor name="knee" joint="knee"/><motor name="hip" joint="knee"/>'
    path = write_file(tmp_path, KNEE.format(motors), "knee.xml")
    system = ce.read_mjcf(path)
    assert list(system.inputs) == ["knee command", "hip"]
    assert any("its input is 'knee command'" in note for note in system.notes)
    run = ce.simulate(ce.compile(system), {"knee command": 2.0}, duration=0.01)
    assert float(run["knee_rate"][-1]) == pytest.approx(2.0 / 1.1 * 0.01, rel=1e-2)
    assert float(run["knee_command"][0]) == 2.0


OTHERS = {
    "muscle": '<muscle name="a" joint="shoulder"/>',
    "body": '<adhesion name="a" body="upper" ctrlrange="0 1"/>',
    "site against another": '<motor name="a" site="grip" refsite="other"/>',
}


@pytest.mark.parametrize("kind", OTHERS)
def test_actuators_that_are_more_than_that_are_refused(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, OTHERS[kind] + MOTORS[0], "0 0")
    path.write_text(
        path.read_text().replace("<geom size", '<site name="grip"/><site name="other"/><geom size')
    )
    with pytest.raises(ce.DataError, match=r"actuator: line \d+ \('a'\)\n"):
        ce.read_mjcf(path)
    system = ce.read_mjcf(path, ignore={"actuator"})
    assert not system.inputs
    assert not system.forces


@pytest.mark.parametrize(
    "motors", [MOTORS[:2], ['<motor name="m" joint="shoulder" gear="-3" forcerange="1 2"/>']]
)
@pytest.mark.parametrize("joint", ["-1 1", "-9 -8", "5 6"])
def test_limits_on_what_actuator_does_to_a_joint(tmp_path: Path, motors: list[str], joint: str) -> None:
    """The limit holds for the force times the gear, whatever the actuator's own limits are."""
    path = write(tmp_path, "".join(motors), " ".join(["0"] * len(motors)), f'actuatorfrcrange="{joint}"')
    model = ce.Model(ce.read_mjcf(path))
    peer = Peer(model, path)
    q, v = np.array((0.4, -0.1)), np.array((0.6, -0.8))
    for ctrl in (0.0, 0.3, -5.0, 5.0):
        u = np.full(len(motors), ctrl)
        peer.d.ctrl[:] = u
        found = model.instant(np.concatenate((q, v)), u).accelerations.v_dot
        np.testing.assert_allclose(found.astype(float), peer.accelerations(q, v), rtol=1e-12)


def test_limits_on_several_actuators_of_joint_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, limit='actuatorfrcrange="-1 1"')
    with pytest.raises(ce.DataError, match=r"joint@actuatorfrcrange: line \d+ \('shoulder'\)"):
        ce.read_mjcf(path)


def test_an_actuator_by_hand() -> None:
    system = ce.System(gravity=(0, 0, 0))
    disc = system.add_body("disc", mass=1.0, inertia=(1, 1, 2), parent="ground", hinge=ce.Revolute((0, 0, 1)))
    system.add_input("u", "1")
    for wrong, message in (
        ({"gain": (1.0, 0.0)}, "actuator 'a': gain .* must be three numbers"),
        ({"bias": (1.0, 0.0, np.nan)}, "actuator 'a': bias .* finite"),
        ({"force_range": (1.0, -1.0)}, "actuator 'a': force_range .* the lower first"),
        ({"gear": np.inf}, "actuator 'a': gear"),
        ({"component": 1}, "component 1 does not exist"),
    ):
        with pytest.raises(ce.ModelError, match=message):
            ce.Actuator("a", disc, command="u", **wrong)
    with pytest.raises(ce.ModelError, match="input 'v', which is not declared"):
        system.add_force(ce.Actuator("a", disc, command="v"))
