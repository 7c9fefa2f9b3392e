"""The brush: bristles that stick under a parabola of pressure until they slide (Pacejka, chapter 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum
from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.parts.rounding import finite_root
from ce_dynamics.models.tyres.simple.base import TINY_SLIP, SlipModel, Steady, per_slip


@dataclass(frozen=True, kw_only=True)
class BrushTyre(SlipModel):
    """A brush with parabolic pressure, of different stiffness along and across.

    Parameters
    ----------
    slip_stiffness : float
        C_κ over the load.
    cornering_stiffness : float
        C_α over the load [1/rad].
    trail : float
        Pneumatic trail at zero slip, a third of half the contact length [m].
    others
        See `SlipModel`.
    """

    slip_stiffness: Annotated[float, ParameterQuantity("1", above=0.0)]
    cornering_stiffness: Annotated[float, ParameterQuantity("1/rad", above=0.0)]
    trail: Annotated[float, ParameterQuantity("m", at_least=0.0)] = 0.0

    def steady(self, Fz: Scalar, kappa: Scalar, tan_alpha: Scalar, friction: Scalar) -> Steady:
        # Slips σ = κ/(1 + κ), tan α/(1 + κ) of the bristles (3.8), by the rolling speed instead of V_x.
        rolling = maximum(absolute(1.0 + kappa), 1e-6)
        x, y = self.slip_stiffness * kappa / rolling, self.cornering_stiffness * tan_alpha / rolling
        most = self.mu * friction
        demand = finite_root(x * x + y * y)
        u = minimum(demand / (3.0 * most), 1.0)  # θ σ (3.13); 1 where all bristles slide
        force = most * u * (3.0 - u * (3.0 - u))  # (3.14) over Fz
        per_demand = Fz * per_slip(force, demand, 1.0) / rolling
        hump = 1.0 - u
        trail = self.trail * hump * hump * hump / (1.0 - u + u * u / 3.0 + TINY_SLIP)  # (3.15)
        return Steady(
            per_demand * self.slip_stiffness, per_demand * self.cornering_stiffness, most * Fz, trail
        )
