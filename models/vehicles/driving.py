"""Manoeuvres with a driver who knows the vehicle."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.words import nearest, si_value
from ce_dynamics.models.parts.driver import DriverParameters
from ce_dynamics.models.parts.manoeuvres import MANOEUVRES, DoubleLaneChange, Manoeuvre, Reversing
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle, steering_wheel_lock

BACKWARDS = ("selector", "gear", "clutch")
"""Inputs of powertrains that have a reverse gear."""


def make_manoeuvre(
    name: str,
    options: Mapping[str, float | str] | None = None,
    parameters: VehicleParameters | None = None,
) -> Manoeuvre:
    """A manoeuvre of `MANOEUVRES` by name.

    Parameters
    ----------
    name : str
        What to do.
    options : mapping, optional
        Options of the manoeuvre, numbers in SI or text with a unit; ``friction`` and ``vehicle_width`` are
        the data's unless given.
    parameters : VehicleParameters, optional
        The vehicle that the driver knows; the HMMWV if not given.

    Raises
    ------
    DataError
        If the manoeuvre or an option is unknown, or a value is wrong.

    Examples
    --------
    >>> make_manoeuvre("step-steer", {"speed": "54 km/h", "steer": 0.1}).speed
    15.0
    """
    checks.text("manoeuvre", name, DataError)
    if name not in MANOEUVRES:
        hint = nearest(name, MANOEUVRES)
        raise DataError(f"unknown manoeuvre {checks.shown(name)}{hint}; known are {', '.join(MANOEUVRES)}")
    kind = MANOEUVRES[name]
    data = VehicleParameters.load() if parameters is None else parameters
    driver = driver_parameters(data, backing=kind is Reversing)
    if kind is Reversing and not driver.reverse:
        raise DataError(
            f"{name}: the powertrain of {data.name}, of the kind {data.layout.powertrain!r}, has no reverse "
            "gear; choose another vehicle, for example sedan, or write kinds: {powertrain: automatic}"
        )
    units = {option.name: option.unit for option in kind.options}
    values = {"friction": data.road.friction}
    if "vehicle_width" in units:
        values["vehicle_width"] = data.data.vehicle.width
    for option, value in (options or {}).items():
        if option not in units:
            hint = nearest(option, units)
            raise DataError(f"{name}: unknown option '{option}'{hint}; known are {', '.join(units)}")
        values[option] = option_value(f"{name}: {option}", value, units[option], data)
    return kind(driver, **values)


def option_value(owner: str, value: float | str, unit: str, data: VehicleParameters) -> float:
    """Return an option in SI; ``steer`` may be an angle of the steering wheel, such as '90 deg'."""
    if owner.endswith(": steer") and isinstance(value, str):
        try:
            si_value(owner, value, unit)
        except DataError:  # no plain number
            with contextlib.suppress(DataError):
                return si_value(owner, value, "rad") / steering_wheel_lock(data)
    return si_value(owner, value, unit)


def double_lane_change(speed: float | str = 12.0, **options: float | str) -> Manoeuvre:
    """The ISO 3888-1 double lane change.

    Parameters
    ----------
    speed : float or str
        [m/s], or text with a unit.
    **options : float or str
        Further options, see `DoubleLaneChange`.
    """
    return make_manoeuvre(DoubleLaneChange.name, {"speed": speed, **options})


def driver_parameters(parameters: VehicleParameters, backing: bool = False) -> DriverParameters:
    """A driver who knows this vehicle's wheelbase and steering, and to back it up its trailers."""
    train = None
    if backing:
        # here, because other manoeuvres do without
        from ce_dynamics.models.vehicles.train import train_of

        train = train_of(parameters)
    return DriverParameters(
        wheelbase=parameters.wheelbase,
        max_wheel_angle=max_wheel_angle(parameters),
        reverse=tuple(name for name in BACKWARDS if name in parameters.powertrain.inputs),
        train=train,
        **parameters.driver.model_dump(),
    )
