"""``FialaTire``."""

from __future__ import annotations

from ce_dynamics.models.vehicles.chrono.json_file import Part
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.tmeasy import CARCASS
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantity

CONTACT_DAMPING = "0.002 s [assumed]"


def fiala(reading: Reading, part: Part) -> Sections:
    """Our section ``tyre`` of a file."""
    p = part.part("Fiala Parameters")
    radius, cz = p.positive("Unloaded Radius"), p.positive("Vertical Stiffness")
    cx, cy = (share * cz for share in CARCASS)
    slip, cornering = p.positive("CSLIP"), p.positive("CALPHA")
    if p.has("Vertical Curve Data"):
        p.rows("Vertical Curve Data")
        reading.note("curves of a tyre's vertical force: its linear stiffness is taken")
    if p.has("X Relaxation Length") and p.has("Y Relaxation Length"):
        cx, cy = slip / p.positive("X Relaxation Length"), cornering / p.positive("Y Relaxation Length")
        source = "derived"
    else:
        source = "assumed"
    return {
        "source": "chrono",
        "radius": quantity(radius, "m"),
        "cz": quantity(cz, "N/m"),
        "dz": quantity(p.number("Vertical Damping", least=0.0), "N*s/m"),
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
