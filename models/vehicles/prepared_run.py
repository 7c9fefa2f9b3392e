"""Runs of vehicles that are ready to be made: model, manoeuvre and initial state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.models.parts.manoeuvres.base import Manoeuvre
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import Record, ResultVariable
from ce_dynamics.simulation.simulate import simulate_to_record

if TYPE_CHECKING:
    import xarray as xr

INTEGRATION = tuple(
    field.name for field in fields(RunOptions) if field.name not in ("duration", "y0", "audit")
)
"""Options of a run that a case leaves open."""


@dataclass(frozen=True)
class Case:
    """A model, its manoeuvre and its initial state, its duration [s], and attributes of its results.

    ``manoeuvre`` is None for the ride model, which is left to itself; ``title`` is for headings;
    ``body_file`` the shape of the body in pictures, glTF.
    """

    title: str
    model: Model
    manoeuvre: Manoeuvre | None
    y0: Floats
    duration: float
    attributes: Mapping[str, str | float]
    body_file: Path | None = None

    def simulate(self, **integration: Any) -> xr.Dataset:
        """Integrate the case; results have ``path_error`` [m] where there is a path to follow.

        Options are those of `ce_dynamics.simulate` in `INTEGRATION`: ``method``, ``rtol``, ``atol``,
        ``step``, ``progress`` and others.
        """
        try:
            return self.simulate_to_record(**integration).dataset()
        except SimulationError as error:
            if isinstance(error.partial, Record):
                error.partial = error.partial.dataset()
            raise

    def simulate_to_record(self, **integration: Any) -> Record:
        """Simulate the case into a `Record`, without loading xarray; see `simulate`."""
        for name in integration:
            checks.check_name("simulate", name, sorted(INTEGRATION), "option", ModelError)
        options = RunOptions(duration=self.duration, y0=self.y0, audit=True, **integration)
        try:
            results = simulate_to_record(self.model, self.manoeuvre, options)
        except SimulationError as error:
            if isinstance(error.partial, Record):
                self.add_results(error.partial)
            raise
        self.add_results(results)
        refuse_swinging(self.manoeuvre, results)
        return results

    def add_results(self, results: Record | xr.Dataset) -> None:
        """Add the attributes and results that belong to the case."""
        results.attrs |= {**self.attributes}
        add_path_error(results, self.manoeuvre, self.model)


def add_path_error(results: Record | xr.Dataset, manoeuvre: Manoeuvre | None, model: Model) -> None:
    """Add ``path_error`` [m] to the results of a manoeuvre that has a path to follow."""
    if manoeuvre is None or manoeuvre.path is None:
        return
    seen = {name: results[name].values for name in ("x", "y", "yaw")}
    for k, name in enumerate(model.system.groups.get("trailer", ())):
        seen[f"{name}.hitch_yaw"] = results["hitch_yaw"].values[:, k]
    columns = np.stack(list(seen.values()), axis=1).tolist()
    errors = [manoeuvre.path_error(dict(zip(seen, row, strict=True))) for row in columns]
    about = {"units": "m", "long_name": "distance from the path, positive to its left"}
    results["path_error"] = ResultVariable(("time",), np.array(errors, dtype=float), about)


def refuse_swinging(manoeuvre: Manoeuvre | None, results: Record) -> None:
    """Raise a `SimulationError` with the whole run if its driver swings between limits."""
    trouble = swinging(manoeuvre, results)
    if trouble:
        raise SimulationError(trouble, results)


def swinging(manoeuvre: Manoeuvre | None, results: Record | xr.Dataset) -> str:
    """Return `Manoeuvre.trouble` of a run; empty without a driver model."""
    if manoeuvre is None or "steering" not in results:
        return ""
    sensor = valid_name(manoeuvre.driver.response.position_rate)
    rate = results[sensor].values if sensor in results else None
    return manoeuvre.trouble(results["steering"].values, rate)
