"""Air that flows past a body: drag, lift in front and behind, side force and yaw moment, in any wind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra.arrays import Array, Scalar, array, dot, sqrt
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Length, Numbers, ParameterQuantity, Point
from ce_dynamics.models.data.schema import Section

TINY_SPEED = 1e-3
"""[m/s] added in squares to the speed of the air: still air is no kink."""
WIND = ("wind_x", "wind_y")
"""Inputs: wind along the world's x and y, on top of the steady one [m/s]."""


Coefficient = Annotated[float, ParameterQuantity("1")]
Resistance = Annotated[float, ParameterQuantity("1", at_least=0.0)]


class AerodynamicsData(Section):
    """Coefficients that refer to ½ ρ A, at a point where drag and side force act.

    With v the velocity of the body in the air and V its magnitude, the forces are: ``drag`` −½ ρ A C_D V v_x;
    ``lift_front`` and ``lift_rear`` ½ ρ A C_L v_x² upwards each, half a ``length`` L ahead of the point and
    behind it; ``side_force`` −½ ρ A C_S V v_y; ``yaw_moment`` −½ ρ A L C_N v_x v_y, which for positive ones
    turns the body away from where it moves.  ``wind`` is the steady one along the world's x and y; none if
    left out.
    """

    point: Point
    density: Annotated[float, ParameterQuantity("kg/m^3", above=0.0)]
    area: Annotated[float, ParameterQuantity("m^2", above=0.0)]
    length: Length
    drag: Resistance
    lift_front: Coefficient
    lift_rear: Coefficient
    side_force: Resistance
    yaw_moment: Coefficient
    wind: Annotated[Numbers, ParameterQuantity("m/s", components=("x", "y"))] | None = None

    def add(self, system: System, body: Body, origin: NDArray[np.float64]) -> None:
        """Add the element ``BODY.air``, its point relative to an origin, and the inputs of the wind."""
        for name in WIND:
            if name not in system.inputs:
                system.add_input(name, "m/s", 0.0)
        system.add_force(Aerodynamics(f"{body.name}.air", body, system.ground, self, origin))


class Aerodynamics(ForceElement):
    """Forces of the air at a point of a body, whose data are relative to an origin [m]."""

    inputs = WIND
    outputs: Mapping[str, str] = MappingProxyType(
        {"drag": "N", "side_force": "N", "lift_front": "N", "lift_rear": "N", "yaw_moment": "N*m"}
    )

    def __init__(
        self,
        name: str,
        body: Body,
        ground: Body,
        data: AerodynamicsData,
        origin: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        self.name, self.body, self.ground, self.data = name, body, ground, data
        self.point = finite_vector(np.add(origin, data.point), f"aerodynamics {name}", "point")

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self.body, self.point), (self.ground, self.point)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        c = self.data
        place = observer.point(self.body, self.point, self.ground)
        e_x, e_y, e_z = (observer.direction(self.body, axis, self.ground) for axis in IDENTITY)
        blowing = array(
            (*(steady + u[name] for steady, name in zip(c.wind or (0.0, 0.0), WIND, strict=True)), 0.0)
        )
        v = place.v - blowing
        v_x, v_y = dot(v, e_x), dot(v, e_y)
        V = sqrt(v_x * v_x + v_y * v_y + TINY_SPEED**2)
        half_rho_A = 0.5 * c.density * c.area
        drag, side = half_rho_A * c.drag * V * v_x, -half_rho_A * c.side_force * V * v_y
        front, rear = (half_rho_A * lift * v_x * v_x for lift in (c.lift_front, c.lift_rear))
        turning = -half_rho_A * c.length * c.yaw_moment * v_x * v_y
        force = -drag * e_x + side * e_y + (front + rear) * e_z
        torque = 0.5 * c.length * (rear - front) * e_y + turning * e_z
        return Response(
            (PointLoad(self.body, self.ground, place.r, force, torque),),
            outputs={
                "drag": drag,
                "side_force": side,
                "lift_front": front,
                "lift_rear": rear,
                "yaw_moment": turning,
            },
        )
