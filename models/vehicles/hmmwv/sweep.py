"""Sweeps: many runs of the HMMWV that differ in numbers of its data.

What can be a free parameter (see `ce_dynamics.models.vehicles.hmmwv.free`), hardpoints among them, is varied
within one compiled model, in SIMD lanes; for every combination of the few other numbers a model of its own is
built.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ce_dynamics._version import __version__
from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import compile_function, disk_cache, trace
from ce_dynamics.errors import CeDynamicsError, DataError
from ce_dynamics.models.data.parameters import leaves
from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.sampling import (
    KINDS,
    MOST_RUNS,
    Kind,
    overrides,
    parse_distribution,
    sample,
)
from ce_dynamics.models.vehicles.hmmwv.case import Case, load_parameters, prepare
from ce_dynamics.models.vehicles.hmmwv.driving import make_manoeuvre
from ce_dynamics.models.vehicles.hmmwv.equilibrium import settled
from ce_dynamics.models.vehicles.hmmwv.free import can_be_free
from ce_dynamics.models.vehicles.hmmwv.schema import GROUPS
from ce_dynamics.models.vehicles.hmmwv.sections import HmmwvData
from ce_dynamics.models.vehicles.hmmwv.summary import summarise
from ce_dynamics.simulation.ensembles.simulation import simulate_ensemble
from ce_dynamics.simulation.integrators.native import check_steps

if TYPE_CHECKING:
    import xarray as xr

    from ce_dynamics.algebra.arrays import Array

BATCH = 16
"""Most runs of one task, and of one file: what is lost when it is killed."""

MOST_INSTANTS = 10_000_000
"""Stored of a run."""

FEW_MODELS = 20
"""Beyond this number of models their code is not kept on disk: it would drive out what is used again."""

TIMING = ("real_time_factor", "wall_time")
"""Figures that say nothing about the vehicle and differ from time to time."""


@dataclass(frozen=True)
class Sweep:
    """All that determines the results of a sweep.

    Attributes
    ----------
    kind : str
        See `ce_dynamics.models.data.sampling.sample`.
    vary : mapping of str to str
        Distributions by dotted name, as they were typed.
    runs : int or None
    seed : int
    model, manoeuvre, speed, duration, options, overrides
        See `ce_dynamics.models.vehicles.hmmwv.case.run`.
    step, interval : float
        Of the integration and of what is stored [s].
    version : str
        Of the package.

    Raises
    ------
    DataError
        For unknown names and wrong values, before anything is run.
    """

    kind: Kind
    vary: Mapping[str, str]
    runs: int | None = None
    seed: int = 0
    model: str = "hmmwv"
    manoeuvre: str = "double-lane-change"
    speed: str | None = None
    duration: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    step: float = 1e-3
    interval: float = 0.01
    version: str = __version__

    def __post_init__(self) -> None:
        self._check_types()
        if self.model == "ride":
            raise DataError("sweeps need the full vehicle; give hmmwv or a data file")
        _ = self.values
        check_conflicts(self.names, self.overrides)
        given = {k: v for k, v in (("speed", self.speed), ("duration", self.duration)) if v is not None}
        task = make_manoeuvre(
            self.manoeuvre, {**self.options, **given}, load_parameters(self.model, self.overrides)
        )
        check_steps(task.duration, self.step)
        if not task.duration / self.interval <= MOST_INSTANTS:
            raise DataError(
                f"interval {self.interval!r} s makes {task.duration / self.interval:.3g} stored instants of "
                f"{task.duration!r} s, {MOST_INSTANTS:,} are allowed; give a longer interval"
            )

    def _check_types(self) -> None:
        """What Python does not check, and JSON may hold."""
        checks.choice("kind", self.kind, KINDS, DataError)
        for name, text in checks.mapping("vary", self.vary, DataError).items():
            checks.text(f"vary: {name}", text, DataError)
        if self.runs is not None:
            checks.integer("runs", self.runs, at_least=1, at_most=MOST_RUNS, error=DataError)
        checks.integer("seed", self.seed, at_least=0, error=DataError)
        for name in ("model", "manoeuvre", "version"):
            checks.text(name, getattr(self, name), DataError)
        for name in ("speed", "duration"):
            if getattr(self, name) is not None:
                checks.text(name, getattr(self, name), DataError)
        checks.mapping("options", self.options, DataError)
        checks.texts("overrides", self.overrides, DataError)
        for name in ("step", "interval"):
            checks.number(name, getattr(self, name), above=0.0, error=DataError)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is varied."""
        return tuple(self.vary)

    @cached_property
    def units(self) -> dict[str, str]:
        """Units of what is varied."""
        return {name: quantity_of(name).unit for name in self.names}

    @cached_property
    def values(self) -> Floats:
        """Values in SI, a row per run."""
        distributions = {
            name: parse_distribution(name, text, quantity_of(name)) for name, text in self.vary.items()
        }
        return sample(self.kind, distributions, self.runs, self.seed)

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Names of what is varied within one compiled model."""
        return tuple(name for name in self.names if can_be_free(name, GROUPS))

    def fixed(self, run: int) -> tuple[str, ...]:
        """Overrides that take a model of their own."""
        row = self.values[run].tolist()
        pairs = [(name, value) for name, value in zip(self.names, row, strict=True) if name not in self.free]
        return tuple(overrides([name for name, _ in pairs], [value for _, value in pairs]))

    @cached_property
    def models(self) -> int:
        """How many models it takes."""
        return len({self.fixed(run) for run in range(len(self.values))})

    def batches(self, todo: Sequence[int]) -> list[list[int]]:
        """Runs that share a model, some at a time."""
        by_model: dict[tuple[str, ...], list[int]] = {}
        for run in todo:
            by_model.setdefault(self.fixed(run), []).append(run)
        return [runs[k : k + BATCH] for runs in by_model.values() for k in range(0, len(runs), BATCH)]

    def text(self) -> str:
        """As JSON, the same for the same sweep."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_text(cls, text: str) -> Sweep:
        """From JSON.

        Raises
        ------
        DataError
            If it is not what `text` writes.
        """
        try:
            content = json.loads(checks.text("sweep", text, DataError))
        except (ValueError, RecursionError) as error:
            raise DataError(f"sweep {checks.shown(text)} is not JSON") from error
        known = [field.name for field in fields(cls)]
        if not isinstance(content, dict) or set(content) != set(known):
            raise DataError(f"sweep {checks.shown(text)} must be a mapping of {', '.join(known)}")
        return cls(**{**content, "overrides": checks.texts("overrides", content["overrides"], DataError)})


def check_conflicts(names: Sequence[str], overrides: Sequence[str]) -> None:
    """Refuse two names of one number: both varied, or varied and set by a name that is as specific.

    Raises
    ------
    DataError
        Naming both.
    """
    taken: dict[tuple[str, ...], str] = {}
    for name in names:
        for path in paths_of(name)[1]:
            if path in taken:
                raise DataError(
                    f"{taken[path]} and {name} both vary {'.'.join(path)}; vary it once, by one of the names"
                )
            taken[path] = name
    for text in overrides:
        name = text.partition("=")[0].strip()
        specific, paths = paths_of(name)
        for path in paths:
            if path in taken and specific >= paths_of(taken[path])[0]:
                raise DataError(f"{name} is set, and {taken[path]} varies {'.'.join(path)}: do one of them")


def paths_of(name: str) -> tuple[int, list[tuple[str, ...]]]:
    """How specific a dotted name is, and the numbers it stands for."""
    return GROUPS.expand(tuple(name.split(".")), HmmwvData)


class Batch(NamedTuple):
    """Runs that need no repetition.

    Attributes
    ----------
    rows : dict of int to dict
        By run: status, failure, time reached and the figures of the summary.
    netcdf : bytes or None
        The results of those that started, over ``run`` and ``time``; None if none did.
    """

    rows: dict[int, dict[str, Any]]
    netcdf: bytes | None


def quantity_of(name: str) -> Quantity:
    """The quantity of a number of the data, by its dotted name.

    Raises
    ------
    DataError
        If there is none, or it is more than one number.
    """
    quantities = leaves(HmmwvData)
    _, paths = GROUPS.expand(tuple(name.split(".")), HmmwvData)
    path = paths[0]
    if path in quantities and quantities[path].scalar:
        return quantities[path]
    if path[:-1] in quantities and quantities[path[:-1]].component_index(path[-1]) is not None:
        return quantities[path[:-1]].component()
    if path in quantities:
        components = quantities[path].components or ("0",)
        raise DataError(
            f"'{name}' is more than one number; name a component, such as '{name}.{components[0]}'"
        )
    load_parameters("hmmwv", [f"{name}=0"])  # refuses unknown names and suggests others
    raise DataError(f"'{name}' is a section, not a number")


def run_batch(text: str, runs: Sequence[int]) -> Batch:
    """Some runs of a sweep that share a model; what goes wrong is the failure of these runs.

    Parameters
    ----------
    text : str
        The sweep as JSON: this may run in another process or on another machine.
    runs : sequence of int
    """
    sweep = sweep_of(text)
    if not checks.items("runs", runs, error=DataError):
        raise DataError("runs is empty; give one or more")
    for run in runs:
        checks.integer("runs", run, at_least=0, at_most=len(sweep.values) - 1, error=DataError)
    with disk_cache.switched_off() if sweep.models > FEW_MODELS else nullcontext():
        try:
            case = case_of(text, sweep.fixed(runs[0]))
        except CeDynamicsError as error:
            return Batch({run: failed(str(error)) for run in runs}, None)
        return make_runs(sweep, case, runs)


@lru_cache(maxsize=1)
def sweep_of(text: str) -> Sweep:
    """The sweep that this process works on."""
    return Sweep.from_text(text)


@lru_cache(maxsize=1)
def case_of(text: str, fixed: tuple[str, ...]) -> Case:
    """The model that this process works on, the varied numbers free where they can be."""
    sweep = sweep_of(text)
    return prepare(
        sweep.manoeuvre,
        model=sweep.model,
        speed=sweep.speed,
        duration=sweep.duration,
        options=sweep.options,
        overrides=(*sweep.overrides, *fixed),
        free=sweep.free,
    )


def make_runs(sweep: Sweep, case: Case, runs: Sequence[int]) -> Batch:
    """Settle every run at its own parameters and integrate all together."""
    model = case.model
    columns = [sweep.names.index(name) for name in sweep.free]
    rows: dict[int, dict[str, Any]] = {}
    starts: dict[int, Floats] = {}
    for run in runs:
        values = dict(zip(sweep.free, sweep.values[run, columns].tolist(), strict=True))
        try:
            starts[run] = settled(model, pedals(case, model.inputs_with(values)))
        except CeDynamicsError as error:
            rows[run] = failed(str(error))
    if not starts:
        return Batch(rows, None)
    started = list(starts)
    results = simulate_ensemble(
        model,
        np.array(list(starts.values())),
        {name: sweep.values[started, k] for name, k in zip(sweep.free, columns, strict=True)},
        duration=case.duration,
        inputs=case.manoeuvre,
        step=sweep.step,
        interval=sweep.interval,
        threads=1,
        lanes=8 if len(started) > 4 else 4,
    ).assign_coords(run=started)
    singles = [single(sweep, case, results.isel(run=k)) for k in range(len(started))]
    rows |= {run: row_of(case, results.sel(run=run), own) for run, own in zip(started, singles, strict=True)}
    return Batch(rows, netcdf_bytes(collected(sweep, case, results, singles)))


def pedals(case: Case, u: Floats) -> Floats:
    """The driver's inputs at the start, with the steering straight; see `case.first_pedals`."""
    model, law = case.model, case.manoeuvre
    assert law is not None, "sweeps are driven"

    def function(t: Array, y: Array, held: Array) -> dict[str, Array]:
        return {"u": model.answers(law, t[0], y, held)}

    key = "pedals"
    if key not in _compiled or _compiled[key][0] is not model:
        sizes = {"t": 1, "y": len(model.layout.y0), "held": len(u)}
        _compiled[key] = model, compile_function(trace("control", function, sizes))
    (given,) = _compiled[key][1](np.zeros(1), model.y0, u)
    given[[entry.name for entry in model.layout.u].index("steering")] = 0.0
    return np.asarray(given)


_compiled: dict[str, tuple[Any, Any]] = {}


def single(sweep: Sweep, case: Case, results: xr.Dataset) -> xr.Dataset:
    """What a run of an ensemble has reached, as the results of a single run."""
    over_time = [name for name, variable in results.data_vars.items() if "time" in variable.dims]
    reached = results[over_time].isel(time=np.isfinite(results["chassis_x"].values))
    steps = round(float(results["time_reached"].values) / sweep.step)
    reached.attrs = {**results.attrs, "evaluations": 4 * steps, "steps": steps}
    case.complete(reached)
    return reached


def row_of(case: Case, results: xr.Dataset, reached: xr.Dataset) -> dict[str, Any]:
    """A run's row of the summary."""
    failure = str(results["failure"].values)
    row: dict[str, Any] = {
        "status": str(results["status"].values),
        "failure": failure,
        "time_reached": float(results["time_reached"].values),
    }
    if not reached.sizes["time"]:
        return row
    summary = summarise(reached, case.manoeuvre)
    row |= {f.key: plain(f.value) for f in summary.figures if f.key not in (*TIMING, "time_reached")}
    for figure in summary.corners:
        row |= {f"{corner}.{figure.key}": plain(value) for corner, value in figure.values.items()}
    return row


def collected(sweep: Sweep, case: Case, results: xr.Dataset, singles: Sequence[xr.Dataset]) -> xr.Dataset:
    """A batch with what only the case and the sweep know."""
    runs = results["run"].values
    if "path_error" in singles[0]:
        errors = np.full((len(runs), results.sizes["time"]), np.nan)
        for k, own in enumerate(singles):
            errors[k, : own.sizes["time"]] = own["path_error"].values
        results["path_error"] = (("run", "time"), errors, singles[0]["path_error"].attrs)
    for k, name in enumerate(sweep.names):
        results[name.replace(".", "_")] = ("run", sweep.values[runs, k], {"units": sweep.units[name]})
    results.attrs |= dict(case.attributes)
    return results


def plain(value: float) -> float | None:
    """A number for JSON, None if it is not finite."""
    return float(value) if np.isfinite(value) else None


def failed(reason: str) -> dict[str, Any]:
    """The row of a run that did not start."""
    return {"status": "failed", "failure": reason, "time_reached": 0.0}


def netcdf_bytes(results: xr.Dataset) -> bytes:
    """The content of a NetCDF file, by way of one: not every release of xarray writes HDF5 into memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.nc"
        results.to_netcdf(path, engine="h5netcdf")
        return path.read_bytes()
