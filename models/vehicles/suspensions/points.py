"""Checks of hardpoints, and the turn of uprights whose steering moves, from hardpoints alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, cross, norm
from ce_dynamics.compiler.free_numbers import decide, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.models.data.quantities import Numbers
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.vehicles.bodies import SMALLEST_LENGTH, Vector
from ce_dynamics.models.vehicles.sections import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.template import Template

Place: TypeAlias = Numbers | Vector
NEGLIGIBLE = 1e-9
"""[m]."""


def check_apart(name: str, pairs: Iterable[tuple[str, Place, str, Place]]) -> None:
    """Refuse points that coincide; pairs of name and point, twice."""
    for first, a, second, b in pairs:
        coincide = f"{name}: {first} and {second} coincide; they must be 1 mm apart or more"
        if decide(norm(np.subtract(a, b)) < SMALLEST_LENGTH, coincide):
            raise DataError(
                f"{name}: {first} and {second} coincide at {at(a)}; they must be 1 mm apart or more"
            )


def check_off(name: str, rows: Iterable[tuple[str, Place, str, Place, Place]]) -> None:
    """Refuse points on a line: name and point, name of the line and two points of it."""
    for point, r, line, a, b in rows:
        off = f"{name}.{point} lies on {line}; it must be 1 mm off or more"
        if decide(distance_to_line(r, a, b) < SMALLEST_LENGTH, off):
            raise DataError(f"{name}.{point}: {at(r)} lies on {line}; it must be 1 mm off or more")


def check_along(name: str, point: Place, component: int, expected: Scalar) -> None:
    """Refuse a point that is not where it is expected along its own axis, on which nothing depends."""
    axis, value = "xyz"[component], np.asarray(point)[component]
    aside = f"{name}.{axis}: the axis through {name.rpartition('.')[2]} lies along {axis}"
    if decide(abs(value - expected) > NEGLIGIBLE, f"{aside}, so that it has no effect"):
        raise DataError(f"{aside}, so that {value:g} m has no effect; give {expected:g} m")


def check_points(owner: str, template: Template, points: Mapping[str, Vector]) -> None:
    """Refuse points, relative to their origin, that do not satisfy the conditions of their template."""
    for row in template.on_axis:
        point, axis, like = (*row, "")[:3]
        if point in points:
            k = "xyz".index(axis)
            check_along(f"{owner}.{point}", points[point], k, points[like][k] if like else 0.0)
    pairs = [(a, points[a], b, points[b]) for a, b in template.apart if a in points]
    check_apart(owner, pairs)
    lines = [(p, a, b) for p, a, b in template.off_line if p in points]
    check_off(
        owner, [(p, points[p], f"the line through {a} and {b}", points[a], points[b]) for p, a, b in lines]
    )
    for (arm,) in (row for row in template.ahead if f"{row[0]}.front_pivot" in points):
        front, rear = points[f"{arm}.front_pivot"][0], points[f"{arm}.rear_pivot"][0]
        if not decide(front > rear, f"{owner}.{arm}: front_pivot must lie ahead of rear_pivot"):
            raise DataError(
                f"{owner}.{arm}: front_pivot at x = {front:g} m must lie ahead of "
                f"rear_pivot at x = {rear:g} m"
            )


def check_corner(
    name: str,
    template: Template,
    points: Mapping[str, Vector],
    springs: Mapping[str, SpringData | DamperData],
    data: CornerData,
) -> None:
    """Refuse a corner, in left-side coordinates, that does not suit its suspension."""
    check_near(name, data)
    ends = {f"{key}.{end}": np.array(getattr(spring, end)) for key, spring in springs.items() for end in ENDS}
    check_points(name, template, {"W": np.array(data.W), **points, **ends})
    halves = {part.name: getattr(data, part.name) for part in template.side.parts_of_kind("shock")}
    if any(half is not None for half in halves.values()):
        check_shock(name, halves, ends["damper.chassis"] - ends["damper.arm"])
    check_side(name, data)


ENDS = ("chassis", "arm")


def check_shock(name: str, halves: Mapping[str, Any], damper: Vector) -> None:
    """Refuse halves of a shock absorber, from end to end as the damper, that do not overlap."""
    if None in halves.values():
        raise DataError(f"{name}: give both halves of the shock absorber, {' and '.join(halves)}, or none")
    length = magnitude(damper)
    for half, data in halves.items():
        longer = f"{name}.{half}.length: longer than the whole shock in the design position"
        if decide(data.length > length, longer):
            raise DataError(
                f"{name}.{half}.length: {data.length:g} m is longer than the whole shock "
                f"in the design position, {length:.4g} m"
            )
    (one, a), (other, b) = halves.items()
    apart = f"{name}: {one}.length and {other}.length do not overlap"
    if decide(a.length + b.length < length, apart):
        raise DataError(
            f"{name}: {one}.length {a.length:g} m and {other}.length {b.length:g} m do not "
            f"overlap: the shock is {length:.4g} m long in the design position"
        )


def distance_to_line(point: Place, a: Place, b: Place) -> Scalar:
    """Return the distance of a point from the line through a and b."""
    along = np.subtract(b, a)
    return magnitude(cross(np.subtract(point, a), along)) / magnitude(along)


def at(point: Place) -> str:
    """Return a point, for messages."""
    return f"({', '.join(f'{x:g}' for x in point)}) m"


FARTHEST = 50.0
"""Largest distance of a hardpoint from the origin of its corner [m]; beyond it a unit is missing."""


def check_near(name: str, data: CornerData) -> None:
    """Refuse hardpoints too far from their corner."""
    for key, quantity in leaves(type(data)).items():
        if quantity.unit != "m" or not quantity.components:
            continue
        value: Any = data
        for part in key:
            value = getattr(value, part, None)
        for component, length in zip(quantity.components, value or (), strict=False):
            if not abs(nominal(length)) <= FARTHEST:
                raise DataError(
                    f"{name}.{'.'.join(key)}.{component}: {nominal(length):g} m is no place on a vehicle, at "
                    f"most {FARTHEST:g} m from the corner's origin; check the unit"
                )


def check_side(name: str, data: CornerData) -> None:
    """Refuse a wheel centre that is not on the left."""
    left = f"{name}.W.y: the wheel centre is not on the left"
    if not decide(data.origin[1] + data.W[1] > 0.0, left):
        raise DataError(
            f"{name}.W.y: {data.W[1]:g} m is not on the left; corner values are always given as for the "
            f"left side (y > 0), right corners are mirrored"
        )
