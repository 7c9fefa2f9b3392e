"""Data model of the feet of a robot: points and balls that may touch a plane."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array

CORNERS = tuple(product((-1.0, 1.0), repeat=3))


class Foot(NamedTuple):
    """A point or a ball of a body that may touch a plane.

    Attributes
    ----------
    name : str
        Unique among the feet of a file.
    body : str
        Name of the body in the system.
    at : (3,) array
        The point, or the centre of the ball, in the design pose [m].
    radius : float
        Of the ball; zero for a point [m].
    friction : float
        μ of the pair.
    through, normal : (3,) arrays
        A point of the plane, and the direction out of it.
    """

    name: str
    body: str
    at: Array
    radius: float
    friction: float
    through: Array
    normal: Array
