"""All manoeuvres, by name."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.parts.manoeuvres.base import Manoeuvre
from ce_dynamics.models.parts.manoeuvres.circle import ConstantRadius
from ce_dynamics.models.parts.manoeuvres.held_turn import BrakeInTurn, PowerOff
from ce_dynamics.models.parts.manoeuvres.lane_change import DoubleLaneChange
from ce_dynamics.models.parts.manoeuvres.obstacle import ObstacleAvoidance
from ce_dynamics.models.parts.manoeuvres.open_loop import SineSteer, StepSteer
from ce_dynamics.models.parts.manoeuvres.random_steer import RandomSteer
from ce_dynamics.models.parts.manoeuvres.reversing import Reversing
from ce_dynamics.models.parts.manoeuvres.severe_steering import Fishhook, JTurn, SineWithDwell
from ce_dynamics.models.parts.manoeuvres.split_braking import SplitBraking
from ce_dynamics.models.parts.manoeuvres.steering_ramps import ConstantSteer, RampSteer
from ce_dynamics.models.parts.manoeuvres.straight import (
    Braking,
    DriveOverBump,
    StandStill,
    StraightAcceleration,
    StraightOn,
)
from ce_dynamics.models.parts.manoeuvres.swept_steer import PulseSteer, SineSweep

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
