"""The chassis: components whose masses add up, or are taken away."""

from __future__ import annotations

import numpy as np

from ce_dynamics.models.vehicles.chrono.bodies import UNPHYSICAL
from ce_dynamics.models.vehicles.chrono.frames import Matrix, moments, rotate_inertia, rotation
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections, inertia, quantities, quantity


def chassis(
    reading: Reading, part: JsonObject, template: str = "RigidChassis", origin: Matrix | None = None
) -> Sections:
    """Mass, centre of mass (from an origin) and inertia about it, axes of the vehicle.

    Signed sums over the components, with I = Σ ± [R J Rᵀ + m (r² 1 − r rᵀ)] about the vehicle's origin.
    """
    if part.template != template:
        raise part.is_no(f"chassis that can be read here; known is {template}")
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for component in part.list_of_parts("Components"):
        frame = component.part("Centroidal Frame")
        r, R = frame.vector("Location"), rotation(frame, "Orientation")
        sign = -1.0 if component.flag("Void") else 1.0
        m = sign * component.number("Mass", least=0.0)
        mass, first = mass + m, first + m * r
        second = (
            second + sign * rotate_inertia(moments(component), R) + m * ((r @ r) * np.eye(3) - np.outer(r, r))
        )
    if not mass > 0.0:
        raise part.wrong("Components", f"their masses add up to {mass:g} kg; the sum must be above 0")
    com = first / mass
    about_com = second - mass * ((com @ com) * np.eye(3) - np.outer(com, com))
    part.has("Driver Position")
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
