"""Shapes of bodies for pictures: points in the design pose and a thickness, whatever the kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import singular_values_and_vectors
from ce_dynamics.algebra.lazy_names import FormerName
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis

FLAT = 1e-6
"""Thickness, in sizes of a plate, below which its points lie in a plane or on a line."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape fixed on a body.

    Made by `rod`, `ball`, `block`, `wheel`, `plate`, `line`, `plane`, `mesh` and `terrain`.

    Attributes
    ----------
    kind : str
    points : (n, 3) array
        In the design pose, world axes [m]; entries may be formulas of free parameters.
    radius : float
        Thickness, half of it [m].
    triangles : (m, 3) int array
        Of plates and meshes: which points each joins.
    colour : str
        As HTML writes it; that of the body if empty.
    opacity : float
        0 … 1.
    look : str
        Material, of `LOOKS`; plain if empty.
    """

    kind: str
    points: Array
    radius: float = 0.0
    triangles: Array = field(default_factory=lambda: np.zeros((0, 3), dtype=int))
    colour: str = ""
    opacity: float = 1.0
    look: str = ""

    painted = FormerName("paint")

    def paint(self, colour: str, opacity: float = 1.0) -> Shape:
        """Return the same in a colour as HTML writes it, such as ``"#c04020"``."""
        return replace(self, colour=colour, opacity=opacity)


def rod(first: ArrayLike, second: ArrayLike, radius: float) -> Shape:
    """Return a round rod between two points."""
    return Shape("rod", points_of((first, second), "rod"), positive(radius, "rod"))


def ball(at: ArrayLike, radius: float) -> Shape:
    """Return a ball."""
    return Shape("ball", points_of((at,), "ball"), positive(radius, "ball"))


def block(edges: ArrayLike, at: ArrayLike, axes: ArrayLike | None = None) -> Shape:
    """Return a rectangular block: lengths of its edges, its middle, unit vectors along the edges as rows."""
    middle, lengths = finite_vector(at, "block", "at"), finite_vector(edges, "block", "edges")
    frame = np.eye(3) if axes is None else np.asarray(axes)
    return Shape("block", np.array([middle, *(middle + 0.5 * lengths[:, None] * frame)]))


def wheel(centre: ArrayLike, axis: ArrayLike, radius: float, width: float) -> Shape:
    """Return a wheel with spokes, which show that it turns."""
    middle = finite_vector(centre, "wheel", "centre")
    half = 0.5 * positive(width, "wheel") * unit_axis(axis, "wheel")
    return Shape("wheel", np.array([middle - half, middle + half]), positive(radius, "wheel"))


def plate(points: Sequence[ArrayLike]) -> Shape:
    """Return the convex hull of three or more points: a plate if the points lie in a plane."""
    given = points_of(points, "plate")
    return Shape("plate", given, triangles=wrapping(nominal(given)))


def plane(point: ArrayLike, normal: ArrayLike) -> Shape:
    """Return a plane without end: what rests below everything, or a wall."""
    at = finite_vector(point, "plane", "point")
    return Shape("plane", np.array([at, at + unit_axis(normal, "plane", "normal")]))


def line(points: Sequence[ArrayLike]) -> Shape:
    """Return a line through points, as thin as the screen can show."""
    return Shape("line", points_of(points, "line"))


def mesh(vertices: ArrayLike, triangles: ArrayLike) -> Shape:
    """Return a surface of triangles, whose vertices are counted from 0."""
    corners = np.asarray(triangles, dtype=int).reshape(-1, 3)
    given = points_of(np.asarray(vertices, dtype=float).reshape(-1, 3), "mesh")
    if corners.size and not (corners.min() >= 0 and corners.max() < len(given)):
        raise ModelError(f"mesh: triangles name vertices up to {corners.max()}, there are {len(given)}")
    return Shape("mesh", given, triangles=corners)


def surface(grid: Array, turned: bool = False) -> tuple[Array, Array]:
    """Return the points (n m, 3) of a grid (n, m, 3), and its triangles; `turned` shows the other face."""
    n, m, _ = grid.shape
    k = np.arange(n * m).reshape(n, m)
    a, b, c, d = k[:-1, :-1].ravel(), k[1:, :-1].ravel(), k[1:, 1:].ravel(), k[:-1, 1:].ravel()
    triangles = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
    return grid.reshape(-1, 3), triangles[:, ::-1] if turned else triangles


def terrain(vertices: ArrayLike, triangles: ArrayLike) -> Shape:
    """Return a mesh as scenery with the squares that planes have: roads that are uneven."""
    return replace(mesh(vertices, triangles), kind="terrain")


def points_of(points: Sequence[ArrayLike] | Array, owner: str) -> Array:
    """Check points (n, 3) of a user."""
    return np.array([finite_vector(point, owner, "point") for point in points]).reshape(-1, 3)


def positive(value: object, owner: str) -> float:
    """Return a length of a user."""
    return finite_number(value, owner, "radius or width", above=0.0)


def wrapping(points: Array) -> Array:
    """Return triangles (m, 3) of the convex hull of points; of a polygon where these lie in a plane."""
    middle = points.mean(axis=0)
    _, sizes, directions = singular_values_and_vectors(points - middle, full_matrices=False)
    if len(points) < 3 or sizes[1] <= FLAT * sizes[0]:
        return np.zeros((0, 3), dtype=int)
    if len(points) > 3 and sizes[2] > FLAT * sizes[0]:
        from scipy.spatial import ConvexHull  # here, because few pictures need it

        return np.asarray(ConvexHull(points).simplices, dtype=int)
    along = (points - middle) @ directions[:2].T
    order = np.argsort(np.arctan2(along[:, 1], along[:, 0]), kind="stable")
    return np.array([(order[0], a, b) for a, b in pairwise(order[1:])])
