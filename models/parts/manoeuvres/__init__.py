"""Manoeuvres: what the driver does, at which speed, on which road.

Each class of `MANOEUVRES` names its options with units, defaults and bounds, so that a command line can
offer them.  Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.models.parts.manoeuvres.base import Manoeuvre as Manoeuvre, Option as Option
    from ce_dynamics.models.parts.manoeuvres.circle import ConstantRadius as ConstantRadius
    from ce_dynamics.models.parts.manoeuvres.held_turn import BrakeInTurn as BrakeInTurn, PowerOff as PowerOff
    from ce_dynamics.models.parts.manoeuvres.lane_change import DoubleLaneChange as DoubleLaneChange
    from ce_dynamics.models.parts.manoeuvres.listed import MANOEUVRES as MANOEUVRES
    from ce_dynamics.models.parts.manoeuvres.obstacle import ObstacleAvoidance as ObstacleAvoidance
    from ce_dynamics.models.parts.manoeuvres.open_loop import SineSteer as SineSteer, StepSteer as StepSteer
    from ce_dynamics.models.parts.manoeuvres.random_steer import RandomSteer as RandomSteer
    from ce_dynamics.models.parts.manoeuvres.reversing import Reversing as Reversing
    from ce_dynamics.models.parts.manoeuvres.severe_steering import (
        Fishhook as Fishhook,
        JTurn as JTurn,
        SineWithDwell as SineWithDwell,
    )
    from ce_dynamics.models.parts.manoeuvres.split_braking import SplitBraking as SplitBraking
    from ce_dynamics.models.parts.manoeuvres.steering_ramps import (
        ConstantSteer as ConstantSteer,
        RampSteer as RampSteer,
    )
    from ce_dynamics.models.parts.manoeuvres.straight import (
        Braking as Braking,
        DriveOverBump as DriveOverBump,
        StandStill as StandStill,
        StraightAcceleration as StraightAcceleration,
        StraightOn as StraightOn,
    )
    from ce_dynamics.models.parts.manoeuvres.swept_steer import (
        PulseSteer as PulseSteer,
        SineSweep as SineSweep,
    )
    from ce_dynamics.models.parts.planned_path import Gate as Gate

__getattr__, __dir__, __all__ = lazy_names()
