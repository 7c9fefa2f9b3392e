"""``simulate-vehicle kc``: files that are there, ranges with units, mistakes on one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import xarray as xr

from ce_dynamics.cli import exit_codes
from ce_dynamics.cli.command import execute


def test_files_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--vehicle", "sedan", "--axle", "rear", "--travel", "-50 mm:0.05:3", "--no-plots"]
    assert execute(["kc", *arguments, "--output", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "roll centre height" in said
    names = {path.name for path in tmp_path.iterdir()}
    stems = ("rear-parallel", "rear-opposed")  # the rear cannot be steered
    assert names == {f"{stem}.{suffix}" for stem in stems for suffix in ("csv", "nc")} | {"rear.json"}
    with xr.open_dataset(tmp_path / "rear-opposed.nc", engine="h5netcdf") as results:
        assert results["wheel_travel"].values.tolist() == [[-0.05, 0.05], [0.0, 0.0], [0.05, -0.05]]
        assert results["roll_rate"].attrs["units"] == "N*m/rad"
        track = results["track"].values.tolist()
    content = json.loads((tmp_path / "rear.json").read_text())
    assert content["opposed"]["curves"]["track"]["values"] == track


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--axle", "middle"], "middle"),
        (["--vehicle", "boat"], "boat"),
        (["--sweep", "sideways"], "sideways"),
        (["--travel", "0.1"], "low:high"),
        (["--travel", "0.1:-0.1"], "less than"),
        (["--travel", "-1 kg:1:3"], "kg"),
        (["--travel", "-0.1:0.1:many"], "whole number"),
        (["--travel", "-0.9:0.9:3"], "cannot be reached"),
        (["--axle", "rear", "--vehicle", "sedan", "--sweep", "steering"], "not steered"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert execute(["kc", *arguments, "--output", str(tmp_path / "x")]) == exit_codes.BAD_INPUT
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1
