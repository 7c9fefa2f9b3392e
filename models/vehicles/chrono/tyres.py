"""Tyres, by Chrono's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ce_dynamics.models.vehicles.chrono.fiala import fiala
from ce_dynamics.models.vehicles.chrono.json_file import Part
from ce_dynamics.models.vehicles.chrono.pac89 import pac89
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.tmeasy import tmeasy, tmsimple
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantities, quantity


class Tyre(NamedTuple):
    """Our name of a kind of tyre, its section, the tyre as a body; radius [m], stiffness [N/m], width [m]."""

    kind: str
    section: Sections
    body: Sections
    radius: float
    stiffness: float
    width: float | None


def tyre(reading: Reading, part: Part) -> Tyre:
    """A tyre file."""
    if part.template == "Pac02Tire":
        raise part.wrong(
            "Template",
            "'Pac02Tire' is a tyre by coefficients; give this file to simulate-vehicle by --tyre, and "
            "another tyre's JSON file here",
        )
    kind, read = reading.by_template(part, "tyre", TYRES)
    section = read(reading, part)
    if reading.like_chrono and kind == "tmeasy":
        kind = "tmeasy-chrono"
        section = {name: value for name, value in section.items() if name not in CARCASS}
    design = part.part("Design") if part.has("Design") else part
    units = (" [kg]", " [kg.m2]") if part.has("Design") else ("", "")
    mass, J = design.number(f"Mass{units[0]}", least=0.0), design.numbers(f"Inertia{units[1]}", 3)
    body: Sections = {"mass": quantity(mass, "kg"), "inertia": f"diag{quantities(J, 'kg*m^2')}"}
    width = design.positive("Width [m]") if design.has("Width [m]") else None
    radius, stiffness = (float(str(section[name]).split()[0]) for name in ("radius", "cz"))
    return Tyre(kind, section, body, radius, stiffness, width)


CARCASS = ("cx", "dx", "cy", "dy")
"""Numbers that Chrono's own evaluation of TMeasy has not."""
TYRES: Mapping[str, tuple[str, Callable[[Reading, Part], Sections]]] = {
    "TMeasyTire": ("tmeasy", tmeasy),
    "FialaTire": ("fiala", fiala),
    "TMsimpleTire": ("tmsimple", tmsimple),
    "Pac89Tire": ("pac89", pac89),
}
"""Our name of the kind, and what reads the file."""
