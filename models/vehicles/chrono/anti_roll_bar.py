"""``AntirollBarRSD``: two arms on a lateral axis with a torsion spring between them, on drop links."""

from __future__ import annotations

import numpy as np

from ce_dynamics.models.vehicles.chrono.bodies import UNPHYSICAL
from ce_dynamics.models.vehicles.chrono.frames import Matrix
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections, inertia, quantities, quantity


def anti_roll_bar(reading: Reading, axle: JsonObject, name: str, origin: Matrix) -> Sections:
    """The left half of a named axle's, from an origin in the coordinates of the chassis that it is on."""
    part = reading.section(f"{name}.anti_roll_bar", reading.file(axle, "Antirollbar Input File"))
    if part.template != "AntirollBarRSD":
        raise part.is_no("anti-roll bar; known is AntirollBarRSD")
    at = axle.vector("Antirollbar Location") - origin
    arm, spring = part.part("Arm"), part.part("RSD")
    L, W, H = arm.positive("Length"), arm.number("Width"), part.part("Droplink").number("Height")
    end = at + (W, L, 0.0)
    return {
        "source": "chrono",
        "mass": quantity(arm.number("Mass", least=0.0), "kg"),
        "com": quantities(at + (0.0, 0.5 * L, 0.0), "m"),
        "inertia": inertia(arm.moments("Inertia")),
        "pivot": quantities(at + (0.0, 0.5 * L, 0.0), "m"),
        "end": quantities(end, "m"),
        "link": quantities(end + (0.0, 0.0, H), "m"),
        "stiffness": quantity(spring.positive("Spring Coefficient"), "N*m/rad"),
        "damping": quantity(spring.number("Damping Coefficient", least=0.0), "N*m*s/rad"),
    }


OWN = "Anti Roll Bar"
"""Block of an axle that has a bar of its own."""
HALF_ACROSS = np.array([1.0, 0.5, 1.0])
"""Of the pivot, where an arm's mass centre is: half way to the middle, on the axis."""
DROP = np.array([0.0, 0.0, -0.5])
"""[m] from an arm's end straight down to where it is hung: in Chrono it slides on the beam at its height."""


def own_bar(reading: Reading, suspension: JsonObject, origin: Matrix) -> Sections:
    """The left half of a beam's own bar: arms on a lateral axis of the chassis, which lead to the beam."""
    arm = suspension.part(OWN)
    pivot, end = arm.vector("Location Chassis"), arm.vector("Location Axle")
    reading.note(
        "anti-roll bars that are part of an axle: on drop links of 0.5 m instead of guides on the beam"
    )
    return {
        "source": "chrono",
        "mass": quantity(arm.number("Mass", least=0.0), "kg"),
        "com": quantities(origin + HALF_ACROSS * pivot, "m"),
        "inertia": inertia(arm.moments("Inertia"), UNPHYSICAL),
        "pivot": quantities(origin + pivot, "m"),
        "end": quantities(origin + end, "m"),
        "link": quantities(origin + end + DROP, "m"),
        "stiffness": quantity(arm.positive("Rotational Stiffness"), "N*m/rad"),
        "damping": quantity(arm.number("Rotational Damping", least=0.0), "N*m*s/rad"),
    }
