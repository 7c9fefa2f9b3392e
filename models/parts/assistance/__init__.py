"""Controllers that assist a driver, one file each: its data and its equations."""

from __future__ import annotations

from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.assistance.controllers import AntiLockData, StabilityData, TractionData
from ce_dynamics.models.parts.assistance.shifting import ShiftingData


class AssistanceData(Section):
    """Data of anti-lock brakes, traction control, stability control and shifting."""

    abs: AntiLockData | None = None
    traction: TractionData | None = None
    esc: StabilityData | None = None
    shifting: ShiftingData | None = None
