"""Computes the angles of the steered wheels for a steering input, from the hardpoints alone."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, array, cross, dot
from ce_dynamics.compiled.analysis.power_balance import drive_forces
from ce_dynamics.compiler.free_numbers import decide, nominal
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.errors import AccuracyWarning, AssemblyError, DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.controller import Controller, Named
from ce_dynamics.mechanism.drives import Prescribed, SecondOrderActuator
from ce_dynamics.mechanism.forces.base import Observer
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.bodies import Vector
from ce_dynamics.models.vehicles.corner import Corner, sprung_body
from ce_dynamics.models.vehicles.steering.base import LOCKS, compute_wheel_angle, steering_reach
from ce_dynamics.models.vehicles.steering.column import WANTED, Column

if TYPE_CHECKING:
    from ce_dynamics.models.vehicles.description import VehicleParameters


ASSUMED_RATIO = 16.0
"""Steering ratio where data give none: of a passenger car."""
COMMAND = "steering_wheel_command"
"""Input of vehicles that are steered by the angle of the steering wheel [rad]; they have no other."""
UNEVEN = 0.5
"""Part of half the angle from lock to lock below which a lock does not determine the steering angle."""


def max_wheel_angle(parameters: VehicleParameters) -> Scalar:
    """Return angle of the wheels of the first steered axle at full lock, mean of inner and outer wheel [rad].

    That of the left lock; where it hardly turns them, as a crank does that is led back before its end, half
    the angle from lock to lock.  `AssemblyError` if the steering linkage cannot reach full lock.
    """
    if not parameters.steerings:
        return find_unfolded_angle(parameters)
    with parameters.naming():
        turned = [angle_at_full_lock(parameters, corner) for corner in first_steered(parameters)]
    left, half = (0.5 * sum(angles) for angles in zip(*turned, strict=True))
    uneven = "the left lock hardly turns the wheels"
    return half if decide(left < UNEVEN * half, uneven) else left


def steering_wheel_lock(parameters: VehicleParameters) -> float:
    """Return the angle of the steering wheel at full lock [rad].

    It is that of the column, or the ratio of the data times the angle of the road wheels; of a vehicle that
    folds, times the angle by which it folds.  If the data have neither, it warns and takes `ASSUMED_RATIO`.
    """
    lock = float(nominal(full_turn(parameters)))
    name, section = steering_section(parameters)
    if section.ratio is None and getattr(section, "column", None) is None:
        warnings.warn(
            f"{parameters.label}: {name}.ratio is not given; {ASSUMED_RATIO:g} is assumed, so that the "
            f"steering wheel turns by {math.degrees(lock):.4g} deg to full lock",
            AccuracyWarning,
            stacklevel=3,
        )
    return lock


def steering_section(parameters: VehicleParameters) -> tuple[str, Any]:
    """Return name and data of the first steering mechanism, or of the hitch that folds the vehicle."""
    if not parameters.steerings:
        name = parameters.layout.folding[0]
        return f"{name}.hitch", getattr(parameters.data, name).hitch
    name = next(iter(parameters.steerings))
    return name, getattr(parameters.data, name)


def full_turn(parameters: VehicleParameters) -> Scalar:
    """Return the angle of the steering wheel at full lock [rad], with `ASSUMED_RATIO` if there is none."""
    _, section = steering_section(parameters)
    if parameters.steerings and parameters.steering.column is not None:
        return parameters.steering.column.lock
    turned = max_wheel_angle(parameters) if parameters.steerings else section.max_angle
    return (ASSUMED_RATIO if section.ratio is None else section.ratio) * turned


def steering_ratio(parameters: VehicleParameters, steering: float = 0.0) -> float:
    """Return the steering wheel's angle per mean angle of the road wheels at a steering input.

    It is the ratio of their rates, by central differences over 2e-4 of full lock, within full lock.  Of a
    vehicle that folds, the angle of the fold stands for that of the road wheels.
    """
    lock = steering_wheel_lock(parameters)
    if not parameters.steerings:
        return lock / float(nominal(steering_section(parameters)[1].max_angle))
    low, high = max(steering - 1e-4, -1.0), min(steering + 1e-4, 1.0)
    turned = mean_wheel_angle(parameters, high) - mean_wheel_angle(parameters, low)
    return lock * (high - low) / turned


@dataclass(frozen=True, eq=False)
class SteeringWheel:
    """The steering wheel, as outputs of a vehicle see it, with its angle at full lock [rad].

    It moves the hinges of the bodies ``led``, here with their coordinates at full lock [m] or [rad]: the
    first of them by the force element ``column``, or by actuators.  ``wheels`` are left and right carrier of
    the first steered axle with their spin axes; none of a vehicle that folds.
    """

    lock: Scalar
    led: tuple[tuple[Body, Scalar], ...]
    column: str | None
    wheels: tuple[tuple[Body, Vector], ...]

    def angle(self, observer: Observer) -> Scalar:
        """Return its angle, positive to the left [rad]."""
        body, gain = self.led[0]
        return self.lock * observer.coordinate(body) / gain

    def ratio(self, instant: Instant) -> Scalar:
        """Rate of the steering wheel per mean rate of the road wheels' headings, suspensions held [-]."""
        if not self.wheels:
            return self.lock / abs(nominal(self.led[0][1]))
        moved = self.turning(instant)
        rates = []
        for carrier, axis in self.wheels:
            unit = sprung_body(instant.embedding.system, carrier)
            e = moved.direction(carrier, axis, unit)
            e_rate = cross(moved.angular_velocity(carrier, unit), e)
            rates.append((e[0] * e_rate[1] - e[1] * e_rate[0]) / dot(e[:2], e[:2]))
        return len(rates) / sum(rates)

    def turning(self, instant: Instant) -> Outward:
        """Return the motion at a rate of the steering wheel of 1 rad/s, all that it does not lead at rest."""
        rates = {body.name: gain / self.lock for body, gain in self.led}
        prescribed = {
            name: Prescribed(motion.position, rates.get(name, 0.0), 0.0)
            for name, motion in instant.prescribed.items()
        }
        embedding = instant.embedding
        first = {place.start: name for name, place in embedding.v_of.items()}
        v = array(rates.get(first.get(k, ""), 0.0) for k in range(embedding.n_v))
        return Outward(embedding, instant.q, v, prescribed)

    def torque(self, instant: Instant) -> Scalar:
        """Return the torque of the hands, positive to the left [N m].

        Of a column its driver's torque.  Else, by virtual work, what the actuators' forces are at a steering
        wheel without friction, inertia and assistance of its own.
        """
        if self.column is not None:
            return instant.loads.responses[self.column].outputs["torque"]
        forces = dict(zip(instant.prescribed, drive_forces(instant), strict=True))
        return sum(forces[body.name] * gain for body, gain in self.led) / self.lock


def add_steering_wheel(system: System, parameters: VehicleParameters, carriers: Mapping[str, Body]) -> None:
    """Add the outputs ``steering_wheel_angle``, ``steering_ratio`` and ``hand_torque``.

    A vehicle without a steering mechanism that does not fold has none.
    """
    if not parameters.steerings and not parameters.layout.folding:
        return
    columns = [(f.name, f.body, f.gain) for f in system.forces if isinstance(f, Column)]
    actuated = tuple(
        (system.find(name), motion.gain)
        for name, motion in system.prescribed.items()
        if isinstance(motion, SecondOrderActuator) and motion.inputs == (WANTED,)
    )
    steered = first_steered(parameters) if parameters.steerings else ()
    by_torques = bool(parameters.steerings) and parameters.steering.column is not None
    wheel = SteeringWheel(
        full_turn(parameters),
        tuple((body, gain) for _, body, gain in columns) if by_torques else actuated,
        columns[0][0] if by_torques else None,
        tuple((carriers[corner.name], corner.wheel.axis) for corner in steered),
    )
    system.add_output("steering_wheel_angle", "rad", wheel.angle)
    system.add_measurement("steering_ratio", "1", wheel.ratio)
    system.add_measurement("hand_torque", "N*m", wheel.torque)


class SteeringWheelCommand(Controller):
    """Steering by an angle: what reads ``steering`` gets the input `COMMAND` over that at full lock."""

    name = "steering_wheel"
    answers = (WANTED,)

    def __init__(self, lock: Scalar) -> None:
        self.lock = lock

    def act(self, sensors: Named, x: Named) -> Named:
        return {WANTED: sensors[COMMAND] / self.lock}


def add_command(system: System, parameters: VehicleParameters) -> None:
    """Add the input `COMMAND`, within full lock, in place of ``steering``."""
    most = steering_wheel_lock(parameters)
    system.add_input(COMMAND, "rad", between=(-most, most))
    system.add_channel(WANTED, "1")
    system.add_controller(SteeringWheelCommand(full_turn(parameters)))


def angle_at_full_lock(parameters: VehicleParameters, corner: Corner) -> tuple[Scalar, Scalar]:
    """Return the steered wheel's angle to the left at full left lock, and half that from lock to lock."""
    name = corner.name
    mechanism = parameters.steerings[parameters.mechanism_of(name)]
    angles = []
    with np.errstate(invalid="ignore"):
        for lock in LOCKS:
            reached = compute_wheel_angle(mechanism, corner, lock)
            open_at_lock = f"{name}: the steering linkage cannot be assembled at full lock"
            if not decide(reached == reached, open_at_lock):  # NaN
                part = steering_reach(mechanism, corner, lock)
                key, locked = mechanism.full_lock()
                _, reach = mechanism.full_lock(part)
                raise AssemblyError(f"{open_at_lock}, {key} = {locked}; admissible is up to {reach}")
            angles.append(mechanism.phase * reached)
    left, right = angles
    wrong = f"{name}: full steering to the left does not turn the wheel to the left"
    if decide(left <= right, wrong):
        degrees = np.degrees(nominal(left - right))
        raise DataError(
            f"{name}: full steering to the left instead of the right turns the wheel by {degrees:.3g} deg to "
            "the left, must be above 0; move the tie rod's outer joint K behind the axis through D and F"
        )
    return left, 0.5 * (left - right)


def mean_wheel_angle(parameters: VehicleParameters, steering: float) -> float:
    """Return the mean angle of the wheels of the first steered axle, positive to the left [rad]."""
    if not parameters.steerings:
        return float(nominal(find_unfolded_angle(parameters, steering)))
    sides = first_steered(parameters)
    return float(np.mean([float(nominal(wheel_angle(parameters, corner, steering))) for corner in sides]))


def find_unfolded_angle(parameters: VehicleParameters, steering: float = 1.0) -> Scalar:
    """Find the wheel angle with which a vehicle that does not fold would turn as this one at an input [rad].

    With the joint l_1 behind the first axle and l_2 ahead of the mean of those behind it, folded by φ, the
    first axle runs round R = (l_1 cos φ + l_2)/sin φ: tan δ = (l_1 + l_2)/R.
    """
    hitch: Any = parameters.trailers[parameters.layout.folding[0]].hitch
    first = parameters.corners[parameters.layout.own_axles[0].corners[0]].W[0]
    ahead, phi = first - hitch.x, steering * hitch.max_angle
    behind = parameters.wheelbase - ahead
    return math.atan(parameters.wheelbase * math.sin(phi) / (ahead * math.cos(phi) + behind))


def first_steered(parameters: VehicleParameters) -> tuple[Corner, Corner]:
    """Return the corners of the first steered axle."""
    left, right, *_ = (c for c in parameters.corners.values() if c.steered)
    return left, right


def wheel_angle(parameters: VehicleParameters, corner: Corner, steering: float) -> Scalar:
    """Return the angle of a steered wheel about the vertical, to the left [rad]; NaN for an open linkage."""
    return compute_wheel_angle(parameters.steerings[parameters.mechanism_of(corner.name)], corner, steering)
