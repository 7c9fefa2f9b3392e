"""Trailers as written and as built: a body on a hitch, in the coordinates of the whole train.

Data files name the hitch of each, and the unit ahead of it::

    trailers:
      dolly: {hitch: {kind: pintle, ...}, mass: 2 t, ...}
      semi: {hitch: {kind: fifth-wheel, ...}, behind: dolly, ...}
    axles:
      dolly_axle: {suspension: {kind: leaf-spring, ...}, trailer: dolly}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from pydantic import create_model

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.reading import Assignment
from ce_dynamics.models.parts.aerodynamics import AerodynamicsData
from ce_dynamics.models.vehicles.bodies import BodyParameters, ChassisData, Vector, body
from ce_dynamics.models.vehicles.trailers.hitches import HITCHES, HitchData

TRAILER_EXAMPLE = "trailers: {caravan: {hitch: {kind: ball, x: -2.7 m, z: 0.1 m}}}"
MOST_TRAILERS = 4


@dataclass(frozen=True)
class TrailerLayout:
    """A trailer: its name, its hitch by name, and the trailer it is coupled to, if not to the vehicle."""

    name: str
    hitch: str
    behind: str | None = None


def trailers_of(words: Sequence[Assignment], label: str) -> tuple[TrailerLayout, ...]:
    """Return the trailers, each after what tows it."""
    sections: dict[str, dict[str, str]] = {}
    for (_, name, *rest), entry in (word for word in words if word.key[0] == "trailers"):
        if len(rest) != 1 or rest[0] not in ("hitch", "behind") or not isinstance(entry.value, str):
            shown = checks.show(".".join((name, *rest)))
            raise DataError(
                f"{entry.where}: trailers: {shown}: a trailer has hitch, behind; {TRAILER_EXAMPLE}"
            )
        if rest[0] == "hitch":
            entry.one_of(f"trailers.{name}.hitch", HITCHES)
        sections.setdefault(name, {})[rest[0]] = entry.value
    for name, chosen in sections.items():
        if "hitch" not in chosen:
            raise DataError(f"{label}: trailers.{name}: no hitch is named; known are {', '.join(HITCHES)}")
        if chosen.get("behind", name) not in sections or chosen.get("behind") == name:
            raise DataError(
                f"{label}: trailers.{name}.behind: {checks.show(chosen['behind'])} is no other trailer; "
                "leave it out for one that the vehicle itself tows"
            )
    if len(sections) > MOST_TRAILERS:
        raise DataError(f"{label}: trailers: {len(sections)} of them; at most {MOST_TRAILERS} are allowed")
    return sort_trailers([TrailerLayout(name, **chosen) for name, chosen in sections.items()], label)


def sort_trailers(trailers: list[TrailerLayout], label: str) -> tuple[TrailerLayout, ...]:
    """Return the trailers, each after the unit that tows it."""
    placed: list[TrailerLayout] = []
    left = trailers
    while left:
        there = {None, *(one.name for one in placed)}
        ready = [one for one in left if one.behind in there]
        if not ready:
            names = " and ".join(one.name for one in left)
            raise DataError(
                f"{label}: trailers: {names} are behind one another; leave out 'behind' of the first"
            )
        placed += ready
        left = [one for one in left if one not in ready]
    return tuple(placed)


CHASSIS = "chassis"
"""Name of the body that tows all."""


class TrailerData(ChassisData):
    """A trailer's body; points of the trailer and of its axles are relative to its coupling point."""

    hitch: HitchData
    aerodynamics: AerodynamicsData | None = None


@lru_cache(maxsize=16)
def trailer_section(hitch: str) -> type[TrailerData]:
    """Return the section of a trailer with a hitch of this kind."""
    fields: dict[str, Any] = {"hitch": (HITCHES[hitch], ...)}
    made: type[TrailerData] = create_model("TrailerDescription", __base__=TrailerData, **fields)
    return made


@dataclass(frozen=True, eq=False)
class Trailer:
    """A trailer in the coordinates of the vehicle, in line with it.

    Attributes
    ----------
    name, behind : str
        Of the trailer's body and of that which tows it.
    body : BodyParameters
    hitch : HitchData
    at : (3,) array
        Where it is coupled, which is the origin of its own coordinates [m].
    aerodynamics : AerodynamicsData or None
    """

    name: str
    behind: str
    body: BodyParameters
    hitch: HitchData
    at: Vector
    aerodynamics: AerodynamicsData | None

    def add(self, system: System) -> Body:
        """Add the body on its hitch, and the air around it."""
        body = self.hitch.add(system, self.name, system.find(self.behind), self.body, self.at)
        if self.aerodynamics is not None:
            self.aerodynamics.add(system, body, self.at)
        return body


def build_trailers(layouts: Sequence[TrailerLayout], data: Any) -> dict[str, Trailer]:
    """Return all trailers by name, each after what tows it."""
    made: dict[str, Trailer] = {}
    for layout in layouts:
        written: TrailerData = getattr(data, layout.name)
        origin = np.zeros(3) if layout.behind is None else made[layout.behind].at
        at = origin + np.array((written.hitch.x, 0.0, written.hitch.z))
        name, behind = layout.name, layout.behind or CHASSIS
        made[name] = Trailer(name, behind, body(written, at), written.hitch, at, written.aerodynamics)
    return made
