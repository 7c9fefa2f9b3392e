"""Data sections of every vehicle, whatever its parts: frozen pydantic models of numbers in SI."""

from __future__ import annotations

from typing import Annotated

from ce_dynamics.models.data.quantities import (
    Length,
    ParameterQuantity,
    Point,
    PositiveFraction,
)
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.aerodynamics import AerodynamicsData
from ce_dynamics.models.parts.assistance import AssistanceData
from ce_dynamics.models.parts.body_contact import GroundSpringData, HullData
from ce_dynamics.models.parts.brake import BrakeData
from ce_dynamics.models.parts.driver import DriverData
from ce_dynamics.models.powertrain.base import PowertrainData
from ce_dynamics.models.vehicles.bodies import ChassisData, WheelData
from ce_dynamics.models.vehicles.tyre_kinds import TyreData


class VehicleData(Section):
    """Data of the vehicle that belong to no part.

    Attributes
    ----------
    ride_height
        Height of the vehicle's origin above the road, from which the equilibrium is sought [m].
    width
        Width of the body, which sets the lanes of the double lane change [m].
    """

    gravity: Annotated[float, ParameterQuantity("m/s^2", at_least=0.0)]
    ride_height: Annotated[float, ParameterQuantity("m")]
    width: Length


class RoadData(Section):
    """The road; ``friction`` is that of a road without a friction of its own."""

    friction: PositiveFraction


class PublishedData(Section):
    """Published properties of the whole vehicle for comparison; the model does not use them."""

    wheelbase: Length
    max_wheel_angle: Annotated[float, ParameterQuantity("rad", above=0.0)]
    min_turning_radius: Length


class CornerData(Section):
    """One corner, as the left one; every suspension adds its own sections."""

    origin: Point
    W: Point
    wheel: WheelData
    tyre: TyreData
    brake: BrakeData | None
    ground_spring: GroundSpringData | None = None


class VehicleDescription(Section):
    """All numbers of a vehicle after layering; `layout` adds axles, steering, powertrain."""

    vehicle: VehicleData
    chassis: ChassisData
    powertrain: PowertrainData
    road: RoadData
    driver: DriverData
    aerodynamics: AerodynamicsData | None = None
    hull: HullData | None = None
    published: PublishedData | None = None
    assistance: AssistanceData | None = None
