"""Hardpoints as users give them, checked.

A hardpoint may depend on free parameters.  What a linkage computes from its hardpoints once, lengths and
directions, then are formulas of these, and the signs that choose its branch are those of the nominal values:
values of the parameters that would choose another are refused (`ce_dynamics.compiler.free_numbers.decide`).
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeAlias

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cross
from ce_dynamics.compiler.free_numbers import decide, nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_vector, magnitude

Point: TypeAlias = Any  # a hardpoint as users give it, then an array (3,)
Axis: TypeAlias = Any  # a direction as users give it

SMALLEST_LENGTH = 1e-9  # points closer than this count as coincident [m]

DEAD_POINT = 1e-6  # a design pose whose angle to a dead point is below this has no certain branch [rad]


def check_point(value: object, owner: str, name: str) -> Array:
    """Return a hardpoint as an array (3,), of float64 unless it is free."""
    return finite_vector(value, owner, f"point {name}")


def check_body_names(owner: str, **names: str) -> None:
    """Raise unless every name can be that of a body."""
    for argument, name in names.items():
        checks.name_of(f"{owner}: {argument}", name)


def check_fields(linkage: Any, owner: str) -> None:
    """Check the points and the names of bodies among a linkage's fields; points become arrays.

    All are checked at once, after they are set, because messages name a linkage by one of its bodies.
    """
    kinds = {field.name: str(field.type) for field in fields(linkage)}
    for name, kind in kinds.items():
        if kind == "Point":
            setattr(linkage, name, check_point(getattr(linkage, name), owner, name))
    names = {name: (getattr(linkage, name), kind) for name, kind in kinds.items() if kind.startswith("str")}
    given = {name: value for name, (value, kind) in names.items() if kind == "str" or value is not None}
    check_body_names(owner, **given)


def length_between(start: Array, finish: Array, owner: str, names: str) -> Scalar:
    """Return the distance of two hardpoints, which must not coincide."""
    length = magnitude(finish - start)
    if decide(length < SMALLEST_LENGTH, f"{owner}: points {names} coincide"):
        raise ModelError(
            f"{owner}: points {names} coincide at {nominal(start).tolist()} (distance {length:g} m); "
            f"they must be more than {SMALLEST_LENGTH:g} m apart"
        )
    return length


def unit_between(start: Array, finish: Array, owner: str, names: str) -> Array:
    """Return the unit vector from one hardpoint to another, which must not coincide."""
    direction: Array = (finish - start) / length_between(start, finish, owner, names)
    return direction


def distance_from_axis(point: Array, at: Array, axis: Array, owner: str, name: str) -> Scalar:
    """Return the distance of a hardpoint from the axis it turns about, on which it must not lie."""
    radius = magnitude(cross(axis, point - at))
    if decide(radius < SMALLEST_LENGTH, f"{owner}: point {name} is on the axis it turns about"):
        raise ModelError(
            f"{owner}: point {name} at {nominal(point).tolist()} is on the axis through "
            f"{nominal(at).tolist()} along {nominal(axis).tolist()} (distance {radius:g} m); turning about "
            "it must move the point"
        )
    return radius
