"""Tyres and published figures that several tests use."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients

ROOT = Path(__file__).resolve().parents[4]
REFERENCE = Path(os.environ.get("CE_DYNAMICS_REFERENCE", ROOT.parent / "shared" / "reference"))
"""Folder of property files with everything that MFeval computes from them, where there is one."""

LEAST = """
[DIMENSION]
UNLOADED_RADIUS = 0.35
[VERTICAL]
FNOMIN = 4000
VERTICAL_STIFFNESS = 2e5
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.6
PDX1 = 1.2
PKX1 = 20
[LATERAL_COEFFICIENTS]
PCY1 = 1.3
PDY1 = 1.0
PKY1 = -18
PKY2 = 1.5
"""
"""The sections of a property file that no tyre can do without."""


@cache
def mfeval() -> Any:
    """Figures of MFeval 4.0, see their ``source``."""
    return json.loads((Path(__file__).parent / "mfeval.json").read_text())


def coefficients(version: int, **changes: float) -> Coefficients:
    """One of MFeval's tyres: 52, 61 or 62."""
    tyres = mfeval()["tyres"]
    values: dict[str, Any] = dict(tyres["61"]["coefficients"]) if version == 62 else {}
    values |= tyres[str(version)]["coefficients"]
    return Coefficients(version=version, **(values | changes))


def symmetric(version: int, **changes: float) -> Coefficients:
    """The same without shifts of its own (conicity and ply steer)."""
    names = """
        PHX1 PHX2 PVX1 PVX2 PHY1 PHY2 PVY1 PVY2 RHX1 RHY1 RHY2 RBY3 QSX1 QHZ1 QHZ2 QDZ6 QDZ7 SSZ1 RVY1 RVY2
        PEY3 QEZ4 QBZ4 QDZ3 QSX13 LVYKA
    """
    return coefficients(version, **(dict.fromkeys(names.split(), 0.0) | changes))
