"""``FialaTire``."""

from __future__ import annotations

from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.tmeasy import CARCASS, CONTACT_DAMPING, load_curve
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantity


def fiala(reading: Reading, part: JsonObject) -> Sections:
    """Our section ``tyre`` of a file."""
    p = part.part("Fiala Parameters")
    radius, cz = p.positive("Unloaded Radius"), p.positive("Vertical Stiffness")
    cx, cy = (share * cz for share in CARCASS)
    slip, cornering = p.positive("CSLIP"), p.positive("CALPHA")
    lengths = [p.number(f"{axis} Relaxation Length", 0.0, least=0.0) for axis in "XY"]
    if min(lengths) > 0.0:
        cx, cy = slip / lengths[0], cornering / lengths[1]
        source = "derived"
    else:
        source = "assumed"
    return {
        "source": "chrono",
        "radius": quantity(radius, "m"),
        "cz": quantity(cz, "N/m"),
        "dz": quantity(p.number("Vertical Damping", least=0.0), "N*s/m"),
        **load_curve(p, "Vertical Curve Data"),
        "cx": f"{quantity(cx, 'N/m')} [{source}]",
        "cy": f"{quantity(cy, 'N/m')} [{source}]",
        "contact_damping": CONTACT_DAMPING,
        "mu0": quantity(part.positive("Coefficient of Friction", 0.8)),
        "rolling_resistance": f"{quantity(p.number('Rolling Resistance', least=0.0) / radius)} [derived]",
        "mu": quantity(p.positive("UMAX")),
        "mu_sliding": quantity(p.positive("UMIN")),
        "slip_stiffness": quantity(slip, "N"),
        "cornering_stiffness": quantity(cornering, "N/rad"),
        "width": quantity(p.positive("Width"), "m"),
    }


RIGID_STIFFNESS = 2e5
"""[N/m] of a rigid tyre whose material has none."""


def rigid(reading: Reading, part: JsonObject) -> Sections:
    """``RigidTire``, of Chrono a body that slides on the road: here it gives way, and slips."""
    reading.note("rigid tyres: they give way, with assumed slopes over their slips")
    material = part.part("Contact Material")
    mu, radius = material.positive("Coefficient of Friction"), part.positive("Radius")
    cz = RIGID_STIFFNESS
    if material.has("Coefficients"):
        cz = material.part("Coefficients").positive("Normal Stiffness", cz)
    part.has("Contact Mesh")
    for block in (material, *material.parts.values()):  # a body's contact, of which friction counts
        for key in block.data:
            block.has(key)
    cx, cy = (share * cz for share in CARCASS)
    return {
        "source": "assumed",
        "radius": f"{quantity(radius, 'm')} [chrono]",
        "cz": f"{quantity(cz, 'N/m')}",
        "dz": f"{quantity(0.005 * cz, 'N*s/m')}",
        "cx": quantity(cx, "N/m"),
        "cy": quantity(cy, "N/m"),
        "contact_damping": CONTACT_DAMPING,
        "mu0": quantity(0.8),
        "rolling_resistance": quantity(0.01),
        "mu": f"{quantity(mu)} [chrono]",
        "mu_sliding": f"{quantity(mu)} [chrono]",
        "slip_stiffness": quantity(1.5 * cz * radius, "N"),
        "cornering_stiffness": quantity(cz * radius, "N/rad"),
        "width": f"{quantity(part.positive('Width'), 'm')} [chrono]",
    }
