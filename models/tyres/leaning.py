"""Tyres of vehicles that turn over: what leans too far no longer stands on its tread."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Array, absolute
from ce_dynamics.models.parts.ramps import smooth_step
from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad

FADING = math.radians(15.0)
"""Within which the forces of a tyre that leans further fade away [rad]."""


@dataclass(frozen=True, eq=False)
class LeaningTyre(TyreModel):
    """A tyre whose forces fade beyond a lean.

    Models count a wheel as a thin disc, whose deflection in its plane grows without bounds as it comes to lie
    flat.  A real one lies on its side then, and the body beside it on the road.

    Attributes
    ----------
    model : TyreModel
    lean : float
        To which forces are the model's [rad]; `FADING` further they are zero.
    """

    model: TyreModel
    lean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "states", self.model.states)
        object.__setattr__(self, "outputs", self.model.outputs)

    @property
    def unloaded_radius(self) -> float:
        """r0 [m]."""
        return self.model.unloaded_radius

    @property
    def tread_width(self) -> float:
        """Width [m]."""
        return self.model.tread_width

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        """The model's answer, less what has faded; states go on as if nothing had."""
        f = self.model.evaluate(wheel, x)
        share = smooth_step((self.lean + FADING - absolute(wheel.gamma)) / FADING)
        names = ("Fx", "Fy", "Fz", "Mx", "My", "Mz", "potential")
        return f._replace(**{name: share * getattr(f, name) for name in names})
