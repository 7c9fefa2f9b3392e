"""A tyre whose forces grow with the slip until friction bounds their resultant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ce_dynamics.algebra.arrays import Scalar, minimum, sqrt
from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.tyres.simple.base import TINY_SLIP, SlipModel, Steady


@dataclass(frozen=True, kw_only=True)
class LinearTyre(SlipModel):
    """Fx = C_κ κ and Fy = −C_α tan α, of which together at most μ Fz.

    Parameters
    ----------
    slip_stiffness : float
        C_κ over the load.
    cornering_stiffness : float
        C_α over the load [1/rad].
    trail : float
        Pneumatic trail [m].
    others
        See `SlipModel`.
    """

    slip_stiffness: Annotated[float, ParameterQuantity("1", above=0.0)]
    cornering_stiffness: Annotated[float, ParameterQuantity("1/rad", above=0.0)]
    trail: Annotated[float, ParameterQuantity("m", at_least=0.0)] = 0.0

    def steady(self, Fz: Scalar, kappa: Scalar, tan_alpha: Scalar, friction: Scalar) -> Steady:
        x, y = self.slip_stiffness * kappa, self.cornering_stiffness * tan_alpha
        most = self.mu * friction
        demand = sqrt(x * x + y * y) + TINY_SLIP
        part = minimum(most / demand, 1.0) * Fz
        return Steady(part * self.slip_stiffness, part * self.cornering_stiffness, most * Fz, self.trail)
