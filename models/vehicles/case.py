"""Vehicles with their changes, and runs: vehicle and manoeuvre put together, simulated.

>>> from ce_dynamics.models import hmmwv
>>> results = hmmwv.run("step-steer", speed=15.0, options={"steer": 0.1})
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics._version import __version__
from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError, ModelError, SimulationError
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import check_number, si_value
from ce_dynamics.models.parts.body_contact import GroundSpring
from ce_dynamics.models.parts.driver import Driver
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange, Manoeuvre
from ce_dynamics.models.parts.roads.contract import Road, SumRoad
from ce_dynamics.models.parts.roads.kinds import check_road, road as road_of
from ce_dynamics.models.parts.roads.surfaces import FlatRoad
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.bodies import add_rigid_body
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driver_training import practise
from ce_dynamics.models.vehicles.driving import make_manoeuvre
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.files import RIDE
from ce_dynamics.models.vehicles.plausibility import warn_of_bump_stops
from ce_dynamics.models.vehicles.sensors import add_sensors
from ce_dynamics.models.vehicles.steady import find_pull, straighten, yaw_gain
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import Record, ResultVariable
from ce_dynamics.simulation.simulate import simulate_to_record

if TYPE_CHECKING:
    import xarray as xr

    from ce_dynamics.models.vehicles.fitted_tyres import FittedTyres

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
        return self.simulate_by(RunOptions(duration=self.duration, y0=self.y0, audit=True, **integration))

    def simulate_by(self, options: RunOptions) -> Record:
        """Simulate the case by options of its own; errors have the partial run with its `add_results`.

        Raises
        ------
        SimulationError
            Also with the whole run, if its driver swings between limits.
        """
        try:
            results = simulate_to_record(self.model, self.manoeuvre, options)
        except SimulationError as error:
            if isinstance(error.partial, Record):
                self.add_results(error.partial)
            raise
        self.add_results(results)
        trouble = swinging(self.manoeuvre, results)
        if trouble:
            raise SimulationError(trouble, results)
        return results

    def add_results(self, results: Record | xr.Dataset) -> None:
        """Add the attributes of the case, and ``path_error`` [m] if there is a path to follow."""
        results.attrs |= {**self.attributes}
        if self.manoeuvre is None or self.manoeuvre.path is None:
            return
        seen = {name: results[name].values for name in ("x", "y", "yaw")}
        for k, name in enumerate(self.model.system.groups.get("trailer", ())):
            seen[f"{name}.hitch_yaw"] = results["hitch_yaw"].values[:, k]
        columns = np.stack(list(seen.values()), axis=1).tolist()
        errors = [self.manoeuvre.path_error(dict(zip(seen, row, strict=True))) for row in columns]
        about = {"units": "m", "long_name": "distance from the path, positive to its left"}
        results["path_error"] = ResultVariable(("time",), np.array(errors, dtype=float), about)


def swinging(manoeuvre: Manoeuvre | None, results: Record | xr.Dataset) -> str:
    """Return `Manoeuvre.trouble` of a run; empty without a driver model."""
    if manoeuvre is None or "steering" not in results:
        return ""
    sensor = valid_name(manoeuvre.driver.response.position_rate)
    rate = results[sensor].values if sensor in results else None
    return manoeuvre.trouble(results["steering"].values, rate)


def build_ride(overrides: Sequence[str] = (), variant: str = "ride", free: Sequence[str] = ()) -> System:
    """Return the HMMWV with fixed tie-rod ends and a vertical spring and damper under every wheel centre.

    Overrides, the variant of the data file and free numbers are as of `VehicleParameters.load`.  It has 14
    degrees of freedom; its initial state is the one the reference runs start from.
    """
    checks.text("variant", variant, DataError)
    parameters = VehicleParameters.load(overrides=overrides, variant=variant, free=free)
    system = System(gravity=parameters.gravity, name="hmmwv ride model")
    for parameter in parameters.free:
        system.add_parameter(parameter)
    chassis = add_rigid_body(system, "chassis", parameters.chassis, system.ground, Free())
    system.group("corner", tuple(parameters.corners))
    for name, corner in parameters.corners.items():
        wheel = corner.add_wheel(system, corner.add(system, chassis, None))
        spring = corner.ground_spring
        assert spring is not None, "the ride variant defines ground springs"
        place = f"{name}.ground_spring", wheel, corner.W, system.ground
        system.add_force(GroundSpring(*place, spring.stiffness, spring.damping, spring.height))
        system.start(wheel, v=[10.0])
    add_sensors(system, chassis)
    q = [0.0, 0.0, parameters.ride_height, 1.0, 0.0, 0.0, 0.0]
    system.start(chassis, q=q, v=[0.3, 0.2, 0.1, 10.0, 0.0, -0.5])
    return system


DEFAULT_MANOEUVRE = DoubleLaneChange.name
RIDE_DURATION = 2.0
"""[s], of the validation run."""


@dataclass(frozen=True, eq=False, repr=False)
class VehicleSetup:
    """A vehicle by name or data file, with changed numbers, other tyres and a road.

    A ``model`` is a shipped vehicle, or a data file, also one with just the numbers that differ from the
    HMMWV's; overrides and free numbers are as of `VehicleParameters.load`.  Tyres are property files
    (``.tir``), see `ce_dynamics.models.vehicles.fitted_tyres.fit_tyres`; the road is as of
    `ce_dynamics.models.parts.roads.kinds.road`, and added to that of the manoeuvre.
    """

    model: str | Path = "hmmwv"
    overrides: Sequence[str] = ()
    tyres: Sequence[str] = ()
    road: str | None = None
    free: Sequence[str] = ()
    _cases: dict[object, Case] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for name in ("overrides", "tyres", "free"):
            checks.texts(name, getattr(self, name), DataError)
        if self.road is not None:
            check_road(self.road)

    @cached_property
    def data(self) -> VehicleParameters:
        """The vehicle's numbers, on the road of its fitted tyres."""
        if self.model == RIDE:
            raise DataError("the ride model is for runs without steering, pedals and tyres; give hmmwv")
        return VehicleParameters.load(self.model, self.overrides, free=self.free, tyres=self.tyres)

    @cached_property
    def fitted_tyres(self) -> FittedTyres | None:
        """The tyres of property files."""
        if not self.tyres:
            return None
        from ce_dynamics.models.vehicles.fitted_tyres import fit_tyres  # here, because few runs fit any

        return fit_tyres(self.tyres, self.data.corners)

    def system(
        self, speed: float = 0.0, ground: Road | None = None, *, steering_wheel: bool = False
    ) -> System:
        """Return the mechanism in its design pose, wheels rolling [m/s]; on the setup's road unless given."""
        if ground is None:
            mu = self.data.road.friction
            ground = FlatRoad(mu) if self.road is None else road_of(self.road, float(nominal(mu)))
        tyres = None if self.fitted_tyres is None else self.fitted_tyres.models
        return build(self.data, road=ground, speed=speed, tyres=tyres, steering_wheel=steering_wheel)

    def prepare(
        self,
        manoeuvre: str | None = None,
        *,
        speed: float | str | None = None,
        duration: float | str | None = None,
        options: Mapping[str, float | str] | None = None,
        practice: bool = True,
        steering_wheel: bool = False,
    ) -> Case:
        """Embed and compile the model and find its initial state, once for each task.

        The manoeuvre is a key of `MANOEUVRES`, with its speed [m/s], duration [s] and further options,
        numbers in SI or text with a unit; its own if None.  With ``practice`` the driver of some manoeuvres
        practises (`ce_dynamics.models.vehicles.driver_training`), at the nominal values of free parameters.
        With ``steering_wheel`` the input ``steering_wheel_command`` [rad] replaces ``steering``, see `build`,
        and nobody drives.
        """
        given = dict(checks.mapping("options", {} if options is None else options, DataError))
        if manoeuvre is not None:
            checks.text("manoeuvre", manoeuvre, DataError)
        checks.flag("practice", practice, DataError)
        checks.flag("steering_wheel", steering_wheel, DataError)
        for name, value in (("speed", speed), ("duration", duration)):
            if value is not None:
                if name in given:
                    raise DataError(f"{name} is given twice, as itself and among the options; give it once")
                given[name] = value
        for name, value in given.items():
            if not isinstance(value, str):
                checks.as_float(name, value, DataError)
        key = manoeuvre, repr(given), practice, steering_wheel
        if key not in self._cases:
            self._cases[key] = self._prepare(manoeuvre, given, practice, steering_wheel)
        return self._cases[key]

    def _prepare(
        self, manoeuvre: str | None, given: Mapping[str, float | str], practice: bool, steering_wheel: bool
    ) -> Case:
        if self.model == RIDE:
            self._refuse_for_ride(steering_wheel)
            return prepare_ride(manoeuvre, given, self.overrides)
        parameters = self.data
        task = make_manoeuvre(DEFAULT_MANOEUVRE if manoeuvre is None else manoeuvre, given, parameters)
        surface = task.road if self.road is None else add_road(task.road, self.road, task.values["friction"])
        system = self.system(task.speed, surface)
        with parameters.naming():
            vehicle = Model(system)
            pedals = first_pedals(vehicle, task)
            y0 = settle(vehicle, pedals)
            warn_of_bump_stops(parameters.corners, vehicle.instant(y0, pedals))
            if practice and not steering_wheel and task.path is not None and task.speed:
                y0, straight = straighten(vehicle, y0, pedals)
                own = parameters.driver.understeer is None
                task.driver = learn_vehicle(task.driver, vehicle, y0, pedals, straight, task.speed, own)
        attributes: dict[str, str | float] = {
            "title": f"{parameters.title}: {task.title}",
            "source": f"ce-dynamics {__version__}",
            "model": str(self.model),
            "manoeuvre": task.name,
            "manoeuvre_options": json.dumps({name: nominal(value) for name, value in task.values.items()}),
            "overrides": json.dumps(list(self.overrides)),
        }
        if parameters.notes:
            attributes |= {"vehicle_files": "\n".join(parameters.notes)}
        if self.fitted_tyres is not None:
            attributes |= {"tyres": json.dumps(list(self.tyres)), "tyre_files": self.fitted_tyres.report}
        if self.road is not None:
            attributes["road"] = self.road
        if steering_wheel:
            title = f"{parameters.short_title}, steered by hand"
            steered = Model(self.system(task.speed, surface, steering_wheel=True))
            return Case(title, steered, None, y0, task.duration, attributes, parameters.body_file)
        known = practise(task, vehicle, y0) if practice else task
        if known is not task:
            attributes["driver"] = "practised" + " with the nominal values of what is free" * bool(self.free)
        title, body = f"{parameters.short_title}, {task.title}", parameters.body_file
        return Case(title, vehicle, known, y0, task.duration, attributes, body)

    def _refuse_for_ride(self, steering_wheel: bool) -> None:
        for given, problem in (
            (steering_wheel, "has no steering; leave the steering wheel out"),
            (self.free, "has no free parameters; give overrides"),
            (self.tyres, "has springs for tyres; leave the tyres out"),
            (self.road is not None, "stands on springs of its own; leave the road out"),
        ):
            if given:
                raise DataError(f"the ride model {problem}")


def learn_vehicle(
    driver: Driver, model: Model, y: Floats, u: Floats, straight: float, speed: float, own: bool
) -> Driver:
    """Return a driver model with the steering that keeps the vehicle straight, and its response there.

    With ``own``, understeer is that of the vehicle, L + K v² = v δ/ψ̇ at its speed: with its suspension and
    load transfer, by which the yaw rate of a tall vehicle is a multiple of what its tyres alone give.  Below
    `PracticeResponse.rocking`, where tyres stick, it stays that of the tyres.
    """
    given = u.copy()
    given[[entry.name for entry in model.layout.u].index("steering")] = straight
    known = replace(driver, straight=straight, pull=find_pull(model, y, given))
    if not own or speed <= driver.response.rocking:
        return known
    angle = speed * driver.max_wheel_angle / yaw_gain(model, y, given)
    return replace(known, understeer=(angle - driver.wheelbase) / speed**2)


def setup_of(vehicle: str | Path | VehicleSetup, **changes: Any) -> VehicleSetup:
    """Return a vehicle's setup: as given, or of a name or file with its changes."""
    if not isinstance(vehicle, VehicleSetup):
        return VehicleSetup(vehicle, **changes)
    given = [name for name, value in changes.items() if value]
    if given:
        raise DataError(f"{given[0]} is given beside a vehicle; give it where the vehicle is loaded")
    return vehicle


def prepare(
    manoeuvre: str | None = None,
    *,
    model: str | Path = "hmmwv",
    overrides: Sequence[str] = (),
    free: Sequence[str] = (),
    tyres: Sequence[str] = (),
    road: str | None = None,
    **task: Any,
) -> Case:
    """Return ``VehicleSetup(model, ...).prepare(manoeuvre, **task)``."""
    return VehicleSetup(model, overrides, tyres, road, free).prepare(manoeuvre, **task)


def run(manoeuvre: str = DEFAULT_MANOEUVRE, **options: Any) -> xr.Dataset:
    """Simulate a vehicle in a manoeuvre, a key of `MANOEUVRES`: `prepare` it, then `Case.simulate`.

    Options are those of `prepare` and of `VehicleSetup.prepare`, and of the integration: ``method``,
    ``rtol``, ``atol``, ``step``, ``progress`` and others of `ce_dynamics.simulate`.

    Examples
    --------
    >>> results = run(speed="43.2 km/h", overrides=["front.spring.linear=120 kN/m"])
    """
    integration = {name: options.pop(name) for name in INTEGRATION if name in options}
    return prepare(manoeuvre, **options).simulate(**integration)


def add_road(own: Road, text: str, friction: float) -> Road:
    """Return the road of a text, added to that of the manoeuvre where this is not just flat."""
    written = road_of(text, friction)
    return written if isinstance(own, FlatRoad) else SumRoad(friction, [own, written])


def prepare_ride(manoeuvre: str | None, given: Mapping[str, float | str], overrides: Sequence[str]) -> Case:
    """Return the ride model, set in motion and left to itself."""
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


def first_pedals(model: Model, manoeuvre: Manoeuvre) -> Floats:
    """Return the driver's inputs at the start, with the steering straight, where its actuator stands."""
    control = model.control(manoeuvre).bind()
    control.inputs["t"][0] = 0.0
    control.inputs["y"][:] = model.y0
    control.run()
    u = control.outputs["u"].copy()
    u[[entry.name for entry in model.layout.u].index("steering")] = 0.0
    return u
