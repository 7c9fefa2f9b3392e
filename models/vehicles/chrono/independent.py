"""Suspensions of single wheels, a function for each of Chrono's templates; points from their origin."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.models.vehicles.chrono.bodies import (
    BUSHINGS,
    UNPHYSICAL,
    Matrix,
    arm_plane,
    body,
    link,
    make_bushing,
    middle,
    moments,
    rod,
    rod_as_length,
    rod_with_body,
    rotate_inertia,
    unit,
)
from ce_dynamics.models.vehicles.chrono.force_laws import spring_and_damper
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, inertia, quantities
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections

UP = np.array([0.0, 0.0, 1.0])
LINK_ENDS = CHASSIS_END, ARM_END = "Bushing Data Chassis", "Bushing Data Arm"
KINGPIN = 0.05
"""[m] from a joint to the points that define its axis."""


def double_wishbone(reading: Reading, part: JsonObject) -> Sections:
    """Return ``DoubleWishbone``."""
    vehicle_frame = part.flag("Vehicle-Frame Inertia")
    return {
        "D": part.part("Lower Control Arm").point("Location Upright"),
        "F": part.part("Upper Control Arm").point("Location Upright"),
        **tie_rod(reading, part),
        "lower_arm": control_arm(reading, part.part("Lower Control Arm"), vehicle_frame),
        "upper_arm": control_arm(reading, part.part("Upper Control Arm"), vehicle_frame),
        "upright": body(part.part("Upright")),
        **spring_and_damper(reading, part),
        BUSHINGS: {
            **arm_bushing(reading, part.part("Upper Control Arm"), "upper_arm"),
            **arm_bushing(reading, part.part("Lower Control Arm"), "lower_arm"),
            **tie_rod_bushings(reading, part),
        },
    }


def double_wishbone_reduced(reading: Reading, part: JsonObject) -> Sections:
    """Return ``DoubleWishboneReduced``: arms are distances, spring and damper act on the upright."""
    lower, upper = part.part("Lower Control Arm"), part.part("Upper Control Arm")
    return {
        "D": lower.point("Location Upright"),
        "F": upper.point("Location Upright"),
        **tie_rod(reading, part),
        "lower_arm": pivots(lower),
        "upper_arm": pivots(upper),
        "upright": body(part.part("Upright")),
        BUSHINGS: tie_rod_bushings(reading, part),
        **spring_and_damper(reading, part, arm="Location Upright"),
    }


def macpherson(reading: Reading, part: JsonObject) -> Sections:
    """Return ``MacPhersonStrut``: the strut lies between the ends of the spring."""
    spring, arm = part.part("Spring"), part.part("Control Arm")
    top, bottom = spring.vector("Location Chassis"), spring.vector("Location Upright")
    return {
        "D": arm.point("Location Upright"),
        "F": quantities(top, "m"),
        "S": quantities(bottom, "m"),
        **tie_rod(reading, part),
        "lower_arm": control_arm(reading, arm, vehicle_frame=False),
        "upright": body(part.part("Upright")),
        "strut": body(part.part("Strut"), com=middle(top, bottom)),
        BUSHINGS: {
            **arm_bushing(reading, arm, "lower_arm"),
            **rod_as_length(reading, part.part("Tierod"), "tie_rod"),
        },
        **spring_and_damper(reading, part, arm="Location Upright"),
    }


def multi_link(reading: Reading, part: JsonObject) -> Sections:
    """Return ``MultiLink``: upper arm, lateral link, trailing link with the springs, tie rod."""
    upper = part.part("Upper Arm")
    return {
        "F": upper.point("Location Upright"),
        **tie_rod(reading, part),
        "upper_arm": control_arm(reading, upper, vehicle_frame=False),
        "lateral_link": link(reading, part.part("Lateral"), "Location Upright"),
        "trailing_link": trailing_link(reading, part),
        "upright": body(part.part("Upright")),
        BUSHINGS: rod_as_length(reading, part.part("Tierod"), "tie_rod"),
        **spring_and_damper(reading, part, arm="Location Link"),
    }


def trailing_link(reading: Reading, part: JsonObject) -> Sections:
    """Return the link with the springs, on a universal joint, whose axes Chrono exchanges."""
    own = part.part("Trailing Link")
    C, U = own.vector("Location Chassis"), own.vector("Location Upright")
    spring = part.part("Spring").vector("Location Link")
    z = unit(own, "Location Upright", C - U)
    y = unit(own, "Location Upright", cross(U - spring, C - spring))
    names = ["Universal Joint Axis Chassis", "Universal Joint Axis Link"]
    ends = [C + unit(own, name, own.vector(name)) for name in (names[::-1] if reading.like_chrono else names)]
    return {
        "chassis": quantities(C, "m"),
        "upright": quantities(U, "m"),
        "first": quantities(ends[0], "m"),
        "second": quantities(ends[1], "m"),
        "body": body(own, R=np.column_stack((cross(y, z), y, z))),
    }


def semi_trailing_arm(reading: Reading, part: JsonObject) -> Sections:
    """Return ``SemiTrailingArm``: one arm on two pivots."""
    arm = part.part("Trailing Arm")
    outer, inner = arm.vector("Location Chassis Outer"), arm.vector("Location Chassis Inner")
    spindle = arm.vector("Location Spindle")
    z = unit(arm, "Location Chassis Outer", cross(outer - spindle, inner - spindle))
    x = unit(arm, "Location Chassis Outer", outer - inner)
    return {
        "trailing_arm": {
            "outer_pivot": quantities(outer, "m"),
            "inner_pivot": quantities(inner, "m"),
            **body(arm, R=np.column_stack((x, cross(z, x), z))),
        },
        BUSHINGS: make_bushing(reading, arm, "trailing_arm", middle(outer, inner)),
        **spring_and_damper(reading, part),
    }


def three_links(reading: Reading, part: JsonObject) -> Sections:
    """Return ``ThreeLinkIRS``: a trailing arm on a ball joint, two lateral links."""
    arm = part.part("Trailing Arm")
    pivot = arm.vector("Location Chassis")
    x = unit(arm, "Location Chassis", pivot - arm.vector("Location Spindle"))
    y = unit(arm, "Location Chassis", cross(UP, x))
    return {
        "trailing_arm": {
            "pivot": quantities(pivot, "m"),
            **body(arm, R=np.column_stack((x, y, cross(x, y)))),
        },
        BUSHINGS: {
            **make_bushing(reading, arm, "trailing_arm", pivot, CHASSIS_END, ball=True),
            **rod_as_length(reading, part.part("Upper Link"), "upper_link", LINK_ENDS),
            **rod_as_length(reading, part.part("Lower Link"), "lower_link", LINK_ENDS),
        },
        "upper_link": link(reading, part.part("Upper Link"), "Location Arm", yields=True),
        "lower_link": link(reading, part.part("Lower Link"), "Location Arm", yields=True),
        **spring_and_damper(reading, part),
    }


def single_wishbone(reading: Reading, part: JsonObject) -> Sections:
    """Convert ``SingleWishbone``: an arm about a line along the vehicle, a vertical kingpin at its end."""
    arm = part.part("Control Arm")
    part.has("Vehicle-Frame Inertia")  # which Chrono ignores here
    inner, outer = arm.vector("Location Chassis"), arm.vector("Location Upright")
    y = unit(arm, "Location Upright", outer - inner)
    x = unit(arm, "Location Upright", cross(y, UP))
    along = np.array([2.0 * KINGPIN, 0.0, 0.0])
    return {
        "D": quantities(outer - KINGPIN * UP, "m"),
        "F": quantities(outer + KINGPIN * UP, "m"),
        **tie_rod(reading, part),
        "control_arm": {
            "front_pivot": quantities(inner + along, "m"),
            "rear_pivot": quantities(inner - along, "m"),
            **body(arm, R=np.column_stack((x, y, cross(x, y)))),
        },
        BUSHINGS: {
            **make_bushing(reading, arm, "control_arm", inner),
            **tie_rod_bushings(reading, part),
        },
        "upright": body(part.part("Upright")),
        **spring_and_damper(reading, part),
    }


def rigid(reading: Reading, part: JsonObject) -> Sections:
    """Return ``RigidSuspension``: the wheel turns on the chassis."""
    return {}


def control_arm(reading: Reading, arm: JsonObject, vehicle_frame: bool) -> Sections:
    """Return an arm: its pivots, the one that lies ahead first, and its body."""
    front, back = arm.vector("Location Chassis Front"), arm.vector("Location Chassis Back")
    J = moments(arm)
    if not vehicle_frame:
        R = arm_plane(arm, "Location Chassis Front", front, back, arm.vector("Location Upright"))
        if J[0, 2] or J[1, 2]:
            reading.note("products of inertia of arms: the right arm is the mirror image of the left one")
        J = rotate_inertia(J, R)
    return {
        **pivots(arm),
        "mass": arm.mass(),
        "com": arm.point("COM"),
        "inertia": inertia(J, UNPHYSICAL),
    }


def arm_bushing(reading: Reading, arm: JsonObject, joint: str) -> Sections:
    """Return the bushing of an arm half way between its pivots."""
    ends = arm.vector("Location Chassis Front"), arm.vector("Location Chassis Back")
    return make_bushing(reading, arm, joint, middle(*ends))


def pivots(arm: JsonObject) -> Sections:
    """Return the pivots of an arm, the one that lies ahead first."""
    front: Matrix = arm.vector("Location Chassis Front")
    back: Matrix = arm.vector("Location Chassis Back")
    ahead, behind = (front, back) if front[0] > back[0] else (back, front)
    return {"front_pivot": quantities(ahead, "m"), "rear_pivot": quantities(behind, "m")}


def tie_rod(reading: Reading, part: JsonObject) -> Sections:
    """Return the ends of a tie rod, and its body where it is one."""
    block = part.part("Tierod")
    section: Sections = {"K": block.point("Location Upright"), "L": block.point("Location Chassis")}
    if block.has("Mass"):
        section["tie_rod"] = rod(reading, block, yields=True)
    return section


def tie_rod_bushings(reading: Reading, part: JsonObject) -> Sections:
    """Return the bushings of a tie rod that is a body; none for a rod without mass."""
    block = part.part("Tierod")
    return rod_with_body(reading, block, block.vector("Location Upright"), block.vector("Location Chassis"))
