"""Compliant contact with the road: points of a body, a spring at a level, a wheel in the plane."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, Scalar, array, cos, dot, maximum, minimum, sin, sqrt, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import (
    Damping,
    Fraction,
    Length,
    ParameterQuantity,
    Point,
    PositiveStiffness,
    Stiffness,
    check_number,
)
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
    damping: Annotated[float, ParameterQuantity("s/m", at_least=0.0)]
    friction: Fraction
    slip_speed: Annotated[float, ParameterQuantity("m/s", above=0.0)]


class Push(NamedTuple):
    """Elastic force f [N] and its energy [J]."""

    force: Scalar
    energy: Scalar


def elastic(depth: Scalar, k: float, w: float) -> Push:
    """Return f(δ): zero outside, k w (s³ − s⁴/2) with s = δ/w within the onset, then k (δ − w/2).

    Value, slope and curvature are continuous: one step of order four over the onset keeps its order.
    """
    s = minimum(maximum(depth, 0.0), w) / w
    beyond = maximum(depth - w, 0.0)
    force = k * (w * s * s * s * (1.0 - 0.5 * s) + beyond)
    energy = k * (w * w * s * s * s * s * (0.25 - 0.1 * s) + 0.5 * beyond * (beyond + w))
    return Push(force, energy)


@dataclass(eq=False)
class RoadBodyContact(ForceElement):
    """Forces of the road on points of a body in the design pose [m]."""

    outputs = MappingProxyType({"normal_force": "N", "depth": "m"})

    name: str
    body: Body
    ground: Body
    points: Sequence[Any]
    parameters: ContactData
    road: Road

    def __post_init__(self) -> None:
        self.points = [finite_vector(each, f"body contact {self.name}", "point") for each in self.points]

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


class GroundSpringData(Section):
    """A vertical spring and damper at W in place of the tyre; it may pull (validation model "ride")."""

    stiffness: Stiffness
    damping: Damping
    height: Length


@dataclass(eq=False)
class GroundSpring(ForceElement):
    """Fz = −k (z − height) − c ż on a body-fixed point, vertical in the world; it pulls as well as it pushes.

    The point is given in the design pose; k is the stiffness [N/m], c the damping [N s/m].
    """

    name: str
    body: Body
    at: ArrayLike
    ground: Body
    stiffness: float
    damping: float
    height: float
    outputs = MappingProxyType({"Fz": "N"})

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, np.asarray(self.at)),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        point = observer.point(self.body, np.asarray(self.at), self.ground)
        lift = point.r[2] - self.height
        force = -self.stiffness * lift - self.damping * point.v[2]
        load = PointLoad(self.body, self.ground, point.r, array((0.0, 0.0, force)))
        return Response((load,), outputs={"Fz": force}, potential=0.5 * self.stiffness * lift * lift)


class WavyRoad(Road):
    """z = amplitude sin(2π x / wavelength) [m]."""

    def __init__(self, friction: float, amplitude: float, wavelength: float) -> None:
        super().__init__(friction)
        self.amplitude = check_number("wavy road", "amplitude", amplitude)
        self.k = math.tau / check_number("wavy road", "wavelength", wavelength, above=0.0)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self.amplitude * sin(self.k * x)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return self.amplitude * self.k * cos(self.k * x), 0.0


class Touch(NamedTuple):
    """The road seen from the wheel: friction, unit normal n (2,) and x of its nearest point [m].

    ``gap`` d is the distance of the wheel's rim from the road, negative in penetration [m].
    """

    gap: float
    x: float
    n: Floats
    mu: float


def touch(road: Road, x_w: float, y_w: float, radius: float) -> Touch:
    """Return the point of the road nearest to the wheel's centre.

    The nearest of a raster within one radius, made exact by the condition that the connecting line is normal
    to the road; roads whose hollows are curved more than the wheel can touch it in two points, of which one
    counts.
    """
    from scipy.optimize import brentq  # here, because few runs need it

    def off_normal(x: float) -> float:
        slope = float(road.slope(x, 0.0)[0])
        return (x - x_w) + (float(road.height(x, 0.0)) - y_w) * slope

    raster = x_w + radius * np.linspace(-1.0, 1.0, 13)
    distance = [math.hypot(x - x_w, float(road.height(x, 0.0)) - y_w) for x in raster]
    k = min(max(int(np.argmin(distance)), 1), len(raster) - 2)
    a, b = float(raster[k - 1]), float(raster[k + 1])
    x = float(raster[k])
    if off_normal(a) < 0.0 < off_normal(b):
        x = float(brentq(off_normal, a, b, xtol=1e-14, rtol=1e-14))
    normal = np.asarray(road.normal(x, 0.0), dtype=float)
    n = normal[[0, 2]] / math.hypot(normal[0], normal[2])
    reach = (x_w - x) * n[0] + (y_w - float(road.height(x, 0.0))) * n[1]
    return Touch(reach - radius, x, n, float(road.friction(x, 0.0)))


POINTS = ("low_front", "low_rear", "high_front", "high_rear", "roof_front", "roof_rear")


class HullData(ContactData):
    """Points of the left half that touch the road first, mirrored to the right, and their stiffness.

    Tyres of a vehicle with a hull may lean any way (`LeaningTyre`).  Points of the
    roof may be left out.
    """

    low_front: Point
    low_rear: Point
    high_front: Point
    high_rear: Point
    roof_front: Point | None = None
    roof_rear: Point | None = None

    def add(self, system: System, body: Body, road: Road) -> None:
        left = [np.array(point) for point in (getattr(self, name) for name in POINTS) if point is not None]
        points = [np.array([1.0, side, 1.0]) * point for point in left for side in (1.0, -1.0)]
        system.add_force(RoadBodyContact("hull", body, system.ground, points, self, road))
