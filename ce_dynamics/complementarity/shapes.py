"""Shapes of bodies that touch each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis

TINY = 1e-12
"""Distance below which two points have no direction from one to the other [m]."""


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
