"""Trailers as written and as built: a body on a hitch, in the coordinates of the whole train."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from pydantic import create_model

from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.aerodynamics import AerodynamicsData
from ce_dynamics.models.vehicles.bodies import BodyParameters, ChassisData, Vector, body
from ce_dynamics.models.vehicles.trailers.hitches import HITCHES, HitchData
from ce_dynamics.models.vehicles.trailers.words import TrailerLayout

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


def trailers_as_built(layouts: Sequence[TrailerLayout], data: Any) -> dict[str, Trailer]:
    """All trailers by name, each after what tows it."""
    made: dict[str, Trailer] = {}
    for layout in layouts:
        written: TrailerData = getattr(data, layout.name)
        origin = np.zeros(3) if layout.behind is None else made[layout.behind].at
        at = origin + np.array((written.hitch.x, 0.0, written.hitch.z))
        name, behind = layout.name, layout.behind or CHASSIS
        made[name] = Trailer(name, behind, body(written, at), written.hitch, at, written.aerodynamics)
    return made
