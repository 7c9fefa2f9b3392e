"""What drivers and plots read: position, attitude, velocities and accelerations of the chassis."""

from __future__ import annotations

from functools import partial

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, dot, sqrt
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import Observer
from ce_dynamics.mechanism.system import System

FORWARD, LEFT, UP = IDENTITY


def add_sensors(system: System, chassis: Body) -> None:
    """Add the outputs that drivers and plots read: position, attitude and velocities of the chassis.

    Yaw, pitch and roll are the angles of successive turns about z, y, x; roll is positive to the right, pitch
    nose down.
    """
    ground, reference = system.ground, chassis.inboard.at

    def forward(observer: Observer) -> tuple[Scalar, Scalar, Scalar]:
        x, y, z = observer.direction(chassis, FORWARD, ground)
        return x, y, z

    def heading(observer: Observer) -> Scalar:
        x, y, _ = forward(observer)
        return arctan2(y, x)

    def pitch(observer: Observer) -> Scalar:
        x, y, z = forward(observer)
        return arctan2(-z, sqrt(x * x + y * y))

    def roll(observer: Observer) -> Scalar:
        left, up = (observer.direction(chassis, axis, ground) for axis in (LEFT, UP))
        return arctan2(left[2], up[2])

    def horizontal(observer: Observer, vector: Array, k: int) -> Scalar:
        """Component of a world vector along the vehicle's horizontal forward (0) or left (1) axis."""
        x, y, _ = forward(observer)
        component = (vector[0] * x + vector[1] * y, vector[1] * x - vector[0] * y)[k]
        return component / sqrt(x * x + y * y)

    def velocity(observer: Observer, k: int) -> Scalar:
        return horizontal(observer, observer.point(chassis, reference, ground).v, k)

    def acceleration(instant: Instant, k: int) -> Scalar:
        return horizontal(instant.outward, instant.acceleration(chassis, reference), k)

    def position(observer: Observer, k: int) -> Scalar:
        return observer.point(chassis, reference, ground).r[k]

    def speed(observer: Observer) -> Scalar:
        v = observer.point(chassis, reference, ground).v
        return sqrt(v[0] * v[0] + v[1] * v[1])

    def yaw_rate(observer: Observer) -> Scalar:
        return dot(UP, observer.angular_velocity(chassis, ground))

    for k, name in enumerate(("x", "y", "z")):
        system.add_output(name, "m", partial(position, k=k))
    system.add_output("yaw", "rad", heading)
    system.add_output("pitch", "rad", pitch)
    system.add_output("roll", "rad", roll)
    system.add_output("speed", "m/s", speed)
    system.add_output("vx", "m/s", lambda o: velocity(o, 0))
    system.add_output("vy", "m/s", lambda o: velocity(o, 1))
    system.add_output("yaw_rate", "rad/s", yaw_rate)
    system.add_measurement("ax", "m/s^2", lambda instant: acceleration(instant, 0))
    system.add_measurement("ay", "m/s^2", lambda instant: acceleration(instant, 1))
