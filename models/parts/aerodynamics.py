"""Air that flows past a body: drag, lift in front and behind, side force and yaw moment, in any wind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ce_dynamics.algebra.arrays import Array, Scalar, array, dot, sqrt
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response

TINY_SPEED = 1e-3
"""[m/s] added in squares to the speed of the air: still air is no kink."""
WIND = ("wind_x", "wind_y")
"""Inputs: wind along the world's x and y, on top of the steady one [m/s]."""


@dataclass(frozen=True)
class AerodynamicCoefficients:
    """Coefficients that refer to ½ ρ A.

    Attributes
    ----------
    density, area, length : float
        ρ [kg/m³]; A, frontal [m²]; L, of reference: lifts act L/2 ahead of the point and behind it [m].
    drag : float
        C_D: force −½ ρ A C_D V v_x against the forward speed v_x of the body in the air, V its whole speed.
    lift_front, lift_rear : float
        C_L: ½ ρ A C_L v_x² upwards, each.
    side_force : float
        Per unit of the sine of the angle of yaw: −½ ρ A C_S V v_y.
    yaw_moment : float
        Per unit of the sine times cosine of it: −½ ρ A L C_N v_x v_y, which for positive ones turns the body
        away from where it moves.
    """

    density: float
    area: float
    length: float
    drag: float
    lift_front: float
    lift_rear: float
    side_force: float
    yaw_moment: float


class Aerodynamics(ForceElement):
    """Forces of the air at a point of a body.

    Parameters
    ----------
    name : str
    body, ground : Body
    point : (3,) array_like
        Where drag and side force act, in the design pose [m].
    coefficients : AerodynamicCoefficients
    wind : (float, float)
        The steady wind along the world's x and y [m/s].
    """

    inputs = WIND
    outputs: Mapping[str, str] = MappingProxyType(
        {"drag": "N", "side_force": "N", "lift_front": "N", "lift_rear": "N", "yaw_moment": "N*m"}
    )

    def __init__(
        self,
        name: str,
        body: Body,
        ground: Body,
        point: object,
        coefficients: AerodynamicCoefficients,
        wind: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self.name, self.body, self.ground = name, body, ground
        self.point = finite_vector(point, f"aerodynamics {name}", "point")
        self.coefficients, self.wind = coefficients, wind

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self.body, self.point), (self.ground, self.point)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        c = self.coefficients
        place = observer.point(self.body, self.point, self.ground)
        e_x, e_y, e_z = (observer.direction(self.body, axis, self.ground) for axis in IDENTITY)
        blowing = array((*(steady + u[name] for steady, name in zip(self.wind, WIND, strict=True)), 0.0))
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
