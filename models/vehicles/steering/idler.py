"""Joint that holds a steering link along a massless idler arm's axis: exact, or as in Project Chrono."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from ce_dynamics.algebra.arrays import Array, Scalar, cross, dot, norm
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.schema import Section


class IdlerJointData(Section):
    """Spring and damper along the axis; `reaction_error` is 1 for Chrono's joint, 0 for a right one."""

    stiffness: Annotated[float, Quantity("N/m", above=0.0)]
    damping: Annotated[float, Quantity("N*s/m", at_least=0.0)]
    reaction_error: Annotated[float, Quantity("1", at_least=0.0)]


class IdlerJoint(ForceElement):
    """The force along the idler arm's axis n that keeps the link's end at V in the plane of the arm.

    Chrono's joint (`ChLinkRevoluteSpherical`) keeps n · d = 0, d = V − W, W being the arm's pivot on the
    chassis at p from the chassis' centre of mass.  Where the link gets a force λ n at V, the chassis should
    get −λ n there: about its centre of mass λ n × (p + d).  It gets λ (n − d̂) × p, d̂ = d/|d|: so a moment

        −λ (d̂ × p + n × d)

    is left over that nothing else gets.  ``reaction_error`` scales it.

    Parameters
    ----------
    name : str
        Unique in the system.
    chassis, link : Body
    W, V, n : points and direction
        In the design pose.
    data : IdlerJointData
    """

    def __init__(
        self, name: str, chassis: Body, link: Body, W: Array, V: Array, n: Array, data: IdlerJointData
    ) -> None:
        self.name = name
        self.chassis, self.link = chassis, link
        self.W, self.V, self.n = W, V, n
        self.data = data
        self.outputs: Mapping[str, str] = {"axial_force": "N"}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.link, self.V), (self.chassis, self.W))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        chassis, data = self.chassis, self.data
        p = observer.point(chassis, self.W, chassis).r
        end = observer.point(self.link, self.V, chassis)
        n = observer.direction(chassis, self.n, chassis)
        d = end.r - p
        off = dot(n, d)
        force = -data.stiffness * off - data.damping * dot(n, end.v)
        over = -data.reaction_error * force * (cross(d / norm(d), p) + cross(n, d))
        return Response(
            (
                PointLoad(self.link, chassis, end.r, force * n),
                PointLoad(chassis, chassis, end.r, -force * n, over),
            ),
            outputs={"axial_force": force},
            potential=0.5 * data.stiffness * off * off,
        )
