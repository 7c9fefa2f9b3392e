"""``Pac02Tire``: the Magic Formula as a JSON file, which names a property file or holds its coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.reader import TyreFile, tyre_of
from ce_dynamics.models.tyres.property_file import SCALES, PropertyEntry, PropertyFile, read_property_file
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading

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
    """A Magic Formula tyre of a ``Pac02Tire`` file; its coefficient of friction is that of its measurement.

    Parameters
    ----------
    path : str or path
        A ``.json`` file of Chrono.
    """
    path = Path(path)
    reading = Reading(path)
    part = reading.open(path)
    if part.template != "Pac02Tire":
        raise part.is_no(
            "tyre for --tyre; give a Pac02Tire, a property file (.tir), or "
            "convert the vehicle with this tyre",
        )
    tyre = tyre_file(reading, part)
    return replace(tyre, notes=(*tyre.notes, *reading.notes))


def tyre_file(reading: Reading, part: JsonObject) -> TyreFile:
    """The tyre of a part that is a ``Pac02Tire``."""
    friction = part.positive(FRICTION, 0.8)
    if part.has(PROPERTY_FILE):
        source = read_property_file(reading.path_of(part, PROPERTY_FILE))
    else:
        source = property_file(part)
    tyre = tyre_of(source)
    if reading.like_chrono:
        tyre = replace(tyre, coefficients=selected(tyre, source))
    return replace(tyre, friction=friction)


def selected(tyre: TyreFile, source: PropertyFile) -> Coefficients:
    """Return the coefficients that Chrono uses: combined by the ellipse, unless the file asks for other."""
    c = tyre.coefficients
    if tyre.use_mode == UNCOMBINED:
        return replace(c, ellipse=False, RCX1=0.0, RCY1=0.0, RVY1=0.0, RVY2=0.0, RVY3=0.0)
    return replace(c, ellipse=source.word("FE_METHOD", "MODEL") != "NO")


def property_file(part: JsonObject) -> PropertyFile:
    """The coefficients of a file as sections of a property file, in SI."""
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
            raise part.wrong(key, f"no part of a Pac02Tire; known are {', '.join(SECTIONS)}")
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
