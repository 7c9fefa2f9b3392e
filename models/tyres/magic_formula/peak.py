"""The largest forces of a Magic Formula tyre at its nominal load: slips and friction coefficient."""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple

import numpy as np

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.tyres.contract import PEAK_SLIPS
from ce_dynamics.models.tyres.magic_formula import lateral as fy, longitudinal as fx
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.operating_point import Inputs, Mode, operating_point


class Peak(NamedTuple):
    """κ and tan α of the peaks at the nominal load, of either sign; friction coefficient.

    ``friction`` is the mean over driving and braking, between which shifts part, of the largest longitudinal
    force over the load.
    """

    kappa: float
    tan_alpha: float
    friction: float


def peak_of(coefficients: Coefficients) -> Peak:
    """Return the largest pure forces at the nominal load; at the end of `PEAK_SLIPS` without a peak."""
    values = {f.name: nominal(getattr(coefficients, f.name)) for f in fields(coefficients)}
    c = Coefficients(**values)
    mode = Mode(limits=False, star=True)

    def along(slip: float) -> float:
        s = operating_point(c, mode, Inputs(c.FNOMIN, slip, 0.0, 0.0, 0.0, c.LONGVL, c.NOMPRES))
        return abs(float(fx.pure(c, mode, s).Fx0))

    def across(slip: float) -> float:
        at = Inputs(c.FNOMIN, 0.0, 0.0, 0.0, 0.0, c.LONGVL, c.NOMPRES, tan_alpha=slip)
        return abs(float(fy.pure(c, mode, operating_point(c, mode, at), 0.0).Fy0))

    driven, braked = ([along(sign * slip) for slip in PEAK_SLIPS] for sign in (1.0, -1.0))
    side = [across(slip) for slip in PEAK_SLIPS]
    friction = 0.5 * (max(driven) + max(braked)) / c.FNOMIN
    return Peak(PEAK_SLIPS[int(np.argmax(driven))], PEAK_SLIPS[int(np.argmax(side))], friction)
