"""Engines, by Chrono's name: torque at full and at closed throttle over speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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


def shafts(reading: Reading, part: JsonObject) -> Engine:
    """Return ``EngineShafts``: throttle times a torque, and losses; a motor shaft with inertia."""
    torque, losses = to_radians(*part.pairs("Torque Map")), to_radians(*part.pairs("Losses Map"))
    speeds = tuple(sorted({*torque[0], *losses[0]}))
    full = np.interp(speeds, *torque) + np.interp(speeds, *losses)
    part.has("Motor Block Inertia")
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
    "EngineShafts": shafts,
}
"""In the order in which one is taken where a folder has several."""
