"""Springs and dampers: which law the keys of a ``Spring`` or ``Shock`` choose.

Chrono's force pushes the ends apart; tension here is its opposite.  Tables are constant beyond their ends.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections

STOP = {
    "deflection": (0.0, 0.002, 0.004, 0.006, 0.008, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06),
    "force": (0.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 2500.0, 4500.0, 7500.0, 12500.0, 125000.0),
}
"""Chrono's stop of every spring with two lengths [m, N]."""


def spring_law(reading: Reading, part: JsonObject) -> Sections:
    """Return the numbers of a spring but its ends."""
    law: Sections = {}
    if part.has("Spring Coefficient") and not part.has("Spring Curve Data"):
        law["linear"] = quantity(part.number("Spring Coefficient", least=0.0), "N/m")
    elif part.has("Spring Curve Data"):
        x, f = part.pairs("Spring Curve Data")
        law["curve"] = spring_curve(reading, x, f)
    else:
        raise part.key_error(
            "Spring Coefficient", "neither it nor 'Spring Curve Data' is there; give one of them"
        )
    law["free_length"] = quantity(part.positive("Free Length"), "m")
    preload = part.number("Preload", 0.0)
    if preload:
        law["preload"] = quantity(preload, "N")
    if part.has("Minimum Length") and part.has("Maximum Length"):
        shortest, longest = part.positive("Minimum Length"), part.positive("Maximum Length")
        if shortest == longest:
            raise part.key_error(
                "Minimum Length", f"it is equal to 'Maximum Length' {longest:g} m; make it less"
            )
        if shortest > longest and reading.like_chrono:
            law.pop("linear", None)
            return {**law, **overlapping(reading, part, shortest, longest)}
        if shortest > longest:
            reading.note("springs whose 'Minimum Length' is above their 'Maximum Length': both are exchanged")
            shortest, longest = longest, shortest
        law["min_length"], law["max_length"] = quantity(shortest, "m"), quantity(longest, "m")
        law["stop_curve"] = spring_curve(reading, STOP["deflection"], STOP["force"])
    return law


SHARP = "0.01 mm"
"""Half width of corners of springs in place of Chrono's, which have none."""


def spring_curve(reading: Reading, x: ArrayLike, force: ArrayLike) -> Sections:
    """Return force over deflection."""
    curve: Sections = {"deflection": quantities(x, "m"), "force": quantities(force, "N")}
    return curve | {"rounding": SHARP} if reading.like_chrono else curve


FAR = 0.5
"""Distance from the free length to which a table of a spring reaches [m]."""


def overlapping(reading: Reading, part: JsonObject, shortest: float, longest: float) -> Sections:
    """Return a spring's law with stops that overlap, which Chrono takes as they are written.

    Both push between the lengths, the lower one out and the upper one in.
    """
    free = part.positive("Free Length")
    knots, pushes = (np.array(STOP[name]) for name in ("deflection", "force"))
    x, f = part.pairs("Spring Curve Data") if part.has("Spring Curve Data") else ((-FAR, FAR), (-FAR, FAR))
    slope = 1.0 if part.has("Spring Curve Data") else part.number("Spring Coefficient", least=0.0)
    ends = np.concatenate(([-FAR, FAR], x, shortest - free - knots, longest - free + knots), dtype=np.float64)
    at = np.unique(np.clip(ends, -FAR, FAR).round(9))
    stops = np.interp(at - (longest - free), knots, pushes) - np.interp(shortest - free - at, knots, pushes)
    tension = slope * np.interp(at, x, f) + stops
    return {"curve": spring_curve(reading, at, tension)}


def damper_law(reading: Reading, part: JsonObject) -> Sections:
    """Return the numbers of a damper but its ends."""
    if part.has("Map Data"):
        return read_force_map(reading, part)
    if part.has("Damping Curve Data"):
        v, f = part.pairs("Damping Curve Data")
        return {"curve": {"speed": quantities(v, "m/s"), "force": quantities(f, "N")}}
    if part.has("Spring Curve Data"):
        return {"coefficient": quantity(0.0, "N*s/m")}  # Chrono drops the coefficient beside a curve
    law: Sections = {"coefficient": quantity(part.number("Damping Coefficient", least=0.0), "N*s/m")}
    if part.has("Degressivity Compression") or part.has("Degressivity Expansion"):
        for ours, theirs in (("compression", "Compression"), ("extension", "Expansion")):
            value = part.number(f"Degressivity {theirs}", 0.0, least=0.0)
            law[f"{ours}_degression"] = quantity(value, "s/m")
    return law


def read_force_map(reading: Reading, part: JsonObject) -> Sections:
    """Return a map over speed (rows) and absolute length (columns); ours stays constant beyond its ends."""
    rows, lengths = part.rows("Map Data"), part.numbers("Deformation")
    if len(rows[0]) != len(lengths) + 1:
        raise part.key_error(
            "Map Data", f"each row has {len(rows[0])} numbers; a speed and {len(lengths)} forces are needed"
        )
    for key, values in (("Deformation", lengths), ("Map Data", [row[0] for row in rows])):
        if any(before >= after for before, after in pairwise(values)):
            raise part.key_error(
                key, "its lengths, or the speeds at the heads of rows, must increase; sort them"
            )
    reading.note("maps of dampers beyond their ends: they stay as they are there")
    for key in ("Free Length", "Minimum Length", "Maximum Length", "Preload"):
        part.has(key)
    forces = [row[1 + k] for k in range(len(lengths)) for row in rows]
    return {
        "map": {
            "length": quantities(lengths, "m"),
            "speed": quantities([row[0] for row in rows], "m/s"),
            "force": quantities(forces, "N"),
        }
    }


def spring_and_damper(
    reading: Reading, suspension: JsonObject, arm: str = "Location Arm", spring: str = "Spring"
) -> Sections:
    """Return both, from ``Spring`` or another block and from ``Shock``; or from a ``Shock`` that is both."""
    shock = suspension.part("Shock")
    coil = suspension.part(spring) if suspension.has(spring) else shock
    return {
        name: {"chassis": part.point("Location Chassis"), "arm": part.point(arm), **law(reading, part)}
        for name, part, law in (("spring", coil, spring_law), ("damper", shock, damper_law))
    }
