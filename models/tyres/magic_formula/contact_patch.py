"""Length and width of the contact patch."""

from __future__ import annotations

import math
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, minimum
from ce_dynamics.models.parts.rounding import finite_root
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import absent, power
from ce_dynamics.models.tyres.magic_formula.effective_radius import stiffness


class ContactPatch(NamedTuple):
    """Half length a and half width b [m]."""

    a: Scalar
    b: Scalar


def contact_patch(c: Coefficients, Fz: Scalar, dpi: Scalar) -> ContactPatch:
    """A and b at the load given: (9), (10) of Besselink et al. (2010), that of the manual for 5.2.

    The patch grows no further once the rim meets the road.
    """
    R0 = c.UNLOADED_RADIUS
    Cz = stiffness(c, dpi)
    Fz = minimum(Fz, (R0 - c.RIM_RADIUS - c.BOTTOM_OFFST) * Cz)
    if c.version == 52:
        q_1, q_2 = length_of_52(c)
        f = Fz / c.FNOMIN
        return ContactPatch(R0 * (q_2 * f + q_1 * finite_root(f)), 0.5 * c.WIDTH)
    d = Fz / (Cz * R0)
    a = R0 * (c.Q_RA2 * d + c.Q_RA1 * finite_root(d))
    return ContactPatch(a, c.WIDTH * (c.Q_RB2 * d + c.Q_RB1 * power(d, 1.0 / 3.0)))


def length_of_52(c: Coefficients) -> tuple[float, float]:
    """Q_A1 and Q_A2; where a file has neither, what MF-Tyre estimates from the stiffness."""
    if not (absent(c.Q_A1) and absent(c.Q_A2)):
        return c.Q_A1, c.Q_A2
    y = math.log10(c.linear_stiffness)
    q_1 = ((-0.0388 * y + 0.2509) * y - 0.6283) * y + 0.6279
    return q_1, 1.693 * q_1 * q_1
