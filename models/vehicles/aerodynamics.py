"""Aerodynamics: as written in data files, of the vehicle or of a trailer."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Length, Numbers, Point, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.aerodynamics import WIND, AerodynamicCoefficients, Aerodynamics
from ce_dynamics.models.vehicles.bodies import Vector

Coefficient = Annotated[float, Quantity("1")]
Resistance = Annotated[float, Quantity("1", at_least=0.0)]


class AerodynamicsData(Section):
    """Coefficients, see `AerodynamicCoefficients`.

    The steady wind along the world's x and y, ``wind``, may be left out.
    """

    point: Point
    density: Annotated[float, Quantity("kg/m^3", above=0.0)]
    area: Annotated[float, Quantity("m^2", above=0.0)]
    length: Length
    drag: Resistance
    lift_front: Coefficient
    lift_rear: Coefficient
    side_force: Resistance
    yaw_moment: Coefficient
    wind: Annotated[Numbers, Quantity("m/s", components=("x", "y"))] | None = None

    def add(self, system: System, body: Body, origin: Vector) -> None:
        """Add the element ``BODY.air``, its point relative to an origin, and the inputs of the wind."""
        for name in WIND:
            if name not in system.inputs:
                system.add_input(name, "m/s", 0.0)
        names = AerodynamicCoefficients.__dataclass_fields__
        coefficients = AerodynamicCoefficients(**{name: getattr(self, name) for name in names})
        x, y = self.wind or (0.0, 0.0)
        point = origin + np.array(self.point)
        system.add_force(Aerodynamics(f"{body.name}.air", body, system.ground, point, coefficients, (x, y)))
