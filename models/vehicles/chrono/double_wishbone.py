"""``DoubleWishbone``."""

from __future__ import annotations

from ce_dynamics.models.vehicles.chrono.force_laws import spring_and_damper
from ce_dynamics.models.vehicles.chrono.frames import arm_plane, moments, turned
from ce_dynamics.models.vehicles.chrono.json_file import Part
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.tie_rods import tie_rod
from ce_dynamics.models.vehicles.chrono.writing import Sections, inertia, quantities, quantity


def double_wishbone(reading: Reading, part: Part) -> Sections:
    """Its numbers, points from the suspension's origin."""
    vehicle_frame = part.flag("Vehicle-Frame Inertia")
    upright, rod = part.part("Upright"), part.part("Tierod")
    section: Sections = {
        "D": quantities(part.part("Lower Control Arm").vector("Location Upright"), "m"),
        "F": quantities(part.part("Upper Control Arm").vector("Location Upright"), "m"),
        "K": quantities(rod.vector("Location Upright"), "m"),
        "L": quantities(rod.vector("Location Chassis"), "m"),
        "lower_arm": control_arm(reading, part.part("Lower Control Arm"), vehicle_frame),
        "upper_arm": control_arm(reading, part.part("Upper Control Arm"), vehicle_frame),
        "upright": {
            "mass": quantity(upright.number("Mass", least=0.0), "kg"),
            "com": quantities(upright.vector("COM"), "m"),
            "inertia": inertia(moments(upright)),
        },
        **tie_rod(reading, rod),
        **spring_and_damper(reading, part),
    }
    return section


def control_arm(reading: Reading, arm: Part, vehicle_frame: bool) -> Sections:
    """An arm: its pivots, the one that lies ahead first, and its body."""
    front, back = arm.vector("Location Chassis Front"), arm.vector("Location Chassis Back")
    J = moments(arm)
    if not vehicle_frame:
        R = arm_plane(arm, "Location Chassis Front", front, back, arm.vector("Location Upright"))
        if J[0, 2] or J[1, 2]:
            reading.note("products of inertia of arms: the right arm is the mirror image of the left one")
        J = turned(J, R)
    if arm.has("Bushing Data"):
        arm.part("Bushing Data").read.update(arm.part("Bushing Data").data)
        reading.note("bushings: their joints are rigid")
    ahead, behind = (front, back) if front[0] > back[0] else (back, front)
    return {
        "front_pivot": quantities(ahead, "m"),
        "rear_pivot": quantities(behind, "m"),
        "mass": quantity(arm.number("Mass", least=0.0), "kg"),
        "com": quantities(arm.vector("COM"), "m"),
        "inertia": inertia(J, "chrono; unphysical as published"),
    }
