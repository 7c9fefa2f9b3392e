"""Manoeuvres: what the driver does, at which speed, on which road.

Each class of `MANOEUVRES` names its options with units, defaults and bounds, so that a command line can
offer them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.parts.manoeuvres.base import Manoeuvre, Option
from ce_dynamics.models.parts.manoeuvres.circle import ConstantRadius
from ce_dynamics.models.parts.manoeuvres.lane_change import DoubleLaneChange, Gate
from ce_dynamics.models.parts.manoeuvres.open_loop import SineSteer, StepSteer
from ce_dynamics.models.parts.manoeuvres.straight import (
    Braking,
    DriveOverBump,
    StandStill,
    StraightAcceleration,
    StraightOn,
)

__all__ = [
    "MANOEUVRES",
    "Braking",
    "ConstantRadius",
    "DoubleLaneChange",
    "DriveOverBump",
    "Gate",
    "Manoeuvre",
    "Option",
    "SineSteer",
    "StandStill",
    "StepSteer",
    "StraightAcceleration",
    "StraightOn",
]

MANOEUVRES: Mapping[str, type[Manoeuvre]] = {
    kind.name: kind
    for kind in (
        DoubleLaneChange,
        StepSteer,
        SineSteer,
        StraightAcceleration,
        Braking,
        ConstantRadius,
        StraightOn,
        DriveOverBump,
        StandStill,
    )
}
"""Manoeuvres by the name the command line uses."""
