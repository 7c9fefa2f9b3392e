"""A corner of the HMMWV: the paper's seven bodies as one aggregated body, its wheel, spring and damper."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.errors import PhysicalityWarning
from ce_dynamics.kinematics.double_wishbone import DoubleWishbone, DoubleWishboneBodies, DoubleWishbonePoints
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import Observer
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.hmmwv.corner import BodyParameters, CornerParameters
from ce_dynamics.models.vehicles.hmmwv.spring import StoppedSpring


def add_corner(system: System, chassis: Body, corner: CornerParameters, steering_link: Body | None) -> Body:
    """Add a corner and return its wheel.

    Parameters
    ----------
    system : System
    chassis : Body
    corner : CornerParameters
    steering_link : Body or None
        Body that carries the inner end L of the tie rod; None for the chassis.
    """
    linkage = wishbone(corner, chassis, steering_link)
    for joint in linkage.joints():
        parameters: BodyParameters = getattr(corner, joint.body.removeprefix(f"{corner.name}."))
        add_rigid_body(system, joint.body, parameters, joint.carrier, joint.hinge)
    for cut in linkage.cuts():
        system.close_loop(cut.name, cut.body_a, cut.body_b, cut.closure)
    system.use_linkage(linkage)
    lower_arm = system.find(f"{corner.name}.lower_arm")
    spring, damper = corner.spring, corner.damper
    system.add_force(
        SpringDamper(
            f"{corner.name}.spring",
            chassis,
            spring.chassis,
            lower_arm,
            spring.arm,
            spring=StoppedSpring(spring),
            free_length=spring.free_length,
        )
    )
    system.add_force(
        SpringDamper(
            f"{corner.name}.damper",
            chassis,
            damper.chassis,
            lower_arm,
            damper.arm,
            damper=damper.coefficient,
        )
    )
    return add_wheel(system, corner)


def wishbone(corner: CornerParameters, chassis: Body, steering_link: Body | None) -> DoubleWishbone:
    """The closed-form linkage of a corner; arm angles are positive about the vehicle's forward axis."""
    points = DoubleWishbonePoints(
        A1=corner.lower_arm.rear_pivot,
        A2=corner.lower_arm.front_pivot,
        G1=corner.upper_arm.rear_pivot,
        G2=corner.upper_arm.front_pivot,
        D=corner.D,
        F=corner.F,
        K=corner.K,
        L=corner.L,
        B=corner.damper.arm,
        J=corner.damper.chassis,
    )
    carrier = None if steering_link is None else steering_link.name
    bodies = DoubleWishboneBodies.prefixed(f"{corner.name}.", chassis=chassis.name, steering=carrier)
    return DoubleWishbone(points, bodies)


def add_wheel(system: System, corner: CornerParameters) -> Body:
    """Add the wheel on the spindle, whose axle shaft turns with it, and its centre as outputs."""
    wheel = corner.wheel
    axle = wheel.axle_inertia * np.outer(wheel.axis, wheel.axis)
    rotor = BodyParameters(wheel.mass, wheel.com, wheel.inertia + axle)
    hinge = Revolute(wheel.axis, at=corner.W)
    body = add_rigid_body(system, f"{corner.name}.wheel", rotor, f"{corner.name}.spindle", hinge)
    for k, coordinate in enumerate("xyz"):
        centre = partial(position, body=body, at=corner.W, ground=system.ground, k=k)
        system.add_output(f"{corner.name}.wheel_{coordinate}", "m", centre)
    return body


def position(observer: Observer, body: Body, at: Array, ground: Body, k: int) -> Scalar:
    """A coordinate of a body-fixed point in the world."""
    return observer.point(body, at, ground).r[k]


def add_rigid_body(
    system: System, name: str, parameters: BodyParameters, parent: Body | str, hinge: Hinge
) -> Body:
    """Add a body with its published inertia; the data file has warned where that is not physical."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicalityWarning)
        return system.add_body(
            name,
            mass=parameters.mass,
            com=parameters.com,
            inertia=parameters.inertia,
            parent=parent,
            hinge=hinge,
        )
