"""How far the steered wheels turn for a steering input, from the hardpoints alone."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import decided, nominal
from ce_dynamics.errors import AccuracyWarning, AssemblyError, DataError
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.steering.reach import LOCKS, steered_angle, steering_reach

if TYPE_CHECKING:
    from ce_dynamics.models.vehicles.description import VehicleParameters


ASSUMED_RATIO = 16.0
"""Steering ratio where data give none: of a passenger car."""
UNEVEN = 0.5
"""Of half the angle from lock to lock: a lock that turns wheels less says nothing of how they are steered."""


def max_wheel_angle(parameters: VehicleParameters) -> Scalar:
    """Angle of the wheels of the first steered axle at full lock, mean of inner and outer wheel [rad].

    That of the left lock; where it hardly turns them, as a crank does that is led back before its end, half
    the angle from lock to lock.

    Raises
    ------
    AssemblyError
        If the steering linkage cannot reach full lock.
    DataError
        If full steering to the left instead of the right does not turn both wheels to the left.
    """
    if not parameters.steerings:
        return folded_angle(parameters)
    with parameters.naming():
        turned = [at_full_lock(parameters, corner) for corner in first_steered(parameters)]
    left, half = (0.5 * sum(angles) for angles in zip(*turned, strict=True))
    uneven = "the left lock hardly turns the wheels"
    return half if decided(left < UNEVEN * half, uneven) else left


def steering_wheel_lock(parameters: VehicleParameters) -> float:
    """Return the angle of the steering wheel at full lock [rad].

    It is that of the column, or the ratio of the data times the angle of the road wheels.

    Raises
    ------
    DataError
        If the vehicle folds and has no steering mechanism.

    Warns
    -----
    AccuracyWarning
        If the data have neither: `ASSUMED_RATIO` is taken.
    """
    if not parameters.steerings:
        raise DataError(f"{parameters.label}: it steers by folding and has no steering wheel's angle")
    name, mechanism = next(iter(parameters.steerings.items()))
    if mechanism.column is not None:
        return float(nominal(mechanism.column.lock))
    ratio = getattr(parameters.data, name).ratio
    lock = float(nominal(max_wheel_angle(parameters)))
    if ratio is None:
        warnings.warn(
            f"{parameters.label}: {name}.ratio is not given; {ASSUMED_RATIO:g} is assumed, so that the "
            f"steering wheel turns by {math.degrees(ASSUMED_RATIO * lock):.4g} deg to full lock",
            AccuracyWarning,
            stacklevel=3,
        )
        ratio = ASSUMED_RATIO
    return float(ratio) * lock


def steering_ratio(parameters: VehicleParameters, steering: float = 0.0) -> float:
    """Return the steering wheel's angle per mean angle of the road wheels at a steering input.

    It is the ratio of their rates, by central differences over 2e-4 of full lock, within full lock.
    """
    low, high = max(steering - 1e-4, -1.0), min(steering + 1e-4, 1.0)
    turned = mean_wheel_angle(parameters, high) - mean_wheel_angle(parameters, low)
    return steering_wheel_lock(parameters) * (high - low) / turned


def at_full_lock(parameters: VehicleParameters, corner: Corner) -> tuple[Scalar, Scalar]:
    """Angle of a steered wheel to the left at full lock to the left, and half that from lock to lock."""
    name = corner.name
    mechanism = parameters.steerings[parameters.mechanism_of(name)]
    angles = []
    with np.errstate(invalid="ignore"):
        for lock in LOCKS:
            reached = steered_angle(mechanism, corner, lock)
            open_at_lock = f"{name}: the steering linkage cannot be assembled at full lock"
            if not decided(reached == reached, open_at_lock):  # NaN
                part = steering_reach(mechanism, corner, lock)
                key, locked = mechanism.full_lock()
                _, reach = mechanism.full_lock(part)
                raise AssemblyError(f"{open_at_lock}, {key} = {locked}; admissible is up to {reach}")
            angles.append(mechanism.phase * reached)
    left, right = angles
    wrong = f"{name}: full steering to the left does not turn the wheel to the left"
    if decided(left <= right, wrong):
        degrees = np.degrees(nominal(left - right))
        raise DataError(
            f"{name}: full steering to the left instead of the right turns the wheel by {degrees:.3g} deg to "
            "the left, must be above 0; move the tie rod's outer joint K behind the axis through D and F"
        )
    return left, 0.5 * (left - right)


def mean_wheel_angle(parameters: VehicleParameters, steering: float) -> float:
    """Mean angle of the wheels of the first steered axle, positive to the left [rad], or `folded_angle`."""
    if not parameters.steerings:
        return float(nominal(folded_angle(parameters, steering)))
    sides = first_steered(parameters)
    return float(np.mean([float(nominal(wheel_angle(parameters, corner, steering))) for corner in sides]))


def folded_angle(parameters: VehicleParameters, steering: float = 1.0) -> Scalar:
    """The wheel angle with which a vehicle that does not fold would turn as this one at an input [rad].

    With the joint l_1 behind the first axle and l_2 ahead of the mean of those behind it, folded by φ, the
    first axle runs round R = (l_1 cos φ + l_2)/sin φ: tan δ = (l_1 + l_2)/R.
    """
    hitch: Any = parameters.trailers[parameters.layout.folding[0]].hitch
    first = parameters.corners[parameters.layout.own_axles[0].corners[0]].W[0]
    ahead, phi = first - hitch.x, steering * hitch.max_angle
    behind = parameters.wheelbase - ahead
    return math.atan(parameters.wheelbase * math.sin(phi) / (ahead * math.cos(phi) + behind))


def first_steered(parameters: VehicleParameters) -> tuple[Corner, Corner]:
    """The corners of the first steered axle."""
    left, right, *_ = (c for c in parameters.corners.values() if c.steered)
    return left, right


def wheel_angle(parameters: VehicleParameters, corner: Corner, steering: float) -> Scalar:
    """Angle of a steered wheel about the vertical, positive to the left [rad].

    Parameters
    ----------
    parameters : VehicleParameters
    corner : Corner
        A steered corner, its suspension at the design position.
    steering : float
        The steering input, −1 … 1.

    Returns
    -------
    float
        NaN where the linkage cannot be assembled.
    """
    return steered_angle(parameters.steerings[parameters.mechanism_of(corner.name)], corner, steering)
