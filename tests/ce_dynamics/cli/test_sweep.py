"""``simulate-vehicle sweep`` and ``cache``: samples, resuming after a kill, failures, tables."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.stats import qmc

from ce_dynamics.errors import DataError
from ce_dynamics.models import hmmwv
from ce_dynamics.models.data.sampling import Choice, Range, hypercube, overrides, parse_distribution, sample
from ce_dynamics.models.vehicles.sweeps.batch import Batch, run_batch
from ce_dynamics.models.vehicles.sweeps.folder import SweepFolder
from ce_dynamics.models.vehicles.sweeps.plan import BATCH, SweepPlan, quantity_of
from ce_dynamics.simulation.simulate import simulate
from tests.ce_dynamics.cli.conftest import MAIN, Run
from tests.test_docs import ROOT

STEP_STEER = ("--manoeuvre", "step-steer", "--speed", "12", "--duration")
SHORT, SHORTEST = (*STEP_STEER, "0.3"), (*STEP_STEER, "0.05")
VARIED = ("chassis.mass=2000:2400", "road.friction=0.3:0.9")
"""The same numbers in most tests: a model is compiled for what varies."""


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


# Samples


def test_a_grid_has_all_combinations() -> None:
    values = sample("grid", {"a": Range(0.0, 1.0, 3), "b": Choice((5.0, 6.0))}, None, 0)
    assert values.tolist() == [[0, 5], [0, 6], [0.5, 5], [0.5, 6], [1, 5], [1, 6]]


@pytest.mark.parametrize("runs", [1, 7, 50])
def test_latin_hypercube_has_one_run_per_part(runs: int) -> None:
    distributions = {"a": Range(2.0, 4.0), "b": Range(-1.0, 0.0)}
    values = sample("latin-hypercube", distributions, runs, 3)
    for k, (low, width) in enumerate(((2.0, 2.0), (-1.0, 1.0))):
        parts = np.asarray((values[:, k] - low) / width * runs).astype(int)
        assert sorted(parts) == list(range(runs))
    points = qmc.LatinHypercube(3, rng=np.random.default_rng(5)).random(runs)
    np.testing.assert_array_equal(hypercube(3, runs, 5), points)


def test_monte_carlo_is_uniform_and_chooses_evenly() -> None:
    values = sample("monte-carlo", {"a": Range(2.0, 4.0), "b": Choice((1.0, 2.0, 4.0))}, 3000, 1)
    assert np.all((values[:, 0] >= 2.0) & (values[:, 0] < 4.0))
    # Five standard deviations of the means: 5 · 2/√12/√3000 = 0.053; 5 · √(2/9)/√3000 = 0.043.
    assert abs(values[:, 0].mean() - 3.0) < 0.053
    for value in (1.0, 2.0, 4.0):
        assert abs(np.mean(values[:, 1] == value) - 1.0 / 3.0) < 0.043
    assert abs(np.asarray(np.corrcoef(values.T))[0, 1]) < 5.0 / np.sqrt(3000)


@pytest.mark.parametrize("kind", ["latin-hypercube", "monte-carlo"])
def test_samples_follow_from_the_seed(kind: Any) -> None:
    first, same, other = (sample(kind, {"a": Range(0.0, 1.0)}, 20, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_distributions_are_read_with_units() -> None:
    layout = hmmwv.HmmwvParameters.load().layout
    quantity = quantity_of("front.spring.linear", layout)
    assert parse_distribution("k", "120 kN/m:180 kN/m", quantity) == Range(120e3, 180e3)
    assert parse_distribution("k", "1e5:2e5:7", quantity) == Range(1e5, 2e5, 7)
    assert parse_distribution("k", "1e5, 2 kN/m", quantity) == Choice((1e5, 2e3))
    assert quantity_of("front.D.y", layout).unit == "m"


# Runs


def test_adaptive_steps_agree_with_fewer(run: Run, tmp_path: Path) -> None:
    """Peaks of a step steer: dopri5 keeps 1e-6 of each state per step, RK4 at 1 ms more than that."""
    rows = {}
    for method in ("rk4", "dopri5"):
        given = (
            "sweep", "chassis.mass=2000,2300", "road.friction=0.8", "-k", "grid", *SHORT, "--method",
            method,
        )  # fmt: skip
        assert run(*given, "--output", tmp_path / method, "--processes", 1).code == 0
        rows[method] = table(tmp_path / method / "summary.csv")
    for fixed, adaptive in zip(rows["rk4"], rows["dopri5"], strict=True):
        assert float(adaptive["evaluations"]) < 0.3 * float(fixed["evaluations"])
        for peak in ("peak_lateral_acceleration", "peak_yaw_rate", "front_left.tyre_load_max"):
            assert float(adaptive[peak]) == pytest.approx(float(fixed[peak]), rel=1e-4)


def test_free_and_fixed_numbers_failures_and_second_call(run: Run, tmp_path: Path) -> None:
    """A grid of hardpoints and a mass, some of which cannot be together, all in one model."""
    command = (
        "sweep", "front.D.y=0.78", "front.K.x=-0.176,0.1", "chassis.mass=2000,2300",
        "--kind", "grid", *SHORT,
        "--output", tmp_path, "--processes", 1,
    )  # fmt: skip
    result = run(*command)
    assert result.code == 0
    rows = table(tmp_path / "summary.csv")
    assert [row["status"] for row in rows] == ["completed", "completed", "failed", "failed"]
    assert "front.K.x = 0.1: front_left spindle: points KL and the axis" in rows[2]["failure"]
    assert [row["run"] for row in table(tmp_path / "failures.csv")] == ["2", "3"]
    assert "run 2: front.D.y = 0.78, front.K.x = 0.1: " in result.out
    assert len(list((tmp_path / "batches").glob("*.json"))) == 1  # one model
    with xr.open_dataset(tmp_path / "summary.nc", engine="h5netcdf") as summary:
        assert list(summary["status"].values) == [row["status"] for row in rows]
        assert summary["chassis_mass"].attrs["units"] == "kg"
        np.testing.assert_array_equal(summary["front_D_y"], [0.78] * 4)
    case = hmmwv.prepare(
        "step-steer", speed=12.0, duration=0.3,
        overrides=overrides(["front.D.y", "chassis.mass"], [0.78, 2300.0]),
    )  # fmt: skip
    single = simulate(case.model, case.manoeuvre, y0=case.y0, duration=0.3, method="rk4")
    with xr.open_dataset(tmp_path / "batches" / "000000.nc", engine="h5netcdf") as batch:
        ours = batch.sel(run=1)
        for name in ("yaw_rate", "ay", "tyre_Fz", "x"):
            # Constants in one model, arguments in the other: rounding, grown over 300 steps.  The yaw rate is
            # the small difference of what the wheels of both sides do: rounding is that of rates of 1e-3.
            scale = max(np.abs(single[name].values).max(), 1e-3)
            np.testing.assert_allclose(ours[name].values, single[name].values, rtol=0.0, atol=1e-9 * scale)
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "batches").iterdir()}
    again = run(*command)
    assert "4 of 4 runs finished, 0 of them now" in again.out
    assert stamps == {path: path.stat().st_mtime_ns for path in (tmp_path / "batches").iterdir()}
    other = run(*command, "--seed", 1)
    assert other.code == 2
    assert "another sweep" in other.err


def test_sweep_killed_half_way_is_completed_without_repeating(tmp_path: Path, run: Run) -> None:
    runs = 5 * BATCH
    options = ("sweep", *VARIED, "-n", str(runs), *SHORTEST, "--output", str(tmp_path), "--processes", "1")
    command = [sys.executable, "-c", MAIN, *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    batches = tmp_path / "batches"
    deadline = time.monotonic() + 60.0
    written = "[0-9]*.json"  # those that are being written begin with a dot
    while len(list(batches.glob(written))) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    finished = {path.name: path.read_bytes() for path in batches.glob(written)}
    assert 2 <= len(finished) < 5
    assert not (tmp_path / "summary.csv").exists()
    done = run(*options)
    assert (done.code, done.err) == (0, "")
    before = BATCH * len(finished)
    assert f"{before} of {runs} runs are finished already" in done.out
    assert f"{runs} of {runs} runs finished, {runs - before} of them now" in done.out
    assert all((batches / name).read_bytes() == content for name, content in finished.items())
    rows = table(tmp_path / "summary.csv")
    assert [int(row["run"]) for row in rows] == list(range(runs))
    assert {row["status"] for row in rows} == {"completed"}
    assert len(list(batches.glob("*.nc"))) == len(list(batches.glob("*.json"))) == 5


def test_stopped_sweep_keeps_finished_runs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ce_dynamics.simulation.ensembles import simulation as ensembles

    def stopped(shown: Any) -> Any:
        def watch(done: int, total: int) -> None:
            if done:  # a group of eight lanes, or two: threads race
                signal.raise_signal(signal.SIGTERM)

        return nullcontext(watch)

    monkeypatch.setattr(ensembles, "show_progress", stopped)
    command = ("sweep", *VARIED, "-n", 24, *SHORTEST, "--output", tmp_path, "--processes", 1)
    result = run(*command)
    assert result.code == 130
    rows = table(tmp_path / "summary.csv")
    assert 8 <= len(rows) < 24
    assert result.out.startswith(f"{len(rows)} of 24 runs finished, {len(rows)} of them now; 0 failed\n")
    assert {row["status"] for row in rows} == {"completed"}
    monkeypatch.undo()
    result = run(*command)
    assert result.code == 0
    assert f"24 of 24 runs finished, {24 - len(rows)} of them now; 0 failed" in result.out


def test_what_a_kill_leaves_behind_is_cleared(tmp_path: Path) -> None:
    plan = SweepPlan("monte-carlo", {"chassis.mass": "2000:2400"}, runs=3)
    SweepFolder(tmp_path, plan)
    (tmp_path / "batches" / "000000.nc").write_bytes(b"results without their rows")
    rows = {"1": {"status": "failed", "failure": "why", "time_reached": 0.0}}
    (tmp_path / "batches" / "000001.json").write_text(json.dumps({"results": None, "runs": rows}))
    folder = SweepFolder(tmp_path, SweepPlan.from_text(plan.text()))
    assert folder.unfinished == [0, 2]
    assert not (tmp_path / "batches" / "000000.nc").exists()
    assert np.array_equal(SweepPlan.from_text(plan.text()).values, plan.values)


def two_batches(path: Path) -> SweepPlan:
    """A folder with two finished batches of results that were not computed."""
    plan = SweepPlan("monte-carlo", {"chassis.mass": "2000:2400"}, runs=4)
    folder = SweepFolder(path, plan)
    for runs in ((0, 1), (2, 3)):
        rows = {run: {"status": "completed", "failure": "", "time_reached": 0.2} for run in runs}
        folder.add(Batch(rows, b"results of some size"))
    return plan


DAMAGED = {
    "empty": b"",
    "truncated": b'{"results": 20, "runs": {"0": {"status": "comp',
    "not UTF-8": b'{"results": 20, "runs": {"\xff\xfe": {}}}',
    "deep": b"[" * 100_000,
    "list": b"[1, 2]",
    "wrong row": b'{"results": 20, "runs": {"0": {"status": [], "failure": 1}}}',
    "text as figure": b'{"results": 20, "runs": {"0": {"status": "failed", "failure": "", "x": "1"}}}',
    "NaN": b'{"results": 20, "runs": {"0": {"status": "failed", "failure": "", "x": NaN}}}',
    "run beyond": b'{"results": 20, "runs": {"4": {"status": "failed", "failure": ""}}}',
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_markers_are_named_and_runs_repeated(tmp_path: Path, content: bytes) -> None:
    plan = two_batches(tmp_path)
    (tmp_path / "batches" / "000000.json").write_bytes(content)
    with pytest.warns(UserWarning, match=r"000000\.json: is damaged.*; its runs are made again"):
        folder = SweepFolder(tmp_path, plan)
    assert folder.unfinished == [0, 1]
    assert sorted(path.name for path in (tmp_path / "batches").iterdir()) == ["000002.json", "000002.nc"]


def test_marker_vouches_for_whole_results(tmp_path: Path) -> None:
    plan = two_batches(tmp_path)
    (tmp_path / "batches" / "000000.nc").unlink()
    (tmp_path / "batches" / "000002.nc").write_bytes(b"results of some")
    with pytest.warns(UserWarning, match=r"its results 00000\d\.nc are gone or damaged") as warned:
        assert SweepFolder(tmp_path, plan).unfinished == [0, 1, 2, 3]
    assert len(warned) == 2


def test_a_damaged_plan_is_another_sweep(tmp_path: Path) -> None:
    plan = two_batches(tmp_path)
    (tmp_path / "sweep.json").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match=r"plan of the sweep .*sweep\.json is damaged"):
        SweepFolder(tmp_path, plan)
    (tmp_path / "sweep.json").unlink()
    (tmp_path / "sweep.json").mkdir()
    with pytest.raises(DataError, match=r"sweep\.json' cannot be read: it is a folder"):
        SweepFolder(tmp_path, plan)


@pytest.mark.skipif(os.name != "posix", reason="locks and modes of POSIX")
def test_one_process_at_a_time_with_umask(tmp_path: Path) -> None:
    plan = two_batches(tmp_path)
    first = SweepFolder(tmp_path, plan)
    with pytest.raises(DataError, match="another process works on the sweep"):
        SweepFolder(tmp_path, plan)
    before = os.umask(0o027)
    try:
        first.add(Batch({0: {"status": "failed", "failure": "why"}}, None))
    finally:
        os.umask(before)
    assert (tmp_path / "batches" / "000000.json").stat().st_mode & 0o777 == 0o640
    del first
    assert SweepFolder(tmp_path, plan).unfinished == [1]


@pytest.mark.parametrize(
    ("vary", "overrides", "message"),
    [
        (("front.spring.linear", "front_left.spring.linear"), (), "both vary front_left.spring.linear"),
        (("front.D.y", "D.y"), (), r"front\.D\.y and D\.y both vary front_left.D.y"),
        (("chassis.mass",), ("chassis.mass=2000",), "chassis.mass is both set and varied"),
        (("front.D.y",), ("front_right.D.y=0.3",), "front_right.D.y is set, and front.D.y varies"),
    ],
)
def test_one_number_by_two_names(vary: tuple[str, ...], overrides: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        SweepPlan("monte-carlo", dict.fromkeys(vary, "0.3:0.31"), runs=2, overrides=overrides)


def test_what_is_more_general_may_be_set() -> None:
    varied = {"front.spring.linear": "1.2e5:1.3e5"}
    plan = SweepPlan("monte-carlo", varied, runs=2, overrides=("spring.linear=1.25e5",))
    assert len(plan.values) == 2


def test_grids_are_counted_before_they_are_made() -> None:
    wide = dict.fromkeys("abcd", Range(0.0, 1.0, 1000))
    with pytest.raises(DataError, match=r"1000 x 1000 x 1000 x 1000 = 1e\+12 runs, 1,000,000 are allowed"):
        sample("grid", wide, None, 0)


def test_several_processes_make_the_same_results(tmp_path: Path, run: Run) -> None:
    varied = (*VARIED, "-n", BATCH + 2, *SHORTEST)
    for processes, folder in ((2, "two"), (1, "one")):
        result = run("sweep", *varied, "--output", tmp_path / folder, "--processes", processes)
        assert (result.code, result.err) == (0, "")
    assert (tmp_path / "one" / "summary.csv").read_bytes() == (tmp_path / "two" / "summary.csv").read_bytes()


def test_dask_is_asked_for_only_when_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run(
        "sweep", "chassis.mass=2000:2400", "-n", 2, *SHORT, "--output", tmp_path, "--scheduler", "local"
    )
    assert result.code == 2
    assert "ce-dynamics[dask]" in result.err


SCHEDULER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
    )
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()  # until the test lets go
"""


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """Address of a Dask scheduler with a worker, in a process of their own."""
    pytest.importorskip("distributed", reason="needs ce-dynamics[dask]")
    command = [sys.executable, "-c", SCHEDULER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=30.0)


def test_a_cluster_by_its_address(scheduler: str, tmp_path: Path, run: Run) -> None:
    assert scheduler.startswith("tcp://")
    varied = ("sweep", *VARIED, "-n", 3, *SHORTEST)
    assert run(*varied, "--output", tmp_path / "here", "--processes", 1).code == 0
    result = run(*varied, "--output", tmp_path / "there", "--scheduler", scheduler)
    assert (result.code, result.err) == (0, "")
    assert "3 of 3 runs finished, 3 of them now" in result.out
    here, there = (tmp_path / where / "summary.csv" for where in ("here", "there"))
    assert here.read_bytes() == there.read_bytes()


def test_data_file_missing_on_the_cluster(scheduler: str, tmp_path: Path) -> None:
    data = tmp_path / "mine.yaml"
    data.write_text("chassis: {mass: 2100 kg}\n")
    sweep = SweepPlan(
        "grid", {"road.friction": "0.5"}, model=str(data), manoeuvre="step-steer", duration="0.1"
    )
    from distributed import Client

    from ce_dynamics.models.vehicles.sweeps.batch import files_digest, run_batch_there

    digest = files_digest(sweep)
    data.write_text("chassis: {mass: 2200 kg}\n")
    with (
        Client(scheduler) as client,
        pytest.raises(DataError, match=r"mine\.yaml' is not there or is another"),
    ):
        client.submit(run_batch_there, (sweep.text(), digest), [0]).result()


def test_runs_with_swinging_drivers_have_failed() -> None:
    sweep = SweepPlan(
        "grid", {"driver.yaw_damping": "0.06,5 s"}, model="sedan", manoeuvre="bump", speed="20",
        duration="4", options={"side": "1"},
    )  # fmt: skip
    text = sweep.text()
    calm, swinging = (run_batch(text, [run]) for run in (0, 1))
    assert calm.rows[0]["status"] == "completed"
    assert swinging.rows[1]["status"] == "failed"
    assert "bump: the driver does not hold the vehicle on its path" in swinging.rows[1]["failure"]
    with xr.open_dataset(io.BytesIO(swinging.netcdf), engine="h5netcdf") as kept:  # type: ignore[arg-type]
        assert str(kept["failure"].values[0]) == swinging.rows[1]["failure"]


def test_tyres_and_roads_go_with_a_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ce_dynamics.models.vehicles.sweeps import batch
    from ce_dynamics.models.vehicles.sweeps.batch import files_digest

    tyre = tmp_path / "car.tir"
    tyre.write_bytes((ROOT / "docs" / "examples" / "car.tir").read_bytes())
    given: dict[str, Any] = {"manoeuvre": "step-steer", "duration": "0.1", "tyres": (f"front={tyre}",)}
    sweep = SweepPlan("grid", {"road.friction": "0.5"}, road="iso8608:C + mu:left=0.3,right=0.8", **given)
    assert SweepPlan.from_text(sweep.text()) == sweep
    monkeypatch.setattr(batch, "prepare", lambda *positional, **named: named)
    made: Any = batch.case_of(sweep.text(), ())
    assert (made["tyres"], made["road"], made["free"]) == (sweep.tyres, sweep.road, ("road.friction",))
    before = files_digest(sweep)
    tyre.write_text(tyre.read_text() + "$ changed")
    assert files_digest(sweep) != before
    with pytest.raises(DataError, match="no road 'iso'; did you mean 'iso8608'"):
        SweepPlan("grid", {"road.friction": "0.5"}, road="iso:C", **given)
    tyre.unlink()
    with pytest.raises(DataError, match=r"car\.tir"):
        SweepPlan("grid", {"road.friction": "0.5"}, **given)


def test_an_address_where_nobody_answers(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs ce-dynamics[dask]")
    monkeypatch.setattr("ce_dynamics.models.vehicles.sweeps.batch.CONNECTING", 0.5)
    where = ("--output", tmp_path, "--scheduler", "tcp://127.0.0.1:1")
    result = run("sweep", "chassis.mass=2000:2400", "-n", 2, *SHORT, *where)
    assert result.code == 2
    assert "no Dask scheduler responds at 'tcp://127.0.0.1:1'" in result.err


# The cache of compiled code


def test_cache_shows_and_clears(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "code"
    monkeypatch.setenv("CE_DYNAMICS_CACHE", str(folder))
    assert "0 compiled functions" in run("cache").out
    folder.mkdir()
    for name in ("a.code", "b.code", "left.tmp", "mine.txt"):
        (folder / name).write_bytes(b"x" * 2**20)
    shown = json.loads(run("cache", "--json").out)
    assert (shown["folder"], shown["entries"], shown["bytes"]) == (str(folder), 2, 3 * 2**20)
    assert "2 compiled functions, 3.0 MB" in run("cache").out
    assert "removed 2" in run("cache", "--clear").out
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    monkeypatch.setenv("CE_DYNAMICS_CACHE", "off")
    assert "off" in run("cache").out


def test_subcommands_load_no_models(tmp_path: Path) -> None:
    code = (
        "import sys; from ce_dynamics.cli.command import execute; execute(['cache']); "
        "assert not {'casadi', 'numba', 'llvmlite', 'xarray', 'ce_dynamics.models'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_sweep_of_nothing_is_refused() -> None:
    with pytest.raises(DataError, match="no parameter is varied"):
        SweepPlan("grid", {})
