"""Points of a body that touch the road: compliant, dissipating, with Coulomb friction; all of it smooth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, dot, maximum, minimum, sqrt, zeros
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.models.data.quantities import Fraction, Length, PositiveStiffness, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.roads.contract import Road


class ContactData(Section):
    """Contact of a body with the road.

    Every point has the stiffness k, which builds up within the depth ``onset``, w.  With the damping c its
    force is f(δ)(1 + x/√(1 + x²)), x = c δ̇, so that it never pulls; friction is μ v/√(v² + v_s²), v_s being
    the ``slip_speed`` from which it is nearly all there.
    """

    stiffness: PositiveStiffness
    onset: Length
    damping: Annotated[float, Quantity("s/m", at_least=0.0)]
    friction: Fraction
    slip_speed: Annotated[float, Quantity("m/s", above=0.0)]


class Push(NamedTuple):
    """Elastic force f [N] and its energy [J]."""

    force: Scalar
    energy: Scalar


def elastic(depth: Scalar, k: float, w: float) -> Push:
    """f(δ): zero outside, k w (s³ − s⁴/2) with s = δ/w within the onset, then k (δ − w/2).

    Value, slope and curvature are continuous: one step of order four over the onset keeps its order.
    """
    s = minimum(maximum(depth, 0.0), w) / w
    beyond = maximum(depth - w, 0.0)
    force = k * (w * s * s * s * (1.0 - 0.5 * s) + beyond)
    energy = k * (w * w * s * s * s * s * (0.25 - 0.1 * s) + 0.5 * beyond * (beyond + w))
    return Push(force, energy)


class BodyContact(ForceElement):
    """Forces of the road on points of a body.

    Parameters
    ----------
    name : str
    body, ground : Body
    points : sequence of (3,) array_like
        In the design pose [m].
    parameters : ContactData
    road : Road
    """

    outputs: Mapping[str, str] = MappingProxyType({"normal_force": "N", "depth": "m"})

    def __init__(
        self,
        name: str,
        body: Body,
        ground: Body,
        points: Sequence[object],
        parameters: ContactData,
        road: Road,
    ) -> None:
        self.name, self.body, self.ground = name, body, ground
        self.points = [finite_vector(point, f"body contact {name}", "point") for point in points]
        self.parameters, self.road = parameters, road

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (*((self.body, point) for point in self.points), (self.ground, zeros(3)))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        loads: list[PointLoad] = []
        normal: Scalar = 0.0
        energy: Scalar = 0.0
        deepest: Scalar = 0.0
        for point in self.points:
            load, depth, N, stored = self._at(point, observer)
            loads.append(load)
            normal, energy = normal + N, energy + stored
            deepest = maximum(deepest, depth)
        return Response(loads, outputs={"normal_force": normal, "depth": deepest}, potential=energy)

    def _at(self, point: Array, observer: Observer) -> tuple[PointLoad, Scalar, Scalar, Scalar]:
        """Load at a point, its depth, normal force and energy."""
        p = self.parameters
        place = observer.point(self.body, point, self.ground)
        n = self.road.normal(place.r[0], place.r[1])
        depth = (self.road.height(place.r[0], place.r[1]) - place.r[2]) * n[2]
        v_n = dot(n, place.v)
        push = elastic(depth, p.stiffness, p.onset)
        pressed = -p.damping * v_n
        N = push.force * (1.0 + pressed / sqrt(1.0 + pressed * pressed))
        v_t = place.v - v_n * n
        sliding = sqrt(dot(v_t, v_t) + p.slip_speed * p.slip_speed)
        force = N * n - (p.friction * N / sliding) * v_t
        return PointLoad(self.body, self.ground, place.r, force), depth, N, push.energy
