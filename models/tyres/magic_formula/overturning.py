"""The overturning moment Mx (4.E69), in the form with all of its coefficients."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, absolute, arctan, sin, where
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import cos_multiple
from ce_dynamics.models.tyres.magic_formula.operating_point import OperatingPoint


def overturning(c: Coefficients, s: OperatingPoint, Fy: Scalar) -> Scalar:
    """Mx about the contact centre [N m]: (49) of the draft of Besselink, Schmeitz and Pacejka (2010).

    The book's (4.E69) and the paper's (A47) lack Q_sx12 … Q_sx14.  Below FZMIN the load counts less.
    """
    Fz, gamma, R0 = s.Fz, s.gamma, c.UNLOADED_RADIUS
    if c.FZMIN > 0.0:
        part = Fz / c.FZMIN
        Fz = where(part < 1.0, Fz * part * part, Fz)
    f, y = Fz / c.FNOMIN, Fy / c.FNOMIN
    lean = absolute(gamma)
    of_camber = c.QSX2 * (1.0 + c.PPMX1 * s.dpi) + c.QSX12 * lean - c.QSX10 * arctan(c.QSX11 * f)
    load = c.QSX6 * f
    shape = cos_multiple(c.QSX5, load * load) * sin(c.QSX7 * gamma + c.QSX8 * arctan(c.QSX9 * y))
    arm = c.QSX1 * c.LVMX - gamma * of_camber + c.QSX3 * y + c.QSX4 * shape
    return R0 * c.LMX * (Fz * arm + Fy * (c.QSX13 + c.QSX14 * lean))
