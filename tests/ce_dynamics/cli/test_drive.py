"""``simulate-vehicle drive``: mistakes are named at once, before anything is compiled."""

import importlib.util
from pathlib import Path

import pytest

from ce_dynamics.cli import drive
from ce_dynamics.cli.command import execute
from ce_dynamics.cli.messages import BAD_INPUT
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.case import VehicleSetup
from ce_dynamics.models.vehicles.drive import parse_sliders, sliders_of
from ce_dynamics.models.vehicles.files import SHIPPED


@pytest.mark.parametrize("name", ["x" * 5000, "."])
def test_impossible_file_names_are_refused_before_compiling(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drive, "drive_page", None)
    assert execute(["drive", "--output", name]) == BAD_INPUT
    message = capsys.readouterr().err
    assert "choose another" in message
    assert message.count("\n") == 1


def test_drive_pages_need_no_c_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    page = tmp_path / "drive.html"
    assert execute(["drive", "--output", str(page)]) == 0
    assert "WebAssembly" in page.read_text()


def test_every_shipped_vehicle_has_sliders_around_its_numbers() -> None:
    for vehicle in SHIPPED:
        sliders = {slider.name: slider for slider in sliders_of(VehicleSetup(vehicle))}
        assert len(sliders) >= 2
        assert all(slider.low < slider.high for slider in sliders.values())
    assert sliders["road.friction"].high == 1.2
    soft = VehicleSetup("sedan", ["rear.spring.linear=0 N/m"])  # as of leaves by themselves
    assert "rear.spring.linear" not in {slider.name for slider in sliders_of(soft)}
    with pytest.raises(DataError, match="the number is 0; give the ends as name=low:high"):
        parse_sliders(soft, ["rear.spring.linear"])
