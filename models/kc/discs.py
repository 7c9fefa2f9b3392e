"""Discs as parts that must stay clear: brake discs, wheels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError


@dataclass(frozen=True, eq=False)
class Disc:
    """A flat round disc whose surfaces are rounded off: all that is within ``radius`` of a circle's area.

    Attributes
    ----------
    body : str
        On which it is fixed.
    centre : (3,) array_like
        In the design pose [m]; free parameters may stand in it, see `hardpoint`.
    axis : (3,) array_like
        Square to the disc; of any length.
    size : float
        Radius of the circle [m].
    radius : float
        Half the thickness [m].
    """

    body: str
    centre: Any
    axis: Any
    size: float
    radius: float = 0.0

    def __post_init__(self) -> None:
        checks.name_of("disc: body", self.body, DataError)
        owner = f"disc on {self.body!r}"
        checks.number(f"{owner}: size", self.size, above=0.0, error=DataError)
        checks.number(f"{owner}: radius", self.radius, at_least=0.0, error=DataError)
        centre = checks.items(f"{owner}: centre", self.centre, 3, DataError)
        checks.finite_array(f"{owner}: centre", [nominal(x) for x in centre], (3,), DataError)
        axis = checks.finite_array(f"{owner}: axis", self.axis, (3,), DataError)
        if not np.linalg.norm(axis) > 0.0:
            raise DataError(f"{owner}: axis has no length; give its direction")

    @cached_property
    def points(self) -> Sequence[Array]:
        """The centre, and two points of the circle in directions that are square to each other."""
        axis = np.asarray(self.axis, dtype=float)
        one, other = np.linalg.svd(axis[np.newaxis])[2][1:]
        centre = np.asarray(self.centre)
        return centre, centre + self.size * one, centre + self.size * other

    @property
    def bodies(self) -> tuple[str, ...]:
        """The body of each point."""
        return (self.body,) * 3


def on_disc(disc: Floats, p: Floats) -> tuple[float, float]:
    """Coordinates α, β of the nearest point of a disc, C + α (P − C) + β (Q − C), α² + β² ≤ 1."""
    C, P, Q = disc
    away, size = p - C, float((P - C) @ (P - C))
    a, b = float(away @ (P - C)) / size, float(away @ (Q - C)) / size
    out = max(1.0, float(np.hypot(a, b)))
    return a / out, b / out


def nearest_of_row(disc: Floats, row: Floats) -> tuple[Floats, Floats]:
    """The nearest points of a disc (3, 3) and of a row of straight pieces (n, 3), as weights of their points.

    The distance of a piece's points from the disc, which is convex, is a convex function along the piece; its
    minimum is at an end, or where the way to the disc is square to the piece.
    """
    best, found = np.inf, (np.zeros(3), np.zeros(len(row)))
    for i in range(max(1, len(row) - 1)):
        a, b = row[i], row[min(i + 1, len(row) - 1)]
        s = along_piece(disc, a, b)
        p = a + s * (b - a)
        alpha, beta = on_disc(disc, p)
        weights = np.array((1.0 - alpha - beta, alpha, beta))
        gap = p - weights @ disc
        if gap @ gap < best:
            best = float(gap @ gap)
            others = np.zeros(len(row))
            others[i] += 1.0 - s
            others[min(i + 1, len(row) - 1)] += s
            found = weights, others
    return found


def along_piece(disc: Floats, a: Floats, b: Floats) -> float:
    """Part of the way from a to b that is nearest to a disc."""
    from scipy.optimize import brentq  # here, because most runs never ask

    def slope(s: float) -> float:
        p = a + s * (b - a)
        alpha, beta = on_disc(disc, p)
        q = disc[0] + alpha * (disc[1] - disc[0]) + beta * (disc[2] - disc[0])
        return float((p - q) @ (b - a))

    if slope(0.0) >= 0.0:
        return 0.0
    if slope(1.0) <= 0.0:
        return 1.0
    return float(brentq(slope, 0.0, 1.0, xtol=1e-15, rtol=4.0 * np.finfo(float).eps))
