"""Systems and force elements that the tests of the reference share."""

from collections.abc import Callable, Mapping

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar, dot, norm
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.mechanism.forces.base import HingeLoad, Observer, PointLoad, Response, StateDeclaration

KINDS = ("Fixed", "Revolute", "Prismatic", "Universal", "Cylindrical", "Planar", "Spherical", "Free", "Screw")


class Link(ce.ForceElement):
    """A spring and damper between two points, with a state that follows its length."""

    states = (StateDeclaration("lag", "m", 0.1),)

    def __init__(self, name: str, a: ce.Body, at_a: Array, b: ce.Body, at_b: Array) -> None:
        self.name, self.a, self.at_a, self.b, self.at_b = name, a, np.asarray(at_a), b, np.asarray(at_b)

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return (self.a, self.at_a), (self.b, self.at_b)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        end = observer.point(self.b, self.at_b, self.a)
        foot = self.a.local(self.at_a)
        length = norm(end.r - foot)
        along = (end.r - foot) / length
        pull = 200.0 * (length - x[0]) + 15.0 * dot(along, end.v)
        spin = 0.3 * observer.angular_velocity(self.b, self.a)
        loads = (
            PointLoad(self.b, self.a, end.r, -pull * along, -spin),
            PointLoad(self.a, self.a, foot, pull * along, spin),
        )
        return Response(loads, x_dot=((length - x[0]) * 5.0,), potential=0.0 * length)


class Drive(ce.ForceElement):
    """A generalised force on one component of a hinge; of its coordinate too, unless that is a quaternion."""

    def __init__(self, body: ce.Body, k: int) -> None:
        self.name, self.body, self.k = f"drive {body.name} {k}", body, k

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return ()

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        value = 3.0 - 0.7 * observer.rate(self.body, self.k)
        if not isinstance(self.body.inboard, ce.Spherical | ce.Free):
            value = value - 2.0 * observer.coordinate(self.body, self.k)
        return Response([HingeLoad(self.body, self.k, value)])


def vector(rng: np.random.Generator) -> Array:
    """A random vector."""
    return rng.normal(size=3)


def inertia(rng: np.random.Generator) -> Array:
    A = rng.normal(size=(3, 3))
    spread = A @ A.T
    tensor: Array = np.trace(spread) * np.eye(3) - spread
    return tensor


def hinge_of(kind: str, rng: np.random.Generator) -> ce.Hinge:
    at, axis = vector(rng).tolist(), vector(rng).tolist()
    if kind == "Universal":
        return ce.Universal(axis, vector(rng).tolist(), at)  # axes not perpendicular
    if kind == "Screw":
        return ce.Screw(axis, 0.5, at)
    with_axis = {
        "Revolute": ce.Revolute,
        "Prismatic": ce.Prismatic,
        "Cylindrical": ce.Cylindrical,
        "Planar": ce.Planar,
    }
    if kind in with_axis:
        build: Callable[..., ce.Hinge] = with_axis[kind]
        return build(axis, at)
    at_point: dict[str, Callable[..., ce.Hinge]] = {
        "Fixed": ce.Fixed,
        "Spherical": ce.Spherical,
        "Free": ce.Free,
    }
    return at_point[kind](at)


def add_random_body(
    system: ce.System, name: str, parent: ce.Body, kind: str, rng: np.random.Generator
) -> ce.Body:
    """A body with a drive on every component of its hinge."""
    body = system.add_body(
        name,
        mass=1.0 + rng.random(),
        com=vector(rng),
        inertia=inertia(rng),
        parent=parent,
        hinge=hinge_of(kind, rng),
    )
    for k in range(body.inboard.n_v):
        system.add_force(Drive(body, k))
    return body


def random_coordinates(system: ce.System, names: Mapping[str, slice], rng: np.random.Generator) -> Array:
    """Coordinates away from the design pose, quaternions of any length."""
    return np.concatenate(
        [
            system.find(name).inboard.neutral + 0.6 * rng.normal(size=w.stop - w.start)
            for name, w in names.items()
        ]
    )


def slender(
    system: ce.System, name: str, a: Array, b: Array, mass: float, parent: ce.Body | str, hinge: ce.Hinge
) -> ce.Body:
    length = float(np.linalg.norm(b - a))
    d = (b - a) / length
    tensor = mass * length**2 / 12.0 * (np.eye(3) - np.outer(d, d))
    return system.add_body(name, mass=mass, com=(a + b) / 2.0, inertia=tensor, parent=parent, hinge=hinge)


def four_bar(
    A: tuple[float, float],
    D: tuple[float, float],
    F: tuple[float, float],
    G: tuple[float, float],
    *,
    embedded: bool,
    independent: tuple[str, ...] = ("crank",),
) -> ce.System:
    """A planar four-bar of slender bars of 1 kg under gravity −y, all hinges revolute, cut at G."""
    system = ce.System(gravity=(0.0, -9.81, 0.0), name="four-bar")
    points = [np.array((*point, 0.0)) for point in (A, D, F, G)]
    axis = (0.0, 0.0, 1.0)
    linkage = FourBar(points[0], points[1], points[2], points[3], axis)
    parent: ce.Body = system.ground
    for name, a, b in zip(("crank", "coupler", "rocker"), points[:-1], points[1:], strict=True):
        parent = slender(system, name, a, b, 1.0, parent, ce.Revolute(axis, a.tolist()))
    for cut in linkage.cuts():
        system.close_loop("G", cut.body_a, cut.body_b, cut.closure, independent=independent)
    if embedded:
        system.use_linkage(linkage)
    return system


def parallelogram() -> ce.System:
    """The four-bar of A02: a square of 1 m, 1 kg bars."""
    return four_bar((0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0), embedded=False)


PARALLELOGRAM_LEVER = (2 / 2 + 1) / (2 / 3 + 1)
"""θ̈ = −g cos θ × this, θ the crank's angle from x (reference data, A02 with N = 1)."""
