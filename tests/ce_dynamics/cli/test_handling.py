"""``simulate-vehicle handling``: tables, files, report, and what is wrong in one line."""

import json
from pathlib import Path

import pytest
import xarray as xr

from ce_dynamics.cli.command import execute
from ce_dynamics.cli.common import save
from ce_dynamics.cli.handling import files_of, options_of, subjects_of
from ce_dynamics.cli.options import Handling
from ce_dynamics.cli.progress import Interruption
from ce_dynamics.errors import DataError


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def test_a_sedan_steps(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--vehicle sedan -o lateral_acceleration=3 --report report.html"
    code = execute(["handling", "step-input", *options.split()])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert "step of the steering (ISO 7401:2011)" in printed.out
    assert "yaw rate: response time (90 %)" in printed.out
    folder = inside / "simulate-vehicle-handling"
    content = json.loads((folder / "handling.json").read_text())
    (outcome,) = content["tests"]["step-input"]
    figures = {key: figure["value"] for key, figure in outcome["figures"].items()}
    assert figures["lateral_acceleration"] == pytest.approx(3.0, rel=0.05)
    assert 0.1 < figures["yaw_rate_response_time"] < 0.4
    assert figures["roll"] > 1.0
    assert outcome["trouble"] == ""
    with xr.open_datatree(folder / "step-input-generic-sedan.nc", engine="h5netcdf") as tree:
        step = tree["step"].to_dataset()
        assert step["mass_centre_ay"].attrs["units"] == "m/s^2"
        # at the end a_y of the centre of mass is ψ̇ v: the side-slip no longer changes
        v = float((step["mass_centre_vx"] ** 2 + step["mass_centre_vy"] ** 2)[-1]) ** 0.5
        assert float(step["mass_centre_ay"][-1]) == pytest.approx(v * float(step["yaw_rate"][-1]), rel=0.02)
        assert float(step["closure_error"].max()) < 1e-12
    assert (folder / "step-input.png").stat().st_size > 10_000
    page = (inside / "report.html").read_text("utf-8")
    assert "Step of the steering" in page
    assert "double-wishbone, steered (rack), anti-roll bar, driven" in page


def test_tests_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["handling", "--list"]) == 0
    printed = capsys.readouterr().out
    assert "sine-with-dwell: sine with dwell (FMVSS 126, UN Regulation 140)" in printed
    assert "  radius=60 m    # radius of the circle (above 5 m)" in printed


def test_options_go_to_the_tests_that_have_them() -> None:
    found = options_of(["braking", "ride"], ["speed=20", "ride.duration=6", "braking.speed=30"])
    assert found == {"braking": {"speed": "30"}, "ride": {"speed": "20", "duration": "6"}}


def test_variants_are_the_first_vehicle_with_other_numbers() -> None:
    soft = "soft: front.spring.linear=50 kN/m; rear.spring.linear=45 kN/m"
    made = subjects_of(Handling(vehicle=["sedan"], variant=[soft]))
    assert [one.title for one in made] == ["Generic sedan", "soft"]
    assert made[1].data.corners["rear_left"].spring.linear == pytest.approx(45e3)
    with pytest.raises(DataError, match=r"front\.sprng"):
        subjects_of(Handling(vehicle=["sedan"], variant=["soft: front.sprng.linear=50 kN/m"]))


def test_figures_are_saved_before_the_rest_is_stopped(tmp_path: Path) -> None:
    interruption = Interruption()

    def slow(path: Path) -> None:
        interruption.requested = True
        path.touch()

    later = [(tmp_path / "a.nc", slow), (tmp_path / "b.nc", slow)]
    first, *none = files_of({}, tmp_path, plots=True, runs=True)
    assert not none
    saved = save([first, *later], interruption)
    assert [path.name for path in saved] == ["handling.json", "a.nc"]
    assert sorted(tmp_path.iterdir()) == sorted(saved)
