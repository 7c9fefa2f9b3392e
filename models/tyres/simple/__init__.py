"""Simple tyres, one file per kind: a few numbers with units, and the steady state over slips.

To add one, write a subclass of `SlipModel` in a file here and name it in `SLIP_MODELS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.tyres.simple.base import SlipModel
from ce_dynamics.models.tyres.simple.brush import BrushTyre
from ce_dynamics.models.tyres.simple.fiala import FialaTyre
from ce_dynamics.models.tyres.simple.linear import LinearTyre

SLIP_MODELS: Mapping[str, type[SlipModel]] = {"fiala": FialaTyre, "brush": BrushTyre, "linear": LinearTyre}
"""Tyres by the name that data files use, whose fields are the numbers of the file."""
