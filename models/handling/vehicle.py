"""Vehicles described by data as test vehicles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import Observer, PointState
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.handling.subject import GRID, Start, Subject
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import FlatRoad
from ce_dynamics.models.vehicles.case import VehicleSetup, add_road, first_pedals, setup_of
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driver_training import practise
from ce_dynamics.models.vehicles.driving import AxlePath, driver_parameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.sensors import Reference
from ce_dynamics.models.vehicles.steering_angle import mean_wheel_angle
from ce_dynamics.models.vehicles.summary import find_axle_paths
from ce_dynamics.simulation.results import Record


@dataclass(frozen=True, eq=False)
class MassCentre(Reference):
    """The centre of mass of the whole vehicle in its design position, as a point of the chassis."""

    at: Array

    def point(self, observer: Observer) -> PointState:
        return observer.point(self.chassis, self.at, self.ground)

    def acceleration(self, instant: Instant, k: int) -> Scalar:
        return self.horizontal(instant.outward, instant.acceleration(self.chassis, self.at), k)


@dataclass(frozen=True, eq=False, kw_only=True)
class VehicleSubject(Subject):
    """A vehicle described by data; the road of its setup is added to that of each manoeuvre."""

    setup: VehicleSetup
    _models: dict[tuple[float, float], Model] = field(default_factory=dict, repr=False)
    _starts: dict[tuple[float, ...], Start] = field(default_factory=dict, repr=False)
    _angles: list[Floats] = field(default_factory=list, repr=False)

    @property
    def data(self) -> VehicleParameters:
        """The vehicle's numbers."""
        return self.setup.data

    def start(self, task: Manoeuvre, road: str | None = None) -> Start:
        surface, mu = task.road, task.values["friction"]
        for text in (self.setup.road, road):
            surface = surface if text is None else add_road(surface, text, mu)
        if not (isinstance(surface, FlatRoad) and surface.even_friction == mu):
            model = self._model(surface, task.speed)
            pedals = first_pedals(model, task)
            return Start(model, self._settle(model, pedals), pedals)
        if (task.speed, mu) not in self._models:
            self._models[task.speed, mu] = self._model(surface, task.speed)
        model = self._models[task.speed, mu]
        pedals = first_pedals(model, task)
        key = task.speed, mu, *pedals.tolist()
        if key not in self._starts:
            self._starts[key] = Start(model, self._settle(model, pedals), pedals)
        return self._starts[key]

    def _model(self, surface: Road, speed: float) -> Model:
        system = self.setup.system(speed, surface)
        add_mass_centre(system)
        with self.data.naming():
            return Model(system)

    def _settle(self, model: Model, pedals: Floats) -> Floats:
        with self.data.naming():
            return settle(model, pedals)

    def practise(self, task: Manoeuvre, road: str | None = None) -> Manoeuvre:
        start = self.start(task, road)
        return practise(task, start.model, start.y0)

    def road_wheel_angle(self, steering: Floats) -> Floats:
        if not self._angles:
            grid = np.linspace(-1.0, 1.0, GRID)
            self._angles.append(np.array([mean_wheel_angle(self.data, u) for u in grid]))
        return np.interp(steering, np.linspace(-1.0, 1.0, GRID), self._angles[0])

    def side_loads(self, record: Record) -> tuple[Floats, Floats] | None:
        loads = record["tyre_Fz"].values
        left, right = (
            [k for k, name in enumerate(record["corner"].values) if str(name).endswith(side)]
            for side in ("_left", "_right")
        )
        return loads[:, left], loads[:, right]

    def axle_paths(self, record: Record) -> list[AxlePath]:
        return find_axle_paths(record)


def vehicle(
    model: str | Path | VehicleSetup = "hmmwv",
    overrides: Sequence[str] = (),
    *,
    title: str | None = None,
    tyres: Sequence[str] = (),
    road: str | None = None,
) -> VehicleSubject:
    """Return a vehicle to be put to tests.

    Parameters
    ----------
    model : str, path or VehicleSetup
        A shipped vehicle by name, a data file (ours, or Project Chrono's), or a vehicle that was loaded.
    overrides, tyres, road
        As of `VehicleSetup`.
    title : str, optional
        For headings; that of the data if not given.

    Examples
    --------
    >>> vehicle("sedan", ["front.anti_roll_bar.stiffness=2 kN*m/rad"]).wheelbase
    2.776
    """
    setup = setup_of(model, overrides=overrides, tyres=tyres, road=road)
    if title is not None:
        checks.text("title", title, DataError)
    data = setup.data  # refuses tyres before anything is run
    return VehicleSubject(
        title=data.short_title if title is None else title,
        wheelbase=float(nominal(data.wheelbase)),
        mass=float(nominal(data.mass)),
        gravity=float(np.linalg.norm([float(nominal(g)) for g in data.gravity])),
        driver=driver_parameters(data),
        defaults={
            "friction": float(nominal(data.road.friction)),
            "vehicle_width": float(nominal(data.data.vehicle.width)),
        },
        setup=setup,
    )


def add_mass_centre(system: System) -> None:
    """Add outputs of the centre of mass of the whole vehicle: position, velocity, acceleration.

    Standards measure there; the reference point of the data may be anywhere.
    """
    centre = MassCentre(system.find("chassis"), system.ground, design_centre(system))
    for k, name in enumerate(("x", "y")):
        system.add_output(f"mass_centre.{name}", "m", partial(centre.position, k=k))
        system.add_output(f"mass_centre.v{name}", "m/s", partial(centre.velocity, k=k))
        system.add_measurement(f"mass_centre.a{name}", "m/s^2", partial(centre.acceleration, k=k))


def design_centre(system: System) -> Array:
    """Return the centre of mass of all bodies in the design position, vehicle coordinates [m]."""
    masses = np.array([float(nominal(body.mass)) for body in system.bodies])
    centres = np.array([nominal(body.com).astype(float) for body in system.bodies])
    return np.asarray(masses @ centres / masses.sum())
