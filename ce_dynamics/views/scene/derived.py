"""Pictures of a model's bodies from the model: hinges, points of force elements, inertias."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import across
from ce_dynamics.mechanism.forces.point_contact import PointContact
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.system import System
from ce_dynamics.views.drawing import COINCIDENT, attachments, distinct_points
from ce_dynamics.views.scene.shapes import Shape, ball, block, plate, rod
from ce_dynamics.views.scene.take import GROUND, BodyPicture, Mark, Strand

THICKNESS = 0.012
"""Radius of rods, in sizes of the system."""
SLENDER = 0.06
"""Largest radius of rods, in sizes of their body."""
FOOT = 0.07, 0.03
"""Height and half width of brackets on the ground, in sizes of the system."""
SMALLEST_BLOCK = 0.02
"""Edge of the block of a body that has no extent, in sizes of the system."""

Numbers = Callable[[Array], Floats]


def body_pictures(
    model: Model, given: Mapping[str, Sequence[Shape]], numbers: Numbers, size: float
) -> list[BodyPicture]:
    """Return all bodies, with shapes given or derived."""
    owner = {body.name: S.name for S in model.embedding.aggregates if S.closures for body in S.bodies}
    pictures = []
    for body in model.system.bodies:
        shapes = given[body.name] if body.name in given else derive_shapes(model, body, size)
        here = [local(shape, body, numbers) for shape in shapes]
        pictures.append(BodyPicture(body.name, here, owner.get(body.name, ""), numbers(body.com)))
    return pictures


def local(shape: Shape, body: Body, numbers: Numbers) -> Shape:
    """Return the shape with its points from the body's centre of mass."""
    return replace(shape, points=numbers(shape.points - body.com))


def derive_shapes(model: Model, body: Body, size: float) -> list[Shape]:
    """Derive rods between the points of a body, a plate for three or more, else a block of its inertia.

    A body with one point is drawn up to its centre of mass.  Points are formulas where hardpoints are free.
    """
    points, com = points_of(model, body), np.asarray(body.com)
    points = [points[k] for k in distinct_points(nominal(np.array(points)).reshape(-1, 3), COINCIDENT * size)]
    own = size_of(nominal(np.array([*points, com])).astype(float))
    thin = min(THICKNESS * size, SLENDER * own)
    if len(points) == 1 and np.linalg.norm(nominal(points[0] - com)) > COINCIDENT * size:
        return [rod(points[0], com, thin), ball(com, 2.5 * thin)]
    if len(points) < 2:
        solid = inertia_block(body, size)
        return [solid.paint("", 0.45) if points else solid]  # a hinge inside is seen
    if len(points) == 2:
        return [rod(points[0], points[1], thin)]
    wrapped = plate(points)
    edges = outline(wrapped.triangles) or [(k, k + 1) for k in range(len(points) - 1)]
    return [wrapped.paint("", 0.45), *(rod(points[a], points[b], 0.7 * thin) for a, b in edges)]


def points_of(model: Model, body: Body) -> list[Array]:
    """Return design points of a body: hinges, cut edges, springs, point contacts; a free hinge has none."""
    hinges = attachments(model, body)
    acting = (force for force in model.system.forces if isinstance(force, (SpringDamper, PointContact)))
    ends = [at for force in acting for held, at in force.attachments if held is body]
    return (hinges[1:] if isinstance(body.inboard, Free) else hinges) + ends


def outline(triangles: Array) -> list[tuple[int, int]]:
    """Return edges of triangles: of a flat polygon those on its border, of a hull all."""
    edges = [tuple(sorted((int(t[i]), int(t[i - 1])))) for t in triangles for i in range(3)]
    border = [edge for edge in edges if edges.count(edge) == 1]
    return [(a, b) for a, b in dict.fromkeys(border or edges)]


def inertia_block(body: Body, size: float) -> Shape:
    """Return the uniform block that has the inertia of a body."""
    mass, small = float(nominal(body.mass)), SMALLEST_BLOCK * size
    if not mass > 0.0:
        return ball(body.com, 0.5 * small)
    moments, vectors = np.linalg.eigh(nominal(body.inertia))
    squares = 6.0 / mass * (moments.sum() - 2.0 * moments)
    edges = np.sqrt(np.maximum(squares, small * small))
    return block(np.minimum(edges, size), body.com, vectors.T)


def strands(model: Model, numbers: Numbers) -> list[Strand]:
    """Return springs and dampers."""
    found = []
    for force in model.system.forces:
        if isinstance(force, SpringDamper):
            resting = all(nominal(force.spring.force(x)) == 0.0 for x in (1.0, -1.0))
            kind = "damper" if resting else "spring"
            a, b = (attach_point(model.system, body, at, numbers) for body, at in force.attachments)
            found.append(Strand(kind, force.name, *a, *b))
    return found


def attach_point(system: System, body: Body, at: Array, numbers: Numbers) -> tuple[int, Floats]:
    """Return the number of a body, and a design point of it in its axes."""
    return place_of_body(system, body), numbers(np.asarray(at) - body.com)


def place_of_body(system: System, body: Body) -> int:
    """Place of a body among all; that of the ground."""
    return GROUND if body.is_ground else system.bodies.index(body)


def marks(model: Model, numbers: Numbers) -> list[Mark]:
    """Return hinges by their roles, and cut edges."""
    system = model.system
    roles = {body.name: "independent" for S in model.embedding.aggregates for body in S.independent}
    roles |= {body.name: "prescribed" for S in model.embedding.aggregates for body in S.prescribed}
    found = []
    for body in system.bodies:
        hinge = body.inboard
        if hinge.n_v > 0 and not isinstance(hinge, Free):
            place = attach_point(system, body, hinge.at_child, numbers)
            role = roles.get(body.name, "dependent")
            found.append(Mark(role, *place, axes_of(hinge, numbers), type(hinge).__name__.lower(), body.name))
    for loop in system.closures:
        closure = getattr(loop, "closure", None)
        for body, at in loop.attachments[:1]:  # gears have none
            place = attach_point(system, body, at, numbers)
            joint = type(closure).__name__.lower()
            found.append(Mark("cut", *place, axes_of(closure, numbers), joint, loop.name))
    return found


def axes_of(hinge: object, numbers: Numbers) -> Floats:
    """Return the unit vectors of a hinge or closure, (n, 3)."""
    names: Sequence[str] = getattr(hinge, "directions", ())
    return np.array([numbers(np.asarray(getattr(hinge, name))) for name in names]).reshape(-1, 3)


def feet(model: Model, size: float, up: Floats) -> list[Shape]:
    """Return brackets below the points of the ground that hold hinges, cut edges and springs."""
    system, found = model.system, []
    held = [body.inboard.at_parent for body in system.bodies if body.carrier.is_ground and holds(body)]
    joined = [loop.attachments for loop in system.closures]
    springs = [force.attachments for force in system.forces if isinstance(force, SpringDamper)]
    held += [at for ends in (*joined, *springs) for body, at in ends if body.is_ground]
    points = nominal(np.array(held).reshape(-1, 3)).astype(float)
    along, side = across(up)
    for k in distinct_points(points, COINCIDENT * size):
        foot = points[k] - FOOT[0] * size * up
        corners = [foot + FOOT[1] * size * (i * along + j * side) for i in (-1, 1) for j in (-1, 1)]
        found.append(replace(plate([points[k], *corners]).paint("#5d666e"), look="trim"))
    return found


def holds(body: Body) -> bool:
    """Return True if the inboard hinge of a body holds it somewhere."""
    return not isinstance(body.inboard, Free)


def size_of(positions: Floats) -> float:
    """Return the largest extent of points (n, 3); 1 m if they have none."""
    extent = float(np.ptp(positions, axis=0).max()) if len(positions) else 0.0
    return extent if extent > 0.0 else 1.0
