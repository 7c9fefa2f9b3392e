"""Without the extra ``robots``."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ce_dynamics as ce
from tests.ce_dynamics.readers.mujoco_states import ROBOTS


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert ce.read_urdf(ROBOTS / "four_bar.urdf").bodies  # MuJoCo is for MJCF only
    with pytest.raises(
        ce.ModelError, match=r"needs mujoco, which is not installed; install ce-dynamics\[robots\]"
    ):
        ce.read_mjcf(ROBOTS / "four_bar.xml")
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(
        ce.ModelError, match=r"needs lxml, which is not installed; install ce-dynamics\[robots\]"
    ):
        ce.read_urdf(ROBOTS / "four_bar.urdf")


def test_nobody_else_pays_for_it() -> None:
    code = (
        "import sys, ce_dynamics as ce; s = ce.System(); ce.Revolute; ce.compile;"
        "print('lxml' in sys.modules, 'mujoco' in sys.modules, 'ce_dynamics.readers' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"] * 3
