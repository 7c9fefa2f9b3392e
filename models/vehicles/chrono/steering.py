"""Steering mechanisms by Chrono's name, their full locks, and which way axles steer with the first one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models.data.schema import lay, validate
from ce_dynamics.models.vehicles.chrono.bodies import (
    UNPHYSICAL,
    Matrix,
    moments,
    rotate_inertia,
    rotation,
    unit,
)
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, inertia, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections, write_data_file, yaml_text
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.layout import layout_of
from ce_dynamics.models.vehicles.schema import axle_of, corners_of, groups_of, schema_of, steering_of
from ce_dynamics.models.vehicles.steering.base import LOCKS, Steering, steering_reach
from ce_dynamics.models.vehicles.tree import shorten


def set_phases(reading: Reading, sections: Sections, senses: Mapping[str, int]) -> None:
    """Let axles steer against the first one where the geometry of Chrono's files makes them.

    Ours turn to the left whatever their geometry, which only the built mechanisms show.
    """
    ours = {name: mechanism for name, (mechanism, _) in build_mechanisms(reading, sections, senses).items()}
    left = {name: ours[name].sense * sense for name, sense in senses.items()}
    first, *others = left
    if left[first] < 0:
        reading.note("the sense of the steering: a positive input steers to the left, in Chrono to the right")
    against = [name for name in others if left[name] != left[first]]
    for axle in sections["axles"].values():
        if axle.get("steering", {}).get("mechanism") in against:
            axle["steering"]["phase"] = "against"


def build_mechanisms(
    reading: Reading, sections: Sections, names: Iterable[str]
) -> dict[str, tuple[Steering, list[Corner]]]:
    """Build steering mechanisms and the corners that they steer, each in the coordinates of its chassis."""
    file = shorten(write_data_file(yaml_text(sections), reading.path.name))
    layout = layout_of(file.words, file.label)
    schema, groups = schema_of(layout), groups_of(layout)
    data = validate(schema, lay({}, file.assignments, groups), groups, file.label)
    corners = {
        corner.name: corner
        for axle in layout.axles
        if axle.steering is not None
        for corner in corners_of(axle_of(axle, data), data)
    }
    steered = layout.steered
    return {
        name: (
            steering_of(name, layout, data, corners),
            [corners[corner] for axle in steered[name] for corner in axle.corners],
        )
        for name in names
    }


OVERLOOKED = 0.9
"""Part of full lock below which a linkage has a point in the wrong place; a warning names it."""
CLEAR = 0.9
"""Part of the lock that is reached in the design position: as wheels travel, linkages end earlier."""


def set_locks(reading: Reading, sections: Sections, own: Mapping[str, Sections]) -> None:
    """Let mechanisms, each with its own section, end before their linkages do, which Chrono's tear open."""
    try:
        mechanisms = build_mechanisms(reading, sections, own)
    except CeDynamicsError:  # reported where the vehicle is loaded, with its keys
        return
    for name, (mechanism, corners) in mechanisms.items():
        reached = min(steering_reach(mechanism, corner, lock) for corner in corners for lock in LOCKS)
        if not OVERLOOKED < reached < 1.0:
            continue
        (key, whole), (_, end) = mechanism.full_lock(), mechanism.full_lock(reached)
        reading.lock = CLEAR * reached
        _, taken = mechanism.full_lock(reading.lock)
        own[name][key.rpartition(".")[2]] = taken
        reading.note(f"full lock of the {name}: the linkage ends at {end} of {whole}, {taken} are taken")


ACTUATOR: Sections = {
    "natural_frequency": "30 Hz [assumed]",
    "damping_ratio": "1 [assumed]",
}
"""Chrono sets angle or travel at once."""
AT_ONCE: Sections = {"natural_frequency": "100 Hz", "damping_ratio": "1"}
"""An actuator as fast as steps of 1 ms follow easily."""
IDLER_JOINT: Sections = {
    "stiffness": "5000 kN/m [assumed]",
    "damping": "3 kN*s/m [assumed]",
    "reaction_error": "1",
}
"""Chrono's is rigid."""
SHAFT = 0.1
"""[m] between the points that define an axis."""
STRAIGHT = 1e-6
"""Largest deviation of a unit vector from an axis for which it is taken."""


def steering(reading: Reading, system: JsonObject, name: str, shift: Matrix) -> tuple[Sections, int]:
    """Return the section of a mechanism, from an origin in its chassis' coordinates, and its sense.

    That is 1 if a positive input moves Chrono's mechanism as a positive sense does ours: a rack to the left,
    an arm about its axis.
    """
    part = reading.section(name, reading.file(system, "Input File"))
    ours, read = reading.by_template(part, "steering mechanism", STEERINGS)
    origin, R = system.vector("Location") - shift, rotation(system, "Orientation")
    numbers = read(reading, part, origin, R)
    section = {"kind": ours, "source": "chrono", **numbers, "actuator": actuator(reading)}
    backwards = part.template == "RackPinion" and part.part("Pinion").number("Radius") < 0.0
    return section, 1 if backwards else -1


def actuator(reading: Reading) -> Sections:
    """Return the actuator of a steering."""
    return dict(AT_ONCE if reading.like_chrono else ACTUATOR)


def rack(reading: Reading, part: JsonObject, origin: Matrix, R: Matrix) -> Sections:
    """Return ``RackPinion``: the link slides along y; its travel is that of the pinion's largest angle."""
    if np.abs(R[:, 1] - (0.0, 1.0, 0.0)).max() > STRAIGHT:
        raise part.key_error(
            "Template", "a rack that does not slide along y; turn its 'Orientation' about y only"
        )
    link, pinion = part.part("Steering Link"), part.part("Pinion")
    angle = math.radians(pinion.positive("Maximum Angle (deg)"))
    radius = pinion.number("Radius")
    if radius == 0.0:
        raise pinion.key_error("Radius", "0 moves no rack; give the pinion's radius")
    return {
        "mass": link.mass(),
        "com": quantities(origin + R @ (0.0, link.number("COM"), 0.0), "m"),
        "inertia": inertia(rotate_inertia(moments(link), R)),
        "travel": quantity(abs(radius) * angle, "m"),
    }


def pitman(reading: Reading, part: JsonObject, origin: Matrix, R: Matrix) -> Sections:
    """Return ``PitmanArm``: all its axes along the z of its frame, which is turned about y only."""
    if np.abs(R[:, 1] - (0.0, 1.0, 0.0)).max() > STRAIGHT:
        raise part.key_error(
            "Template", "its frame is turned about more than y; turn its 'Orientation' about y only"
        )
    arm, link = part.part("Pitman Arm"), part.part("Steering Link")
    revolute, universal = part.part("Revolute Joint"), part.part("Universal Joint")
    idler = part.part("Revolute-Spherical Joint")
    for joint, key in ((revolute, "Direction"), (universal, "Direction Arm"), (idler, "Direction")):
        direction = joint.vector(key)
        along = direction / max(float(np.linalg.norm(direction)), 1e-300)
        if np.abs(along - (0.0, 0.0, 1.0)).max() > STRAIGHT:
            raise joint.key_error(
                key, "an axis other than (0, 0, 1) of the steering frame; give this direction"
            )
    turning = universal.has("Direction Link")
    vehicle_frame = part.flag("Vehicle-Frame Inertia")

    def body(b: JsonObject) -> Sections:
        J = moments(b)
        return {
            "mass": b.mass(),
            "com": b.point("COM"),
            "inertia": inertia(R.T @ J @ R if vehicle_frame else J),
        }

    # the link may turn on the arm about x, but for the idler arm's joint
    wrong = False
    if reading.like_chrono and turning:
        wrong = bool(np.abs(np.cross(universal.vector("Direction Link"), (1.0, 0.0, 0.0))).max() < STRAIGHT)
    return {
        "origin": quantities(origin, "m"),
        "tilt": quantity(math.atan2(R[0, 2], R[2, 2]), "rad"),
        "T": revolute.point("Location"),
        "U": universal.point("Location"),
        "W": idler.point("Location Chassis"),
        "V": idler.point("Location Link"),
        "max_angle": quantity(angle_at_lock(revolute), "deg"),
        "pitman_arm": body(arm),
        "link": body(link),
        **({"idler_joint": dict(IDLER_JOINT)} if wrong else {}),
    }


def angle_at_lock(part: JsonObject) -> float:
    """Return the angle of an arm at full lock [deg]."""
    angle = part.positive("Maximum Angle (deg)")
    if not angle < 90.0:
        raise part.key_error(
            "Maximum Angle (deg)", f"{angle:g} deg is no angle of an arm; give less than 90 deg"
        )
    return angle


def rotary_arm(reading: Reading, part: JsonObject, origin: Matrix, R: Matrix) -> Sections:
    """Return ``RotaryArm``: an arm that turns about an axis of any direction and carries the drag link."""
    arm = part.part("Pitman Arm")
    at, end = arm.vector("Point of Rotation"), arm.vector("Point to Draglink")
    axis = unit(arm, "Axis of Rotation", arm.vector("Axis of Rotation"))
    J = moments(arm, "Inertia Products")
    return {
        "pivot": quantities(origin + R @ at, "m"),
        "shaft": quantities(origin + R @ (at + SHAFT * axis), "m"),
        "max_angle": quantity(angle_at_lock(arm), "deg"),
        "mass": arm.mass(),
        "com": quantities(origin + R @ (0.5 * (at + end)), "m"),
        "inertia": inertia(rotate_inertia(J, R), UNPHYSICAL),
    }


STEERINGS: Mapping[str, tuple[str, Callable[[Reading, JsonObject, Matrix, Matrix], Sections]]] = {
    "PitmanArm": ("pitman", pitman),
    "RackPinion": ("rack", rack),
    "RotaryArm": ("rotary-arm", rotary_arm),
}
"""Our name, and what reads the file in a frame of given origin and axes."""
