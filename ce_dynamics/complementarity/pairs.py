"""Pairs of shapes that can touch each other, and their contact points."""

from __future__ import annotations

from ce_dynamics.complementarity.box_box import box_box, box_box_all
from ce_dynamics.complementarity.nearest import (
    Meeting,
    Pair,
    along,
    between_points,
    corners,
    nearest_of_lines,
    nearest_to_box,
    on_box,
    on_plane,
)
from ce_dynamics.complementarity.shapes import Box, Capsule, HalfSpace, Placed, Shape, Sphere
from ce_dynamics.errors import ModelError


def pair_of(first: Shape, second: Shape) -> Pair:
    """Return the function that computes the contact points of two shapes.

    Raises
    ------
    ModelError
        If there is no function for these shapes.
    """
    kinds = (type(first), type(second))
    if kinds in PAIRS:
        return PAIRS[kinds]
    if kinds[::-1] in PAIRS:
        known = PAIRS[kinds[::-1]]
        return lambda one, other: [Meeting(m.b, m.a, -m.n, m.psi) for m in known(other, one)]
    names = " and ".join(kind.__name__ for kind in kinds)
    raise ModelError(f"contact of {names} is not known; give one of them by spheres, capsules or boxes")


def sphere_sphere(one: Placed, other: Placed) -> list[Meeting]:
    """On the line through their centres."""
    return [between_points(one.points[0], other.points[0], one.sizes[0], other.sizes[0])]


def sphere_plane(one: Placed, plane: Placed) -> list[Meeting]:
    """Below its centre."""
    return [on_plane(one.points[0], one.sizes[0], plane)]


def sphere_box(one: Placed, box: Placed) -> list[Meeting]:
    """On a face, an edge or a corner."""
    return [on_box(one.points[0], one.sizes[0], box)]


def sphere_capsule(one: Placed, line: Placed) -> list[Meeting]:
    """Return the meeting of a sphere with a sphere around the nearest point of the capsule's axis."""
    c = one.points[0]
    return [between_points(c, along(line, c), one.sizes[0], line.sizes[0])]


def capsule_plane(line: Placed, plane: Placed) -> list[Meeting]:
    """Its two ends."""
    return [on_plane(end, line.sizes[0], plane) for end in line.points]


def capsule_capsule(one: Placed, other: Placed) -> list[Meeting]:
    """Return the meetings at the nearest points of the axes and at the ends of each capsule.

    The ends hold capsules that lie side by side.
    """
    r, s = one.sizes[0], other.sizes[0]
    pairs = [nearest_of_lines(one, other)]
    pairs += [(end, along(other, end)) for end in one.points]
    pairs += [(along(one, end), end) for end in other.points]
    return [between_points(c, d, r, s) for c, d in pairs]


def capsule_box(line: Placed, box: Placed) -> list[Meeting]:
    """Return the meetings at the point of the capsule's axis nearest to the box and at both ends."""
    return [on_box(c, line.sizes[0], box) for c in (nearest_to_box(line, box), *line.points)]


def box_plane(box: Placed, plane: Placed) -> list[Meeting]:
    """Its corners."""
    return [on_plane(corner, 0.0, plane) for corner in corners(box)]


PAIRS: dict[tuple[type, type], Pair] = {
    (Sphere, Sphere): sphere_sphere,
    (Sphere, HalfSpace): sphere_plane,
    (Sphere, Box): sphere_box,
    (Sphere, Capsule): sphere_capsule,
    (Capsule, HalfSpace): capsule_plane,
    (Capsule, Capsule): capsule_capsule,
    (Capsule, Box): capsule_box,
    (Box, HalfSpace): box_plane,
    (Box, Box): box_box,
}
"""Pairs of shapes that can touch; either may come first."""
WITH_MANY_POINTS: dict[tuple[type, type], Pair] = {(Box, Box): box_box_all}
"""Instead, where points that are far apart cost nothing."""
