"""TMeasy under the contract of tyre models."""

from __future__ import annotations

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, arctan, maximum
from ce_dynamics.models.parts.tmeasy_parameters import TMeasyParameters
from ce_dynamics.models.tyres.contract import DEFLECTIONS, TyreAnswer, TyreModel, WheelOnRoad
from ce_dynamics.models.tyres.tmeasy_forces import effective_radius, tyre_forces, vertical_energy


class TMeasyTyre(TyreModel):
    """A TMeasy tyre (Rill).

    Parameters
    ----------
    parameters : TMeasyParameters
    """

    states = DEFLECTIONS

    def __init__(self, parameters: TMeasyParameters) -> None:
        self.parameters = checks.instance(
            "parameters", parameters, TMeasyParameters, "those of a TMeasy tyre"
        )

    @property
    def unloaded_radius(self) -> float:
        return self.parameters.unloaded_radius

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        p = self.parameters
        f = tyre_forces(p, wheel, x[0], x[1])
        depth = maximum(p.unloaded_radius - wheel.radius, 0.0)
        stored = vertical_energy(p, p.unloaded_radius - wheel.radius)
        return TyreAnswer(
            Fx=f.Fx,
            Fy=f.Fy,
            Fz=f.Fz,
            Mx=f.Mx,
            My=f.My,
            Mz=f.Mz,
            x_dot=(f.x_dot, f.y_dot),
            slip=f.s_x,
            slip_angle=arctan(f.s_y),
            deflection=depth,
            rolling_speed=effective_radius(p, wheel.radius) * wheel.spin,
            potential=stored + 0.5 * (p.cx * x[0] * x[0] + p.cy * x[1] * x[1]),
        )
