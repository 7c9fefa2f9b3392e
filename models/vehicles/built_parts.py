"""Parts of a vehicle as they are built from its data: axles, corners, bars, steerings, bushings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ce_dynamics.models.vehicles.anti_roll_bar import AntiRollBarData
from ce_dynamics.models.vehicles.bodies import shift_points
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.layout import STEERINGS, AxleLayout, VehicleLayout
from ce_dynamics.models.vehicles.sections import VehicleDescription
from ce_dynamics.models.vehicles.steering.base import Steering
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle
from ce_dynamics.models.vehicles.suspensions.suspension_graph import check_joined
from ce_dynamics.models.vehicles.trailers import Trailer


def axle_of(axle: AxleLayout, data: VehicleDescription) -> BuiltAxle:
    """Return an axle with its suspension."""
    steered = axle.steering is not None
    if axle.template.listed:
        check_joined(axle.name, axle.graph, steered)
    own = None if axle.template.axle is None else getattr(data, axle.name, None)
    ends = {name: getattr(data, name) for name in axle.corners}
    return BuiltAxle.of(axle.name, axle.template, own, ends, steered=steered, gear=axle.gear)


def corners_of(axle: BuiltAxle, data: VehicleDescription) -> list[Corner]:
    """Return the corners of an axle."""
    return [Corner.of(side.name, getattr(data, side.name), axle) for side in axle.sides]


def bar_of(axle: AxleLayout, data: VehicleDescription, trailers: Mapping[str, Trailer]) -> AntiRollBarData:
    """Return the anti-roll bar of an axle, shifted from the origin of its trailer to that of the vehicle."""
    bar: AntiRollBarData = getattr(data, axle.name).anti_roll_bar
    bar.check(axle.name)
    return bar if axle.trailer is None else shift_points(bar, trailers[axle.trailer].at)


def steering_of(
    name: str, layout: VehicleLayout, data: VehicleDescription, corners: Mapping[str, Corner]
) -> Steering:
    """Return a steering mechanism, placed, knowing the corners that it steers."""
    axles = layout.steered[name]
    made = STEERINGS[str(axles[0].steering)].of(getattr(data, name))
    named = replace(made, name=name, phase=1 if axles[0].phase == "with" else -1)
    return named.aim([corners[corner] for axle in axles for corner in axle.corners])
