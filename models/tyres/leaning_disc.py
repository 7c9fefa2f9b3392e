"""Tyres of vehicles that turn over: forces of a disc that leans any way, as far as lying flat."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Array, cos, maximum
from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad


@dataclass(frozen=True, eq=False)
class LeaningTyre(TyreModel):
    """A tyre that may lean by any angle γ without gaining energy.

    Models count deflection δ in the wheel's plane, which for a wheel that nearly lies flat is many times the
    depth p = δ cos γ of the disc's lowest point in the road, and with it the load.  Here the forces are those
    of the depth, at the lowest point of the undeformed disc: F = cos γ F(δ), and M_x grows by F δ sin γ.
    With a tyre whose load is c δ that is the gradient of ½ c p², for every lean (|γ| ≤ 90 degrees).

    Attributes
    ----------
    model : TyreModel
    """

    model: TyreModel

    def __post_init__(self) -> None:
        object.__setattr__(self, "states", self.model.states)
        object.__setattr__(self, "outputs", dict(self.model.outputs))  # which can be pickled

    @property
    def unloaded_radius(self) -> float:
        """r0 [m]."""
        return self.model.unloaded_radius

    @property
    def tread_width(self) -> float:
        """Width [m]."""
        return self.model.tread_width

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        """Return the model's answer, of the depth; states continue as the model has them."""
        f = self.model.evaluate(wheel, x)
        c = cos(wheel.gamma)
        forces = {name: c * getattr(f, name) for name in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")}
        lever = maximum(self.unloaded_radius - wheel.radius, 0.0) * wheel.lean
        forces["Mx"] = forces["Mx"] + forces["Fz"] * lever
        return f._replace(**forces, potential=c * c * f.potential)
