"""The chassis, and rear chassis on connectors: trailers, and rear halves of vehicles that fold or twist."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.bodies import steiner
from ce_dynamics.models.vehicles.chrono.bodies import UNPHYSICAL, Matrix, moments, rotate_inertia, rotation
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, inertia, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections
from ce_dynamics.models.vehicles.chrono.steering import actuator

REAR = "Rear Connector Location"
FRONT = "Front Connector Location"
TORSION_TIME = 0.01
"""[s], damping over stiffness of Chrono's torsion connectors."""


class RearChassis(NamedTuple):
    """A rear chassis as read: its name and section, where it is coupled and where its parts are.

    ``at`` is the coupling point from the vehicle's origin, ``front`` that from the origin of its own file,
    ``rear`` that of the next one behind it.
    """

    name: str
    section: Sections
    mass: float
    at: Matrix
    front: Matrix
    rear: Matrix


def rear_chassis(reading: Reading, part: JsonObject, main: JsonObject) -> list[RearChassis]:
    """Return all of a vehicle, each after what it is coupled to."""
    found: list[RearChassis] = []
    for k, block in enumerate(part.list_of_parts("Rear Chassis")):
        index = block.number("Chassis Index", -1.0)
        if index not in range(-1, k):
            raise block.key_error(
                "Chassis Index", f"{index:g} is no chassis ahead; give -1 for the main one, or 0 to {k - 1}"
            )
        file, connector = (reading.file(block, f"{what}Input File") for what in ("", "Connector "))
        parent = None if index < 0.0 else found[int(index)]
        joint = middle(main, REAR) if parent is None else parent.rear
        found.append(couple_chassis(reading, f"rear_chassis_{k + 1}", file, connector, joint, parent))
    return found


def couple_chassis(
    reading: Reading,
    name: str,
    file: JsonObject,
    connector: JsonObject,
    joint: Matrix | None,
    parent: RearChassis | None,
) -> RearChassis:
    """Return a chassis on a connector at a point of what is ahead of it, which is not known without that."""
    hitch, read = reading.by_template(connector, "connector", CONNECTORS)
    front, rear = middle(file, FRONT, needed=True), middle(file, REAR)
    body = chassis(reading, reading.section(name, file), "RigidChassisRear", front)
    own = np.zeros(3) if joint is None else joint if parent is None else joint - parent.front
    place: Sections = {} if joint is None else {"x": quantity(own[0], "m"), "z": quantity(own[2], "m")}
    section = {**body, "hitch": {"kind": hitch, **place, **read(reading, connector)}}
    if parent is not None:
        section["behind"] = parent.name
    return RearChassis(
        name,
        section,
        float(str(body["mass"]).split()[0]),
        own if parent is None else parent.at + own,
        front,
        rear,
    )


def middle(file: JsonObject, key: str, needed: bool = False) -> Matrix:
    """Return a point of the middle plane; the origin unless it is there."""
    at = file.vector(key) if needed or file.has(key) else np.zeros(3)
    if at[1] != 0.0:
        raise file.key_error(key, f"y = {at[1]:g} m is beside the middle plane; connectors lie in it, give 0")
    return np.asarray(at, dtype=float)


def free(reading: Reading, connector: JsonObject) -> Sections:
    """Return a ball, or a fifth wheel, without notes."""
    return {}


def torsion(reading: Reading, connector: JsonObject) -> Sections:
    """Return a shaft along the vehicle."""
    stiffness = connector.positive("Torsional Stiffness")
    damping = TORSION_TIME * stiffness
    return {
        "roll_stiffness": quantity(stiffness, "N*m/rad"),
        "roll_damping": quantity(damping, "N*m*s/rad"),
    }


def read_articulation(reading: Reading, connector: JsonObject) -> Sections:
    """Return a pin that steers."""
    angle = connector.positive("Maximum Steering Angle (deg)")
    return {"max_angle": quantity(angle, "deg"), "actuator": actuator(reading)}


CONNECTORS: Mapping[str, tuple[str, Callable[[Reading, JsonObject], Sections]]] = {
    "ChassisConnectorHitch": ("ball", free),
    "ChassisConnectorFifthWheel": ("fifth-wheel", free),
    "ChassisConnectorTorsion": ("torsion", torsion),
    "ChassisConnectorArticulated": ("articulated", read_articulation),
}
"""Our name of a hitch, and what reads its numbers."""


def chassis(
    reading: Reading, part: JsonObject, template: str = "RigidChassis", origin: Matrix | None = None
) -> Sections:
    """Return mass, centre of mass (from an origin) and inertia about it, axes of the vehicle.

    Signed sums over the components, with I = Σ ± [R J Rᵀ + m (r² 1 − r rᵀ)] about the vehicle's origin.
    """
    if part.template != template:
        raise part.wrong_kind(f"chassis that can be read here; known is {template}")
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for component in part.list_of_parts("Components"):
        frame = component.part("Centroidal Frame")
        r, R = frame.vector("Location"), rotation(frame, "Orientation")
        sign = -1.0 if component.flag("Void") else 1.0
        m = sign * component.number("Mass", least=0.0)
        mass, first = mass + m, first + m * r
        second = second + sign * rotate_inertia(moments(component), R) + m * steiner(r)
    if not mass > 0.0:
        raise part.key_error("Components", f"their masses add up to {mass:g} kg; the sum must be above 0")
    com = first / mass
    about_com = second - mass * steiner(com)
    if part.has("Contact"):
        reading.note("contact of the chassis with the ground")
    for connector in ("Rear Connector Location", "Front Connector Location"):
        part.has(connector)
    return {
        "source": "chrono",
        "mass": quantity(mass, "kg"),
        "com": quantities(com if origin is None else com - origin, "m"),
        "inertia": inertia(about_com, UNPHYSICAL),
    }
