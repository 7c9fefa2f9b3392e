"""A vertical spring and damper between a point and a level: the tyre stand-in of the ride model."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response


class GroundSpring(ForceElement):
    """Fz = −k (z − height) − c ż on a body-fixed point, vertical in the world; it pulls as well as it pushes.

    Parameters
    ----------
    name : str
    body : Body
    at : (3,) array
        The point, in the design pose.
    ground : Body
    stiffness, damping : float
        k [N/m] and c [N s/m].
    height : float
        Height without force [m].
    """

    outputs = MappingProxyType({"Fz": "N"})

    def __init__(
        self, name: str, body: Body, at: Array, ground: Body, stiffness: float, damping: float, height: float
    ) -> None:
        self.name = name
        self.body, self.at, self.ground = body, at, ground
        self.stiffness, self.damping, self.height = stiffness, damping, height

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.at),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """The force, and the energy of the spring."""
        point = observer.point(self.body, self.at, self.ground)
        lift = point.r[2] - self.height
        force = -self.stiffness * lift - self.damping * point.v[2]
        load = PointLoad(self.body, self.ground, point.r, array((0.0, 0.0, force)))
        return Response((load,), outputs={"Fz": force}, potential=0.5 * self.stiffness * lift * lift)
