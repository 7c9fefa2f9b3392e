"""Results as labelled data: names, units and dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.variables import Variable, hinge_entries, hinge_values, valid_name, variables
from ce_dynamics.dynamics.state import Entry
from ce_dynamics.errors import ModelError

if TYPE_CHECKING:
    import xarray as xr


class ResultVariable(NamedTuple):
    """Variable with its dimensions, values and attributes."""

    dims: tuple[str, ...]
    values: Any
    attrs: Mapping[str, str]


def label_entries(variable: Variable, values: Floats, *dims: str) -> ResultVariable:
    """Return values whose last axis is that of the variable's entries."""
    own = () if variable.dimension is None else (variable.dimension,)
    return ResultVariable((*dims, *own), values if own else values[..., 0], {"units": variable.unit})


@dataclass
class Record:
    """Results as plain arrays, usable before xarray is loaded to make the data set."""

    variables: dict[str, ResultVariable]
    coordinates: dict[str, ResultVariable]
    attrs: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> ResultVariable:
        return self.variables[name] if name in self.variables else self.coordinates[name]

    def __setitem__(self, name: str, column: ResultVariable) -> None:
        self.variables[name] = column

    def __contains__(self, name: str) -> bool:
        return name in self.variables or name in self.coordinates

    def dataset(self) -> xr.Dataset:
        """Return the record as an xarray data set."""
        import xarray as xr  # here, because it takes longer to load than many runs

        return xr.Dataset(self.variables, self.coordinates, self.attrs)


class Observed(NamedTuple):
    """Observations computed from states and inputs, one row per stored instant."""

    outputs: Floats  # see `Model.observation`
    closures: Floats
    gearing: Floats

    def take_first(self, n: int) -> Observed:
        """Return the first n instants."""
        return Observed(*(part[:n] for part in self))


def record(
    model: Model,
    t: Floats,
    Y: Floats,
    U: Floats,
    attributes: Mapping[str, Any],
    seen: Observed | None = None,
) -> Record:
    """Return states, inputs, outputs and closure errors of a run over ``time``.

    Quantities named ``<member>.<rest>`` for every member of a group of the system (`System.group`) become one
    variable ``<rest>`` with the group as a second dimension.
    """
    outputs, closures, _ = observe_run(model, Y, U) if seen is None else seen
    parts = Y, U, outputs
    data: dict[str, ResultVariable] = {}
    for variable, places in model.get_or_make("places of variables", partial(places_of_variables, model)):
        columns = [parts[place.part][:, place.column, np.newaxis] for place in places]
        values = np.concatenate(columns, axis=1) if len(columns) > 1 else columns[0].copy()
        data[variable.name] = label_entries(variable, values, "time")
    coordinates = {"time": ResultVariable(("time",), t, {"units": "s"})}
    coordinates |= {name: names(name, members) for name, members in model.system.groups.items()}
    if closures.shape[1]:
        about = {"units": "m", "long_name": "loop closure error"}
        data["closure_error"] = ResultVariable(("time", "closure"), closures, about)
        coordinates["closure"] = names("closure", [loop.name for loop in model.system.closures])
    return Record(data, coordinates, dict(attributes))


ALL = "all"  # value of the option ``hinges`` that selects every hinge


def dependent_hinges(model: Model, hinges: Iterable[str] | str) -> list[Entry]:
    """Return the coordinates and rates of some bodies' hinges that runs do not record by themselves."""
    if hinges == ALL:
        bodies = list(model.system.bodies)
    else:
        given = (hinges,) if isinstance(hinges, str) else checks.texts("hinges", hinges)
        bodies = list(dict.fromkeys(model.system.find(name) for name in given))
    recorded = {entry.name for entry in model.entries}
    return [entry for entry in hinge_entries(bodies) if entry.name not in recorded]


def hinge_columns(model: Model, Y: Floats, U: Floats, entries: Sequence[Entry]) -> dict[str, ResultVariable]:
    """Return dependent hinges at every instant as variables; those that a group shares are one."""
    if not entries:
        return {}
    every = [entry.name for entry in dependent_hinges(model, ALL)]

    def hinges(y: Array, u: Array) -> dict[str, Array]:
        values = hinge_values(model.instant(y, u).outward, model.system.bodies)
        return {"hinges": array(values[name] for name in every)}

    (values,) = model.function_of_state("hinges", hinges).at_rows(Y, U)
    known = {variable.name for variable in model.variables}
    columns: dict[str, ResultVariable] = {}
    for variable in variables(entries, model.system.groups):
        if variable.name in known:
            raise ModelError(f"hinges: results hold another {variable.name!r} already; rename that")
        found = values[:, [every.index(name) for name in variable.entries]]
        columns[variable.name] = label_entries(variable, found, "time")
    return columns


def states_and_inputs(model: Model, results: xr.Dataset) -> tuple[Floats, Floats, xr.DataArray]:
    """Return states and inputs of all instants in rows, and the first of them for its dimensions."""
    import xarray as xr  # here, because it takes longer to load than many runs

    layout = model.layout
    entries = *layout.q, *layout.v, *layout.x, *layout.u
    if any(entry.role == "chart" for entry in entries):
        raise ModelError(
            "results do not hold the charts that loops were on, and states cannot be computed without; "
            'record dependent hinges by the option hinges="all", or hinges=[names of bodies]'
        )
    names = [entry.name for entry in entries]
    like, *parts = xr.broadcast(*(quantity(results, name) for name in (names or ["energy"])[:1] + names))
    rows = np.array([np.ravel(part.values) for part in parts], dtype=float).reshape(len(names), -1).T
    n = len(layout.y0)
    return np.ascontiguousarray(rows[:, :n]), np.ascontiguousarray(rows[:, n:]), like


def compute_dependent(results: xr.Dataset, name: str, model: Model) -> xr.DataArray | None:
    """Return a dependent hinge's coordinate or rate from the states of a data set; None if there is none."""
    entries = [entry for entry in dependent_hinges(model, ALL) if valid_name(entry.name) == valid_name(name)]
    if not entries:
        return None
    Y, U, like = states_and_inputs(model, results)
    (column,) = hinge_columns(model, Y, U, entries[:1]).values()
    found = like.copy(data=np.reshape(column.values, like.shape))
    found.attrs = dict(column.attrs)
    return found.rename(valid_name(name))


WORK = "work of drives, and of force elements beyond what they store"


def external_work(work: Floats, results: Record) -> Floats:
    """Return the work that changes ``energy`` [J]: of all loads and drives, less what springs gave back.

    The loads do W = −ΔE_elastic by themselves where they only exchange what they store.
    """
    elastic = results["elastic_energy"].values
    with np.errstate(invalid="ignore"):  # runs that failed may end with infinite energies
        external: Floats = work + (elastic - elastic[0])
    return external


class EntryPlace(NamedTuple):
    """Place of an entry of a model: part (states, inputs or outputs), and column in that part."""

    part: int
    column: int


def places_of_variables(model: Model) -> list[tuple[Variable, list[EntryPlace]]]:
    """Return every variable of the results with the places of its entries."""
    sizes = len(model.layout.y0), len(model.layout.u), len(model.output_entries)
    places = [EntryPlace(part, column) for part, size in enumerate(sizes) for column in range(size)]
    by_name = {entry.name: place for entry, place in zip(model.entries, places, strict=True)}
    return [(variable, [by_name[name] for name in variable.entries]) for variable in model.variables]


def quantity(results: xr.Dataset, name: str, model: Model | None = None) -> xr.DataArray:
    """Return one quantity of a data set by the name it has everywhere else.

    Data sets put what a group shares into one variable and write dots and blanks as underscores:
    ``front_left.tyre.Fz`` is ``results["tyre_Fz"].sel(corner="front_left")``.

    Parameters
    ----------
    results : xarray.Dataset
        Of a run, an ensemble or a file.
    name : str
        As in `Simulator.outputs`, `Model.outputs`, messages and tables.
    model : Model, optional
        The model of the runs: dependent hinges that were not recorded are computed from the states.

    Returns
    -------
    xarray.DataArray
        Over ``time`` (of ensembles over ``run`` and ``time``).

    Raises
    ------
    ModelError
        If there is no such quantity, the message suggests the nearest; if it is to be computed and states or
        inputs were not recorded.

    Examples
    --------
    >>> quantity(results, "front_left.tyre.Fz")     # doctest: +SKIP
    """
    what = "a data set, as ce_dynamics.simulate returns it"
    checks.provides("quantity: results", results, ("sel", "isel"), what)
    checks.text("quantity: name", name)
    if valid_name(name) in results:
        return results[valid_name(name)]
    for dimension in results.dims:
        members = results[dimension].values if dimension in results.coords else ()
        for member in map(str, members):
            shared = valid_name(name.removeprefix(f"{member}."))
            if name.startswith(f"{member}.") and shared in results and dimension in results[shared].dims:
                found: xr.DataArray = results[shared].sel({dimension: member})
                return found
    if model is not None:
        checks.instance("quantity: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
        found_there = compute_dependent(results, name, model)
        if found_there is not None:
            return found_there
    hint = checks.suggest_name(valid_name(name), map(str, results))
    dependent = (
        ""
        if model is not None
        else (
            '; dependent hinges are recorded by simulate(..., hinges="all") or hinges=[names of bodies], and '
            f"computed by quantity(results, {name!r}, model)"
        )
    )
    raise ModelError(f"no quantity {name!r} in the results{hint}{dependent}")


def names(dimension: str, members: Sequence[str]) -> ResultVariable:
    """Return the coordinate of a dimension whose entries have names."""
    return ResultVariable((dimension,), np.array(members), {})


def observe_run(model: Model, Y: Floats, U: Floats) -> Observed:
    """Return outputs, closure errors and gearing at every stored instant."""
    return Observed(*model.observation.at_rows(Y, U))
