"""Procedures of standards, one file for each kind of test, and their list."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.procedures.cornering import (
    ConstantRadiusTest,
    ConstantSpeedTest,
    ConstantSteeringTest,
    StepInputTest,
)
from ce_dynamics.models.handling.procedures.frequency_input import FrequencyInputTest, RandomInputTest
from ce_dynamics.models.handling.procedures.lane_changes import DoubleLaneChangeTest, ObstacleAvoidanceTest
from ce_dynamics.models.handling.procedures.ride import ModesTest, RideTest
from ce_dynamics.models.handling.procedures.sine_with_dwell import FishhookTest, JTurnTest, SineWithDwellTest
from ce_dynamics.models.handling.procedures.straight_line import (
    AccelerationTest,
    BrakingTest,
    SplitBrakingTest,
)
from ce_dynamics.models.handling.procedures.turn_events import BrakeInTurnTest, PowerOffTest

PROCEDURES: Mapping[str, type[Procedure]] = {
    kind.name: kind
    for kind in (
        ConstantRadiusTest,
        ConstantSpeedTest,
        ConstantSteeringTest,
        StepInputTest,
        FrequencyInputTest,
        RandomInputTest,
        DoubleLaneChangeTest,
        ObstacleAvoidanceTest,
        PowerOffTest,
        BrakeInTurnTest,
        SineWithDwellTest,
        JTurnTest,
        FishhookTest,
        BrakingTest,
        SplitBrakingTest,
        AccelerationTest,
        RideTest,
        ModesTest,
    )
}
"""Procedures in the order of reports."""
