"""Shapes of bodies that touch each other.

Nearest points of shapes: of points, lines, planes and boxes.

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

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, absolute, array, dot, maximum, minimum, norm, where
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis

TINY = 1e-12
"""Distance below which two points have no direction from one to the other [m]."""


class PlacedShape(NamedTuple):
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
        self.sizes = (finite_number(radius, "sphere", "radius", above=0.0),)
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
        self.sizes = (finite_number(radius, "capsule", "radius", above=0.0),)
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
        self.sizes = tuple(0.5 * finite_number(edge, "box", "edges", above=0.0) for edge in lengths)
        self.points = (finite_vector(at, "box", "at"),)
        frame = np.eye(3) if axes is None else checks.finite_array("box: axes", axes, (3, 3))
        if not np.allclose(frame @ frame.T, np.eye(3), atol=1e-9):
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


def check_shape(value: Shape, name: str) -> Shape:
    """Return a user's shape; a `WrongTypeError` names the argument."""
    kinds: tuple[type[Shape], ...] = (Sphere, Capsule, Box, HalfSpace)
    return checks.instance(name, value, kinds, "a Sphere, Capsule, Box or HalfSpace")


HALVINGS = 40
"""Halvings of a capsule's axis in the search for the point nearest to a box: 1e-12 of the length remains."""


class Meeting(NamedTuple):
    """Nearest points of two shapes: a on the first, b on the second, unit normal n, gap psi."""

    a: Array
    b: Array
    n: Array
    psi: Scalar


Pair: TypeAlias = Callable[[PlacedShape, PlacedShape], list[Meeting]]


def frame(n: Array) -> tuple[Array, Array]:
    """Return unit vectors t_1, t_2 of a right-handed frame (t_1, t_2, n); they jump at n_z = 0."""
    s = where(n[2] >= 0.0, 1.0, -1.0)
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    return array((1.0 + s * n[0] * n[0] * a, s * b, -s * n[0])), array((b, s + n[1] * n[1] * a, -n[1]))


def meet_spheres(c: Array, d: Array, r: Scalar, s: Scalar) -> Meeting:
    """Return the meeting of spheres with the radii r, s around c, d."""
    apart = c - d
    span = norm(apart)
    far = span > TINY
    n = where(far, apart / where(far, span, 1.0), np.array((0.0, 0.0, 1.0)))
    return Meeting(c - r * n, d + s * n, n, span - r - s)


def meet_sphere_plane(c: Array, r: Scalar, plane: PlacedShape) -> Meeting:
    """Return a sphere around c on a plane."""
    n = plane.axes[0]
    height = dot(n, c - plane.points[0])
    return Meeting(c - r * n, c - height * n, n, height - r)


def meet_sphere_box(c: Array, r: Scalar, box: PlacedShape) -> Meeting:
    """Return a sphere around c on a box; from inside, out of the nearest face."""
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


def nearest_on_axis(line: PlacedShape, c: Array) -> Array:
    """Return the point of a capsule's axis nearest to c."""
    a, u = line.points[0], line.points[1] - line.points[0]
    return np.asarray(a + unit_interval(dot(c - a, u) / dot(u, u)) * u)


def unit_interval(t: Scalar) -> Scalar:
    """Return the nearest number in 0 … 1."""
    return minimum(maximum(t, 0.0), 1.0)


def nearest_of_lines(one: PlacedShape, other: PlacedShape) -> tuple[Array, Array]:
    """Return the two nearest points of two capsules' axes; of parallel ones, any."""
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


def nearest_to_box(line: PlacedShape, box: PlacedShape) -> Array:
    """Return the point of a capsule's axis nearest to a box: where its convex distance ceases to fall."""
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


def corners(box: PlacedShape) -> list[Array]:
    """Return the eight corners of a box."""
    reach = [h * e for h, e in zip(box.sizes, box.axes, strict=True)]
    signs = [(i, j, k) for i in (1.0, -1.0) for j in (1.0, -1.0) for k in (1.0, -1.0)]
    return [box.points[0] + i * reach[0] + j * reach[1] + k * reach[2] for i, j, k in signs]
