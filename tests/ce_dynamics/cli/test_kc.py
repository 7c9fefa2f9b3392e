"""``simulate-vehicle kc``: files that are there, ranges with units, mistakes on one line."""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from ce_dynamics.cli.command import execute
from ce_dynamics.cli.messages import BAD_INPUT
from ce_dynamics.models.tyres import read_tyre_file


def test_files_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rear axle with an elastic tie rod: sweeps of travel, with and without it, and of forces."""
    file = tmp_path / "soft.yaml"
    file.write_text(
        "title: Soft\nbase: sedan\nbushings: {rear: {rod: {joint: spindle chassis}}}\n"
        "rear: {rod: {z: {stiffness: 5 kN/mm}}}\n"
    )
    arguments = ["--vehicle", str(file), "--axle", "rear", "--travel", "-50 mm:0.05:3", "--no-plots"]
    arguments += ["--sweep", "parallel", "--sweep", "opposed", "--force", "lateral", "--forces"]
    arguments += ["-1 kN:1 kN:3"]
    folder = tmp_path / "out"
    assert execute(["kc", *arguments, "--output", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "roll centre height" in printed
    assert "lateral force steer parallel" in printed
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


def test_vehicles_and_variants_lie_over_one_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--vehicle", "sedan", "--vehicle", "hatchback", "--axle", "rear", "--travel", "-0.01:0.01:3"]
    arguments += ["--variant", "Stiff: rear.spring.linear=90 kN/m; rear.W.y=0.8 m", "--sweep", "parallel"]
    assert execute(["kc", *arguments, "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    content = json.loads((tmp_path / "rear.json").read_text())
    assert list(content) == ["Generic sedan", "Generic hatchback", "Stiff"]
    for label in content:
        assert label in printed
    stems = [f"{name}-rear-parallel" for name in ("sedan", "hatchback", "stiff")]
    files = {f"{stem}.{suffix}" for stem in stems for suffix in ("csv", "nc")}
    assert {path.name for path in tmp_path.iterdir()} == files | {"rear.json", "rear.png"}
    for stem, label in zip(stems, content, strict=True):
        with xr.open_dataset(tmp_path / f"{stem}.nc", engine="h5netcdf") as results:
            curves = content[label]["parallel"]["curves"]
            assert results["track"].values.tolist() == curves["track"]["values"]
    assert content["Stiff"]["parallel"]["curves"]["track"]["values"][1] == pytest.approx(1.6)


def test_tyre_files_count_in_ride_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Springs and tyre in series; the road is where the tyre's loaded radius puts it."""
    file = Path(__file__).parents[3] / "docs" / "examples" / "car.tir"
    found = {}
    for tyre in ([], ["--tyre", str(file)]):
        arguments = ["--vehicle", "sedan", "--sweep", "parallel", "--travel", "-0.01:0.01:3", "--no-plots"]
        assert execute(["kc", *arguments, *tyre, "--json", "--output", str(tmp_path)]) == 0
        curves = json.loads(capsys.readouterr().out)["parallel"]["curves"]
        names = "wheel_rate", "ride_rate", "contact_z", "wheel_centre_z"
        found[bool(tyre)] = {name: curves[name]["values"]["left"][1] for name in names}
    c = read_tyre_file(file).coefficients
    own, other = found[False], found[True]
    assert other["wheel_rate"] == pytest.approx(own["wheel_rate"], rel=1e-9)
    assert 1.0 / other["ride_rate"] - 1.0 / other["wheel_rate"] == pytest.approx(
        1.0 / (c.VERTICAL_STIFFNESS * c.LCZ), rel=1e-9
    )
    radius = other["wheel_centre_z"] - other["contact_z"]
    assert 0.9 * c.UNLOADED_RADIUS < radius < c.UNLOADED_RADIUS
    assert radius != pytest.approx(own["wheel_centre_z"] - own["contact_z"], abs=1e-3)


def test_an_axle_without_steering_is_not_steered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--vehicle", "sedan", "--axle", "rear", "--travel", "-0.01:0.01:2", "--no-plots", "--json"]
    assert execute(["kc", *arguments, "--output", str(tmp_path)]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"parallel", "opposed"}


def test_sweeps_beyond_the_reach_save_what_is_within(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--vehicle", "sedan", "--axle", "rear", "--travel", "-0.9:0.9:91"]
    assert execute(["kc", *arguments, "--output", str(tmp_path)]) == BAD_INPUT
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "saved as partial" in printed
    assert "likewise the sweeps opposed;" in printed
    curves = {f"rear-{kind}-partial.{suffix}" for kind in ("parallel", "opposed") for suffix in ("csv", "nc")}
    assert {path.name for path in tmp_path.iterdir()} == curves | {"rear.json", "rear.png"}
    with xr.open_dataset(tmp_path / "rear-parallel-partial.nc", engine="h5netcdf") as saved:
        travel = saved["wheel_travel"].values[:, 0]
    assert -0.9 < travel[0] < 0.0 < travel[-1] < 0.9
    assert np.allclose(np.diff(travel), 0.02)
