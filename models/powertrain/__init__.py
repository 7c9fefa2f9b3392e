"""Powertrains, one file per kind: its data, its equations, what it reports.

To add one, write a subclass of `GearedData` in a file here and name it in `POWERTRAINS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.powertrain.automatic import AutomaticData
from ce_dynamics.models.powertrain.base import PowertrainData
from ce_dynamics.models.powertrain.cvt import CvtData
from ce_dynamics.models.powertrain.electric import ElectricData
from ce_dynamics.models.powertrain.envelope import EnvelopeData
from ce_dynamics.models.powertrain.geared import GearedEngineData
from ce_dynamics.models.powertrain.manual import ManualData

POWERTRAINS: Mapping[str, type[PowertrainData]] = {
    "envelope": EnvelopeData,
    "automatic": AutomaticData,
    "geared": GearedEngineData,
    "manual": ManualData,
    "cvt": CvtData,
    "electric": ElectricData,
}
"""Powertrains by the name that data files use."""
