"""The Magic Formula of 1989 (Bakker, Pacejka and Lidner, SAE 890087), with a friction ellipse.

Its coefficients take loads in kN, angles in degrees and slips in per cent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Scalar, absolute, arctan, exp, maximum, minimum, sin, sqrt
from ce_dynamics.models.tyres.magic_formula.curve import sine_curve
from ce_dynamics.models.tyres.simple.base import TINY_SLIP, SlipModel, Steady, per_slip, require


@dataclass(frozen=True, kw_only=True)
class Pac89Tyre(SlipModel):
    """The Magic Formula of 1989 without shifts: no force without slip.

    Parameters
    ----------
    a : tuple of 14 floats
        Lateral coefficients a0 … a13; those of camber and of shifts (a5, a8 … a13) have to be zero.
    b : tuple of 11 floats
        Longitudinal coefficients b0 … b10; those of shifts (b9, b10) have to be zero.
    trail : float
        Pneumatic trail without slip [m]; it falls to zero with the side force's peak.
    others
        See `SlipModel`; ``mu`` is not used.
    """

    a: tuple[float, ...]
    b: tuple[float, ...]
    trail: float = 0.0

    def check(self) -> None:
        """Check the number of coefficients, and that those of camber and shifts are zero."""
        require(len(self.a) == 14, f"tyre: a has {len(self.a)} coefficients; 14 are needed, a0 to a13")
        require(len(self.b) == 11, f"tyre: b has {len(self.b)} coefficients; 11 are needed, b0 to b10")
        shifts = {f"a{k}": self.a[k] for k in (5, 8, 9, 10, 11, 12, 13)}
        shifts |= {f"b{k}": self.b[k] for k in (9, 10)}
        for name, value in shifts.items():
            require(
                value == 0.0, f"tyre: {name} = {value:g} is of camber or a shift, which must be zero here"
            )

    def steady(self, Fz: Scalar, kappa: Scalar, tan_alpha: Scalar, friction: Scalar) -> Steady:
        f = 1e-3 * Fz
        slip, angle = 100.0 * absolute(kappa), math.degrees(1.0) * arctan(absolute(tan_alpha))
        a, b = self.a, self.b
        Dx = f * (b[1] * f + b[2])
        Kx = f * (b[3] * f + b[4]) * exp(-b[5] * f)
        Ex = minimum(f * (b[6] * f + b[7]) + b[8], 1.0)
        Dy = f * (a[1] * f + a[2])
        Ky = a[3] * sin(2.0 * arctan(f / a[4]))
        Ey = minimum(a[6] * f + a[7], 1.0)
        Fx = friction * maximum(sine_curve(Dx, b[0], Kx / (b[0] * Dx), Ex, slip), 0.0)
        Fy = friction * maximum(sine_curve(Dy, a[0], Ky / (a[0] * Dy), Ey, angle), 0.0)
        # Both together stay within the ellipse of the peaks.
        x, y = Fx / (friction * Dx), Fy / (friction * Dy)
        part = 1.0 / maximum(sqrt(x * x + y * y), 1.0)
        Sx = per_slip(part * Fx, absolute(kappa), friction * 100.0 * Kx)
        Sy = per_slip(part * Fy, absolute(tan_alpha), friction * math.degrees(1.0) * Ky)
        fallen = maximum(1.0 - angle * Ky / (3.0 * Dy + TINY_SLIP), 0.0)
        return Steady(Sx, Sy, friction * maximum(Dx, Dy), self.trail * fallen * fallen)
