"""``simulate-vehicle export``: files that are there, and mistakes that are named at once."""

from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from ce_dynamics.cli.command import execute

CAUSES = "input", "parameter"


def test_the_ride_model_as_c_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "c"
    assert execute(["export", "c", "--vehicle", "ride", "--output", str(folder), "--name", "ride"]) == 0
    listed = capsys.readouterr().out.split()
    assert listed == [str(folder / name) for name in ("ride.h", "ride.c", "example.c", "CMakeLists.txt")]
    assert "RIDE_STATES = 29" in (folder / "ride.h").read_text()


def test_free_numbers_are_parameters_in_c(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    numbers = "--free", "chassis.mass", "--free", "road.friction"
    assert execute(["export", "c", "--vehicle", "sedan", *numbers, "--output", str(folder)]) == 0
    assert "VEHICLE_PARAMETERS = 2" in (folder / "vehicle.h").read_text()
    source = (folder / "vehicle.c").read_text()
    assert '"chassis.mass"' in source
    assert '"road.friction"' in source


def test_free_numbers_are_parameters_in_fmus(tmp_path: Path) -> None:
    fmu = tmp_path / "sedan.fmu"
    chosen = "--vehicle", "sedan-assisted", "--platform", "x86_64-linux", "--free", "chassis.mass"
    assert execute(["export", "fmu", *chosen, "--output", str(fmu)]) == 0
    variables = list(ElementTree.fromstring(ZipFile(fmu).read("modelDescription.xml")).iter("Float64"))
    by = {cause: [v.get("name") for v in variables if v.get("causality") == cause] for cause in CAUSES}
    assert "chassis.mass" in by["parameter"]
    assert by["input"] == ["steering", "throttle", "brake", "selector", "wind_x", "wind_y"]  # no channels
