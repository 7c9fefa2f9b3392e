"""Fiala's tyre as multibody programs have it: six numbers, friction that falls with the slip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, where
from ce_dynamics.models.data.quantities import Length, ParameterQuantity, PositiveFraction
from ce_dynamics.models.parts.rounding import finite_root
from ce_dynamics.models.tyres.simple.base import SlipModel, Steady, per_slip, require


@dataclass(frozen=True, kw_only=True)
class FialaTyre(SlipModel):
    """Fiala's tyre.

    Parameters
    ----------
    slip_stiffness : float
        CSLIP: ∂Fx/∂κ [N].
    cornering_stiffness : float
        CALPHA: −∂Fy/∂α [N/rad].
    mu_sliding : float
        UMIN: friction at full slip; ``mu`` is UMAX, that without slip.
    width : float
        Of the tyre [m], the arm of the aligning moment.
    others
        See `SlipModel`.
    """

    slip_stiffness: Annotated[float, ParameterQuantity("N", above=0.0)]
    cornering_stiffness: Annotated[float, ParameterQuantity("N/rad", above=0.0)]
    mu_sliding: PositiveFraction
    width: Length

    @property
    def tread_width(self) -> float:
        return self.width

    def check(self) -> None:
        """Check UMIN ≤ UMAX."""
        require(
            self.mu_sliding <= self.mu, f"tyre: mu_sliding = {self.mu_sliding:g} exceeds mu = {self.mu:g}"
        )

    def on_road(self, Fz: Scalar, kappa: Scalar, tan_alpha: Scalar, friction: Scalar) -> Steady:
        """Return the state with forces and slips of the measured road in proportion to friction.

        Friction that falls with the slip would else fall less up to the peak, which friction brings nearer.
        """
        s = self.steady(Fz, kappa / friction, tan_alpha / friction, 1.0)
        return s._replace(capacity=friction * s.capacity)

    def steady(self, Fz: Scalar, kappa: Scalar, tan_alpha: Scalar, friction: Scalar) -> Steady:
        slip, slope = absolute(kappa), absolute(tan_alpha)
        comprehensive = minimum(finite_root(kappa * kappa + tan_alpha * tan_alpha), 1.0)
        U = (self.mu - (self.mu - self.mu_sliding) * comprehensive) * friction
        most = U * Fz
        # Along: linear up to half of what friction holds, a hyperbola beyond.
        C = self.slip_stiffness
        critical = 0.5 * most / C
        beyond = maximum(slip, critical)
        Sx = where(slip < critical, C, (most - 0.25 * most * most / (C * beyond)) / beyond)
        # Across: a cubic up to where all of the contact slides.
        H = maximum(1.0 - self.cornering_stiffness * slope / (3.0 * most), 0.0)
        Sy = per_slip(most * (1.0 - H * H * H), slope, self.cornering_stiffness)
        # Mz = μ Fz w (1 − H) H³ over Fy
        trail = self.width * H * H * H / (1.0 + H + H * H)
        return Steady(Sx, Sy, self.mu * friction * Fz, trail)
