"""Manoeuvres: actions of the driver model, speed and road.

Each class of `MANOEUVRES` names its options with units, defaults and bounds, so that a command line can
offer them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.data.quantities import Option as Option
from ce_dynamics.models.parts.manoeuvres.base import Manoeuvre as Manoeuvre
from ce_dynamics.models.parts.manoeuvres.following import (
    ConstantRadius as ConstantRadius,
    DoubleLaneChange as DoubleLaneChange,
    ObstacleAvoidance as ObstacleAvoidance,
    Reversing as Reversing,
)
from ce_dynamics.models.parts.manoeuvres.open_loop import (
    ConstantSteer as ConstantSteer,
    Fishhook as Fishhook,
    JTurn as JTurn,
    PulseSteer as PulseSteer,
    RampSteer as RampSteer,
    RandomSteer as RandomSteer,
    SineSteer as SineSteer,
    SineSweep as SineSweep,
    SineWithDwell as SineWithDwell,
    StepSteer as StepSteer,
)
from ce_dynamics.models.parts.manoeuvres.straight import (
    BrakeInTurn as BrakeInTurn,
    Braking as Braking,
    DriveOverBump as DriveOverBump,
    PowerOff as PowerOff,
    SplitBraking as SplitBraking,
    StandStill as StandStill,
    StraightAcceleration as StraightAcceleration,
    StraightOn as StraightOn,
)
from ce_dynamics.models.parts.paths import Gate as Gate

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
