"""Results as labelled data: names, units and dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.checks import Floats
from ce_dynamics.model import Model

if TYPE_CHECKING:
    import xarray as xr


def dataset(model: Model, t: Floats, Y: Floats, U: Floats, attributes: Mapping[str, Any]) -> xr.Dataset:
    """States, inputs, outputs and closure errors of a run over ``time``.

    Quantities named ``<member>.<rest>`` for every member of a group of the system (`System.group`) become one
    variable ``<rest>`` with the group as a second dimension.
    """
    import xarray as xr

    outputs, closures = observed(model, Y, U)
    entries = [*model.layout.q, *model.layout.v, *model.layout.x, *model.layout.u, *model.output_entries]
    columns = np.hstack((Y, U, outputs))
    units = {entry.name: entry.unit for entry in entries}
    values = {entry.name: columns[:, k] for k, entry in enumerate(entries)}
    data: dict[str, Any] = {}
    for dimension, members in model.system.groups.items():
        for rest in shared_names(values, members):
            stack = np.stack([values.pop(f"{member}.{rest}") for member in members], axis=1)
            data[plain(rest)] = ((("time", dimension)), stack, {"units": units[f"{members[0]}.{rest}"]})
    for name, column in values.items():
        data[plain(name)] = ("time", column, {"units": units[name]})
    if closures.shape[1]:
        data["closure_error"] = (
            ("time", "closure"),
            closures,
            {"units": "m", "long_name": "loop closure error"},
        )
    coordinates: dict[str, Any] = {"time": ("time", t, {"units": "s"})}
    coordinates |= {dimension: list(members) for dimension, members in model.system.groups.items()}
    coordinates |= {"closure": [loop.name for loop in model.system.closures]} if closures.shape[1] else {}
    return xr.Dataset(data, coordinates, dict(attributes))


def observed(model: Model, Y: Floats, U: Floats) -> tuple[Floats, Floats]:
    """Outputs and closure errors at every stored instant, in rows."""
    evaluation = model.observation.bind()
    outputs = np.empty((len(Y), len(model.output_entries)))
    closures = np.empty((len(Y), len(model.system.closures)))
    for k, (y, u) in enumerate(zip(Y, U, strict=True)):
        evaluation.inputs["y"][:] = y
        evaluation.inputs["u"][:] = u
        evaluation.run()
        outputs[k] = evaluation.outputs["outputs"]
        closures[k] = evaluation.outputs["closure"]
    return outputs, closures


def shared_names(values: Mapping[str, Any], members: Sequence[str]) -> list[str]:
    """What follows ``<member>.`` for every member."""
    first = f"{members[0]}."
    rests = [name.removeprefix(first) for name in values if name.startswith(first)]
    return [rest for rest in rests if all(f"{member}.{rest}" in values for member in members)]


def plain(name: str) -> str:
    """A name that reads well as a variable."""
    return name.replace(".", "_").replace(" ", "_")
