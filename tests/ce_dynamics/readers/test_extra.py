"""Without the extra ``robots``."""

import subprocess
import sys

import pytest

import ce_dynamics as ce
from tests.ce_dynamics.readers.mujoco_states import ROBOTS


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.setitem(sys.modules, "lxml", None)
    assert ce.read_urdf(ROBOTS / "four_bar.urdf").bodies  # only MJCF needs a package
    with pytest.raises(
        ce.ModelError, match=r"needs mujoco, which is not installed; install ce-dynamics\[robots\]"
    ):
        ce.read_mjcf(ROBOTS / "four_bar.xml")


def test_nothing_else_loads_it() -> None:
    code = (
        "import sys, ce_dynamics as ce; s = ce.System(); ce.Revolute; ce.compile;"
        "print('mujoco' in sys.modules, 'ce_dynamics.readers' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"] * 2
