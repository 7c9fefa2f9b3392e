"""All manoeuvres, by name."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.parts.manoeuvres import following, open_loop, straight
from ce_dynamics.models.parts.manoeuvres.base import Manoeuvre

MANOEUVRES: Mapping[str, type[Manoeuvre]] = {
    kind.name: kind
    for kind in (
        following.DoubleLaneChange,
        following.ObstacleAvoidance,
        open_loop.StepSteer,
        open_loop.RampSteer,
        open_loop.ConstantSteer,
        open_loop.SineSteer,
        open_loop.SineSweep,
        open_loop.PulseSteer,
        open_loop.RandomSteer,
        open_loop.SineWithDwell,
        open_loop.JTurn,
        open_loop.Fishhook,
        straight.StraightAcceleration,
        straight.Braking,
        straight.SplitBraking,
        straight.PowerOff,
        straight.BrakeInTurn,
        following.ConstantRadius,
        straight.StraightOn,
        straight.DriveOverBump,
        following.Reversing,
        straight.StandStill,
    )
}
"""Manoeuvres by the name the command line uses."""
