"""Sensors for driver models and plots: motion of the chassis, places of the wheels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, dot, sqrt
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import Observer, PointState
from ce_dynamics.mechanism.system import System

FORWARD, LEFT, UP = IDENTITY


TURNED_OVER = (
    "{} has turned over by 90 degrees, where nothing but its wheels would touch the road (take a lower "
    "speed or less steering, or give the chassis a hull)"
)


FOLDED = (
    "trailer {!r} is folded by 90 degrees, where it would touch what tows it; contact between them is "
    "not computed (take a lower speed, less steering or braking, or a stabiliser)"
)


def add_sensors(system: System, chassis: Body, *, has_hull: bool = False) -> None:
    """Add the outputs that drivers and plots read: position, attitude and velocities of the chassis.

    Yaw, pitch and roll are the angles of successive turns about z, y, x; roll is positive to the right, pitch
    nose down.  Runs of a chassis without a hull end where it lies on its side: wheels that lie flat have no
    direction of rolling.
    """
    at = Reference(chassis, system.ground)
    for k, name in enumerate(("x", "y", "z")):
        system.add_output(name, "m", partial(at.position, k=k))
    system.add_output("yaw", "rad", at.heading)
    system.add_output("pitch", "rad", at.pitch)
    system.add_output("roll", "rad", at.roll)
    system.add_output("upright", "1", at.upright, limit="" if has_hull else TURNED_OVER.format("the vehicle"))
    system.add_output("speed", "m/s", at.speed)
    system.add_output("vx", "m/s", partial(at.velocity, k=0))
    system.add_output("vy", "m/s", partial(at.velocity, k=1))
    system.add_output("yaw_rate", "rad/s", at.yaw_rate)
    system.add_measurement("ax", "m/s^2", partial(at.acceleration, k=0))
    system.add_measurement("ay", "m/s^2", partial(at.acceleration, k=1))
    system.add_measurement("az", "m/s^2", at.vertical_acceleration)


def position(observer: Observer, body: Body, at: Array, ground: Body, k: int) -> Scalar:
    """Return a coordinate of a body-fixed point in the world."""
    return observer.point(body, at, ground).r[k]


def height_above(observer: Observer, body: Body, at: Array, unit: Body, design: Scalar) -> Scalar:
    """Return the height of a point over another body's centre of mass, along its z axis, less `design`."""
    return observer.point(body, at, unit).r[2] - design


@dataclass(frozen=True, eq=False)
class Reference:
    """The chassis' reference point and axes as seen from the ground."""

    chassis: Body
    ground: Body

    def forward(self, observer: Observer) -> tuple[Scalar, Scalar, Scalar]:
        x, y, z = observer.direction(self.chassis, FORWARD, self.ground)
        return x, y, z

    def along(self, observer: Observer, k: int) -> Scalar:
        return self.forward(observer)[k]

    def heading(self, observer: Observer) -> Scalar:
        x, y, _ = self.forward(observer)
        return arctan2(y, x)

    def pitch(self, observer: Observer) -> Scalar:
        """Return the pitch angle, nose down."""
        x, y, z = self.forward(observer)
        return arctan2(-z, sqrt(x * x + y * y))

    def roll(self, observer: Observer) -> Scalar:
        left, up = (observer.direction(self.chassis, axis, self.ground) for axis in (LEFT, UP))
        return arctan2(left[2], up[2])

    def upright(self, observer: Observer) -> Scalar:
        """Return the cosine of the angle between the vehicle's upward axis and the vertical."""
        return observer.direction(self.chassis, UP, self.ground)[2]

    def horizontal(self, observer: Observer, vector: Array, k: int) -> Scalar:
        """Return component of a world vector along the vehicle's horizontal forward (0) or left (1) axis."""
        x, y, _ = self.forward(observer)
        component = (vector[0] * x + vector[1] * y, vector[1] * x - vector[0] * y)[k]
        return component / sqrt(x * x + y * y)

    def point(self, observer: Observer) -> PointState:
        return observer.point(self.chassis, self.chassis.inboard.at, self.ground)

    def velocity(self, observer: Observer, k: int) -> Scalar:
        """Forward (0) or left (1)."""
        return self.horizontal(observer, self.point(observer).v, k)

    def acceleration(self, instant: Instant, k: int) -> Scalar:
        return self.horizontal(
            instant.outward, instant.acceleration(self.chassis, self.chassis.inboard.at), k
        )

    def vertical_acceleration(self, instant: Instant) -> Scalar:
        """Return the upward acceleration in the world; zero at rest."""
        return instant.acceleration(self.chassis, self.chassis.inboard.at)[2]

    def position(self, observer: Observer, k: int) -> Scalar:
        return self.point(observer).r[k]

    def speed(self, observer: Observer) -> Scalar:
        v = self.point(observer).v
        return sqrt(v[0] * v[0] + v[1] * v[1])

    def yaw_rate(self, observer: Observer) -> Scalar:
        """Return angular velocity about the vertical."""
        return dot(UP, observer.angular_velocity(self.chassis, self.ground))


def add_hitch_sensors(system: System, name: str) -> None:
    """Add what is observed of a trailer: angles and forces of its hitch, its own motion.

    Runs end where it lies on its side, or is folded by 90 degrees: nothing else would stop it.  Angles are
    those of successive turns about z, y, x that take what tows to the trailer: yaw is positive where the
    trailer's front points to the left, pitch where its nose is down, roll to the right.  Forces are those of
    the trailer on what tows it, in that one's axes.
    """
    trailer = system.find(name)
    first = trailer if trailer.carrier.name != f"{name}.plate" else trailer.carrier
    tower = first.carrier
    between, own = Reference(trailer, tower), Reference(trailer, system.ground)
    system.add_output(f"{name}.hitch_yaw", "rad", between.heading)
    folded = FOLDED.format(name)
    system.add_output(f"{name}.hitch_alignment", "1", partial(between.along, k=0), limit=folded)
    system.add_output(f"{name}.hitch_pitch", "rad", between.pitch)
    system.add_output(f"{name}.hitch_roll", "rad", between.roll)
    system.add_output(f"{name}.trailer_yaw", "rad", own.heading)
    system.add_output(f"{name}.trailer_roll", "rad", own.roll)
    limit = TURNED_OVER.format(f"trailer {name!r}")
    system.add_output(f"{name}.trailer_upright", "1", own.upright, limit=limit)
    system.add_output(f"{name}.trailer_yaw_rate", "rad/s", own.yaw_rate)
    system.add_measurement(f"{name}.trailer_ay", "m/s^2", partial(lateral_acceleration, trailer=trailer))
    for k, axis in enumerate("xyz"):
        system.add_measurement(f"{name}.hitch_F{axis}", "N", partial(hitch_force, towed=first, k=k))


def lateral_acceleration(instant: Instant, trailer: Body) -> Scalar:
    """Return the acceleration of the trailer's centre of mass to the left of its forward axis [m/s²]."""
    own = Reference(trailer, instant.embedding.system.ground)
    return own.horizontal(instant.outward, instant.acceleration(trailer, trailer.com), 1)


def hitch_force(instant: Instant, towed: Body, k: int) -> Scalar:
    """Return component k of the force that crosses the hinge of a towed body to its carrier, in its axes."""
    return crossing_force(instant, towed)[k]


def crossing_force(instant: Instant, towed: Body) -> Array:
    """Return the force of a towed body on its carrier, in the carrier's axes [N].

    What the carrier p feels of the towed body S and of all that this carries is −(P⁺ α(p) + z⁺): articulated
    inertia and bias force as the tip-to-base sweep hands them on.
    """
    S = instant.embedding.owner[towed.name]
    node, alpha = instant.nodes[S.name], instant.accelerations.alpha[S.parent.name]
    force: Array = -(node.P_plus @ alpha + node.z_plus)[3:]
    return force
