"""Runs of vehicles: model and manoeuvre put together, simulated, handed back as labelled data.

>>> from ce_dynamics.models import hmmwv
>>> results = hmmwv.run("step-steer", speed=15.0, options={"steer": 0.1})
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ce_dynamics._version import __version__
from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.data.words import nearest, si_value
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange, Manoeuvre
from ce_dynamics.models.parts.roads.composition import SumRoad
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.notation import road as road_of
from ce_dynamics.models.parts.roads.planes import FlatRoad
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driving import make_manoeuvre
from ce_dynamics.models.vehicles.equilibrium import settled
from ce_dynamics.models.vehicles.files import describes_a_vehicle
from ce_dynamics.models.vehicles.practice import practised
from ce_dynamics.models.vehicles.prepared import Case
from ce_dynamics.models.vehicles.ride import build_ride
from ce_dynamics.models.vehicles.shipped import RIDE, SHIPPED
from ce_dynamics.simulation.options import Method

if TYPE_CHECKING:
    import xarray as xr

MODELS = (*SHIPPED, RIDE)
"""Models by name; anything else is the path of a data file for the full vehicle."""

DEFAULT_MANOEUVRE = DoubleLaneChange.name
RIDE_DURATION = 2.0
"""[s], of the validation run."""


def run(
    manoeuvre: str = DEFAULT_MANOEUVRE,
    *,
    model: str | Path = "hmmwv",
    speed: float | str | None = None,
    duration: float | str | None = None,
    options: Mapping[str, float | str] | None = None,
    overrides: Sequence[str] = (),
    tyres: Sequence[str] = (),
    road: str | None = None,
    method: Method = "RK45",
    rtol: float | None = None,
    atol: float | None = None,
    step: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> xr.Dataset:
    """Simulate a vehicle in a manoeuvre.

    Parameters
    ----------
    manoeuvre : str
        A key of `MANOEUVRES`.
    model : str or path
        A shipped vehicle by name, or a data file: of a vehicle, or with just the numbers that differ from the
        HMMWV's.
    speed, duration : float or str, optional
        [m/s], [s] or text with a unit; those of the manoeuvre if not given.
    options : mapping, optional
        Further options of the manoeuvre, numbers in SI or text with a unit.
    overrides : sequence of str
        ``key=value`` each, see `VehicleParameters.load`.
    tyres : sequence of str
        Property files (``.tir``) of Magic Formula tyres, see
        `ce_dynamics.models.vehicles.fitted_tyres.fitted_tyres`.
    road : str, optional
        What to drive on, see `ce_dynamics.models.parts.roads.notation.road`; it is added to the road of the
        manoeuvre.
    method, rtol, atol, step, progress
        See `ce_dynamics.simulation.simulate.simulate`.

    Returns
    -------
    xarray.Dataset
        Named results with units over ``time`` and ``corner``.

    Raises
    ------
    DataError, AssemblyError, SimulationError
        For wrong data, a linkage that cannot be assembled, an integration that stops early.

    Examples
    --------
    >>> results = run(speed="43.2 km/h", overrides=["front.spring.linear=120 kN/m"])
    """
    case = prepare(
        manoeuvre,
        model=model,
        speed=speed,
        duration=duration,
        options=options,
        overrides=overrides,
        tyres=tyres,
        road=road,
    )
    return case.simulate(method=method, rtol=rtol, atol=atol, step=step, progress=progress)


def prepare(
    manoeuvre: str | None = None,
    *,
    model: str | Path = "hmmwv",
    speed: float | str | None = None,
    duration: float | str | None = None,
    options: Mapping[str, float | str] | None = None,
    overrides: Sequence[str] = (),
    free: Sequence[str] = (),
    tyres: Sequence[str] = (),
    road: str | None = None,
    practice: bool = True,
    steering_wheel: bool = False,
) -> Case:
    """Load the data, embed and compile the model and find its initial state.

    Arguments as of `run`; ``free`` names numbers that become free parameters, see `VehicleParameters.load`:
    at their nominal values the driver practises, where he does (`ce_dynamics.models.vehicles.practice`), and
    so he drives whatever their values are.  Without ``practice`` somebody else drives.
    With ``steering_wheel`` the vehicle, settled all the same, has the input ``steering_wheel_command`` [rad]
    in place of ``steering``, see `build`, and no driver.
    """
    given = dict(options or {})
    for name, value in (("speed", speed), ("duration", duration)):
        if value is not None:
            if name in given:
                raise DataError(f"{name} is given twice, as itself and among the options; give it once")
            given[name] = value
    if model == RIDE:
        if steering_wheel:
            raise DataError("the ride model has no steering; leave the steering wheel out")
        if free:
            raise DataError("the ride model has no free parameters; give overrides")
        if tyres:
            raise DataError("the ride model has springs for tyres; leave the tyres out")
        if road is not None:
            raise DataError("the ride model stands on springs of its own; leave the road out")
        return prepare_ride(manoeuvre, given, overrides)
    parameters = load_parameters(model, overrides, free, tyres)
    task = make_manoeuvre(DEFAULT_MANOEUVRE if manoeuvre is None else manoeuvre, given, parameters)
    fitted = None
    if tyres:
        from ce_dynamics.models.vehicles.fitted_tyres import fitted_tyres  # here, because few runs need it

        fitted = fitted_tyres(tyres, parameters.corners)
    surface = task.road if road is None else laid(task.road, road, task.values["friction"])
    assemble = partial(
        build, parameters, road=surface, speed=task.speed, tyres=None if fitted is None else fitted.models
    )
    system = assemble()
    with parameters.naming():
        vehicle = Model(system)
        y0 = settled(vehicle, first_pedals(vehicle, task))
    attributes: dict[str, str | float] = {
        "title": f"{parameters.title}: {task.title}",
        "source": f"ce-dynamics {__version__}",
        "model": str(model),
        "manoeuvre": task.name,
        "manoeuvre_options": json.dumps({name: nominal(value) for name, value in task.values.items()}),
        "overrides": json.dumps(list(overrides)),
    }
    if parameters.notes:
        attributes |= {"vehicle_files": "\n".join(parameters.notes)}
    if fitted is not None:
        attributes |= {"tyres": json.dumps(list(tyres)), "tyre_files": fitted.report}
    if road is not None:
        attributes["road"] = road
    if steering_wheel:
        title = f"{parameters.short_title}, steered by hand"
        return Case(title, Model(assemble(steering_wheel=True)), None, y0, task.duration, attributes)
    known = practised(task, vehicle, y0) if practice else task
    if known is not task:
        attributes["driver"] = "practised" + " with the nominal values of what is free" * bool(free)
    return Case(f"{parameters.short_title}, {task.title}", vehicle, known, y0, task.duration, attributes)


def laid(own: Road, text: str, friction: float) -> Road:
    """The road that is written, on that of the manoeuvre where this is not just flat."""
    written = road_of(text, friction)
    return written if isinstance(own, FlatRoad) else SumRoad(friction, [own, written])


def prepare_ride(manoeuvre: str | None, given: Mapping[str, float | str], overrides: Sequence[str]) -> Case:
    """The ride model, set in motion and left to itself."""
    if manoeuvre is not None:
        raise DataError(
            f"the ride model has neither steering nor pedals and cannot do '{manoeuvre}'; "
            "leave the manoeuvre out"
        )
    for name in given:
        if name != "duration":
            raise DataError(f"the ride model has no option '{name}'; it has only duration")
    duration = si_value("ride model: duration", given.get("duration", RIDE_DURATION), "s")
    check_number("ride model", "duration", duration, above=0.0)
    attributes: dict[str, str | float] = {
        "title": "HMMWV ride model",
        "source": f"ce-dynamics {__version__}",
        "model": "ride",
        "overrides": json.dumps(list(overrides)),
    }
    model = Model(build_ride(overrides))
    return Case("HMMWV ride model, free motion", model, None, model.y0, duration, attributes)


def load_parameters(
    model: str | Path, overrides: Sequence[str], free: Sequence[str] = (), tyres: Sequence[str] = ()
) -> VehicleParameters:
    """Return the parameters of a model given by name or data file, on the road of its fitted tyres."""
    data = loaded(model, overrides, free)
    if not tyres:
        return data
    from ce_dynamics.models.vehicles.fitted_tyres import default_friction  # here, because few runs need it

    friction = default_friction(tyres, data.corners, data.road.friction)
    return data if friction is None else loaded(model, [f"road.friction={friction!r}", *overrides], free)


def loaded(model: str | Path, overrides: Sequence[str], free: Sequence[str]) -> VehicleParameters:
    """Return the parameters of a model given by name or data file."""
    if str(model) in SHIPPED:
        return VehicleParameters.load(model, overrides=overrides, free=free)
    path = files.path_of("vehicle", model)
    try:
        there = path.exists()
    except OSError:  # no file can have this name
        there = False
    if not there:
        named = checks.shown(str(model))
        known = f"give {', '.join(MODELS)} or an existing data file"
        raise DataError(f"no vehicle {named}{nearest(str(model), MODELS)}; {known}")
    if describes_a_vehicle(path):
        return VehicleParameters.load(path, overrides=overrides, free=free)
    return VehicleParameters.load(overrides=overrides, variant=path, free=free)


def first_pedals(model: Model, manoeuvre: Manoeuvre) -> Floats:
    """The driver's inputs at the start, with the steering straight, where its actuator stands."""
    control = model.control(manoeuvre).bind()
    control.inputs["t"][0] = 0.0
    control.inputs["y"][:] = model.y0
    control.run()
    u = control.outputs["u"].copy()
    u[[entry.name for entry in model.layout.u].index("steering")] = 0.0
    return u
