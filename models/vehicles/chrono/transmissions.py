"""Engines and transmissions, by Chrono's name: a pair makes one of our kinds of powertrain."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections

RPM = math.pi / 30.0
CHORD = 0.005
"""Relative error of the straight pieces that stand for a hyperbola of constant power."""

Table = tuple[tuple[float, ...], tuple[float, ...]]


class Engine(NamedTuple):
    """Speeds [rad/s] and torques [N m] at full and closed throttle, highest speed, inertia if it has one."""

    full: Table
    closed: Table
    max_speed: float
    inertia: float | None = None

    def section(self) -> Sections:
        """Return the engine's section of a data file."""
        return {
            "full_throttle": {
                "speed": quantities(self.full[0], "rad/s"),
                "torque": quantities(self.full[1], "N*m"),
            },
            "closed_throttle": {
                "speed": quantities(self.closed[0], "rad/s"),
                "torque": quantities(self.closed[1], "N*m"),
            },
            "max_speed": quantity(self.max_speed, "rad/s"),
        }


def simple(reading: Reading, part: JsonObject) -> Engine:
    """Return ``EngineSimple``: constant torque, then constant power, which a table follows to `CHORD`."""
    torque, power = part.positive("Maximum Engine Torque"), part.positive("Maximum Engine Power")
    highest = part.positive("Maximum Engine Speed")
    corner = power / torque
    # A chord of 1/ω between ω and r ω is too high by (1 + r)²/4r − 1 at most.
    r = 1.0 + 2.0 * math.sqrt(CHORD)
    speeds, torques = [0.0, min(corner, highest)], [torque, torque]
    if corner < highest:
        count = math.ceil(math.log(highest / corner) / math.log(r))
        beyond = np.geomspace(corner, highest, count + 1)[1:].tolist()
        speeds, torques = speeds + beyond, torques + [power / speed for speed in beyond]
    return Engine((tuple(speeds), tuple(torques)), ((0.0, highest), (0.0, 0.0)), highest)


def read_engine_map(reading: Reading, part: JsonObject) -> Engine:
    """Return ``EngineSimpleMap``: both tables."""
    return Engine(
        to_radians(*part.pairs("Map Full Throttle")),
        to_radians(*part.pairs("Map Zero Throttle")),
        part.positive("Maximal Engine Speed RPM") * RPM,
    )


def engine_shafts(reading: Reading, part: JsonObject) -> Engine:
    """Return ``EngineShafts``: throttle times a torque, and losses; a motor shaft with inertia."""
    torque, losses = to_radians(*part.pairs("Torque Map")), to_radians(*part.pairs("Losses Map"))
    speeds = tuple(sorted({*torque[0], *losses[0]}))
    full = np.interp(speeds, *torque) + np.interp(speeds, *losses)
    if not reading.like_chrono:
        reading.note("reaction of engine and gearbox on their block, which rolls the chassis")
    highest = torque[0][-1]
    return Engine((speeds, tuple(full.tolist())), losses, highest, part.positive("Motorshaft Inertia"))


def to_radians(speeds: tuple[float, ...], torques: tuple[float, ...]) -> Table:
    """Return a table over revolutions per minute, over radians per second."""
    return tuple(speed * RPM for speed in speeds), torques


ENGINES: Mapping[str, Callable[[Reading, JsonObject], Engine]] = {
    "EngineSimpleMap": read_engine_map,
    "EngineSimple": simple,
    "EngineShafts": engine_shafts,
}
"""In the order in which one is taken where a folder has several."""


SHIFT_TIME = "0.2 s [assumed]"
"""Shift time of transmissions whose files name none."""
AT_ONCE = "0.005 s [assumed]"
"""Shift time in place of Chrono's, which is one of its steps."""
IDLE = "800 rpm [assumed]"
"""Chrono's engines have no governor."""
LIGHT_ENGINE = 0.2
"""[kg m²] for an engine without inertia behind a clutch."""
KEPT_SPEED = 0.9
"""Part of its speed that a vehicle keeps through a shift: 1 m/s² for 1 s take a tenth of 10 m/s."""
CLUTCH_WIND_UP = 0.3
"""[rad] of a clutch's torsion springs at the torque that it holds."""


def simple_map(reading: Reading, part: JsonObject, engine: Engine) -> tuple[str, Sections]:
    """Return ``AutomaticTransmissionSimpleMap``: shift speeds of its own for every gear."""
    box = part.part("Gear Box")
    given, reverse = ratios(reading, box)
    bands = box.rows("Shift Points Map RPM")
    gears = tuple(sorted(given))
    if len(bands) != len(gears) or len(bands[0]) != 2:
        raise box.key_error(
            "Shift Points Map RPM", f"{len(bands)} rows for {len(gears)} gears; give [down, up] for each gear"
        )
    transmission: Sections = {"gears": quantities(gears), "reverse": quantity(reverse)}
    if len(gears) > 1:
        ups, downs = [up for _, up in bands[:-1]], [down for down, _ in bands[1:]]
        if not min(*ups, *downs) > 0.0:
            raise box.key_error("Shift Points Map RPM", f"{min(*ups, *downs):g} rpm is no speed to shift at")
        transmission |= {
            "upshift": quantities(ups, "rpm"),
            "downshift": quantities(lower_downshifts(reading, box, gears, ups, downs), "rpm"),
            "shift_time": AT_ONCE if reading.like_chrono else SHIFT_TIME,
        }
    return "geared", {"engine": with_inertia(engine), "transmission": transmission}


def shafts(reading: Reading, part: JsonObject, engine: Engine) -> tuple[str, Sections]:
    """Return ``AutomaticTransmissionShafts``: torque converter, gears shifted at two speeds."""
    box, converter = part.part("Gear Box"), part.part("Torque Converter")
    given, reverse = ratios(reading, box)
    gears = tuple(sorted(given))
    nu, K = converter.pairs("Capacity Factor Map", above=0.0)
    ratio, gain = converter.pairs("Torque Ratio Map", above=0.0)
    # 1/K² of a K that is linear: straight pieces are too high by 3/4 (ln K)² at most
    pieces = [1 + math.ceil(abs(math.log(b / a)) / math.sqrt(4.0 / 3.0 * CHORD)) for a, b in pairwise(K)]
    between = [np.geomspace(a, b, n + 1)[1:-1] for (a, b), n in zip(pairwise(K), pieces, strict=True)]
    finer = [
        float(low + (high - low) * (one - a) / (b - a))
        for (low, high), (a, b), some in zip(pairwise(nu), pairwise(K), between, strict=True)
        for one in some
        if a != b
    ]
    both = tuple(sorted({*nu, *ratio, *finer}))
    reading.note("inertia of a gearbox' output shaft")
    inertia, latency = part.positive("Motorshaft Inertia"), quantity(box.positive("Shift Latency", 0.5), "s")
    if reading.like_chrono:  # whose gearbox sets the speed of the engine's shaft in every step
        reading.note("the time between two shifts")
    else:
        inertia += engine.inertia or 0.0
    up, down = box.positive("Upshift RPM"), box.positive("Downshift RPM")
    shifts = len(gears) - 1
    lowered = lower_downshifts(reading, box, gears, [up] * shifts, [down] * shifts)
    own: Sections = {} if lowered == [down] * shifts else {"downshifts": quantities(lowered, "rpm")}
    return "automatic", {
        "engine": {**engine.section(), "idle_speed": IDLE, "inertia": quantity(inertia, "kg*m^2")},
        "converter": {
            "speed_ratio": quantities(both),
            "capacity": quantities(1.0 / np.interp(both, nu, K) ** 2, "N*m*s^2/rad^2"),
            "torque_ratio": quantities(np.interp(both, ratio, gain)),
            "turbine_inertia": quantity(part.positive("Input Shaft Inertia"), "kg*m^2"),
        },
        "transmission": {
            "gears": quantities(gears),
            "reverse": quantity(reverse),
            "upshift": quantity(up, "rpm"),
            "downshift": quantity(down, "rpm"),
            **own,
            "shift_time": AT_ONCE if reading.like_chrono else latency,
        },
    }


def lower_downshifts(
    reading: Reading, box: JsonObject, gears: Sequence[float], ups: Sequence[float], downs: Sequence[float]
) -> list[float]:
    """Return the speeds of the input for shifting down [rpm], lowered where shift points overlap.

    They overlap where a gear turns the input more slowly after the shift up than it does at its shift down.
    Chrono's gearbox then shifts to and fro, once in its latency.
    """
    speeds = []
    for k, (up, down, (low, high)) in enumerate(zip(ups, downs, pairwise(gears), strict=True), 2):
        after = up * low / high
        if down >= after:
            kept = round(KEPT_SPEED * after)
            reading.note(
                f"shift points that overlap ({box.path.name}): shifted up at {up:g} rpm, gear {k} turns its "
                f"input at {after:.0f} rpm, not above its downshift at {down:g} rpm; {kept} rpm is taken"
            )
            down = float(kept)
        speeds.append(down)
    return speeds


def manual(reading: Reading, part: JsonObject, engine: Engine) -> tuple[str, Sections]:
    """Return ``ManualTransmissionShafts``: a clutch, gears that the driver chooses."""
    given, reverse = ratios(reading, part.part("Gear Box"))
    gears = tuple(sorted(given))
    part.has("Input Shaft Inertia")
    reading.note("inertias of a gearbox' inner shafts")
    own = LIGHT_ENGINE if engine.inertia is None else engine.inertia
    inertia = part.positive("Motorshaft Inertia") + own
    limit = part.positive("Clutch Torque Limit", 500.0)
    stiffness = limit / CLUTCH_WIND_UP
    return "manual", {
        "engine": {**engine.section(), "idle_speed": IDLE, "inertia": quantity(inertia, "kg*m^2")},
        "clutch": {
            "max_torque": quantity(limit, "N*m"),
            "stiffness": quantity(stiffness, "N*m/rad", "assumed"),
            "damping": quantity(0.005 * stiffness, "N*m*s/rad", "assumed"),
        },
        "transmission": {"gears": quantities(gears), "reverse": quantity(reverse)},
    }


def cvt(reading: Reading, part: JsonObject, engine: Engine) -> tuple[str, Sections]:
    """Return ``AutomaticTransmissionSimpleCVT``."""
    box = part.part("Gear Box")
    given = box.positive("Efficiency")
    efficiency = min(max(given, 0.8), 1.0)
    if efficiency != given:
        reading.note(f"an efficiency of {given:g} ({box.path.name}): {efficiency:g} is taken, as in Chrono")
    reading.note("losses of a continuously variable gearbox when it brakes: they add to the engine's drag")
    return "cvt", {
        "engine": engine.section(),
        "transmission": {
            "lowest": quantity(box.positive("Minimum Gear Ratio")),
            "highest": quantity(box.positive("Maximum Gear Ratio")),
            "begin": quantity(box.positive("Driveshaft Speed Begin"), "rad/s"),
            "end": quantity(box.positive("Driveshaft Speed End"), "rad/s"),
            "efficiency": quantity(efficiency),
        },
    }


def ratios(reading: Reading, box: JsonObject) -> tuple[tuple[float, ...], float]:
    """Forward gears, output over input speed, and reverse."""
    gears = box.numbers("Forward Gear Ratios")
    if not min(gears) > 0.0 or len(set(gears)) < len(gears):
        raise box.key_error("Forward Gear Ratios", "they must be positive and differ; correct them")
    if list(gears) != sorted(gears):
        reading.note(
            f"gears that do not follow each other ({box.path.name}): they are sorted, shift speeds stay"
        )
    reverse = box.number("Reverse Gear Ratio")
    if reverse == 0.0:
        raise box.key_error("Reverse Gear Ratio", "0 is no ratio; give output speed over input speed")
    return gears, -abs(reverse)


def with_inertia(engine: Engine) -> Sections:
    """Return an engine that gears tie to the wheels."""
    section = engine.section()
    return section if engine.inertia is None else {**section, "inertia": quantity(engine.inertia, "kg*m^2")}


TRANSMISSIONS: Mapping[str, Callable[[Reading, JsonObject, Engine], tuple[str, Sections]]] = {
    "AutomaticTransmissionSimpleMap": simple_map,
    "AutomaticTransmissionShafts": shafts,
    "AutomaticTransmissionSimpleCVT": cvt,
    "ManualTransmissionShafts": manual,
}
"""In the order in which one is taken where a folder has several."""
