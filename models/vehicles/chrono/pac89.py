"""``Pac89Tire``: the Magic Formula of 1989."""

from __future__ import annotations

import math

from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.tmeasy import CARCASS, CONTACT_DAMPING, load_curve
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantities, quantity

NOMINAL_DEFLECTION = 0.04
"""Of the radius: at the load that presses the tyre in so far its trail is taken."""
CAMBER_AND_SHIFTS = ("a5", *(f"a{k}" for k in range(8, 14)), "b9", "b10")


def pac89(reading: Reading, part: JsonObject) -> Sections:
    """Our section ``tyre`` of a file."""
    p = part.part("Design Parameters")
    radius, cz = p.positive("Unloaded Radius"), p.positive("Vertical Stiffness")
    p.has("Width")
    blocks = {
        "a": part.part("Lateral Coefficients"),
        "b": part.part("Longitudinal Coefficients"),
        "c": part.part("Aligning Coefficients"),
    }
    counts = {"a": 14, "b": 11, "c": 18}
    numbers = {
        f"{letter}{k}": block.number(f"{letter}{k}")
        for letter, block in blocks.items()
        for k in range(counts[letter])
    }
    if any(numbers[name] for name in CAMBER_AND_SHIFTS):
        reading.note("camber and shifts of Pac89 tyres: left out")
    reading.note("aligning moments of Pac89 tyres: by their trail without slip, at a usual load")
    lateral = p.positive("Lateral Stiffness")
    return {
        "source": "chrono",
        "radius": quantity(radius, "m"),
        "cz": quantity(cz, "N/m"),
        "dz": quantity(p.number("Vertical Damping", least=0.0), "N*s/m"),
        **load_curve(p, "Vertical Curve Data"),
        "cx": f"{quantity(CARCASS[0] * cz, 'N/m')} [assumed]",
        "cy": quantity(lateral, "N/m"),
        "contact_damping": CONTACT_DAMPING,
        "mu0": quantity(part.positive("Coefficient of Friction", 0.8)),
        "rolling_resistance": quantity(p.number("Rolling Resistance", least=0.0)),
        "lateral": quantities([numbers[f"a{k}"] for k in (0, 1, 2, 3, 4, 6, 7)]),
        "longitudinal": quantities([numbers[f"b{k}"] for k in range(9)]),
        "trail": f"{quantity(trail(numbers, NOMINAL_DEFLECTION * radius * cz), 'm')} [derived]",
    }


def trail(numbers: dict[str, float], load: float) -> float:
    """Pneumatic trail without slip, |dMz/dα| over |dFy/dα| [m].

    With Fz in kN: dMz/dα = (c3 Fz² + c4 Fz) exp(−c5 Fz) [N m/°], dFy/dα = a3 sin(2 atan(Fz/a4)) [N/°].
    """
    Fz = 1e-3 * load
    turning = (numbers["c3"] * Fz**2 + numbers["c4"] * Fz) * math.exp(-numbers["c5"] * Fz)
    cornering = numbers["a3"] * math.sin(2.0 * math.atan2(Fz, numbers["a4"]))
    return abs(turning / cornering) if cornering else 0.0
