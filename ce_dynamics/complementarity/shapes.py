"""Shapes of bodies that touch each other, and where they meet.

Two shapes meet in points: of each, a on the first, b on the second, the unit vector n from the second to the
first and the gap ψ = n · (a − b).  Where n is the direction of the shortest way between the two, a small
motion moves a and b across it, so that ψ̇ = n · (v_a − v_b): the rate is that of the material points there.
Everything is written once on 3-vectors of floats or traced scalars and never branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, array, dot, maximum, minimum, norm, where
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis

TINY = 1e-12
"""Distance below which two points have no direction from one to the other [m]."""
HALVINGS = 40
"""Of the interval in which the point of a capsule's axis nearest to a box lies: 1e-12 of its length."""


class Placed(NamedTuple):
    """A shape where it is: its points and axes in the world, and its lengths."""

    points: Sequence[Array]
    axes: Sequence[Array]
    sizes: Sequence[Scalar]


class Sphere:
    """A sphere.

    Parameters
    ----------
    radius : float
        [m], positive.
    at : sequence of 3 floats
        Its centre [m]: of an embedded body in the design pose, of a plain one from the centre of mass.
    """

    def __init__(self, radius: float, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.sizes = (positive(radius, "sphere", "radius"),)
        self.points = (finite_vector(at, "sphere", "at"),)
        self.axes: tuple[Array, ...] = ()


class Capsule:
    """All points within a radius of a straight line between two ends.

    Parameters
    ----------
    first, second : sequences of 3 floats
        Ends of the line, as `Sphere.at`.
    radius : float
        [m], positive.
    """

    def __init__(self, first: ArrayLike, second: ArrayLike, radius: float) -> None:
        self.sizes = (positive(radius, "capsule", "radius"),)
        self.points = (finite_vector(first, "capsule", "first"), finite_vector(second, "capsule", "second"))
        self.axes: tuple[Array, ...] = ()
        if not np.linalg.norm(self.points[1] - self.points[0]) > TINY:
            raise ModelError("capsule: its two ends are the same point; give a Sphere")


class Box:
    """A rectangular box.

    Parameters
    ----------
    edges : sequence of 3 floats
        Lengths along its axes [m], positive.
    at : sequence of 3 floats
        Its middle, as `Sphere.at`.
    axes : (3, 3) array_like
        Unit vectors along the edges as rows, right-handed; those of the design pose or the body if not given.
    """

    def __init__(
        self, edges: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0), axes: ArrayLike | None = None
    ) -> None:
        lengths = finite_vector(edges, "box", "edges")
        self.sizes = tuple(0.5 * positive(float(edge), "box", "edge") for edge in lengths)
        self.points = (finite_vector(at, "box", "at"),)
        frame = np.eye(3) if axes is None else np.array(axes, dtype=float)
        if frame.shape != (3, 3) or not np.allclose(frame @ frame.T, np.eye(3), atol=1e-9):
            raise ModelError(f"box: axes {frame.tolist()} must be three unit vectors at right angles")
        self.axes = tuple(frame)


class HalfSpace:
    """All points behind a plane.

    Parameters
    ----------
    normal : sequence of 3 floats
        Out of it; of any length but zero.
    point : sequence of 3 floats
        Any point of the plane, as `Sphere.at`.
    """

    def __init__(self, normal: ArrayLike = (0.0, 0.0, 1.0), point: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.sizes: tuple[float, ...] = ()
        self.points = (finite_vector(point, "half-space", "point"),)
        self.axes = (unit_axis(normal, "half-space", "normal"),)


Shape: TypeAlias = Sphere | Capsule | Box | HalfSpace


class Meeting(NamedTuple):
    """Where two shapes are nearest: points on the first and the second, direction, gap."""

    a: Array
    b: Array
    n: Array
    psi: Scalar


Pair: TypeAlias = Callable[[Placed, Placed], list[Meeting]]


def pair_of(first: Shape, second: Shape) -> Pair:
    """How two shapes meet.

    Raises
    ------
    ModelError
        For shapes of which nothing is known.
    """
    kinds = (type(first), type(second))
    if kinds in PAIRS:
        return PAIRS[kinds]
    if kinds[::-1] in PAIRS:
        known = PAIRS[kinds[::-1]]
        return lambda one, other: [Meeting(m.b, m.a, -m.n, m.psi) for m in known(other, one)]
    names = " and ".join(kind.__name__ for kind in kinds)
    raise ModelError(f"contact of {names} is not known; give one of them by spheres, capsules or boxes")


def frame(n: Array) -> tuple[Array, Array]:
    """Unit vectors t_1, t_2 that make a right-handed frame (t_1, t_2, n); they jump at n_z = 0."""
    s = where(n[2] >= 0.0, 1.0, -1.0)
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    return array((1.0 + s * n[0] * n[0] * a, s * b, -s * n[0])), array((b, s + n[1] * n[1] * a, -n[1]))


# Pairs


def between_points(c: Array, d: Array, r: Scalar, s: Scalar) -> Meeting:
    """Of spheres of the radii r, s around c, d."""
    apart = c - d
    span = norm(apart)
    far = span > TINY
    n = where(far, apart / where(far, span, 1.0), np.array((0.0, 0.0, 1.0)))
    return Meeting(c - r * n, d + s * n, n, span - r - s)


def on_plane(c: Array, r: Scalar, plane: Placed) -> Meeting:
    """A sphere around c on a plane."""
    n = plane.axes[0]
    height = dot(n, c - plane.points[0])
    return Meeting(c - r * n, c - height * n, n, height - r)


def on_box(c: Array, r: Scalar, box: Placed) -> Meeting:
    """A sphere around c on a box; from inside, out of the nearest face."""
    x = [dot(c - box.points[0], e) for e in box.axes]
    beyond = [absolute(x_k) - h for x_k, h in zip(x, box.sizes, strict=True)]
    off = [x_k - minimum(maximum(x_k, -h), h) for x_k, h in zip(x, box.sizes, strict=True)]
    span = norm(array(off))
    deepest = maximum(maximum(beyond[0], beyond[1]), beyond[2])
    is_0 = where(beyond[0] >= deepest, 1.0, 0.0)
    is_1 = (1.0 - is_0) * where(beyond[1] >= deepest, 1.0, 0.0)
    faces = (is_0, is_1, 1.0 - is_0 - is_1)
    outside = span > TINY
    n = sum(
        where(outside, off_k / where(outside, span, 1.0), face * where(x_k >= 0.0, 1.0, -1.0)) * e
        for off_k, face, x_k, e in zip(off, faces, x, box.axes, strict=True)
    )
    distance = where(outside, span, deepest)
    return Meeting(c - r * n, c - distance * n, n, distance - r)


def along(line: Placed, c: Array) -> Array:
    """The point of a capsule's axis nearest to c."""
    a, u = line.points[0], line.points[1] - line.points[0]
    return np.asarray(a + unit_interval(dot(c - a, u) / dot(u, u)) * u)


def unit_interval(t: Scalar) -> Scalar:
    """The nearest number in 0 … 1."""
    return minimum(maximum(t, 0.0), 1.0)


def nearest_of_lines(one: Placed, other: Placed) -> tuple[Array, Array]:
    """The two nearest points of two capsules' axes; of parallel ones, any."""
    p, u = one.points[0], one.points[1] - one.points[0]
    q, w = other.points[0], other.points[1] - other.points[0]
    r = p - q
    uu, ww, uw, ur, wr = dot(u, u), dot(w, w), dot(u, w), dot(u, r), dot(w, r)
    crossing = uu * ww - uw * uw
    askew = crossing > 1e-12 * uu * ww
    s = where(askew, unit_interval((uw * wr - ur * ww) / where(askew, crossing, 1.0)), 0.5)
    t = (uw * s + wr) / ww
    s = where(t < 0.0, unit_interval(-ur / uu), where(t > 1.0, unit_interval((uw - ur) / uu), s))
    return p + s * u, q + unit_interval(t) * w


def nearest_to_box(line: Placed, box: Placed) -> Array:
    """The point of a capsule's axis nearest to a box: where its distance, which is convex, ceases to fall."""
    a, u = line.points[0], line.points[1] - line.points[0]

    def falling(t: Scalar) -> Scalar:
        c = a + t * u - box.points[0]
        x = [dot(c, e) for e in box.axes]
        off = [x_k - minimum(maximum(x_k, -h), h) for x_k, h in zip(x, box.sizes, strict=True)]
        return sum(off_k * dot(u, e) for off_k, e in zip(off, box.axes, strict=True)) < 0.0

    low: Scalar = 0.0
    width = 1.0
    for _ in range(HALVINGS):
        width *= 0.5
        low = where(falling(low + width), low + width, low)
    return np.asarray(a + unit_interval(low + width) * u)


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
    """As with a sphere around the nearest point of its axis."""
    c = one.points[0]
    return [between_points(c, along(line, c), one.sizes[0], line.sizes[0])]


def capsule_plane(line: Placed, plane: Placed) -> list[Meeting]:
    """Its two ends."""
    return [on_plane(end, line.sizes[0], plane) for end in line.points]


def capsule_capsule(one: Placed, other: Placed) -> list[Meeting]:
    """Where their axes are nearest and, for those side by side, the ends of either on the other."""
    r, s = one.sizes[0], other.sizes[0]
    pairs = [nearest_of_lines(one, other)]
    pairs += [(end, along(other, end)) for end in one.points]
    pairs += [(along(one, end), end) for end in other.points]
    return [between_points(c, d, r, s) for c, d in pairs]


def capsule_box(line: Placed, box: Placed) -> list[Meeting]:
    """Where its axis is nearest, and its ends."""
    return [on_box(c, line.sizes[0], box) for c in (nearest_to_box(line, box), *line.points)]


def corners(box: Placed) -> list[Array]:
    """The eight corners of a box."""
    reach = [h * e for h, e in zip(box.sizes, box.axes, strict=True)]
    signs = [(i, j, k) for i in (1.0, -1.0) for j in (1.0, -1.0) for k in (1.0, -1.0)]
    return [box.points[0] + i * reach[0] + j * reach[1] + k * reach[2] for i, j, k in signs]


def box_plane(box: Placed, plane: Placed) -> list[Meeting]:
    """Its corners."""
    return [on_plane(corner, 0.0, plane) for corner in corners(box)]


def box_box(one: Placed, other: Placed) -> list[Meeting]:
    """The corners of either on the other; edges that cross are not seen."""
    on_other = [on_box(corner, 0.0, other) for corner in corners(one)]
    on_one = [on_box(corner, 0.0, one) for corner in corners(other)]
    return on_other + [Meeting(m.b, m.a, -m.n, m.psi) for m in on_one]


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


def positive(value: object, owner: str, what: str) -> float:
    """A user's length.

    Raises
    ------
    ModelError
        If it is not positive and finite.
    """
    length = finite_number(value, owner, what)
    if not 0.0 < length < np.inf:
        raise ModelError(f"{owner}: {what} {value!r} must be a positive number of metres")
    return length
