"""Tyres by Chrono's name; ``FialaTire``, ``Pac89Tire`` (the Magic Formula of 1989), ``Pac02Tire``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.reading import split_tag
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.reader import TyreFile, tyre_of
from ce_dynamics.models.tyres.property_file import SCALES, PropertyEntry, PropertyFile, read_property_file
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, inertia, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections
from ce_dynamics.models.vehicles.chrono.tmeasy import (
    CARCASS,
    CONTACT_DAMPING,
    KEYS,
    load_curve,
    tmeasy,
)
from ce_dynamics.models.vehicles.tyre_kinds import MAGIC_FORMULA, tyre_section

PROPERTY_FILE = "TIR Specification File"

NAMES: Mapping[str, Mapping[str, str]] = {
    "Dimension": {
        "Unloaded Radius": "UNLOADED_RADIUS",
        "Width": "WIDTH",
        "Aspect Ratio": "ASPECT_RATIO",
        "Rim Radius": "RIM_RADIUS",
        "Rim Width": "RIM_WIDTH",
    },
    "Vertical": {
        "Vertical Stiffness": "VERTICAL_STIFFNESS",
        "Vertical Damping": "VERTICAL_DAMPING",
        "Nominal Wheel Load": "FNOMIN",
    },
}
"""Names of property files, by part and key."""

SECTIONS: Mapping[str, str] = {
    "Dimension": "DIMENSION",
    "Vertical": "VERTICAL",
    "Scaling Factors": "SCALING_COEFFICIENTS",
    "Longitudinal Coefficients": "LONGITUDINAL_COEFFICIENTS",
    "Lateral Coefficients": "LATERAL_COEFFICIENTS",
    "Aligning Coefficients": "ALIGNING_COEFFICIENTS",
    "Overturning Coefficients": "OVERTURNING_COEFFICIENTS",
    "Rolling Coefficients": "ROLLING_COEFFICIENTS",
}
"""Sections of property files, by part."""

UNCOMBINED = 3
"""Use mode of forces of pure slip."""

SIDE, MODE, ELLIPSE, FRICTION = "Tire Side", "Use Mode", "Friction Ellipsis Mode", "Coefficient of Friction"


def read_pac02(path: str | Path) -> TyreFile:
    """Magic Formula tyre of a ``Pac02Tire`` file; its coefficient of friction is that of its measurement."""
    path = Path(path)
    reading = Reading(path)
    part = reading.open(path)
    if part.template != "Pac02Tire":
        raise part.wrong_kind(
            "tyre for --tyre; give a Pac02Tire, a property file (.tir), or "
            "convert the vehicle with this tyre",
        )
    tyre = tyre_file(reading, part)
    return replace(tyre, notes=(*tyre.notes, *reading.notes))


def tyre_file(reading: Reading, part: JsonObject) -> TyreFile:
    """Return the tyre of a part that is a ``Pac02Tire``."""
    friction = part.positive(FRICTION, 0.8)
    if part.has(PROPERTY_FILE):
        source = read_property_file(reading.path_of(part, PROPERTY_FILE))
    else:
        source = property_file(part)
    tyre = tyre_of(source)
    if reading.like_chrono:
        tyre = replace(tyre, coefficients=select_coefficients(tyre, source))
    return replace(tyre, friction=friction)


def select_coefficients(tyre: TyreFile, source: PropertyFile) -> Coefficients:
    """Return the coefficients that Chrono uses: combined by the ellipse, unless the file sets another."""
    c = tyre.coefficients
    if tyre.use_mode == UNCOMBINED:
        return replace(c, ellipse=False, RCX1=0.0, RCY1=0.0, RVY1=0.0, RVY2=0.0, RVY3=0.0)
    return replace(c, ellipse=source.word("FE_METHOD", "MODEL") != "NO")


def property_file(part: JsonObject) -> PropertyFile:
    """Return the coefficients of a file as sections of a property file, in SI."""
    sections: dict[str, dict[str, PropertyEntry]] = {
        "MODEL": {"PROPERTY_FILE_FORMAT": PropertyEntry("PAC2002", 0), **model(part)}
    }
    for name, section in SECTIONS.items():
        if part.has(name):
            block, known = part.part(name), NAMES.get(name, {})
            sections[section] = {
                known.get(key, key).upper(): PropertyEntry(block.number(key), 0) for key in block.data
            }
    for key, value in part.data.items():
        if isinstance(value, dict) and key not in (*SECTIONS, "Visualization"):
            raise part.key_error(key, f"no part of a Pac02Tire; known are {', '.join(SECTIONS)}")
    return PropertyFile(part.path.name, sections, {}, dict.fromkeys(SCALES, 1.0))


def model(part: JsonObject) -> dict[str, PropertyEntry]:
    """Return the entries of ``[MODEL]``: side, use mode, combined slip."""
    found: dict[str, PropertyEntry] = {}
    if part.has(SIDE):
        found["TYRESIDE"] = PropertyEntry(part.text(SIDE).upper(), 0)
    if part.has(MODE):
        found["USE_MODE"] = PropertyEntry(part.number(MODE), 0)
    if part.has(ELLIPSE):
        found["FE_METHOD"] = PropertyEntry("YES" if part.flag(ELLIPSE) else "NO", 0)
    return found


def fiala(reading: Reading, part: JsonObject) -> Sections:
    """Return our section ``tyre`` of a file."""
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
        "cx": quantity(cx, "N/m", source),
        "cy": quantity(cy, "N/m", source),
        "contact_damping": CONTACT_DAMPING,
        "mu0": quantity(part.positive("Coefficient of Friction", 0.8)),
        "rolling_resistance": quantity(p.number("Rolling Resistance", least=0.0) / radius, source="derived"),
        "mu": quantity(p.positive("UMAX")),
        "mu_sliding": quantity(p.positive("UMIN")),
        "slip_stiffness": quantity(slip, "N"),
        "cornering_stiffness": quantity(cornering, "N/rad"),
        "width": quantity(p.positive("Width"), "m"),
    }


CONTACTS, CURVATURE = 4, 0.1
"""Points at which a cylinder stands on Chrono's road, and their radius of curvature [m]."""
MODULUS, POISSON = 2e7, 0.3
"""Young's modulus [Pa] and Poisson's ratio of materials without them."""
PRESSED = 5e-5 * np.arange(33.0) ** 2
"""Deflections of a rigid tyre's curve [m], whose chords are too high by less than 1 % from 2 mm on."""
RIGID_SLOPE = 2e5
"""[N/m], times the radius: of the side force over the slip angle."""


def rigid(reading: Reading, part: JsonObject) -> Sections:
    """Return ``RigidTire``, of Chrono a body that slides on the road: here it gives way, and slips.

    Chrono derives the stiffness from the moduli of tyre and road, by Hertz, and reads no coefficients.
    """
    reading.note("rigid tyres: they slip with assumed slopes, on a road of their own material")
    material = part.part("Contact Material")
    mu, radius = material.positive("Coefficient of Friction"), part.positive("Radius")
    E, nu = MODULUS, POISSON
    if material.has("Properties"):
        properties = material.part("Properties")
        E, nu = properties.positive("Young Modulus", E), properties.number("Poisson Ratio", nu)
    for block in (material, *material.parts.values()):  # a body's contact
        block.read.update(block.data)
    # (1 − ν²)/E of both bodies
    force = CONTACTS * 4.0 / 3.0 * E / (2.0 * (1.0 - nu**2)) * math.sqrt(CURVATURE) * PRESSED**1.5
    k = int(np.searchsorted(PRESSED, 0.01))
    cz = float(force[k] / PRESSED[k])
    cx, cy = (share * cz for share in CARCASS)
    return {
        "source": "assumed",
        "radius": quantity(radius, "m", "chrono"),
        "cz": quantity(cz, "N/m", "derived"),
        "dz": quantity(0.005 * cz, "N*s/m"),
        "load_curve": {
            "source": "derived",
            "deflection": quantities(PRESSED, "m"),
            "force": quantities(force, "N"),
        },
        "cx": quantity(cx, "N/m"),
        "cy": quantity(cy, "N/m"),
        "contact_damping": CONTACT_DAMPING,
        "mu0": quantity(0.8),
        "rolling_resistance": quantity(0.01),
        "mu": quantity(mu, source="chrono"),
        "mu_sliding": quantity(mu, source="chrono"),
        "slip_stiffness": quantity(1.5 * RIGID_SLOPE * radius, "N"),
        "cornering_stiffness": quantity(RIGID_SLOPE * radius, "N/rad"),
        "width": quantity(part.positive("Width"), "m", "chrono"),
    }


NOMINAL_DEFLECTION = 0.04
"""Deflection, in parts of the radius, at whose load the tyre's trail is taken."""
CAMBER_AND_SHIFTS = ("a5", *(f"a{k}" for k in range(8, 14)), "b9", "b10")


def pac89(reading: Reading, part: JsonObject) -> Sections:
    """Return our section ``tyre`` of a file."""
    p = part.part("Design Parameters")
    radius, cz = p.positive("Unloaded Radius"), p.positive("Vertical Stiffness")
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
        "cx": quantity(CARCASS[0] * cz, "N/m", "assumed"),
        "cy": quantity(lateral, "N/m"),
        "contact_damping": CONTACT_DAMPING,
        "mu0": quantity(part.positive("Coefficient of Friction", 0.8)),
        "rolling_resistance": quantity(p.number("Rolling Resistance", least=0.0)),
        "lateral": quantities([numbers[f"a{k}"] for k in (0, 1, 2, 3, 4, 6, 7)]),
        "longitudinal": quantities([numbers[f"b{k}"] for k in range(9)]),
        "trail": quantity(trail(numbers, NOMINAL_DEFLECTION * radius * cz), "m", "derived"),
    }


def trail(numbers: dict[str, float], load: float) -> float:
    """Return the pneumatic trail without slip, |dMz/dα| over |dFy/dα| [m].

    With Fz in kN: dMz/dα = (c3 Fz² + c4 Fz) exp(−c5 Fz) [N m/°], dFy/dα = a3 sin(2 atan(Fz/a4)) [N/°].
    """
    Fz = 1e-3 * load
    turning = (numbers["c3"] * Fz**2 + numbers["c4"] * Fz) * math.exp(-numbers["c5"] * Fz)
    cornering = numbers["a3"] * math.sin(2.0 * math.atan2(Fz, numbers["a4"]))
    return abs(turning / cornering) if cornering else 0.0


class Tyre(NamedTuple):
    """Our name of a kind of tyre, its section, the tyre as a body; radius [m], stiffness [N/m], width [m]."""

    kind: str
    section: Sections
    body: Sections
    radius: float
    stiffness: float
    width: float | None


def tyre(reading: Reading, part: JsonObject) -> Tyre:
    """Return a tyre file."""
    kind, read = reading.by_template(part, "tyre", TYRES)
    if kind == MAGIC_FORMULA:
        return read_coefficients(reading, part)
    section = read(reading, part)
    if reading.like_chrono:
        kind, section = chrono_kind(part, kind, section)
    design = part.part("Design") if part.has("Design") else part
    units = (" [kg]", " [kg.m2]") if part.has("Design") else ("", "")
    mass, J = design.number(f"Mass{units[0]}", least=0.0), design.moments(f"Inertia{units[1]}")
    body: Sections = {"mass": quantity(mass, "kg"), "inertia": inertia(J)}
    width = design.positive("Width [m]") if design.has("Width [m]") else None
    radius, stiffness = (float(str(section[name]).split()[0]) for name in ("radius", "cz"))
    check(part, kind, section)
    return Tyre(kind, section, body, radius, stiffness, width)


def chrono_kind(part: JsonObject, kind: str, section: Sections) -> tuple[str, Sections]:
    """Return the kind that is evaluated as in Chrono, and its section: without a carcass, moments late."""
    own = {name: value for name, value in section.items() if name not in UNKNOWN_TO_CHRONO}
    if kind in ("tmeasy", "tmsimple"):
        own["width"] = quantity(part.part("Design").positive("Width [m]"), "m")
    if kind == "pac89":
        block = part.part("Aligning Coefficients")
        own["aligning"] = quantities([block.number(f"c{k}") for k in range(18)])
        own["lateral_stiffness"] = section["cy"]
    return f"{kind}-chrono", {**own, "delay": STEP}


def check(part: JsonObject, kind: str, section: Sections) -> None:
    """Refuse numbers that make no tyre together, by the keys of the file where these have others."""
    numbers = strip_sources(section)
    try:
        tyre_section(kind).model_validate(numbers)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        message = ": ".join((*map(str, first["loc"]), str(first.get("ctx", {}).get("error", first["msg"]))))
        for name, keys in KEYS.items():
            message = re.sub(rf"\b{name}\b", f"'{'/'.join(keys)}'", message)
        raise DataError(f"{part.path.name}: {message}") from None


def strip_sources(section: Sections) -> dict[str, Any]:
    """Return the values of a section without their sources."""
    return {
        name: strip_sources(value) if isinstance(value, dict) else split_tag(str(value))[0]
        for name, value in section.items()
        if name != "source"
    }


def read_coefficients(reading: Reading, part: JsonObject) -> Tyre:
    """Return a ``Pac02Tire``: its own mass and inertia, or those of its property file."""
    # here, because few need it
    from ce_dynamics.models.vehicles.magic_formula_data import report_on, written_values

    file = tyre_file(reading, part)
    for line in report_on(file).splitlines()[1:]:
        reading.note(f"{file.name}: {line}")
    c = file.coefficients
    mass: float = c.MASS
    J = np.diag((c.IXX, c.IYY, c.IXX))
    given = {"MASS", "IXX", "IYY"}.isdisjoint(file.defaulted)
    if part.has("Mass") and part.has("Inertia"):
        given, mass, J = True, part.number("Mass", least=0.0), part.moments("Inertia")
    note = "" if given else " [assumed]"
    body: Sections = {
        "mass": f"{quantity(mass, 'kg')}{note}",
        "inertia": f"{inertia(J)}{note}",
    }
    section: Sections = {"source": "chrono"}
    section |= {name: quantity(value, unit) for name, (value, unit) in written_values(file).items()}
    if reading.like_chrono:
        section["chrono_delay"] = STEP
    return Tyre(MAGIC_FORMULA, section, body, c.UNLOADED_RADIUS, c.VERTICAL_STIFFNESS * c.LCZ, c.WIDTH)


def refuse_section(reading: Reading, part: JsonObject) -> Sections:
    """Raise NotImplementedError for tyres that are not read into a section."""
    raise NotImplementedError


STEP = "1 ms"
"""Chrono's own step for vehicles, by which its moments are late."""
UNKNOWN_TO_CHRONO = ("cx", "dx", "cy", "dy", "contact_damping", "trail")
"""Numbers that Chrono's own evaluation of tyres has not."""
TYRES: Mapping[str, tuple[str, Callable[[Reading, JsonObject], Sections]]] = {
    "TMeasyTire": ("tmeasy", tmeasy),
    "FialaTire": ("fiala", fiala),
    "TMsimpleTire": ("tmsimple", partial(tmeasy, simple=True)),
    "Pac89Tire": ("pac89", pac89),
    "Pac02Tire": (MAGIC_FORMULA, refuse_section),
    "RigidTire": ("fiala", rigid),
}
"""Our name of the kind, and what reads the file."""
