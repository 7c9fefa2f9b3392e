"""The slips at which a Magic Formula tyre grips most, for what it holds at rest."""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple

import numpy as np

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.tyres.magic_formula import lateral as fy, longitudinal as fx
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.mode import Mode
from ce_dynamics.models.tyres.magic_formula.operating_point import Inputs, operating_point

SLIPS = np.geomspace(0.01, 1.5, 80)
"""Where the peak is looked for; near it the curve is so flat that their distance of 6 % costs 1e-3 of it."""


class PeakSlips(NamedTuple):
    """κ and tan α of the peaks at the nominal load, of either sign."""

    kappa: float
    tan_alpha: float


def peak_slips(coefficients: Coefficients) -> PeakSlips:
    """The slips of the largest pure forces at the nominal load; the end of `SLIPS` without a peak."""
    values = {f.name: nominal(getattr(coefficients, f.name)) for f in fields(coefficients)}
    c = Coefficients(**values)
    mode = Mode(limits=False, star=True)

    def along(slip: float) -> float:
        s = operating_point(c, mode, Inputs(c.FNOMIN, slip, 0.0, 0.0, 0.0, c.LONGVL, c.NOMPRES))
        return abs(float(fx.pure(c, mode, s).Fx0))

    def across(slip: float) -> float:
        at = Inputs(c.FNOMIN, 0.0, 0.0, 0.0, 0.0, c.LONGVL, c.NOMPRES, tan_alpha=slip)
        return abs(float(fy.pure(c, mode, operating_point(c, mode, at), 0.0).Fy0))

    largest = [float(SLIPS[np.argmax([force(float(slip)) for slip in SLIPS])]) for force in (along, across)]
    return PeakSlips(*largest)
