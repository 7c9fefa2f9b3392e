"""Studies: the numbers of ensembles, whatever stops them, and statistics of runs that are not kept."""

import errno
import os
import re
import signal
import subprocess
import sys
import textwrap
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.simulation.studies import batch as batches
from ce_dynamics.simulation.studies.batch import StudyBatch, StudyTask, make_batch
from ce_dynamics.simulation.studies.plan import BatchPart
from tests.ce_dynamics.simulation.ensembles.test_simulation import crank_rocker, starts
from tests.ce_dynamics.simulation.test_results import parallelogram
from tests.searching import FACTOR
from tests.support.elements import HingeInput
from tests.support.systems import four_bar

COMMON: dict[str, Any] = {"duration": 0.3, "interval": 0.05, "method": "dopri5", "rtol": 1e-5}
RUNS = 41


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(crank_rocker())


@pytest.fixture(scope="module")
def given(model: ce.Model) -> dict[str, Any]:
    """Runs with states, masses and torques of their own; two of them cannot be made."""
    masses = np.linspace(0.5, 2.0, RUNS)
    masses[[7, 30]] = -1.0, np.nan
    controls = {"torque": np.linspace(-1.0, 1.0, RUNS)}
    return {"y0s": starts(model, RUNS), "parameters": {"mass": masses}, "controls": controls}


@pytest.fixture(scope="module")
def ensemble(model: ce.Model, given: dict[str, Any]) -> xr.Dataset:
    return ce.simulate_ensemble(model, **given, **COMMON)


def test_the_runs_of_an_ensemble_in_a_file(
    model: ce.Model, given: dict[str, Any], ensemble: xr.Dataset, tmp_path: Path
) -> None:
    progress: list[tuple[int, int]] = []
    study = ce.simulate_study(
        model, tmp_path / "runs.nc", **given, **COMMON, batch=16, statistics=["height"],
        progress=lambda done, total: progress.append((done, total)),
    )  # fmt: skip
    assert repr(study).endswith("runs.nc': 41 of 41 runs)")
    assert progress[0] == (0, RUNS)
    assert progress[-1] == (RUNS, RUNS)
    assert sorted(progress) == progress
    with study.results() as found:
        assert set(ensemble.variables) <= set(found.variables)
        for name, variable in ensemble.variables.items():
            assert found[name].dims == variable.dims
            assert found[name].attrs.get("units") == variable.attrs.get("units")
            np.testing.assert_array_equal(found[name].values, variable.values, err_msg=str(name))
        assert (found["status"] == "failed").values.nonzero()[0].tolist() == [7, 30]
        np.testing.assert_array_equal(found["height_lowest"], ensemble["height"].min("time"))
        np.testing.assert_array_equal(found["height_highest"], ensemble["height"].max("time"))


def test_statistics_over_runs(
    model: ce.Model, given: dict[str, Any], ensemble: xr.Dataset, tmp_path: Path
) -> None:
    """Batches of 16 keep all their values, so that quantiles are those of all, though no run is stored."""
    levels = (0.0, 0.1, 0.5, 1.0)
    study = ce.simulate_study(
        model, tmp_path / "s.nc", **given, **COMMON, keep=[], statistics=["height"], batch=16
    )
    found = study.statistics(levels)
    with study.results() as runs:
        assert "height" not in runs
    height = ensemble["height"].values
    fine = np.delete(height, [7, 30], axis=0)
    assert (found["height_count"] == RUNS - 2).all()
    # Two ways to add 39 numbers of size 1: 39 roundings of a partial sum below 40.
    np.testing.assert_allclose(found["height_mean"], fine.mean(axis=0), atol=39 * 40 * 2.0**-53)
    np.testing.assert_allclose(found["height_standard_deviation"], fine.std(axis=0, ddof=1), rtol=1e-12)
    np.testing.assert_array_equal(found["height_lowest"], fine.min(axis=0))
    np.testing.assert_array_equal(found["height_run_of_highest"], np.nanargmax(height, axis=0))
    expected = np.quantile(fine, levels, axis=0, method="inverted_cdf")
    np.testing.assert_array_equal(found["height_quantile"].values, expected)
    assert found["height_quantile"].attrs["units"] == "m"


def place(body: Any, ground: Any, o: Any) -> Any:
    return o.point(body, np.zeros(3), ground).r[0]


def test_loops_and_groups_have_their_names(tmp_path: Path) -> None:
    system = four_bar((1.0, 3.0, 2.5, 3.0), 0.7)
    for name, body in zip(("a", "b"), system.bodies, strict=False):
        system.add_output(f"{name}.share", "m", partial(place, body, system.ground))
    system.group("half", ["a", "b"])
    model = ce.compile(system)
    common: dict[str, Any] = {"duration": 0.1, "interval": 0.02, "method": "dopri5"}
    common["keep"] = ["closure_error", "share"]
    asked = ["closure_error", "share"]
    study = ce.simulate_study(model, tmp_path / "a.nc", [model.y0] * 3, statistics=asked, **common)
    straight = ce.simulate_ensemble(model, [model.y0] * 3, **common)
    found = study.statistics()
    with study.results() as runs:
        for name, dimension in (("closure_error", "closure"), ("share", "half")):
            xr.testing.assert_equal(runs[name], straight[name])
            assert found[f"{name}_mean"].dims == ("time", dimension)
            assert found[dimension].values.tolist() == straight[dimension].values.tolist()
            np.testing.assert_array_equal(found[f"{name}_lowest"], straight[name].min("run"))
            np.testing.assert_array_equal(runs[f"{name}_highest"], straight[name].max("time"))


def test_who_is_stopped_goes_on(
    model: ce.Model, given: dict[str, Any], ensemble: xr.Dataset, tmp_path: Path
) -> None:
    path = tmp_path / "runs.nc"
    common = {**given, **COMMON, "batch": 8, "statistics": ["height"]}

    def stop(done: int, total: int) -> None:
        if done > 16:
            raise KeyboardInterrupt

    with pytest.raises(SimulationError, match=r"interrupted: 16 of 41 runs are in '.*runs.nc'") as caught:
        ce.simulate_study(model, path, **common, progress=stop)
    study = caught.value.partial
    assert isinstance(study, ce.Study)
    with study.results() as found:
        assert (
            found["status"].values.tolist()
            == ["completed"] * 7 + ["failed"] + ["completed"] * 8 + ["not made"] * 25
        )
        assert np.isnan(found["height"].values[16:]).all()
        before = found["height"].values[:16]
    assert study.statistics().height_count.values.tolist() == [15] * 7
    progress: list[int] = []
    whole = ce.simulate_study(model, path, **common, progress=lambda done, total: progress.append(done))
    assert progress[0] == 16
    with whole.results() as found:
        np.testing.assert_array_equal(found["height"].values[:16], before)
        np.testing.assert_array_equal(found["height"].values, ensemble["height"].values)
    content = path.read_bytes()
    assert ce.simulate_study(model, path, **common).runs_made == RUNS  # nothing is left
    assert path.read_bytes() == content


KILLED = """
import sys, pathlib
import ce_dynamics as ce
from tests.ce_dynamics.simulation.ensembles.test_simulation import crank_rocker, starts
from tests.ce_dynamics.simulation.test_results import parallelogram
model = ce.compile(crank_rocker())
print("begins", flush=True)
ce.simulate_study(model, sys.argv[1], starts(model, 1500), duration=1.0, interval=0.1, keep=["height"],
                  method="dopri5", statistics=["height"], batch=50, threads=1,
                  progress=lambda done, total: print(done, flush=True))
"""


def test_a_killed_study_loses_nothing_and_repeats_nothing(model: ce.Model, tmp_path: Path) -> None:
    path = tmp_path / "killed.nc"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(path)],
        stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip().isdecimal() and int(line) >= 150:
            break
    process.kill()
    process.wait()
    process.stdout.close()
    study = ce.Study(path)
    before = study.runs_made
    assert 100 <= before < 1500
    with study.results() as found:
        made = (found["status"] == "completed").values
        heights = found["height"].values
    assert made.tolist() == [True] * before + [False] * (1500 - before)
    assert np.isfinite(heights[:before]).all()
    progress: list[int] = []
    whole = ce.simulate_study(
        model, path, starts(model, 1500), duration=1.0, interval=0.1, keep=["height"], statistics=["height"],
        method="dopri5", batch=50, progress=lambda done, total: progress.append(done),
    )  # fmt: skip
    assert progress[0] == before // 50 * 50
    assert progress[-1] == whole.runs_made == 1500
    with whole.results() as found:
        np.testing.assert_array_equal(found["height"].values[:before], heights[:before])
        straight = ce.simulate_ensemble(
            model, starts(model, 1500), duration=1.0, interval=0.1, keep=["height"], method="dopri5"
        )
        np.testing.assert_array_equal(found["height"].values, straight["height"].values)


def lose(folder: Path, times: int, task: StudyTask, part: BatchPart, *rest: Any) -> StudyBatch | None:
    """Make a batch, but break down so many times in the middle one."""
    marks = len(list(folder.glob("lost-*")))
    if part.first == 16 and marks < times:
        (folder / f"lost-{marks}").touch()
        raise OSError("worker has no memory left")
    return make_batch(task, part, *rest)


def a_cluster(**how: Any) -> Any:
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dask warns of ports that other clusters on this machine have
        return distributed.Client(dashboard_address=None, **how)


def test_cluster_gives_the_same_and_repeats_losses(
    model: ce.Model,
    given: dict[str, Any],
    ensemble: xr.Dataset,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    common = {**given, **COMMON, "batch": 16, "statistics": ["height"]}
    with a_cluster(processes=False, n_workers=1, threads_per_worker=2) as client:
        monkeypatch.setattr(batches, "make_batch", partial(lose, tmp_path, 3))
        with pytest.raises(SimulationError, match=r"batch 1 was lost 3 times .*OSError: worker has no mem"):
            ce.simulate_study(model, tmp_path / "a.nc", **common, client=client)
        study = ce.simulate_study(model, tmp_path / "a.nc", **common, client=client)
    with study.results() as found:
        for name in ("height", "tip_qw", "failure", "status", "evaluations", "mass"):
            np.testing.assert_array_equal(found[name].values, ensemble[name].values)
    alone = ce.simulate_study(model, tmp_path / "b.nc", **common)
    xr.testing.assert_identical(alone.statistics(), study.statistics())


@pytest.mark.parametrize("workers", [1, min(2 * FACTOR, 4)])
def test_cluster_losing_a_worker_gives_the_same(tmp_path: Path, workers: int) -> None:
    """One worker is killed: with the only one goes all that the cluster had been sent.  Another follows."""
    model, killed = two_carts(), list[int]()
    common: dict[str, Any] = {"parameters": {"one": np.linspace(1.0, 2.0, 160)}, "duration": 0.1, "batch": 8}
    with a_cluster(processes=True, n_workers=workers, threads_per_worker=1) as client:

        def kill(done: int, total: int) -> None:
            if done >= 8 and not killed:
                killed.append(next(iter(client.cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        study = ce.simulate_study(model, tmp_path / "a.nc", **common, client=client, progress=kill)
    assert len(killed) == 1
    alone = ce.simulate_study(model, tmp_path / "b.nc", **common)
    with study.results() as found, alone.results() as expected:
        assert set(found["status"].values) == {"completed"}
        xr.testing.assert_identical(found.load(), expected.load())


def test_a_cluster_that_is_gone_is_named(model: ce.Model, given: dict[str, Any], tmp_path: Path) -> None:
    common = {**given, **COMMON, "batch": 8}
    client = a_cluster(processes=False, n_workers=1, threads_per_worker=1)

    def leave(done: int, total: int) -> None:
        if done >= 8:
            client.close()

    with pytest.raises(SimulationError, match=r"does not respond any more .*closed.* are kept") as caught:
        ce.simulate_study(model, tmp_path / "a.nc", **common, client=client, progress=leave)
    assert isinstance(caught.value.partial, ce.Study)
    assert 8 <= caught.value.partial.runs_made < RUNS
    assert ce.simulate_study(model, tmp_path / "a.nc", **common).runs_made == RUNS


def test_another_study_is_refused(model: ce.Model, given: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "runs.nc"
    few = {"y0s": given["y0s"][:3], "parameters": {"mass": 1.0}, **COMMON, "keep": ["height"]}
    ce.simulate_study(model, path, **few)
    for change, part in (
        ({"y0s": given["y0s"][1:4]}, "y0s"),
        ({"parameters": {"mass": 1.5}}, "parameters"),
        ({"controls": {"torque": 1.0}}, "defaults of inputs and parameters; controls"),
        ({"rtol": 1e-6}, "rtol (1e-05 there, 1e-06 here)"),
        ({"duration": 0.35}, "duration (0.3 there, 0.35 here)"),
        ({"keep": ["height", "arm"]}, "keep (height there, height, arm here)"),
        ({"statistics": ["height"]}, "statistics (none there, height here)"),
        ({"batch": 2}, "batch (1024 there, 2 here)"),
        ({"inputs": Constant()}, "inputs"),
        ({"precision": "single"}, "precision (double there, single here)"),
    ):
        with pytest.raises(ModelError, match=re.escape(f"another study, which differs in {part}; choose")):
            ce.simulate_study(model, path, **(few | change))
    (tmp_path / "notes.nc").write_text("mine")
    with pytest.raises(ModelError, match=r"notes\.nc' holds no study"):
        ce.simulate_study(model, tmp_path / "notes.nc", **few)
    assert (tmp_path / "notes.nc").read_text() == "mine"
    with pytest.raises(ModelError, match="has no statistics"):
        ce.Study(path).statistics()


def test_study_of_another_version_is_only_read(
    model: ce.Model, given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.nc"
    few = {"y0s": given["y0s"][:3], "parameters": {"mass": 1.0}, **COMMON, "keep": ["height"]}
    before = ce.simulate_study(model, path, **few).results().load()
    monkeypatch.setattr("ce_dynamics.simulation.studies.plan.__version__", "0.9.0")
    with pytest.raises(ModelError, match=r"differs in version \(\S+ there, 0\.9\.0 here\); choose"):
        ce.simulate_study(model, path, **few)
    assert ce.Study(path).results().identical(before)


def two_carts(
    mass: float = 1.0,
    wind: float = 1.0,
    most: float = 5.0,
    parameters: tuple[str, str] = ("one", "other"),
    outputs: tuple[str, str] = ("near", "far"),
    unit: str = "m",
) -> ce.Model:
    """Carts, the first of which is blown: these arguments make no other function of y and u."""
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    masses = [system.add_parameter(ce.Parameter(name, mass, "kg")) for name in parameters]
    carts = [
        system.add_body(f"cart {k}", mass=m, parent="ground", hinge=ce.Prismatic((1, 0, 0), at=(0, k, 0)))
        for k, m in enumerate(masses)
    ]
    system.add_input("wind", "N", wind, between=(-most, most))
    system.add_force(HingeInput("wind", carts[0], "wind"))
    for name, cart in zip(outputs, carts, strict=True):
        system.add_output(name, unit, partial(place, cart, system.ground))
    return ce.compile(system)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"mass": 2.0}, "defaults of inputs and parameters"),
        ({"wind": 3.0}, "defaults of inputs and parameters"),
        ({"most": 4.0}, "model"),
        ({"parameters": ("other", "one")}, "model"),
        ({"outputs": ("far", "near")}, "model"),
        ({"unit": "mm"}, "model"),
    ],
)
def test_models_that_differ_in_numbers_are_others(change: dict[str, Any], part: str, tmp_path: Path) -> None:
    """Graphs are the same: numbers of these are inputs, and places have no names."""
    model, other = two_carts(), two_carts(**change)
    assert other.dynamics.traced.digest() == model.dynamics.traced.digest()
    assert other.observation.traced.digest() == model.observation.traced.digest()
    common: dict[str, Any] = {"duration": 0.1, "interval": 0.1, "keep": ["near"]}
    common["parameters"] = {"one": np.array((1.0, 2.0))}
    ce.simulate_study(model, tmp_path / "a.nc", **common)
    with pytest.raises(ModelError, match=f"another study, which differs in {part}; choose"):
        ce.simulate_study(other, tmp_path / "a.nc", **common)


class Constant:
    def inputs(self, t: Any, sensors: Any) -> dict[str, Any]:
        return {"torque": 1.0}


def test_wrong_arguments_leave_no_file(
    model: ce.Model, given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.nc"
    for wrong, message in (
        ({"statistics": ["hight"]}, "no variable 'hight' to make statistics of"),
        ({"keep": ["hight"]}, "no variable 'hight' to keep"),
        ({"batch": 0}, "batch"),
        ({"parameters": {"mass": np.ones(5)}}, "numbers of runs differ"),
        ({"controls": {"torgue": 1.0}}, "no input 'torgue'; did you mean 'torque'"),
        ({"retries": -1}, "retries"),
        ({"client": "tcp://10.0.0.5:8786"}, "must be a distributed.Client"),
        ({"interval": 1e-13}, "GiB are free; store fewer"),
    ):
        with pytest.raises((ModelError, TypeError), match=message):
            ce.simulate_study(model, path, **({**given, **COMMON} | wrong))
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=50_000))
    with pytest.raises(ModelError, match=r"GiB in '.*runs.nc', 4.66e-05 GiB are free; store fewer"):
        ce.simulate_study(model, path, **given, **COMMON)
    assert not path.exists()


def test_remains_of_a_killed_write_are_removed(
    model: ce.Model, given: dict[str, Any], tmp_path: Path
) -> None:
    """A process that is killed while it lays out a file leaves that under a name with its number."""
    others = {".runs-b.nc", ".runs-12.nc.lock", ".other-12.nc", "runs-12.nc"}
    for name in (".runs-12.nc", ".runs-345.nc", *others):
        (tmp_path / name).write_text("left")
    ce.simulate_study(model, tmp_path / "runs.nc", **given, **COMMON)
    assert {path.name for path in tmp_path.iterdir()} == {"runs.nc", ".runs.nc.lock"} | others


def test_two_processes_do_not_write_one_file(model: ce.Model, given: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "runs.nc"
    seen: list[int] = []

    def meddle(done: int, total: int) -> None:
        if not seen:
            seen.append(done)
            with pytest.raises(ModelError, match="another process works on the study"):
                ce.simulate_study(model, path, **given, **COMMON)

    ce.simulate_study(model, path, **given, **COMMON, progress=meddle)
    assert seen == [0]


def test_a_disk_that_fails_keeps_what_it_has(
    model: ce.Model, given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its room was taken before; but disks break, and quotas change."""
    path, calls, sync = tmp_path / "runs.nc", [0], os.fsync

    def full(descriptor: int) -> None:
        calls[0] += 1
        if calls[0] == 5:  # two for each batch: this is of the results of the third
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    common = {**given, **COMMON, "batch": 8}
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        message = r"cannot write '.*runs.nc': No space left on device; 16 of 41 runs are in it; the same call"
        with pytest.raises(SimulationError, match=message) as caught:
            ce.simulate_study(model, path, **common)
    assert isinstance(caught.value.partial, ce.Study)
    assert caught.value.partial.runs_made == 16
    assert ce.simulate_study(model, path, **common).runs_made == RUNS


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit of a file's size")
def test_disk_without_room_is_named_at_once(model: ce.Model, given: dict[str, Any], tmp_path: Path) -> None:
    """A file that may not grow fails where one on a full disk does: HDF5 crashed the process then."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(ModelError, match=r"cannot make '.*runs\.nc': File too large"):
            ce.simulate_study(model, tmp_path / "runs.nc", **given, **COMMON)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not [path for path in tmp_path.iterdir() if path.stat().st_size]


def test_long_reasons_are_cut_where_everybody_sees_it() -> None:
    from ce_dynamics.simulation.studies.study_file import LONGEST_FAILURE, fitting

    assert fitting("müde") == "müde".encode()
    cut = fitting("ü" * 300)
    assert len(cut) <= LONGEST_FAILURE
    assert cut.decode() == "ü" * 238 + "…"


def test_dependent_hinges_are_stored_on_request(tmp_path: Path) -> None:
    """Beside what is kept, with statistics: a parallelogram's rocker turns as its crank does."""
    model = ce.compile(parallelogram())
    y0s = np.tile(model.y0, (5, 1))
    y0s[:, -1] = np.linspace(0.1, 0.5, 5)
    y0s[3] = np.nan
    asked: dict[str, Any] = {"keep": ["crank"], "hinges": ["rocker"], "statistics": ["rocker"]}
    study = ce.simulate_study(model, tmp_path / "runs.nc", y0s, **COMMON, **asked, batch=2)
    with study.results() as found:
        assert {"crank", "rocker", "rocker_rate"} <= set(found)
        assert "crank_rate" not in found
        assert found["rocker"].attrs["units"] == "rad"
        crank = found["crank"].values
        np.testing.assert_allclose(found["rocker"].values, crank, rtol=0.0, atol=1e-12)
        assert np.isnan(found["rocker"].values[3]).all()
    mean = study.statistics()["rocker_mean"].values
    np.testing.assert_allclose(mean, np.nanmean(crank, axis=0), rtol=0.0, atol=1e-12)
    with pytest.raises(ModelError, match="lever"):
        ce.simulate_ensemble(model, **COMMON, hinges=["lever"])


def test_functions_without_names_are_refused_for_clusters() -> None:
    """The message gives the reason, in place of Dask's error, which shows the whole task."""
    protocol = pytest.importorskip("distributed.protocol", reason="needs ce-dynamics[dask]")
    system = parallelogram()
    system.add_output("angle", "rad", lambda o: o.coordinate(system.find("crank")))

    def scatter(values: list[Any], **options: Any) -> Any:
        return protocol.serialize(values[0], on_error="raise")

    client: Any = SimpleNamespace(scatter=scatter)
    plan: Any = SimpleNamespace(model=ce.compile(system), options=None, kept=(), statistics=(), part=None)
    with pytest.raises(ModelError, match=r"output 'angle': .*<lambda>.* top level of a module"):
        batches.work_of(plan).send(client)
