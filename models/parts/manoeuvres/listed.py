"""All manoeuvres, by name."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.parts.manoeuvres.base import Manoeuvre
from ce_dynamics.models.parts.manoeuvres.following import (
    ConstantRadius,
    DoubleLaneChange,
    ObstacleAvoidance,
    Reversing,
)
from ce_dynamics.models.parts.manoeuvres.open_loop import (
    ConstantSteer,
    Fishhook,
    JTurn,
    PulseSteer,
    RampSteer,
    RandomSteer,
    SineSteer,
    SineSweep,
    SineWithDwell,
    StepSteer,
)
from ce_dynamics.models.parts.manoeuvres.straight import (
    BrakeInTurn,
    Braking,
    DriveOverBump,
    PowerOff,
    SplitBraking,
    StandStill,
    StraightAcceleration,
    StraightOn,
)

MANOEUVRES: Mapping[str, type[Manoeuvre]] = {
    kind.name: kind
    for kind in (
        DoubleLaneChange,
        ObstacleAvoidance,
        StepSteer,
        RampSteer,
        ConstantSteer,
        SineSteer,
        SineSweep,
        PulseSteer,
        RandomSteer,
        SineWithDwell,
        JTurn,
        Fishhook,
        StraightAcceleration,
        Braking,
        SplitBraking,
        PowerOff,
        BrakeInTurn,
        ConstantRadius,
        StraightOn,
        DriveOverBump,
        Reversing,
        StandStill,
    )
}
"""Manoeuvres by the name the command line uses."""
