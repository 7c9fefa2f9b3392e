"""Results as labelled data: names, units and dimensions."""

from __future__ import annotations

from collections.abc import Mapping
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
    columns = np.hstack((Y, U, outputs)).T
    values = {entry.name: column for entry, column in zip(model.entries, columns, strict=True)}
    data: dict[str, Any] = {}
    for variable in model.variables:
        stack = np.stack([values[name] for name in variable.entries], axis=1)
        units = {"units": variable.unit}
        if variable.dimension is None:
            data[variable.name] = ("time", stack[:, 0], units)
        else:
            data[variable.name] = (("time", variable.dimension), stack, units)
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
