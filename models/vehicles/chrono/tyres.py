"""Tyres, by Chrono's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.reading import split_tag
from ce_dynamics.models.vehicles.chrono.fiala import fiala, rigid
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.pac89 import pac89
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.tmeasy import KEYS, tmeasy, tmsimple
from ce_dynamics.models.vehicles.chrono.writing import Sections, inertia, quantities, quantity
from ce_dynamics.models.vehicles.tyre_kinds import MAGIC_FORMULA, tyre_section


class Tyre(NamedTuple):
    """Our name of a kind of tyre, its section, the tyre as a body; radius [m], stiffness [N/m], width [m]."""

    kind: str
    section: Sections
    body: Sections
    radius: float
    stiffness: float
    width: float | None


def tyre(reading: Reading, part: JsonObject) -> Tyre:
    """A tyre file."""
    kind, read = reading.by_template(part, "tyre", TYRES)
    if kind == MAGIC_FORMULA:
        return by_coefficients(reading, part)
    section = read(reading, part)
    if reading.like_chrono:
        kind, section = as_in_chrono(part, kind, section)
    design = part.part("Design") if part.has("Design") else part
    units = (" [kg]", " [kg.m2]") if part.has("Design") else ("", "")
    mass, J = design.number(f"Mass{units[0]}", least=0.0), design.moments(f"Inertia{units[1]}")
    body: Sections = {"mass": quantity(mass, "kg"), "inertia": inertia(J)}
    width = design.positive("Width [m]") if design.has("Width [m]") else None
    radius, stiffness = (float(str(section[name]).split()[0]) for name in ("radius", "cz"))
    check(part, kind, section)
    return Tyre(kind, section, body, radius, stiffness, width)


def as_in_chrono(part: JsonObject, kind: str, section: Sections) -> tuple[str, Sections]:
    """Return the kind that is evaluated as in Chrono, and its section: without a carcass, moments late."""
    own = {name: value for name, value in section.items() if name not in CARCASS}
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
        made: Any = tyre_section(kind).model_validate(numbers)
        made.built()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        said = ": ".join((*map(str, first["loc"]), str(first.get("ctx", {}).get("error", first["msg"]))))
    except DataError as error:
        said = str(error).removeprefix("tyre: ")
    else:
        return
    for name, keys in KEYS.items():
        said = re.sub(rf"\b{name}\b", f"'{'/'.join(keys)}'", said)
    raise DataError(f"{part.path.name}: {said}")


def strip_sources(section: Sections) -> dict[str, Any]:
    """Return the values of a section without their sources."""
    return {
        name: strip_sources(value) if isinstance(value, dict) else split_tag(str(value))[0]
        for name, value in section.items()
        if name != "source"
    }


def by_coefficients(reading: Reading, part: JsonObject) -> Tyre:
    """A ``Pac02Tire``: its own mass and inertia, or those of its property file."""
    # here, because few vehicles have one
    from ce_dynamics.models.vehicles.chrono.pac02 import tyre_file
    from ce_dynamics.models.vehicles.magic_formula_data import as_written

    file = tyre_file(reading, part)
    for line in file.report().splitlines()[1:]:
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
    section |= {name: quantity(value, unit) for name, (value, unit) in as_written(file).items()}
    if reading.like_chrono:
        section["chrono_delay"] = STEP
    return Tyre(MAGIC_FORMULA, section, body, c.UNLOADED_RADIUS, c.VERTICAL_STIFFNESS * c.LCZ, c.WIDTH)


def not_in_a_section(reading: Reading, part: JsonObject) -> Sections:
    """Raise NotImplementedError for tyres that are not read into a section."""
    raise NotImplementedError


STEP = "1 ms"
"""Chrono's own step for vehicles, by which its moments are late."""
CARCASS = ("cx", "dx", "cy", "dy", "contact_damping", "trail")
"""Numbers that Chrono's own evaluation of tyres has not."""
TYRES: Mapping[str, tuple[str, Callable[[Reading, JsonObject], Sections]]] = {
    "TMeasyTire": ("tmeasy", tmeasy),
    "FialaTire": ("fiala", fiala),
    "TMsimpleTire": ("tmsimple", tmsimple),
    "Pac89Tire": ("pac89", pac89),
    "Pac02Tire": (MAGIC_FORMULA, not_in_a_section),
    "RigidTire": ("fiala", rigid),
}
"""Our name of the kind, and what reads the file."""
