"""Hardpoints as users give them, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ce_dynamics.arrays import Array
from ce_dynamics.errors import ModelError
from ce_dynamics.hinges.geometry import finite_vector

Point: TypeAlias = "Sequence[float] | Array"
"""A hardpoint or a direction as users give it."""

SMALLEST_LENGTH = 1e-9
"""Points closer than this count as coincident [m]."""

DEAD_POINT = 1e-6
"""A design pose whose angle to a dead point is below this has no certain branch [rad]."""


def checked_point(value: object, owner: str, name: str) -> Array:
    """A hardpoint as float64 (3,)."""
    return finite_vector(value, owner, f"point {name}")


def length_between(start: Array, finish: Array, owner: str, names: str) -> float:
    """Distance of two hardpoints.

    Raises
    ------
    ModelError
        If they coincide.
    """
    length = float(np.linalg.norm(finish - start))
    if length < SMALLEST_LENGTH:
        raise ModelError(
            f"{owner}: points {names} coincide at {start.tolist()} (distance {length:g} m); "
            f"they must be more than {SMALLEST_LENGTH:g} m apart"
        )
    return length


def unit_between(start: Array, finish: Array, owner: str, names: str) -> Array:
    """Unit vector from one hardpoint to another, which must not coincide."""
    direction: Array = (finish - start) / length_between(start, finish, owner, names)
    return direction


def distance_from_axis(point: Array, at: Array, axis: Array, owner: str, name: str) -> float:
    """Distance of a hardpoint from the axis it turns about.

    Raises
    ------
    ModelError
        If the point is on the axis, so that turning does not move it.
    """
    radius = float(np.linalg.norm(np.cross(axis, point - at)))
    if radius < SMALLEST_LENGTH:
        raise ModelError(
            f"{owner}: point {name} at {point.tolist()} is on the axis through {at.tolist()} along "
            f"{axis.tolist()} (distance {radius:g} m); turning about it must move the point"
        )
    return radius
