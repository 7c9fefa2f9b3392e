"""Schema of the numbers of a vehicle with some layout, and its parts as they are built from these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import new_class
from typing import Any, ClassVar

from pydantic import create_model

from ce_dynamics.models.data.schema import Groups, Section
from ce_dynamics.models.powertrain import POWERTRAINS
from ce_dynamics.models.powertrain.differentials import DIFFERENTIALS
from ce_dynamics.models.vehicles.anti_roll_bar import AntiRollBarData
from ce_dynamics.models.vehicles.bodies import shift_points
from ce_dynamics.models.vehicles.bushing_data import BushingItem, bushing_fields
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.layout import BARS, STEERINGS, AxleLayout, VehicleLayout
from ce_dynamics.models.vehicles.sections import CornerData, VehicleDescription
from ce_dynamics.models.vehicles.steering.base import Steering
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle
from ce_dynamics.models.vehicles.suspensions.suspension_graph import check_joined
from ce_dynamics.models.vehicles.trailers import Trailer, trailer_section
from ce_dynamics.models.vehicles.tyre_kinds import tyre_section

SHARED = frozenset({"wheel", "tyre", "brake", "ground_spring"})
"""Sections of corners that are listed once for all while these agree."""


@lru_cache(maxsize=64)
def schema_of(layout: VehicleLayout) -> type[VehicleDescription]:
    """Return the schema of the numbers of such a vehicle."""
    fields: dict[str, Any] = {"powertrain": (POWERTRAINS[layout.powertrain], ...)}
    for axle in layout.axles:
        side, own = axle.sections
        for corner in axle.corners:
            words = axle.bushings, axle.name, axle.braked != "no"
            fields[corner] = (corner_section(side, layout.tyre, *words), ...)
        parts: dict[str, Any] = {}
        if axle.anti_roll_bar is not None:
            parts = {"anti_roll_bar": (BARS[axle.anti_roll_bar], ...)}
        if axle.differential is not None:
            parts |= {"differential": (DIFFERENTIALS[axle.differential], ...)}
        if parts or own is not None:
            fields[axle.name] = (create_model("AxleDescription", __base__=own or Section, **parts), ...)
    for trailer in layout.trailers:
        fields[trailer.name] = (trailer_section(trailer.hitch), ...)
    for name, axles in layout.steered.items():
        fields[name] = (STEERINGS[str(axles[0].steering)].section, ...)
    schema: type[VehicleDescription] = create_model(
        "VehicleDescription", __base__=VehicleDescription, **fields
    )
    return schema


@lru_cache(maxsize=256)
def corner_section(
    section: type[CornerData],
    tyre: str,
    bushings: tuple[BushingItem, ...] = (),
    axle: str = "",
    braked: bool = True,
) -> type[CornerData]:
    """Return a suspension's section with the tyre of a kind and bushings; with a brake if it has one."""
    fields: dict[str, Any] = bushing_fields(bushings, section, axle)
    if not braked:
        section = without_brake(section)
    if tyre != "tmeasy":
        fields["tyre"] = (tyre_section(tyre), ...)
    if not fields:
        return section
    made: type[CornerData] = create_model(section.__name__, __base__=section, **fields)
    return made


def without_brake(section: type[CornerData]) -> type[CornerData]:
    """Return the section without the field ``brake``, so that numbers of all brakes do not apply to it."""
    none = {"__module__": __name__, "__annotations__": {"brake": ClassVar[None]}, "brake": None}
    return new_class(section.__name__, (section,), exec_body=lambda body: body.update(none))


@lru_cache(maxsize=64)
def groups_of(layout: VehicleLayout) -> Groups:
    """Return the corners, and which of them the name of an axle stands for."""
    return Groups(
        schema=schema_of(layout),
        members=tuple(corner for axle in layout.axles for corner in axle.corners),
        groups={axle.name: axle.corners for axle in layout.axles},
        shared=SHARED,
    )


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
