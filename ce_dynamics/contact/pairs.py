"""Pairs of shapes that can touch each other, and their contact points.

Contact points of two boxes: corners of each box on the other, and crossing edges.

The nearest points of two separate boxes belong to a corner or to two edges.  The separating axes are the
normals of all faces and the common normals of all pairs of edges.  Two edges are nearest where the gap along
their common normal is the widest of all gaps, and where their nearest points lie on both edges.
"""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import (
    Array,
    Scalar,
    absolute,
    cross,
    dot,
    maximum,
    minimum,
    norm,
    where,
    zeros,
)
from ce_dynamics.contact.shapes import (
    TINY,
    Box,
    Capsule,
    HalfSpace,
    Meeting,
    Pair,
    PlacedShape,
    Shape,
    Sphere,
    corners,
    meet_sphere_box,
    meet_sphere_plane,
    meet_spheres,
    nearest_of_lines,
    nearest_on_axis,
    nearest_to_box,
)
from ce_dynamics.errors import ModelError

ASKEW = 1e-6
"""Sine of the angle from which edges cross."""
LEVEL = 1e-6
"""Difference of gaps along two normals up to which boxes are face to face [m]."""


def corners_on(one: PlacedShape, other: PlacedShape) -> list[Meeting]:
    """Return the corners of either box on the other."""
    on_other = [meet_sphere_box(corner, 0.0, other) for corner in corners(one)]
    on_one = [meet_sphere_box(corner, 0.0, one) for corner in corners(other)]
    return on_other + [Meeting(m.b, m.a, -m.n, m.psi) for m in on_one]


def extent(box: PlacedShape, n: Array) -> Scalar:
    """Return the half-width of a box along n."""
    return sum(h * absolute(dot(n, e)) for h, e in zip(box.sizes, box.axes, strict=True))


def apart_along(one: PlacedShape, other: PlacedShape, n: Array) -> Scalar:
    """Return the gap between two boxes along n, negative where they overlap."""
    return dot(n, one.points[0] - other.points[0]) - extent(one, n) - extent(other, n)


def facing_edges(box: PlacedShape, along_axis: int, n: Array) -> list[Array]:
    """Return middles of the two edges along an axis that a contact with normal n may have, n into the box.

    Of the two other axes, that nearer to n gives the side; along the other both edges may touch, which of two
    boxes face to face they do.
    """
    j, k = ((1, 2), (2, 0), (0, 1))[along_axis]
    e_j, e_k, h_j, h_k = box.axes[j], box.axes[k], box.sizes[j], box.sizes[k]
    by_j = absolute(dot(n, e_j)) >= absolute(dot(n, e_k))
    side = where(by_j, where(dot(n, e_j) > 0.0, -h_j, h_j), where(dot(n, e_k) > 0.0, -h_k, h_k))
    towards = where(by_j, 1.0, 0.0)
    u = towards * e_j + (1.0 - towards) * e_k
    v = towards * h_k * e_k + (1.0 - towards) * h_j * e_j
    return [box.points[0] + side * u + v, box.points[0] + side * u - v]


class Crossing(NamedTuple):
    """Edges along axis i of one box and j of another: unit normal, gap of the boxes along it."""

    i: int
    j: int
    n: Array
    apart: Scalar


def test_edge_directions(one: PlacedShape, other: PlacedShape) -> tuple[list[Crossing], Scalar]:
    """Test the nine pairs of edge directions; return the largest gap along these normals and the faces'."""
    between = one.points[0] - other.points[0]
    found = []
    faces = [e for box in (one, other) for e in box.axes]
    widest: Scalar = -1.0 / TINY
    for e in faces:
        widest = maximum(widest, apart_along(one, other, where(dot(e, between) >= 0.0, 1.0, -1.0) * e))
    for i, e in enumerate(one.axes):
        for j, f in enumerate(other.axes):
            across = cross(e, f)
            size = norm(across)
            askew = size > ASKEW
            n = where(askew, across / where(askew, size, 1.0), e)
            n = where(dot(n, between) >= 0.0, 1.0, -1.0) * n
            apart = where(askew, apart_along(one, other, n), -1.0 / TINY)
            found.append(Crossing(i, j, n, apart))
            widest = maximum(widest, apart)
    return found, widest


def edges_crossing(one: PlacedShape, other: PlacedShape, crossing: Crossing, counts: Scalar) -> list[Meeting]:
    """Return the four meetings of facing edges of a crossing.

    The gap exceeds the distance of the box centres where two edges do not cross or `counts` is False.
    """
    e, f = one.axes[crossing.i], other.axes[crossing.j]
    h, g = one.sizes[crossing.i], other.sizes[crossing.j]
    n, c = crossing.n, dot(e, f)
    sine = where(1.0 - c * c > ASKEW * ASKEW, 1.0 - c * c, 1.0)
    reach = extent(one, one.axes[0]) + extent(one, one.axes[1]) + extent(one, one.axes[2])
    far = norm(one.points[0] - other.points[0]) + reach + 1.0
    found = []
    for p in facing_edges(one, crossing.i, n):
        for q in facing_edges(other, crossing.j, -n):
            r = q - p
            s, t = (dot(r, e) - c * dot(r, f)) / sine, (c * dot(r, e) - dot(r, f)) / sine
            inside = maximum(absolute(s) - h, absolute(t) - g) <= 0.0
            psi = where(counts, where(inside, dot(n, p - q), far), far)
            a = p + minimum(maximum(s, -h), h) * e
            found.append(Meeting(a, a - psi * n, n, psi))
    return found


def box_box(one: PlacedShape, other: PlacedShape) -> list[Meeting]:
    """Find corners of either box on the other, and edges that cross along the normal of the widest gap."""
    pairs, widest = test_edge_directions(one, other)
    found = corners_on(one, other)
    chosen = [where(pair.apart >= widest - LEVEL, 1.0, 0.0) for pair in pairs]
    counts_any = sum(chosen) > 0.5
    # the first that counts, else the last: its axes, one by one, as nothing may branch
    taken: Scalar = 0.0
    n = zeros(3)
    sizes: list[list[Scalar]] = [[0.0] * 3 for _ in range(2)]
    axes = [[zeros(3) for _ in range(3)] for _ in range(2)]
    for pair, counts in zip(pairs, [*chosen[:-1], 1.0], strict=True):
        now = counts * (1.0 - taken)
        taken = taken + now
        n = n + now * pair.n
        for side, (box, first) in enumerate(((one, pair.i), (other, pair.j))):
            for k in range(3):  # the edge's axis first
                axes[side][k] = axes[side][k] + now * box.axes[(first + k) % 3]
                sizes[side][k] = sizes[side][k] + now * box.sizes[(first + k) % 3]
    turned = [PlacedShape(box.points, axes[k], sizes[k]) for k, box in enumerate((one, other))]
    return found + edges_crossing(turned[0], turned[1], Crossing(0, 0, n, widest), counts_any)


def box_box_all(one: PlacedShape, other: PlacedShape) -> list[Meeting]:
    """Find corners of either box on the other, and all crossing edges; the caller drops distant ones."""
    pairs, widest = test_edge_directions(one, other)
    crossed = [edges_crossing(one, other, pair, pair.apart >= widest - LEVEL) for pair in pairs]
    return corners_on(one, other) + [meeting for some in crossed for meeting in some]


def pair_of(first: Shape, second: Shape) -> Pair:
    """Return the function that computes the contact points of two shapes; refuse shapes without one."""
    kinds = (type(first), type(second))
    if kinds in PAIRS:
        return PAIRS[kinds]
    if kinds[::-1] in PAIRS:
        known = PAIRS[kinds[::-1]]
        return lambda one, other: [Meeting(m.b, m.a, -m.n, m.psi) for m in known(other, one)]
    names = " and ".join(kind.__name__ for kind in kinds)
    raise ModelError(f"contact of {names} is not known; give one of them by spheres, capsules or boxes")


def sphere_sphere(one: PlacedShape, other: PlacedShape) -> list[Meeting]:
    """Find the contact on the line through the centres."""
    return [meet_spheres(one.points[0], other.points[0], one.sizes[0], other.sizes[0])]


def sphere_plane(one: PlacedShape, plane: PlacedShape) -> list[Meeting]:
    """Find the contact below the centre."""
    return [meet_sphere_plane(one.points[0], one.sizes[0], plane)]


def sphere_box(one: PlacedShape, box: PlacedShape) -> list[Meeting]:
    """Find the contact on a face, an edge or a corner."""
    return [meet_sphere_box(one.points[0], one.sizes[0], box)]


def sphere_capsule(one: PlacedShape, line: PlacedShape) -> list[Meeting]:
    """Return the meeting of a sphere with a sphere around the nearest point of the capsule's axis."""
    c = one.points[0]
    return [meet_spheres(c, nearest_on_axis(line, c), one.sizes[0], line.sizes[0])]


def capsule_plane(line: PlacedShape, plane: PlacedShape) -> list[Meeting]:
    """Return its two ends."""
    return [meet_sphere_plane(end, line.sizes[0], plane) for end in line.points]


def capsule_capsule(one: PlacedShape, other: PlacedShape) -> list[Meeting]:
    """Return the meetings at the nearest points of the axes and at the ends of each capsule.

    The ends hold capsules that lie side by side.
    """
    r, s = one.sizes[0], other.sizes[0]
    pairs = [nearest_of_lines(one, other)]
    pairs += [(end, nearest_on_axis(other, end)) for end in one.points]
    pairs += [(nearest_on_axis(one, end), end) for end in other.points]
    return [meet_spheres(c, d, r, s) for c, d in pairs]


def capsule_box(line: PlacedShape, box: PlacedShape) -> list[Meeting]:
    """Return the meetings at the point of the capsule's axis nearest to the box and at both ends."""
    return [meet_sphere_box(c, line.sizes[0], box) for c in (nearest_to_box(line, box), *line.points)]


def box_plane(box: PlacedShape, plane: PlacedShape) -> list[Meeting]:
    """Return its corners."""
    return [meet_sphere_plane(corner, 0.0, plane) for corner in corners(box)]


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
