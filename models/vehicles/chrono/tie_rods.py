"""Tie rods: a distance, or a body."""

from __future__ import annotations

from ce_dynamics.models.vehicles.chrono.json_file import Part
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantity

RADIUS = 0.02
"""[m] of a rod whose file does not say it."""


def tie_rod(reading: Reading, rod: Part) -> Sections:
    """The body of a rod, if it is one."""
    if not rod.has("Mass"):
        return {}
    for key in ("Inertia", "Bushing Data", "Radius"):
        if rod.has(key) and key == "Bushing Data":
            reading.note("bushings: their joints are rigid")
    reading.note("inertias of tie rods: they are those of uniform bars")
    radius = rod.positive("Radius", RADIUS)
    return {
        "tie_rod": {"mass": quantity(rod.number("Mass", least=0.0), "kg"), "radius": quantity(radius, "m")}
    }
