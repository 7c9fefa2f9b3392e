"""Sensors of trailers: angles and forces of their hitches, their own motion."""

from __future__ import annotations

from functools import partial

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.sensors import Reference


def add_hitch_sensors(system: System, name: str) -> None:
    """Add what is observed of a trailer: angles and forces of its hitch, its own motion.

    Angles are those of successive turns about z, y, x that take what tows to the trailer: yaw is positive
    where the trailer's front points to the left, pitch where its nose is down, roll to the right.  Forces are
    those of the trailer on what tows it, in that one's axes.
    """
    trailer = system.find(name)
    first = trailer if trailer.carrier.name != f"{name}.plate" else trailer.carrier
    tower = first.carrier
    between, own = Reference(trailer, tower), Reference(trailer, system.ground)
    system.add_output(f"{name}.hitch_yaw", "rad", between.heading)
    system.add_output(f"{name}.hitch_pitch", "rad", between.pitch)
    system.add_output(f"{name}.hitch_roll", "rad", between.roll)
    system.add_output(f"{name}.trailer_yaw", "rad", own.heading)
    system.add_output(f"{name}.trailer_roll", "rad", own.roll)
    system.add_output(f"{name}.trailer_yaw_rate", "rad/s", own.yaw_rate)
    system.add_measurement(f"{name}.trailer_ay", "m/s^2", partial(lateral_acceleration, trailer=trailer))
    for k, axis in enumerate("xyz"):
        system.add_measurement(f"{name}.hitch_F{axis}", "N", partial(hitch_force, towed=first, k=k))


def lateral_acceleration(instant: Instant, trailer: Body) -> Scalar:
    """Return the acceleration of the trailer's centre of mass to the left of its forward axis [m/s²]."""
    own = Reference(trailer, instant.embedding.system.ground)
    return own.horizontal(instant.outward, instant.acceleration(trailer, trailer.com), 1)


def hitch_force(instant: Instant, towed: Body, k: int) -> Scalar:
    """Component k of the force that crosses the hinge of a towed body to its carrier, in its axes."""
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
