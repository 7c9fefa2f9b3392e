"""Studies: making them, going on with them, and looking at them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.files import path_of, shown_path
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.mechanism.signals import Excess, warn_out_of_range
from ce_dynamics.simulation.ensembles.arguments import Controls, EnsembleOptions
from ce_dynamics.simulation.ensembles.lane_functions import Progress
from ce_dynamics.simulation.ensembles.simulation import show_progress
from ce_dynamics.simulation.options import lists_options
from ce_dynamics.simulation.studies.batch import (
    COMPLETED,
    FAILED,
    NOT_MADE,
    run_in_threads,
    run_on_cluster,
    work_of,
)
from ce_dynamics.simulation.studies.plan import Plan
from ce_dynamics.simulation.studies.statistics import ROWS, Merged, merge_statistics
from ce_dynamics.simulation.studies.study_file import DIGEST, MADE, StudyFile, create, digests_of, layout

if TYPE_CHECKING:
    import xarray as xr
    from distributed import Client
    from numpy.typing import ArrayLike

STATUS = {NOT_MADE: "not made", COMPLETED: "completed", FAILED: "failed"}
SHORT = 40  # letters of what messages show; hashes have more
MERGED_AT_ONCE = 32 * 2**20  # bytes of batches that are merged together


class Study:
    """A study in its file, finished or not.

    Parameters
    ----------
    path : str or Path
        Of a file that `simulate_study` made.

    Attributes
    ----------
    path : Path
    number : int
        Runs.

    Raises
    ------
    ModelError
        If the file holds no study.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        import h5py  # here, because it loads slowly

        self.path = path_of("study", path, ModelError)
        digests_of(self.path)
        with h5py.File(self.path, "r") as file:
            self.number = len(file["status"])
            self._statistics = str(file.attrs["told"]).split()

    @property
    def runs_made(self) -> int:
        """Runs that are made and stored by now."""
        import h5py  # here, because it loads slowly

        with h5py.File(self.path, "r") as file:
            return int(np.count_nonzero(file["status"][:]))

    def results(self) -> xr.Dataset:
        """Return all values over runs, as `ce_dynamics.simulate_ensemble` does.

        Numbers stay in the file until they are read: select by ``sel`` or ``isel`` first.
        The extremes of each run over its time are ``<variable>_lowest`` and ``<variable>_highest``.
        """
        import xarray as xr  # here, because it takes longer to load than many runs

        runs = xr.open_dataset(self.path, engine="h5netcdf")
        extremes = None
        if self._statistics:
            extremes = xr.open_dataset(self.path, engine="h5netcdf", group="over_time")
        together = runs if extremes is None else runs.merge(extremes)
        words = np.array([STATUS[k] for k in range(len(STATUS))])
        together["status"] = ("run", words[together["status"].values])
        found: xr.Dataset = together.assign_coords(run=np.arange(self.number))
        found.attrs.pop(DIGEST, None)
        return found

    def statistics(self, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> xr.Dataset:
        """Return statistics over the runs finished so far, at every instant.

        Parameters
        ----------
        quantiles : sequence of float
            From 0 to 1.

        Returns
        -------
        xarray.Dataset
            Over ``time``, of each variable: ``_count`` of runs that came so far, ``_mean``,
            ``_standard_deviation`` (with n - 1), ``_lowest`` and ``_highest`` with ``_run_of_lowest`` and
            ``_run_of_highest`` (-1 if no run came so far), ``_quantile`` over ``quantile``, whose rank is
            wrong by at most 0.5 % of the runs and one run per batch (if batches have 100 runs or less, it
            is right).

        Raises
        ------
        ModelError
            If the study has no statistics, or a quantile is not from 0 to 1.
        """
        import h5py  # here, because these load slowly
        import xarray as xr

        for q in checks.items("quantiles", quantiles):
            checks.number("quantiles", q, at_least=0.0, at_most=1.0)
        if not self._statistics:
            raise ModelError(
                f"the study in {shown_path(self.path)} has no statistics; name variables when it is made"
            )
        data: dict[str, Any] = {}
        with h5py.File(self.path, "r") as file:
            made = np.flatnonzero(file[MADE][:])
            for name in self._statistics:
                parts = file[f"batches/{name}"]
                found = merged_in_blocks(parts, made, quantiles)
                extreme = file[f"over_time/{name}_lowest"]
                dims = ("time", *[d[0].name.split("/")[-1] for d in list(extreme.dims)[1:]])
                data |= variables_of(name, dims, {"units": str(extreme.attrs["units"])}, found)
        with xr.open_dataset(self.path, engine="h5netcdf") as runs:
            names = {d: runs[d].values for d in runs.coords if d != "run"}
        used = {d for dims, *_ in data.values() for d in dims}
        coordinates = {d: values for d, values in names.items() if d in used}
        attributes = {"runs": self.runs_made, "of": self.number}
        return xr.Dataset(data, {**coordinates, "quantile": list(quantiles)}, attributes)

    def __repr__(self) -> str:
        return f"Study({str(self.path)!r}: {self.runs_made} of {self.number} runs)"


def merged_in_blocks(parts: Any, made: Any, quantiles: Sequence[float]) -> Merged:
    """Return statistics of all instants, some at a time."""
    instants, others = parts.shape[2], parts.shape[3:]
    if not len(made):
        empty = np.full((1, ROWS, instants, *others), np.nan)
        empty[:, 0] = 0.0
        return merge_statistics(empty, quantiles)
    row = 8 * len(made) * ROWS * math.prod(others)
    block = max(1, MERGED_AT_ONCE // row)
    blocks = [
        merge_statistics(parts[:, :, k : k + block][made], quantiles) for k in range(0, instants, block)
    ]
    axes = [int(name == "quantiles") for name in Merged._fields]
    return Merged(*(np.concatenate(p, axis=a) for a, p in zip(axes, zip(*blocks, strict=True), strict=True)))


def variables_of(name: str, dims: tuple[str, ...], units: dict[str, str], found: Merged) -> dict[str, Any]:
    """Return statistics of a variable, named."""

    def whole(values: Floats) -> Any:
        return np.where(np.isnan(values), -1, values).astype(int)

    return {
        f"{name}_count": (dims, whole(found.number)),
        f"{name}_mean": (dims, found.mean, units),
        f"{name}_standard_deviation": (dims, found.deviation, units),
        f"{name}_lowest": (dims, found.lowest, units),
        f"{name}_highest": (dims, found.highest, units),
        f"{name}_run_of_lowest": (dims, whole(found.run_of_lowest)),
        f"{name}_run_of_highest": (dims, whole(found.run_of_highest)),
        f"{name}_quantile": (("quantile", *dims), found.quantiles, units),
    }


@lists_options(EnsembleOptions)
def simulate_study(
    model: Model,
    path: str | PathLike[str],
    y0s: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    controls: Controls = None,
    *,
    statistics: list[str] | tuple[str, ...] = (),
    batch: int | None = None,
    client: Client | None = None,
    retries: int = 2,
    progress: bool | Progress = False,
    **options: Any,
) -> Study:
    """Make any number of runs, with results in one file and little memory; go on where an earlier call ended.

    Runs are made and stored in batches.  Called again with the same arguments, whatever stopped it (Ctrl-C, a
    kill, a cluster that went away), it makes the batches that are missing, and none twice.  The numbers
    are those of `ce_dynamics.simulate_ensemble`, to the last bit.

    Parameters
    ----------
    model : Model
    path : str or Path
        File of the results, NetCDF-4; it can be read at any time, while runs are made as well.  Its folder
        is made if need be.
    y0s, parameters, controls
        As of `ce_dynamics.simulate_ensemble`.  Large arrays may be on disk (`numpy.memmap`).
    statistics : sequence of str
        Variables of which extremes over each run's time, and statistics over runs, are made.
    batch : int, optional
        Runs that are made and stored together, and lost together with the process; chosen such that their
        results take 64 MiB, from 64 to 1024, if not given.
    client : distributed.Client, optional
        A Dask cluster that makes the runs; they are sent the model, whose functions must have names then.
    retries : int
        How often a batch that a cluster loses is made again.
    progress : bool or callable
        As of `ce_dynamics.simulate_ensemble`; runs made before count.
    **options
        Fields of `ce_dynamics.EnsembleOptions`.  On a cluster, threads are those of a batch, 1 if not given;
        of an empty ``keep`` no variables are stored.

    Returns
    -------
    Study
        With ``results()`` and ``statistics()``.

    Raises
    ------
    ModelError
        For wrong arguments; if the file holds something else, another process works on it, or the disk is too
        small for the whole study.
    SimulationError
        On interruption, if a cluster loses a batch too often, and if the disk fails; its ``partial`` is the
        study.

    Warns
    -----
    RangeWarning
        Where a law sets an input out of its range, of the runs made now.

    Examples
    --------
    >>> study = ce.simulate_study(model, "masses.nc", parameters={"mass": masses}, duration=5.0,
    ...                           keep=[], statistics=["height"])          # doctest: +SKIP
    >>> study.statistics().height_mean.plot()                              # doctest: +SKIP
    """
    if client is not None:
        checks.provides("client", client, ("submit", "scatter"), "a distributed.Client")
        options.setdefault("threads", 1)
    what = "a model, as ce_dynamics.compile(system) returns it"
    checks.instance("simulate_study: model", model, Model, what)
    chosen = EnsembleOptions(**options)
    named = checks.texts("statistics", statistics)
    checks.integer("retries", retries, at_least=0)
    if not callable(progress):
        checks.flag("progress", progress)
    plan = Plan(model, y0s, parameters, controls, chosen, named, batch)
    where = path_of("study", path, ModelError)
    excesses: dict[str, tuple[Excess, int]] = {}
    lock = where.with_name(f".{where.name}.lock")
    with files.lock(lock, f"study in {shown_path(where)}", "choose another file", ModelError):
        file = open_study(plan, where)
        try:
            with show_progress(progress) as report:
                resume_batches(plan, file, client, retries, report, excesses)
        except KeyboardInterrupt:
            study = Study(where)
            raise SimulationError(
                f"interrupted: {study.runs_made} of {plan.number} runs are in {shown_path(where)}; the same "
                "call goes on from there",
                study,
            ) from None
        except SimulationError as error:
            error.partial = Study(where)
            raise
        finally:
            file.close()
            for excess, run in excesses.values():
                warn_out_of_range(model.ranges, [excess], f" of run {run}")
    return Study(where)


def open_study(plan: Plan, path: Path) -> StudyFile:
    """Return the file of a study: made now, or with some of its runs."""
    if not path.exists():
        create(plan, path)
    else:
        differing = list(list_differences(digests_of(path), plan.digests))
        if differing:
            raise ModelError(
                f"{shown_path(path)} holds another study, which differs in {'; '.join(differing)}; "
                "choose another file, or remove this one"
            )
    return StudyFile(path, iter(layout(plan)[1]))


def list_differences(there: Mapping[str, str], here: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of differences between two studies, with values shorter than `SHORT`."""
    for name in {**there, **here}:
        was, is_now = (given.get(name, "none") for given in (there, here))
        if was != is_now:
            short = max(len(was), len(is_now)) < SHORT
            yield f"{name} ({was or 'none'} there, {is_now or 'none'} here)" if short else name


def resume_batches(
    plan: Plan,
    file: StudyFile,
    client: Client | None,
    retries: int,
    report: Progress,
    excesses: dict[str, tuple[Excess, int]],
) -> None:
    """Make and store the batches that are missing."""
    todo = np.flatnonzero(file.made == 0).tolist()
    done = plan.number - sum(len_of(plan, k) for k in todo)
    report(done, plan.number)
    if not todo:
        return
    if client is None:
        batches = run_in_threads(plan, todo, lambda part: report(done + part, plan.number))
    else:
        batches = run_on_cluster(client, work_of(plan), todo, retries)
    for k, batch in batches:
        try:
            file.add(k, batch)
        except OSError as error:
            raise SimulationError(
                f"cannot write {shown_path(file.path)}: {error.strerror or error}; {done} of {plan.number} "
                "runs are in it; the same call goes on from there when it can be written"
            ) from None
        done += len(batch.status)
        report(done, plan.number)
        for run, excess in batch.excesses:
            if excess.name not in excesses or excess.by > excesses[excess.name][0].by:
                excesses[excess.name] = excess, run


def len_of(plan: Plan, k: int) -> int:
    """Return runs of batch k."""
    return min((k + 1) * plan.batch, plan.number) - k * plan.batch
