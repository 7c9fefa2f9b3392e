"""The command line, run in-process: what it prints, saves and refuses."""

import errno
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import typer
import xarray as xr
from typer.core import TyperOption

import ce_dynamics as ce
from ce_dynamics._version import __version__
from ce_dynamics.cli import command, simulation
from ce_dynamics.cli.command import AsTyped, app, execute, subcommand
from ce_dynamics.cli.options import SUBCOMMANDS
from ce_dynamics.cli.simulation import is_brief
from ce_dynamics.simulation.netcdf import write_netcdf
from ce_dynamics.simulation.results import Record
from tests.ce_dynamics.cli.conftest import MAIN, Run

PNG_HEAD = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def default_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The default command with --json, once, in a process of its own: nothing else may be on stdout."""
    folder = tmp_path_factory.mktemp("default")
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "--json", "--output", str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "TkAgg"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    content: dict[str, Any] = json.loads(done.stdout)
    return folder, content


def figures(content: dict[str, Any]) -> dict[str, float]:
    return {key: figure["value"] for key, figure in content["figures"].items()}


def test_default_run_passes_gates_of_double_lane_change(default_run: tuple[Path, dict[str, Any]]) -> None:
    _, content = default_run
    assert (content["manoeuvre"], content["options"]["speed"]) == ("double-lane-change", 12.0)
    value = figures(content)
    assert content["completed"]
    assert value["time_reached"] == 10.0
    # Straight through the middle of the first gate, the clearance is (1.1 b + 0.25 m − b)/2 = 0.233 m.
    assert 0.1 < value["gate_clearance"] <= 0.5 * (0.1 * 2.16 + 0.25)
    assert 1.0 < value["peak_lateral_acceleration"] < 0.8 * 9.81
    assert value["peak_path_error"] < 0.3  # the driver's arms lag by 0.1 s, 1.2 m at this speed
    assert abs(value["final_speed"] - 12.0) < 0.2
    assert value["worst_closure"] <= 1e-12
    # Both sides of the balance are integrated to rtol = 1e-6.
    assert value["energy_check"] < 1e-5
    assert value["steps"] < value["evaluations"]


def test_tyre_loads_carry_the_vehicle(default_run: tuple[Path, dict[str, Any]]) -> None:
    folder, content = default_run
    with xr.open_dataset(folder / "double-lane-change.nc", engine="h5netcdf") as results:
        load = results["tyre_Fz"].sum("corner").values
        corner = results["tyre_Fz"].max("time").values
    from ce_dynamics.models.vehicles.description import HmmwvParameters

    weight = HmmwvParameters.load().mass * 9.81
    # No vertical acceleration at the start; tyre forces carry all of it, and a part of the drag of 205 N,
    # which acts along a vehicle that is pitched by less than 1e-3 rad: 0.2 N.
    assert load[0] == pytest.approx(weight, abs=0.2)
    assert list(content["corners"]["tyre_load_max"].values())[:4] == corner.tolist()


def test_netcdf_has_names_units_and_dimensions(default_run: tuple[Path, dict[str, Any]]) -> None:
    folder, content = default_run
    assert content["files"]["netcdf"] == str(folder / "double-lane-change.nc")
    with xr.open_dataset(content["files"]["netcdf"], engine="h5netcdf") as results:
        assert results["tyre_Fz"].dims == ("time", "corner")
        assert results["corner"].values.tolist() == ["front_left", "front_right", "rear_left", "rear_right"]
        assert results.sizes["time"] == 1001
        without = [name for name in results.data_vars if not results[name].attrs.get("units")]
        assert without == []
        units = {name: results[name].attrs["units"] for name in ("time", "ay", "yaw_rate", "path_error")}
        assert units == {"time": "s", "ay": "m/s^2", "yaw_rate": "rad/s", "path_error": "m"}
        assert results.attrs["manoeuvre"] == "double-lane-change"
        # The summary has the figures of the file.
        peak = float(abs(results["ay"]).max())
        assert figures(content)["peak_lateral_acceleration"] == peak


def test_the_page_of_plots_is_a_png(default_run: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = default_run
    page = (folder / "double-lane-change.png").read_bytes()
    assert page[:8] == PNG_HEAD
    width, height = (int.from_bytes(page[k : k + 4], "big") for k in (16, 20))
    assert width >= 1200
    assert height >= 1000
    assert len(page) > 100_000  # an empty page of that size has some 10 kB


def test_table_and_json_agree(run: Run) -> None:
    arguments = ("-m", "step-steer", "--duration", "0.5", "--no-plots")
    table, content = run(*arguments), json.loads(run(*arguments, "--json").out)
    assert table.code == 0
    assert "results: " in table.out
    rows = dict(re.findall(r"│ (.*?) +│ +(\S+) │", table.out))
    assert float(rows["peak yaw rate"]) == pytest.approx(figures(content)["peak_yaw_rate"], rel=1e-3)
    assert float(rows["peak lateral acceleration"]) == pytest.approx(
        figures(content)["peak_lateral_acceleration"], rel=1e-3
    )
    loads = [f"{value:.4g}" for value in list(content["corners"]["tyre_load_min"].values())[:4]]
    line = next(line for line in table.out.splitlines() if "least tyre load" in line)
    assert re.findall(r"[\d.]+", line) == loads


def test_options_take_units_and_reach_the_run(run: Run) -> None:
    result = run(
        *("-m", "step-steer", "--speed", "54 km/h", "--duration", "200 ms", "-o", "steer=20 %", "--json"),
        *("--set", "chassis.mass=3 t", "--method", "dop853", "--rtol", "1e-7", "--no-plots"),
    )
    content = json.loads(result.out)
    options = content["options"]
    assert (options["speed"], options["duration"], options["steer"]) == pytest.approx((15.0, 0.2, 0.2))
    assert (content["method"], content["rtol"], content["overrides"]) == (
        "DOP853",
        1e-7,
        ["chassis.mass=3 t"],
    )
    assert figures(content)["time_reached"] == pytest.approx(0.2)


def test_data_file_with_just_numbers_that_differ(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "heavy.yaml"
    file.write_text("title: heavy\nchassis:\n  mass: 3000 kg\n", encoding="utf-8")
    short = ("--duration", "0.02", "--json", "--no-plots", "--method", "RK45")  # which needs no Jacobian
    light = json.loads(run(*short).out)
    heavy = json.loads(run(*short, "--model", str(file)).out)

    def total(content: dict[str, Any]) -> float:
        loads: list[float] = list(content["corners"]["tyre_load_max"].values())[:4]
        return sum(loads)

    assert (total(heavy) - total(light)) / 9.81 == pytest.approx(3000.0 - 2086.52, rel=1e-3)


def test_ride_model(run: Run) -> None:
    result = run("--vehicle", "ride", "--duration", "0.3", "--json")
    content = json.loads(result.out)
    assert (result.code, content["model"]) == (0, "ride")
    assert figures(content)["worst_closure"] <= 1e-12
    assert figures(content)["energy_check"] < 1e-5
    assert Path(content["files"]["png"]).stat().st_size > 50_000


SWEEP, VARIED = ("sweep", "-n", "2"), "chassis.mass=2000:2400"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--set", "front.sprung.linear=3"], ["front.sprung.linear", "nearest: front.spring.linear"]),
        (["--set", "front.spring.linear=120 kN"], ["wrong unit", "N/m"]),
        (["--set", "front.spring.linear=-120 kN/m"], ["-120 kN/m", "at least 0"]),
        (["--set", "front.spring.linear=nan"], ["nan", "finite"]),
        (["--set", "chassis.mass"], ["key=value"]),
        (["--set", "steering.max_angle=80 deg"], ["front_left", "80 deg", "admissible is up to 60.4"]),
        (["-m", "double-lanechange"], ["did you mean 'double-lane-change'?"]),
        (["-m", "constant-radius", "-o", "radus=3"], ["did you mean 'radius'?"]),
        (["-m", "constant-radius", "-o", "radius"], ["name=value"]),
        (["-m", "bump", "-o", "height=3 m"], ["height 3.0 m must", "at least -0.5 m and at most 0.5 m"]),
        (["--speed", "12 kg"], ["12 kg", "m/s"]),
        # before hours of a fit
        (["identify", "x.csv", "--mapping", "x.yaml", "--reference", "foo"], ["--reference 'foo'", "linear"]),
        (["identify", "x.csv", "--mapping", "x.yaml", "--bootstrap", "-1"], ["--bootstrap -1", "0 or more"]),
        (["--speed", "80 kmh"], ["unknown unit 'kmh'", "did you mean km/h"]),
        (["nonsense"], ["no command 'nonsense'", "a vehicle by --vehicle", "sweep, export"]),
        (["sedan"], ["no command 'sedan'; write --vehicle sedan"]),
        (["ride"], ["no command 'ride'; write --vehicle ride"]),
        (["step-steer"], ["no command 'step-steer'; write --manoeuvre step-steer"]),
        (["--speed", "nan"], ["speed", "finite"]),
        (["--speed", "-3"], ["speed -3.0", "positive"]),
        (["--speed", "3", "-o", "speed=4"], ["speed is given twice"]),
        (["--duration", "0"], ["duration 0.0", "positive"]),
        (["--method", "RK46"], ["unknown method", "did you mean 'RK45'?"]),
        (["--rtol", "nan"], ["--rtol", "nan", "finite"]),
        (["--atol", "0"], ["--atol 0"]),
        (["--rtol", "small"], ["--rtol", "small"]),
        (["--spede", "3"], ["--spede", "--speed"]),
        (["--model", "rid"], ["did you mean 'ride'?"]),
        (["--vehicle", "van", "--vehicle", "sedan"], ["--vehicle", "'van' and 'sedan'", "give it once"]),
        (["--vehicle", "van", "--model", "sedan"], ["--vehicle", "'van' and 'sedan'", "give it once"]),
        (["-m", "bump", "--manoeuvre", "straight"], ["--manoeuvre is given twice"]),
        (["kc", "--axle", "front", "--axle", "rear"], ["--axle is given twice"]),
        (["--vehicle", "ride", "-m", "bump"], ["bump", "neither steering nor pedals"]),
        (["--vehicle", "ride", "--duration", "-1"], ["duration -1.0"]),
        (["swep"], ["swep"]),
        (["drive", "--step", "0"], ["at most 10 ms"]),
        (["drive", "--step", "1 s"], ["at most 10 ms"]),
        (["drive", "--vehicle", "hmmwvv"], ["did you mean"]),
        (["drive", "--vehicle", "hmmwv", "--slider", "engine.inertia"], ["engine.inertia"]),
        (["drive", "--vehicle", "hmmwv", "--slider", "road.friction=low"], ["name=low:high"]),
        (["drive", "--vehicle", "hmmwv", "--manoeuvre", "loop"], ["unknown manoeuvre"]),
        (["drive", "--vehicle", "hmmwv", "--road", "moon"], ["moon"]),
        (["export", "jar"], ["choose one of fmu, c"]),
        (["export", "c", "--fmi", "2.0"], ["leave them out"]),
        (["export", "c", "--platform", "x86_64-linux"], ["leave them out"]),
        (["export", "fmu", "--derivatives"], ["--derivatives"]),
        (["export", "c", "--vehicle", "ride", "--speed", "10"], ["no speed"]),
        (["export", "c", "--vehicle", "ride", "--free", "chassis.mass"], ["no free parameters"]),
        (["export", "c", "--free", "chassis.com"], ["name a component, such as 'chassis.com.x'"]),
        (["export", "c", *("--free", "chassis.mass") * 2], ["'chassis.mass' is named twice"]),
        (["export", "c", "--free", "chassis.mas"], ["nearest: chassis.mass"]),
        (["export", "c", "--vehicle", "ride", "--road", "iso8608:C"], ["leave the road out"]),
        (["export", "c", "--tyre", "no.tir"], ["no.tir"]),
        (["export", "c", "--road", "iso:C"], ["did you mean 'iso8608'"]),
        (["handling", "stepinput"], ["unknown test 'stepinput'; did you mean 'step-input'"]),
        (["handling", "step-input", "-o", "spede=3"], ["no test has the option 'spede'", "mean 'speed'"]),
        (
            ["handling", "step-input", "-o", "braking.speed=3"],
            ["'braking' is not among the tests step-input"],
        ),
        (["handling", "step-input", "-o", "speed='3 kg'"], ["speed"]),
        (["handling", "step-input", "--variant", "stiffer"], ["form 'TITLE: PATH=VALUE; PATH=VALUE'"]),
        (["handling", "step-input", "--vehicle", "sedann"], ["sedann"]),
        (["kc", "--axle", "middle"], ["middle"]),
        (["kc", "--vehicle", "boat"], ["boat"]),
        (["kc", "--sweep", "sideways"], ["sideways"]),
        (["kc", "--travel", "0.1"], ["low:high"]),
        (["kc", "--travel", "0.1:-0.1"], ["less than"]),
        (["kc", "--travel", "-1 kg:1:3"], ["kg"]),
        (["kc", "--travel", "-0.1:0.1:many"], ["whole number"]),
        (["kc", "--sweep", "parallel", "--travel", "0.9:0.95:3"], ["cannot be reached"]),
        (["kc", "--force", "sideways"], ["sideways"]),
        (["kc", "--force", "aligning", "--torques", "1 N:2 N"], ["N*m"]),
        (["kc", "--force", "lateral", "--at", "hub"], ["hub"]),
        (["kc", "--force", "lateral", "--hold", "breath"], ["breath"]),
        (["kc", "--axle", "rear", "--vehicle", "sedan", "--sweep", "steering"], ["not steered"]),
        (["kc", *("--vehicle", "sedan") * 2], ["two vehicles or variants are called 'sedan'"]),
        (["kc", "--variant", "stiffer"], ["'TITLE: PATH=VALUE; PATH=VALUE'"]),
        (["kc", "--variant", "a: front.sprig=1"], ["front.sprig"]),
        (["kc", "--tyre", "no.tir"], ["no.tir"]),
        ([*SWEEP, "chassis.mas=1:2"], ["chassis.mass"]),
        ([*SWEEP, "chassis=1:2"], ["section"]),
        ([*SWEEP, "front.D=1:2"], ["front.D.x"]),
        ([*SWEEP, "chassis.mass=2:1"], ["less than"]),
        ([*SWEEP, "chassis.mass=2000,2300,-5"], ["'-5'"]),
        ([*SWEEP, "chassis.mass=0:2000"], ["above 0 kg"]),
        ([*SWEEP, "chassis.mass=1:2:1"], ["at least 2"]),
        ([*SWEEP, "chassis.mass=1:2:3:4"], ["1:2:3:4"]),
        ([*SWEEP, "chassis.mass=1 m:2 m"], ["kg"]),
        ([*SWEEP, "chassis.mass"], ["name=value"]),
        ([*SWEEP, VARIED, "chassis.mass=1:2"], []),
        ([*SWEEP, VARIED, "--kind", "gird"], []),
        ([*SWEEP, VARIED, "--kind", "grid"], []),
        ([*SWEEP, VARIED, "--vehicle", "ride"], []),
        ([*SWEEP, VARIED, "--manoeuvre", "fly"], []),
        ([*SWEEP, VARIED, "--method", "x"], ["choose one of rk4, rosenbrock, implicit-euler, dopri5, tsit5"]),
        ([*SWEEP, VARIED, "--set", "chassis.mass=-1"], []),
        ([*SWEEP, VARIED, "--processes", "0"], []),
        ([*SWEEP, VARIED, "--processes", "9999999"], []),
        ([*SWEEP, VARIED, "--step", "0"], []),
        ([*SWEEP, VARIED, "--step", "1e-12"], []),
        ([*SWEEP, VARIED, "--interval", "1e-9"], []),
        ([*SWEEP, VARIED, "--scheduler", "tcp://127.0.0.1"], []),
        ([*SWEEP, VARIED, "--scheduler", "tcp://127.0.0.1:99999"], []),
        (["sweep", VARIED, "--kind", "monte-carlo"], []),
        (["sweep", VARIED, "-n", "0"], []),
        (["sweep", VARIED, "-n", str(10**12)], []),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    arguments: list[str], expected: list[str], run: Run, tmp_path: Path
) -> None:
    result = run(*arguments, "--output", tmp_path / "x")
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1
    for words in expected:
        assert words in result.err
    if arguments[0] in ("drive", "export", "sweep"):
        assert not (tmp_path / "x").exists()


def test_output_folder_that_cannot_be_made(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    result = run("--output", str(tmp_path / "file" / "folder"))
    assert result.code == 2
    assert str(tmp_path / "file") in result.err
    assert result.err.count("\n") == 1


def test_warning_is_one_line(run: Run) -> None:
    thin = "chassis.inertia=diag(100, 100, 900) kg*m^2"
    result = run("--vehicle", "ride", "--duration", "0.02", "--no-plots", "--set", thin)
    assert result.code == 0
    assert re.fullmatch(r"warning: chassis.inertia: no real body has this inertia.*\n", result.err)


def test_failed_integration_saves_what_there_is(run: Run, tmp_path: Path) -> None:
    # Ground springs 1.5 m too long throw the vehicle up; its wheels drop to where the linkages end.
    result = run("--vehicle", "ride", "--set", "ground_spring.height=2 m", "--json", "--method", "LSODA")
    assert result.code == 3
    assert result.err.count("\n") == 1
    # which depends on the last digits: stopped before a dead centre, or thrown over one
    end_time = re.search(r"(?:at|after) t = ([\d.]+) s", result.err)
    assert end_time is not None
    assert re.search(r"the loop of '(front|rear)_(left|right)\.lower_arm' .*dead centre", result.err)
    content = json.loads(result.out)
    assert not content["completed"]
    for name in ("ride-partial.nc", "ride-partial.png"):
        assert str(tmp_path / name) in result.err
        assert (tmp_path / name).stat().st_size > 10_000
    with xr.open_dataset(tmp_path / "ride-partial.nc", engine="h5netcdf") as results:
        end = float(results["time"][-1])
        assert bool(results["chassis_z"].notnull().all())
    assert 0.0 < end <= float(end_time[1])  # steps that led up to the dead centre are not kept


def test_a_swinging_driver_ends_with_code_3(run: Run, tmp_path: Path) -> None:
    swinging = ("--set", "driver.yaw_damping=5 s", "-m", "bump", "--option", "side=1", "--speed", "20")
    result = run("--vehicle", "sedan", *swinging, "--duration", "4", "--json", "--no-plots")
    assert result.code == 3
    assert re.match(r"error: bump: the driver does not hold the vehicle on its path: .*\n", result.err)
    with xr.open_dataset(tmp_path / "bump-partial.nc", engine="h5netcdf") as results:
        assert float(results["time"][-1]) == pytest.approx(4.0)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_saves_what_there_is(tmp_path: Path, number: signal.Signals) -> None:
    arguments = ["--vehicle", "ride", "--duration", "1e5", "--output", str(tmp_path), "--method", "RK45"]
    # A file appears when the model has been prepared; only then is the interrupt sent.
    announce = (
        "import ce_dynamics.cli.progress as p, pathlib; reach = p.Display.reach\n"
        f"def announce(*a): pathlib.Path({str(tmp_path / 'started')!r}).touch(); return reach(*a)\n"
        "p.Display.reach = announce\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", announce + MAIN, *arguments],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60.0
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=60.0)
    assert process.returncode == 130
    assert re.fullmatch(r"error: interrupted at t = .*ride-partial.nc.*ride-partial.png\n", err)
    with xr.open_dataset(tmp_path / "ride-partial.nc", engine="h5netcdf") as results:
        assert 0.0 <= float(results["time"][-1]) < 1e5


INTERRUPTED = "error: interrupted\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM for one process")
@pytest.mark.parametrize(
    ("during", "code", "expected"),
    [
        ("import ce_dynamics.cli.command as c; c.execute = stop", 130, INTERRUPTED),
        ("import ce_dynamics.cli.command as c; c.execute = lambda: exec('stop()')", 130, INTERRUPTED),
        ("import ce_dynamics.cli.command as c; c.execute = stopped_in_text", 130, ""),
        ("atexit.register(stop); sys.argv = ['', '--version']", 0, ""),
        ("atexit.register(stop); sys.argv = ['', '--bogus']", 2, "error: No such option: --bogus\n"),
    ],
)
def test_signals_from_the_first_moment_to_the_last(during: str, code: int, expected: str) -> None:
    """Before and after commands take care of them: one line, the exit code, no traceback."""
    program = (
        "import atexit, os, sys; stop = lambda: os.kill(os.getpid(), 15)\n"
        "def stopped_in_text():\n"  # Python would end by SIGINT all the same
        "    try: exec('stop()')\n"
        "    except KeyboardInterrupt: return 130\n"
        f"{during}; from ce_dynamics.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, expected)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_unencodable_text_is_printed_nevertheless(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "--list-roads"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "flat" in done.stdout.decode(encoding)


@pytest.mark.parametrize("command", [["kc"], ["export", "c"], ["drive"]])
def test_interrupted_commands_print_one_line(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ce_dynamics.models.vehicles.description import VehicleParameters

    def stopped(*given: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(VehicleParameters, "load", stopped)
    assert execute(command) == 130
    assert capsys.readouterr().err == "error: interrupted\n"


def test_no_plots(run: Run, tmp_path: Path) -> None:
    short = "--vehicle", "ride", "--duration", "0.01", "--no-plots"
    result = run(*short)
    assert result.code == 0
    assert "plots: " not in result.out
    assert [path.name for path in tmp_path.iterdir()] == ["ride.nc"]
    assert json.loads(run(*short, "--json").out)["files"] == {"netcdf": str(tmp_path / "ride.nc")}


@pytest.mark.parametrize("loading", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_stops_the_plots_has_the_results(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, loading: bool
) -> None:
    from ce_dynamics.models.vehicles import plots

    def stopped(*given: Any) -> None:
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt as error:
            if loading:
                raise ImportError("initialization failed") from error  # as libraries in C++ do
            raise

    monkeypatch.setattr(plots, "save_figure", stopped)
    result = run("--vehicle", "ride", "--duration", "0.01")
    assert result.code == 130
    assert re.fullmatch(r"error: interrupted before all was drawn; .*ride.nc\n", result.err)
    assert [path.name for path in tmp_path.iterdir()] == ["ride.nc"]


def test_who_stops_while_results_are_written_has_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(results: Record, path: Path) -> None:
        signal.raise_signal(signal.SIGTERM)
        write_netcdf(results, path)

    monkeypatch.setattr(simulation, "write_netcdf", stopped)
    assert run("--vehicle", "ride", "--duration", "0.01").code == 130
    with xr.open_dataset(tmp_path / "ride.nc", engine="h5netcdf") as results:
        assert float(results["time"][-1]) == 0.01


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_files_are_whole_or_as_they_were(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    arguments = "--vehicle", "ride", "--duration", "0.01", "--no-plots"
    assert run(*arguments).code == 0
    before = (tmp_path / "ride.nc").read_bytes()

    def stops(results: Record, path: Path) -> None:
        path.write_bytes(b"half of it")
        raise error

    monkeypatch.setattr(simulation, "write_netcdf", stops)
    result = run(*arguments)
    assert result.code != 0
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["ride.nc"]
    assert (tmp_path / "ride.nc").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit of a file's size")
@pytest.mark.parametrize(("most", "kept"), [(8_000, []), (120_000, ["ride.nc"])])
def test_full_disk_ends_in_one_line(tmp_path: Path, most: int, kept: list[str]) -> None:
    """Files that may not grow beyond a limit fail where those on a full disk do; HDF5 crashed then."""
    code = (
        "import resource; from ce_dynamics.cli.command import execute\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))\n"
        "raise SystemExit(execute(['--vehicle', 'ride', '--duration', '0.1']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"CE_DYNAMICS_CACHE": "off"},
    )
    assert done.returncode == 2, done.stderr
    assert "greatest bump" in done.stdout
    missing = "ride.png" if kept else "ride.nc"
    (line,) = done.stderr.splitlines()
    assert re.match(rf"error: cannot use '.*/{missing}': File too large", line)
    assert ("saved what was computed as" in line) == bool(kept)
    assert [path.name for path in (tmp_path / "simulate-vehicle-output").iterdir()] == kept


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--list-vehicles"], ["kc", "--vehicle", "sedan", "--no-plots"]]
)
def test_output_that_nobody_reads_is_no_error(arguments: list[str], tmp_path: Path) -> None:
    """Tables of Rich as well: it would leave with code 1."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", MAIN, *arguments]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_version_is_quick_and_loads_no_numpy() -> None:
    code = (
        "import sys; from ce_dynamics.cli.command import execute; code = execute(['--version']);"
        "print(sorted({'numpy', 'rich', 'matplotlib', 'xarray'} & set(sys.modules)), code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"simulate-vehicle {__version__}\n[] 0\n"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads in /proc")
def test_no_thread_of_library_waits_beside_the_command() -> None:
    code = (
        "import os; from ce_dynamics.cli import main\n"
        "try: main()\n"
        "except SystemExit: print(len(os.listdir('/proc/self/task')), flush=True)"
    )
    alone = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", code, "--list-manoeuvres"],
        capture_output=True,
        text=True,
        check=True,
        env=alone,
    )
    assert done.stdout.splitlines()[-1] == "1"


def test_summary_loads_no_library_of_results_or_plots(tmp_path: Path) -> None:
    code = (
        "import sys; from ce_dynamics.cli import simulation; from ce_dynamics.cli.command import execute\n"
        "print_tables = simulation.print_tables\n"
        "def reported(*arguments, **options):\n"
        "    print_tables(*arguments, **options)\n"
        "    print(*sys.modules)\n"
        "    raise SystemExit\n"
        "simulation.print_tables = reported\n"
        "execute(['--vehicle', 'ride', '--duration', '0.01'])"
    )
    libraries = {"matplotlib", "xarray", "pandas", "h5netcdf", "casadi", "numba", "sympy"}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env=os.environ | {"CE_DYNAMICS_CACHE": str(tmp_path / "code")},
        )
        summary, modules = done.stdout.rstrip().rsplit("\n", 1)
        loaded = set(modules.split())
        assert "greatest bump" in summary
        assert not libraries & loaded


def test_first_run_compiles_quickly_and_next_one_well(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CE_DYNAMICS_CACHE", str(tmp_path / "code"))
    monkeypatch.setenv("CE_DYNAMICS_CODE", "full")
    short = ("--vehicle", "ride", "--duration", "0.01", "--no-plots", "--output", str(tmp_path))
    assert "compiled quickly" in run(*short).out
    for thread in threading.enumerate():
        if thread.name == "full code":
            thread.join()
    assert "compiled quickly" not in run(*short).out


@pytest.mark.parametrize(
    ("duration", "options", "brief"),
    [
        (None, {}, True),
        ("30 s", {}, True),
        ("1 min", {}, False),
        (None, {"duration": "31 s"}, False),
        ("30 m", {}, True),  # refused by those who read it for the run
    ],
)
def test_long_runs_are_compiled_well(duration: str | None, options: dict[str, str], brief: bool) -> None:
    assert is_brief(duration, options) == brief


def test_help_names_every_option_and_exit_code(run: Run) -> None:
    text = run("--help").out
    assert "--model" not in text
    for option in ("--vehicle", "--manoeuvre", "--speed", "--set", "--json", "--rtol", "--list-parameters"):
        assert option in text
    for words in ("3 the integration failed", "130 interrupted"):
        assert words in " ".join(text.split())


def test_listed_parameters_are_overrides(run: Run) -> None:
    lines = run("--list-parameters", "--set", "chassis.mass=2200 kg").out.splitlines()
    assert any(line.startswith("chassis.mass=2200.0 kg ") for line in lines)
    texts = [line.partition("    # ")[0] for line in lines]
    assert len(texts) > 150
    from ce_dynamics.models.vehicles.description import HmmwvParameters

    again = HmmwvParameters.load(overrides=texts)
    assert again.data.chassis.mass == 2200.0
    assert again.data == HmmwvParameters.load(overrides=["chassis.mass=2200 kg"]).data


def test_listed_vehicles_can_be_simulated(run: Run) -> None:
    from ce_dynamics.models.vehicles.description import VehicleParameters
    from ce_dynamics.models.vehicles.files import MODELS

    described = dict(line.split(": ", 1) for line in run("--list-vehicles").out.splitlines())
    assert list(described) == list(MODELS)
    for name in set(described) - {"ride"}:
        assert described[name] == VehicleParameters.load(name, ()).title


def test_listed_manoeuvres_name_all_options(run: Run) -> None:
    from ce_dynamics.models.parts.manoeuvres import MANOEUVRES

    out = run("--list-manoeuvres").out
    for name, kind in MANOEUVRES.items():
        block = out.partition(f"{name}: ")[2]
        for option in kind.options:
            assert f"  {option.name}={option.default:g}" in block


def test_matplotlib_settings_of_the_user_stay(run: Run) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    assert run("--vehicle", "ride", "--duration", "0.05").code == 0
    assert dict(matplotlib.rcParams) == before


def test_roads_are_listed(run: Run) -> None:
    from ce_dynamics.models.parts.roads.kinds import ROADS

    out = run("--list-roads").out
    for name, kind in ROADS.items():
        assert f"{name}: {kind.about}" in out
    assert "  seed=1    # of the random phases" in out
    assert "  dx=...    # spacing" in out


def test_without_matplotlib_runs_draw_no_plots(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installation without the extra ``plots`` computes and saves, and names the extra."""

    def found(name: str, package: str | None = None) -> object:
        return None if name == "matplotlib" else there(name, package)

    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", found)
    monkeypatch.setattr(command, "find_spec", found)
    result = run("--duration", "0.1")
    assert result.code == 0
    assert [path.suffix for path in tmp_path.iterdir()] == [".nc"]
    assert "pip install 'ce-dynamics[plots]'" in result.err
    with pytest.raises(ce.ModelError, match="plots need matplotlib: pip install"):
        ce.draw(ce.compile(ce.System()))


# Options taken as they are typed

TYPED = "", "text", "3", "-3.5", "folder/file.yaml", "véhicule", ("a=1", "b=2"), (), None


def outcome(option: TyperOption, context: typer.Context, value: Any, by: type[TyperOption]) -> Any:
    """Return the value or the message of an option; Typer makes lists of options that may be repeated."""
    try:
        handed = by.process_value(option, context, value)
    except typer.BadParameter as error:
        return error.format_message()
    return list(handed or ()) if option.multiple else handed


@pytest.mark.parametrize("name", ["", *SUBCOMMANDS])
def test_options_have_the_values_that_typer_gives_them(name: str) -> None:
    command = subcommand(name) if name else typer.main.get_command(app)
    context = typer.Context(command)
    options = [option for option in command.get_params(context) if isinstance(option, TyperOption)]
    assert len(options) > 1
    for option in options:
        assert isinstance(option, AsTyped)
        if option.callback is None:
            for value in (*(v for v in TYPED if isinstance(v, tuple) == option.multiple), option.default):
                ours, theirs = (outcome(option, context, value, by) for by in (AsTyped, TyperOption))
                assert (type(ours), ours) == (type(theirs), theirs), (option.opts, value)
