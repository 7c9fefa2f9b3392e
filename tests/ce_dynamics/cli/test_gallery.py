"""The gallery's table of the robots in the tests' own folder."""

from pathlib import Path

import pytest

from ce_dynamics.cli.gallery import examine_robot, main, robots
from tests.ce_dynamics.readers.mujoco_states import ROBOTS


def test_files_are_found_with_the_loops_beside_them(tmp_path: Path) -> None:
    found = {(path.name, None if beside is None else beside.name) for path, beside in robots(ROBOTS, [])}
    assert ("five_bar.urdf", "five_bar.yaml") in found
    assert ("four_bar.xml", None) in found
    assert {path.name for path, _ in robots(ROBOTS, ["leg.xml"])} == {"leg.xml"}
    (tmp_path / "other.xml").write_text("<settings/>")
    assert not list(robots(tmp_path, []))


def test_a_robot_moves_and_agrees_with_mujoco(tmp_path: Path) -> None:
    """Both sum up a few hundred numbers of order one; 1e-10 leaves room for the condition of M."""
    row = examine_robot(ROBOTS / "four_bar.xml", None, [], 0.02, tmp_path / "pages")
    assert row.trouble == ""
    assert (row.freedoms, row.loops) == (1, 1)
    assert row.closure < 1e-14
    assert row.difference < 1e-10
    assert "<html" in (tmp_path / "pages" / "four_bar.html").read_text()[:200]


def test_trouble_is_printed_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd.urdf").write_text('<robot name="odd"><link name="a"/><adhesion/></robot>')
    assert main([str(tmp_path)]) == 1
    assert "DataError: odd.urdf contains what cannot be represented" in capsys.readouterr().out
