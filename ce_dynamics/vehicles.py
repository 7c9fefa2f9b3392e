"""Vehicles: loaded once, then driven, put on the rig, tested, trained, exported.

>>> from ce_dynamics import vehicles
>>> car = vehicles.load("sedan", {"front.spring.linear": "120 kN/m"})
>>> run = car.drive("step-steer", speed="80 km/h", duration=2.0)
>>> curves = car.axle("front").sweep("parallel")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ce_dynamics.algebra import checks
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.case import Case, VehicleSetup
from ce_dynamics.models.vehicles.files import MODELS as NAMES

if TYPE_CHECKING:
    import xarray as xr

    from ce_dynamics.models.environments.env import VehicleEnv
    from ce_dynamics.models.handling.outcome import Outcome
    from ce_dynamics.models.kc.rig import KCRig

__all__ = ["NAMES", "Vehicle", "load"]

Changes = Mapping[str, float | str] | Sequence[str]
"""Numbers that differ from the data: by dotted name, or texts ``name=value``."""


@dataclass(frozen=True, eq=False, repr=False)
class Vehicle(VehicleSetup):
    """A vehicle with its changes, made by `load`.

    Attributes
    ----------
    model, overrides, tyres, road, free
        See `ce_dynamics.models.vehicles.case.VehicleSetup`.
    data : VehicleParameters
        Its data; ``data.flat()`` lists all numbers with ``key``, ``value`` and ``unit``.
    """

    _rigs: dict[str, KCRig] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        changes = [*self.overrides, *(f"tyres {name}" for name in self.tyres)]
        changes += [f"road {self.road}"] * (self.road is not None)
        try:
            axles = ", ".join(axle.name for axle in self.data.layout.axles)
            about = f"{self.data.title}, {float(nominal(self.data.mass)):.0f} kg, axles {axles}"
        except DataError:  # the ride model, which has no data of its own
            about = str(self.model)
        return f"<Vehicle {'; '.join((about, *changes))}>"

    def variant(
        self,
        changes: Changes = (),
        *,
        tyres: Sequence[str] | None = None,
        road: str | None = None,
        free: Sequence[str] = (),
    ) -> Vehicle:
        """Return this vehicle with further changes; what is not given stays.

        Examples
        --------
        >>> softer = load("sedan").variant({"front.spring.linear": "80 kN/m"})
        """
        changed = replace(
            self,
            overrides=(*self.overrides, *texts_of(changes)),
            tyres=self.tyres if tyres is None else checks.texts("tyres", tyres, DataError),
            road=self.road if road is None else road,
            free=(*self.free, *checks.texts("free", free, DataError)),
        )
        return read_at_once(changed)

    def drive(
        self,
        manoeuvre: str | None = None,
        *,
        speed: float | str | None = None,
        duration: float | str | None = None,
        options: Mapping[str, float | str] | None = None,
        **integration: Any,
    ) -> xr.Dataset:
        """Simulate a manoeuvre.

        Parameters
        ----------
        manoeuvre : str, optional
            Name; a double lane change if not given.
        speed : float or str, optional
            Initial speed [m/s], or text with a unit.
        duration : float or str, optional
            Length of the run [s], or text with a unit.
        options : mapping, optional
            Further options of the manoeuvre, in SI or text with a unit.
        **integration
            ``method``, ``rtol``, ``atol``, ``step``, ``progress`` as of `ce_dynamics.simulate`.

        Returns
        -------
        xarray.Dataset
            Named results with units over ``time`` and ``corner``.

        Raises
        ------
        AssemblyError, SimulationError
            For a linkage that cannot be assembled, an integration that stops early.

        Examples
        --------
        >>> run = load("hmmwv").drive("step-steer", speed="50 km/h", duration=2.0, options={"steer": 0.1})
        """
        case: Case = self.prepare(manoeuvre, speed=speed, duration=duration, options=options)
        return case.simulate(**integration)

    def axle(self, name: str = "front") -> KCRig:
        """Return the kinematics and compliance rig with an axle on it.

        Examples
        --------
        >>> curves = load("sedan").axle("rear").sweep("parallel", [-0.05, 0.0, 0.05])
        """
        from ce_dynamics.models.kc.vehicle import rig_of  # here, because runs need no rig

        checks.text("axle", name, DataError)
        if name not in self._rigs:
            self._rigs[name] = rig_of(self, name)
        return self._rigs[name]

    def test(self, name: str, **options: float | str) -> Outcome:
        """Put the vehicle to a test of a standard, see `ce_dynamics.models.handling.perform`.

        Examples
        --------
        >>> gain = load("sedan").test("step-input", speed="80 km/h")["yaw_rate_gain"]
        """
        from ce_dynamics.models.handling.procedures import perform  # here, because runs need no tests

        return perform(name, self, None, **options)

    def environment(self, task: str = "path-following", **options: Any) -> VehicleEnv:
        """Return an environment of Gymnasium, see `ce_dynamics.models.environments.VehicleEnv`."""
        from ce_dynamics.models.environments.env import VehicleEnv  # here, because it takes the extra gym

        return VehicleEnv(task, self, **options)

    def export_fmu(
        self, path: str | Path, *, speed: float | str | None = None, steering_wheel: bool = False, **how: Any
    ) -> Path:
        """Write the settled vehicle, standing or rolling, as an FMU, see `ce_dynamics.export_fmu`."""
        from ce_dynamics.compiled.export.fmu import export_fmu  # here, because runs need no compiler

        case = self.prepare(speed=speed, practice=False, steering_wheel=steering_wheel)
        return export_fmu(case.model, path, y0=case.y0, **how)

    def export_c(
        self,
        folder: str | Path,
        *,
        speed: float | str | None = None,
        steering_wheel: bool = False,
        **how: Any,
    ) -> list[Path]:
        """Write the settled vehicle, standing or rolling, as C source, see `ce_dynamics.export_c`."""
        from ce_dynamics.compiled.export.c_source import export_c  # here, because runs export nothing

        case = self.prepare(speed=speed, practice=False, steering_wheel=steering_wheel)
        return export_c(case.model, folder, y0=case.y0, **how)


def load(
    vehicle: str | Path = "hmmwv",
    changes: Changes = (),
    *,
    tyres: Sequence[str] = (),
    road: str | None = None,
    free: Sequence[str] = (),
) -> Vehicle:
    """Load a vehicle.

    Parameters
    ----------
    vehicle : str or path
        One of `NAMES`, or a data file: ours, Project Chrono's, or one with just the numbers that differ from
        the HMMWV's.
    changes : mapping or sequence of str
        Numbers that differ from the data, by name: ``{"front.spring.linear": "120 kN/m"}``.
    tyres : sequence of str
        Tyre property files (``.tir``) of all wheels, of an axle (``front=FILE``) or of a corner.
    road : str, optional
        What to drive on, such as ``"iso8608:C"``; it is added to the road of a manoeuvre.
    free : sequence of str
        Names of numbers that become free parameters of the model.

    Raises
    ------
    DataError
        One line naming file and line, key, value, what is allowed and an example.

    Examples
    --------
    >>> car = load("sedan", {"front.spring.linear": "120 kN/m"}, road="iso8608:C")
    """
    checks.texts("load: tyres", tyres, DataError)
    checks.texts("load: free", free, DataError)
    return read_at_once(Vehicle(vehicle, texts_of(changes), tuple(tyres), road, tuple(free)))


def read_at_once(vehicle: Vehicle) -> Vehicle:
    """Return a vehicle whose data are right."""
    if vehicle.model != "ride":
        _ = vehicle.data
    return vehicle


def texts_of(changes: Changes) -> tuple[str, ...]:
    """Return changes as texts ``name=value``."""
    if isinstance(changes, Mapping):
        return tuple(f"{name}={value}" for name, value in changes.items())
    return tuple(checks.texts("changes", changes, DataError))
