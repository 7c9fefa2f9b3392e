"""Checks the parts of a vehicle against each other, and warns of values that no real vehicle has."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from itertools import pairwise

from ce_dynamics.algebra.units import parse_unit, same_dimension
from ce_dynamics.compiler.free_numbers import decide, nominal
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.errors import DataError, PhysicalityWarning
from ce_dynamics.models.data.quantities import INERTIA, inertia_matrix, triangle_excess
from ce_dynamics.models.data.reading import Assignment, Table
from ce_dynamics.models.data.schema import Groups, flatten
from ce_dynamics.models.powertrain.base import PowertrainData
from ce_dynamics.models.vehicles.bodies import Vector
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.layout import AxleLayout, VehicleLayout
from ce_dynamics.models.vehicles.sections import VehicleDescription
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle


def check_order(layout: VehicleLayout, corners: Mapping[str, Corner]) -> None:
    """Refuse axles that do not follow one another from front to rear."""
    names = (None, *(trailer.name for trailer in layout.trailers))
    for ahead, behind in (pair for name in names for pair in pairwise(layout.axles_of(name))):
        for one, other in zip(ahead.corners, behind.corners, strict=True):
            front, rear = corners[one].W[0], corners[other].W[0]
            if not decide(front > rear, f"{one}.W must lie ahead of {other}.W"):
                raise DataError(
                    f"{one}.W at x = {front:g} m must lie ahead of {other}.W at x = {rear:g} m "
                    f"(vehicle coordinates: origin + W)"
                )


def check_split(powertrain: PowertrainData, axles: int) -> None:
    """Refuse a split of the torque, ratios, or a lock, that do not fit the number of driven axles."""
    split, ratios = powertrain.torque_split, powertrain.axle_ratios
    if ratios is not None and (axles == 1 or len(ratios) != axles):
        remedy = "leave it out" if axles == 1 else f"give one for each of the {axles} driven axles"
        raise DataError(f"powertrain.axle_ratios: {len(ratios)} numbers, driven axles: {axles}; {remedy}")
    if powertrain.centre is not None and axles == 1:
        raise DataError("powertrain.centre: one axle is driven, so it has no effect; leave it out")
    if split is None:
        return
    if axles == 1:
        raise DataError("powertrain.torque_split: one axle is driven, so it has no effect; leave it out")
    if len(split) != axles or abs(sum(split) - 1.0) > 1e-9:
        raise DataError(
            f"powertrain.torque_split: {len(split)} numbers with sum {sum(split):g}; give one for each "
            f"of the {axles} driven axles, from front to rear, with sum 1"
        )


def check_final_drive(axle: AxleLayout, whole: BuiltAxle, label: str) -> None:
    """Refuse a place of a driven axle's final drive that its suspension does not have."""
    if axle.final_drive == "axle" and whole.housing() is None:
        raise DataError(
            f"{label}: axles.{axle.name}: final_drive: no beam carries both wheels of a "
            f"{axle.suspension} suspension; its final drive is on the chassis: leave it out"
        )
    if axle.final_drive == "chassis" and not whole.is_joined:
        raise DataError(
            f"{label}: axles.{axle.name}: final_drive: that of a {axle.suspension} suspension is "
            "always on the chassis; leave it out"
        )


def check_engine_axis(layout: VehicleLayout, powertrain: PowertrainData, inside: bool, label: str) -> None:
    """Refuse an axis about which nothing turns; `inside` is whether an axle carries its final drive."""
    if layout.engine is not None and not inside and not powertrain.reacts:
        raise DataError(
            f"{label}: powertrain.engine_axis: {layout.engine} has no effect, since engine and shafts of "
            f"the kind {layout.powertrain!r} have no inertia and no final drive is in an axle; "
            "leave it out"
        )


def warn_of_written(data: VehicleDescription, table: Table, groups: Groups) -> None:
    """Warn of inertias in the data that violate the triangle inequality, once per general name."""
    inertias = {key: one for key, one in table.items() if groups.quantities[key].components == INERTIA}
    judged = {key: entry for key, entry in inertias.items() if "unphysical" not in entry.note}
    for listed in flatten(data, judged, groups):
        assert isinstance(listed.value, tuple)
        _warn(listed.key, inertia_matrix(listed.value))


USUAL_UNITS = (
    "mm", "deg", "rpm", "g", "t", "kN", "kN/m", "kN*s/m", "kN*m", "kN*m/rad", "N*m/deg", "kW",
)  # fmt: skip
"""Units beside those of SI in which numbers of vehicles are often written."""


def warn_of_units(changes: Iterable[Assignment], before: Table, groups: Groups) -> None:
    """Warn of overrides without a unit that are likely meant in another one than that of SI.

    So they are where the number in one of `USUAL_UNITS` is nearer to the file's value, by its ratio, than the
    number in SI: 2 (kg) for 2086 kg, which 2 t are, or 30 (rad) for 30 deg.
    """
    for change in changes:
        key = groups.expand(change.key)[1][0]
        quantity, entry = groups.quantities.get(key), before.get(key)
        if quantity is None or entry is None or quantity.unit == "1" or not quantity.scalar:
            continue
        try:
            given = float(str(change.entry.value))  # none with a unit
        except ValueError:
            continue
        old, unit = quantity.parse(entry.value), parse_unit(quantity.unit)
        assert isinstance(old, float), "it is one number"
        if not given * old > 0.0 or not math.isfinite(given):
            continue
        others = [other for other in USUAL_UNITS if same_dimension(parse_unit(other), unit)]
        off = {other: abs(math.log(given * parse_unit(other).factor / old)) for other in others}
        likely = min(off, key=off.__getitem__, default="")
        if likely and off[likely] < abs(math.log(given / old)):
            name = ".".join(change.key)
            warnings.warn(
                f"override: {name}={change.entry.value}: without a unit it is in {quantity.unit}, but the "
                f"file has {old:g} {quantity.unit}; write the unit, for example {name}='{given:g} {likely}'",
                PhysicalityWarning,
                stacklevel=4,
            )


def warn_of_light_chassis(chassis: float, unsprung: float) -> None:
    """Warn of a chassis that weighs less than the wheels and suspensions that carry it [kg]."""
    if nominal(chassis) < nominal(unsprung):
        warnings.warn(
            f"chassis.mass: {nominal(chassis):g} kg is less than wheels and suspensions have, "
            f"{nominal(unsprung):.4g} kg; give the mass of the whole body with its unit, for example "
            f"chassis.mass='{5e-3 * nominal(unsprung):.2g} t'",
            PhysicalityWarning,
            stacklevel=6,
        )


def warn_of_bump_stops(corners: Mapping[str, Corner], at_rest: Instant) -> None:
    """Warn of springs that are shorter than their `min_length` where the vehicle has settled."""
    lengths = {
        name: (nominal(at_rest.loads.responses[f"{name}.spring"].outputs["length"]), corner.spring.min_length)
        for name, corner in corners.items()
        if "spring" in corner.springs
    }
    low = {name: (a, nominal(b)) for name, (a, b) in lengths.items() if b is not None and a < nominal(b)}
    if low:
        name, (length, shortest) = next(iter(low.items()))
        warnings.warn(
            f"{', '.join(low)}: the vehicle stands on its bump stops; {name}.spring is {length:.4g} m long "
            f"at the start, min_length is {shortest:g} m; give it a greater free_length or rate",
            PhysicalityWarning,
            stacklevel=5,
        )


def warn_of_derived(layout: VehicleLayout, corners: Mapping[str, Corner]) -> None:
    """Warn of such inertias among those that follow from the data."""
    for axle, k in ((axle, k) for k in (0, 1) for axle in layout.axles):
        for name, derived in corners[axle.corners[k]].list_derived_bodies():
            _warn(name, nominal(derived.inertia))


def _warn(key: str, inertia: Vector) -> None:
    excess = triangle_excess(inertia)
    if excess:
        warnings.warn(
            f"{key}: no real body has this inertia, its largest principal moment exceeds the sum of "
            f"the others by {excess:.4g} kg*m^2",
            PhysicalityWarning,
            stacklevel=6,
        )
