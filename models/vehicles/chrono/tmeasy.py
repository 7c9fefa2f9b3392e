"""``TMeasyTire``: by its parameters, or guessed from the load it may carry as Chrono does."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections

LOADS = (
    45, 46.2, 47.5, 48.7, 50, 51.5, 53, 54.5, 56, 58,
    60, 61.5, 63, 65, 67, 69, 71, 73, 75, 77.5,
    80, 82.5, 85, 87.5, 90, 92.5, 95, 97.5, 100, 103,
    106, 109, 112, 115, 118, 121, 125, 128, 132, 136,
    140, 145, 150, 155, 160, 165, 170, 175, 180, 185,
    190, 195, 200, 206, 212, 218, 224, 230, 236, 243,
    250, 257, 265, 272, 280, 290, 300, 307, 315, 325,
    335, 345, 355, 365, 375, 387, 400, 412, 425, 437,
    450, 462, 475, 487, 500, 515, 530, 545, 560, 580,
    600, 615, 630, 650, 670, 690, 710, 730, 750, 775,
    800, 825, 850, 875, 900, 925, 950, 975, 1000, 1030,
    1060, 1090, 1120, 1150, 1180, 1215, 1250, 1285, 1320, 1360,
    1400, 1450, 1500, 1550, 1600, 1650, 1700, 1750, 1800, 1850,
    1900, 1950, 2000, 2060, 2120, 2180, 2240, 2300, 2360, 2430,
    2500, 2575, 2650, 2725, 2800, 2900, 3000, 3075, 3150, 3250,
    3350, 3450, 3550, 3650, 3750, 3875, 4000, 4125, 4250, 4375,
    4500, 4625, 4750, 4875, 5000,
)  # fmt: skip
"""[kg] by load index, 0 to 164 (ETRTO's standard)."""
GRAVITY = 9.81
"""[m/s²] by which Chrono turns them into forces."""


def load_of(index: int) -> float:
    """Return the load of an index [N]."""
    return LOADS[index] * GRAVITY


Pairs = Mapping[str, tuple[float, float]]

TRUCK: Pairs = {
    "dfx0": (17.7764, 14.5301), "fxm": (0.89965, 0.77751), "fxs": (0.46183, 0.42349),
    "sxm": (0.10811, 0.12389), "sxs": (0.66667, 0.66667),
    "dfy0": (7.4013, 6.8505), "fym": (0.75876, 0.72628), "fys": (0.68276, 0.65319),
    "sym": (0.33167, 0.33216), "sys": (1.0296, 1.0296),
    "nL0": (0.178, 0.19), "sq0": (0.36484, 0.36538), "sqe": (1.0296, 1.0296),
}  # fmt: skip
PASSENGER: Pairs = {
    "dfx0": (18.3741, 19.4669), "fxm": (1.1292, 1.0896), "fxs": (0.80149, 0.76917),
    "sxm": (0.13913, 0.13913), "sxs": (0.66667, 0.66667),
    "dfy0": (15.9826, 12.8509), "fym": (1.0009, 0.91367), "fys": (0.8336, 0.77336),
    "sym": (0.14852, 0.18504), "sys": (0.96524, 1.0714),
    "nL0": (0.178, 0.19), "sq0": (0.16337, 0.20355), "sqe": (0.96524, 1.0714),
}  # fmt: skip
"""Chrono's generic tyres at the nominal load | twice that; forces and slopes in multiples of the load."""

TMSIMPLE: Mapping[str, Pairs] = {
    "Truck": {
        "dfx0": (19.1677, 15.1285), "fxm": (0.91432, 0.79538), "fxs": (0.52273, 0.48517),
        "dfy0": (6.8392, 6.4235), "fym": (0.75948, 0.72714), "fys": (0.68739, 0.65594),
    },
    "Passenger": {
        "dfx0": (19.9774, 20.8424), "fxm": (1.1404, 1.1045), "fxs": (0.84482, 0.82041),
        "dfy0": (16.7895, 12.9866), "fym": (1.0107, 0.91902), "fys": (0.84864, 0.78702),
    },
}  # fmt: skip
"""The same of its TMsimple tyres."""

KEYS = {
    "dfx0": ("Longitudinal", "Initial Slopes dFx/dsx [N]"),
    "fxm": ("Longitudinal", "Maximum Fx Load [N]"),
    "fxs": ("Longitudinal", "Sliding Fx Load [N]"),
    "sxm": ("Longitudinal", "Slip sx at Maximum Fx"),
    "sxs": ("Longitudinal", "Slip sx where sliding begins"),
    "dfy0": ("Lateral", "Initial Slopes dFy/dsy [N]"),
    "fym": ("Lateral", "Maximum Fy Load [N]"),
    "fys": ("Lateral", "Sliding Fy Load [N]"),
    "sym": ("Lateral", "Slip sy at Maximum Fy"),
    "sys": ("Lateral", "Slip sy where sliding begins"),
    "nL0": ("Aligning", "Normalized Trail at Zero Slip sy"),
    "sq0": ("Aligning", "Slip sy where Trail Changes Sign"),
    "sqe": ("Aligning", "Slip sy where Trail Tends to Zero"),
}
FORCES = ("dfx0", "fxm", "fxs", "dfy0", "fym", "fys")
MOST_LOAD = 3.5
"""Nominal loads up to which the curves hold."""
CARCASS = (0.45, 0.4)
"""Longitudinal and lateral stiffness over the vertical one: Chrono's model has no carcass."""
CONTACT_DAMPING = "0.002 s [assumed]"
CARCASS_TIME = 0.02
"""[s], their damping over their stiffness."""


def tmeasy(reading: Reading, part: JsonObject, simple: bool = False) -> Sections:
    """Return our section ``tyre`` of a file, of a ``TMsimpleTire`` if ``simple``."""
    design, radius, mass = measures(reading, part)
    if part.has("Parameters"):
        keys = {name: KEYS[name] for name in (FORCES if simple else KEYS)}
        pn, cz, dz, pairs = read_parameters(reading, part.part("Parameters"), keys)
    else:
        pn, cz, dz = guess_stiffness(part, design, mass)
        kind = vehicle_type(reading, part)
        if simple:
            pairs = TMSIMPLE["Truck" if kind.lower() == "truck" else "Passenger"]
        else:
            pairs = TRUCK if kind == "Truck" else PASSENGER
    cx, cy = (share * cz for share in CARCASS)
    section: Sections = {
        "source": "chrono",
        "radius": quantity(radius, "m"),
        "pn": quantity(pn, "N"),
        "mu0": quantity(part.positive("Coefficient of Friction", 0.8)),
        "rolling_resistance": quantity(part.number("Rolling Resistance Coefficient", 0.015, least=0.0)),
        "cz": quantity(cz, "N/m"),
        "dz": quantity(dz, "N*s/m"),
        "cx": quantity(cx, "N/m", "assumed"),
        "cy": quantity(cy, "N/m", "assumed"),
        **{name: quantities(pair) for name, pair in pairs.items()},
    }
    if simple:
        return {**section, "contact_damping": CONTACT_DAMPING}
    return {
        **section,
        "pn_max": quantity(MOST_LOAD * pn, "N"),
        "slip_speed": "0.01 m/s",
        "dx": quantity(CARCASS_TIME * cx, "N*s/m", "assumed"),
        "dy": quantity(CARCASS_TIME * cy, "N*s/m", "assumed"),
    }


def is_guessed_by_capacity(part: JsonObject) -> bool:
    """Return True if a tyre is guessed from its bearing capacity."""
    return not part.has("Parameters") and not part.has("Load Index")


def measures(reading: Reading, part: JsonObject) -> tuple[JsonObject, float, float]:
    """Return the section ``Design``, unloaded radius and mass; mark keys read that only load curves use.

    Chrono takes the rim's radius for its diameter where it guesses by the bearing capacity.
    """
    design = part.part("Design")
    radius, mass = design.positive("Unloaded Radius [m]"), design.positive("Mass [kg]")
    design.has("Width [m]")
    if reading.like_chrono and is_guessed_by_capacity(part):
        radius -= 0.5 * design.positive("Rim Radius [m]")
    design.has("Rim Radius [m]")
    for key in ("Load Index", "Maximum Bearing Capacity [N]", "Vehicle Type"):
        part.has(key)
    return design, radius, mass


def vehicle_type(reading: Reading, part: JsonObject) -> str:
    """Return the type of vehicle for which the tyre is made, ``Passenger`` unless given.

    Chrono looks for it in the tyre's name where it guesses by the bearing capacity.
    """
    if reading.like_chrono and is_guessed_by_capacity(part):
        return part.text("Name")
    return part.text("Vehicle Type") if part.has("Vehicle Type") else "Passenger"


def guess_stiffness(part: JsonObject, design: JsonObject, mass: float) -> tuple[float, float, float]:
    """Guess nominal load, stiffness and damping from the load capacity of the tyre."""
    radius, rim = design.positive("Unloaded Radius [m]"), design.positive("Rim Radius [m]")
    if not rim < radius:
        raise design.key_error(
            "Rim Radius [m]", f"{rim:g} m is not less than the tyre's {radius:g} m; give it in m"
        )
    if part.has("Load Index"):
        index = part.number("Load Index")
        if index not in range(len(LOADS)):
            raise part.key_error(
                "Load Index", f"{index:g} is no load index; it is a whole number up to {len(LOADS) - 1}"
            )
        load = load_of(int(index))
    else:
        load = part.positive("Maximum Bearing Capacity [N]")
    design_pressure = part.positive("Inflation Pressure Design [Pa]", 1.0)
    pressure = part.positive("Inflation Pressure Use [Pa]", 1.0)
    pn = 0.5 * load * (pressure / design_pressure) ** 0.8
    cz = load / (0.16 * (radius - rim))
    return pn, cz, math.sqrt(cz * mass)


def read_parameters(
    reading: Reading, part: JsonObject, keys: Mapping[str, tuple[str, str]]
) -> tuple[float, float, float, Pairs]:
    """Return the same, and curves, of files with parameters."""
    vertical = part.part("Vertical")
    pn = vertical.positive("Nominal Vertical Force [N]")
    if vertical.has("Tire Spring Curve Data"):
        cz = secant(vertical, pn)
        reading.note("curves of a tyre's vertical force: the line through zero and the nominal load is taken")
        vertical.has("Vertical Tire Stiffness [N/m]")
    else:
        cz = vertical.positive("Vertical Tire Stiffness [N/m]")
    if vertical.has("Tire Bottoming Radius [m]") or vertical.has("Tire Bottoming Stiffness [N/m]"):
        vertical.has("Tire Bottoming Stiffness [N/m]")
        reading.note("bottoming of tyres on their rims")
    names = "Tire Vertical Damping [Ns/m]", "Vertical Tire Damping [Ns/m]"
    dz = vertical.number(names[0] if vertical.has(names[0]) else names[1], least=0.0)
    pairs: dict[str, tuple[float, float]] = {}
    for name, (block, key) in keys.items():
        first, second = part.part(block).numbers(key, 2)
        if not min(first, second) > 0.0:
            raise part.part(block).key_error(
                key, f"{min(first, second):g} is not above 0; give positive numbers"
            )
        pairs[name] = (first / pn, second / (2.0 * pn)) if name in FORCES else (first, second)
    return pn, cz, dz, pairs


def load_curve(part: JsonObject, key: str) -> Sections:
    """Return the curve of the vertical force, if the file gives one, through zero."""
    if not part.has(key):
        return {}
    x, f = part.pairs(key)
    if x[0] != 0.0 or f[0] != 0.0:
        raise part.key_error(key, f"it begins at ({x[0]:g}, {f[0]:g}); begin at (0, 0)")
    return {"load_curve": {"deflection": quantities(x, "m"), "force": quantities(f, "N")}}


def secant(vertical: JsonObject, pn: float) -> float:
    """Return stiffness from zero to the nominal load of a curve, its straight pieces continued."""
    x, f = vertical.pairs("Tire Spring Curve Data")
    pieces = list(zip(zip(x, f, strict=True), zip(x[1:], f[1:], strict=True), strict=False))
    (x0, f0), (x1, f1) = next((piece for piece in pieces if piece[1][1] >= pn), pieces[-1])
    deflection = x0 + (pn - f0) * (x1 - x0) / (f1 - f0) if f1 > f0 else 0.0
    if not deflection > 0.0:
        raise vertical.key_error(
            "Tire Spring Curve Data", f"it does not rise to the nominal load of {pn:g} N; extend it"
        )
    return pn / deflection
