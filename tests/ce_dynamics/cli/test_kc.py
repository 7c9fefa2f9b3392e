"""``simulate-vehicle kc``: files that are there, ranges with units, mistakes on one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from ce_dynamics.cli import exit_codes
from ce_dynamics.cli.command import execute


def test_files_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rear axle with an elastic tie rod: sweeps of travel, with and without it, and of forces."""
    file = tmp_path / "soft.yaml"
    file.write_text(
        "title: Soft\nbase: sedan\nbushings: {rear: {rod: {joint: spindle chassis}}}\n"
        "rear: {rod: {z: {stiffness: 5 kN/mm}}}\n"
    )
    arguments = ["--vehicle", str(file), "--axle", "rear", "--travel", "-50 mm:0.05:3", "--no-plots"]
    arguments += [
        "--sweep",
        "parallel",
        "--sweep",
        "opposed",
        "--force",
        "lateral",
        "--forces",
        "-1 kN:1 kN:3",
    ]
    folder = tmp_path / "out"
    assert execute(["kc", *arguments, "--output", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "roll centre height" in said
    assert "lateral force steer parallel" in said
    names = {path.name for path in folder.iterdir()}
    stems = [f"rear-{kind}{end}" for kind in ("parallel", "opposed") for end in ("", "-bushings")]
    stems.append("rear-lateral")
    assert names == {f"{stem}.{suffix}" for stem in stems for suffix in ("csv", "nc")} | {"rear.json"}
    with xr.open_dataset(folder / "rear-opposed.nc", engine="h5netcdf") as results:
        assert results["wheel_travel"].values.tolist() == [[-0.05, 0.05], [0.0, 0.0], [0.05, -0.05]]
        assert results["roll_rate"].attrs["units"] == "N*m/rad"
        track = results["track"].values.tolist()
    content = json.loads((folder / "rear.json").read_text())
    assert content["opposed"]["curves"]["track"]["values"] == track
    pushed = content["lateral"]["curves"]
    assert pushed["force"]["values"] == [-1000.0, 0.0, 1000.0]
    heading = (folder / "rear-lateral.csv").read_text().partition("\n")[0]
    assert heading.startswith("force [N],left wheel_travel [mm]")


def test_an_axle_without_steering_is_not_steered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--vehicle", "sedan", "--axle", "rear", "--travel", "-0.01:0.01:2", "--no-plots", "--json"]
    assert execute(["kc", *arguments, "--output", str(tmp_path)]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"parallel", "opposed"}


def test_sweeps_beyond_the_reach_save_what_is_within(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--vehicle", "sedan", "--axle", "rear", "--travel", "-0.9:0.9:91"]
    assert execute(["kc", *arguments, "--output", str(tmp_path)]) == exit_codes.BAD_INPUT
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "saved as partial" in said
    assert "likewise the sweeps opposed;" in said
    curves = {f"rear-{kind}-partial.{suffix}" for kind in ("parallel", "opposed") for suffix in ("csv", "nc")}
    assert {path.name for path in tmp_path.iterdir()} == curves | {"rear.json", "rear.png"}
    with xr.open_dataset(tmp_path / "rear-parallel-partial.nc", engine="h5netcdf") as saved:
        travel = saved["wheel_travel"].values[:, 0]
    assert -0.9 < travel[0] < 0.0 < travel[-1] < 0.9
    assert np.allclose(np.diff(travel), 0.02)


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
        (["--sweep", "parallel", "--travel", "0.9:0.95:3"], "cannot be reached"),
        (["--force", "sideways"], "sideways"),
        (["--force", "aligning", "--torques", "1 N:2 N"], "N*m"),
        (["--force", "lateral", "--at", "hub"], "hub"),
        (["--force", "lateral", "--hold", "breath"], "breath"),
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
