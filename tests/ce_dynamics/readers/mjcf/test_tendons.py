"""Fixed tendons against MuJoCo: springs with a slack range, dampers, actuators, and equalities."""

from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from tests.ce_dynamics.readers.mujoco_states import Peer, write

GRIPPER = """
<mujoco>
  <option><flag contact="disable" {flags}/></option>
  <worldbody>
    <body name="left"><joint name="l" axis="0 1 0" ref="10"/><geom size="0.05" pos="0.2 0 0.1"/></body>
    <body name="right" pos="0 0.3 0">
      <joint name="r" axis="0 -1 0"/><geom size="0.06" pos="0.2 0 0.1"/>
      <body name="tip" pos="0.3 0 0"><joint name="t" type="slide" axis="1 0 0"/><geom size="0.04"/></body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="split" stiffness="30" damping="2" springlength="0.05 0.2">
      <joint joint="l" coef="0.5"/> <joint joint="r" coef="0.7"/> <joint joint="t" coef="-2"/>
    </fixed>
    <fixed name="sum"> <joint joint="l" coef="1"/> <joint joint="r" coef="-1"/> </fixed>
    <fixed name="other"> <joint joint="t" coef="3"/> </fixed>
  </tendon>
  <actuator>
    <position name="grip" tendon="split" kp="20" forcerange="-3 8"/>
    <motor name="pull" tendon="sum" gear="4"/>
  </actuator>
  <equality>{equality}</equality>
</mujoco>
"""


@pytest.mark.parametrize("flags", ["", 'spring="disable"'])
def test_tendons_pull_as_in_mujoco(tmp_path: Path, flags: str) -> None:
    """MuJoCo's own sums differ by some units in the last place of forces of 100 N m."""
    path = write(tmp_path, GRIPPER.format(flags=flags, equality=""), "gripper.xml")
    model = ce.compile(ce.read_mjcf(path))
    assert [entry.name for entry in model.layout.u] == ["grip", "pull"]
    peer = Peer(model, path)
    for q in ((0.4, -0.3, 0.01), (0.1, 0.05, 0.0), (-1.0, 0.2, 0.3)):
        for ctrl in ((0.0, 0.0), (0.5, -0.2), (-9.0, 1.0)):
            peer.d.ctrl[:] = ctrl
            at, v = np.array(q), np.array((0.6, -0.8, 0.2))
            expected = peer.accelerations(at, v)
            np.testing.assert_allclose(
                model.accelerations(at, v, u=list(ctrl)), expected, atol=1e-12 * np.max(np.abs(expected))
            )


def test_an_equality_of_two_tendons_couples_their_joints(tmp_path: Path) -> None:
    """l − r = 0.1 + 0.5 × 3 t, counted from the pose of the file."""
    path = tmp_path / "gripper.xml"
    equality = '<tendon name="tied" tendon1="sum" tendon2="other" polycoef="0.1 0.5 0 0 0"/>'
    path.write_text(GRIPPER.format(flags="", equality=equality))
    model = ce.compile(ce.read_mjcf(path))
    assert len(model.layout.v) == 2
    found = model.assemble({"left": 0.3, "right": -0.2}).coordinates
    assert found["left"] - found["right"] == pytest.approx(0.1 + 1.5 * found["tip"], abs=1e-12)


def test_curved_equality_of_tendons_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gripper.xml"
    equality = '<tendon name="bent" tendon1="sum" tendon2="other" polycoef="0 0.5 1 0 0"/>'
    path.write_text(GRIPPER.format(flags="", equality=equality))
    with pytest.raises(ce.DataError, match="equality tendon"):
        ce.read_mjcf(path)
