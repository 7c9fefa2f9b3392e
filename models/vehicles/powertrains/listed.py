"""The kinds of powertrains."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.vehicles.powertrains.automatic import AutomaticData
from ce_dynamics.models.vehicles.powertrains.base import PowertrainData
from ce_dynamics.models.vehicles.powertrains.cvt import CvtData
from ce_dynamics.models.vehicles.powertrains.electric import ElectricData
from ce_dynamics.models.vehicles.powertrains.envelope import EnvelopeData
from ce_dynamics.models.vehicles.powertrains.geared import GearedEngineData
from ce_dynamics.models.vehicles.powertrains.manual import ManualData

POWERTRAINS: Mapping[str, type[PowertrainData]] = {
    "envelope": EnvelopeData,
    "automatic": AutomaticData,
    "geared": GearedEngineData,
    "manual": ManualData,
    "cvt": CvtData,
    "electric": ElectricData,
}
"""Powertrains by the name that data files use."""
