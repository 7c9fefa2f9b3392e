"""Tasks by name, and vehicles prepared for them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.models.environments.path_following import PathFollowing
from ce_dynamics.models.environments.task import Task
from ce_dynamics.models.environments.tasks import LaneChange, Parking
from ce_dynamics.models.environments.vehicle import DrivenVehicle, prepare_vehicle
from ce_dynamics.models.vehicles.case import VehicleSetup, setup_of

TASKS: Mapping[str, type[Task]] = {kind.name: kind for kind in (PathFollowing, LaneChange, Parking)}
"""Tasks by their names in environments."""

Ranges = Mapping[str, tuple[float, float]]
"""Free parameters that are drawn for every episode, evenly between two values."""


def task_of(
    task: str | type[Task],
    vehicle: str | Path | VehicleSetup | DrivenVehicle,
    *,
    speed: float | None = None,
    road: str | None = None,
    tyres: Sequence[str] = (),
    overrides: Sequence[str] = (),
    randomise: Ranges | None = None,
    options: Mapping[str, Any] | None = None,
    steering: float | str = 1.0,
) -> Task:
    """Return a task for a vehicle.

    Raises
    ------
    DataError, ModelError
        For what is unknown or does not fit.
    """
    kind = kind_of(task)
    ranges = checks.mapping("randomise", {} if randomise is None else randomise)
    given = checks.mapping("environments: options", {} if options is None else options)
    if isinstance(vehicle, DrivenVehicle):
        if speed is not None or road is not None or tyres or overrides or steering != 1.0:
            raise ModelError(
                "speed, road, tyres, overrides and steering are those of the vehicle that is given"
            )
        ready = vehicle
    else:
        at = kind.default_speed if speed is None else speed
        if kind.default_speed is None and speed is not None:
            raise ModelError(f"{kind.name}: the vehicle starts at rest; leave the speed out")
        setup = setup_of(vehicle, overrides=overrides, tyres=tyres, road=road)
        setup = replace(setup, free=(*setup.free, *ranges))
        ready = prepare_vehicle(setup, kind.manoeuvre, at, steering=steering)
    try:
        return kind(ready, **given)
    except TypeError as error:
        raise ModelError(f"{kind.name}: {error}") from None


def kind_of(task: object) -> type[Task]:
    """Return the class of a task that is named, or given.

    Raises
    ------
    DataError, ModelError
        If there is none.
    """
    if isinstance(task, str):
        return TASKS[checks.check_name("environments: task", task, list(TASKS), "task", DataError)]
    if inspect.isclass(task) and issubclass(task, Task):
        return task
    raise ModelError(f"environments: task {checks.show(task)} must be a name or a class of Task")


def check_ranges(vehicle: DrivenVehicle, randomise: Ranges | None) -> list[tuple[str, float, float]]:
    """Return ranges of free parameters, both ends of which the model takes.

    Raises
    ------
    ModelError
        If one is no free parameter of the model, is no range, or has an end that is refused.
    """
    found = []
    known = [parameter.name for parameter in vehicle.model.layout.parameters]
    for name, ends in checks.mapping("randomise", {} if randomise is None else randomise).items():
        checks.check_name("randomise", name, known, "free parameter")
        low, high = checks.vector(f"randomise: {name}", ends, 2).tolist()
        if not low <= high:
            raise ModelError(f"randomise: {name}: {low:g} must not be above {high:g}")
        for end in (low, high):
            vehicle.model.inputs_with({name: end})
        found.append((name, low, high))
    return found
