"""An axle in motion: derivatives of its geometry along wheel travel and along steering."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.models.kc.instant_motion import Screw, turning
from ce_dynamics.models.kc.inverses import right_inverse
from ce_dynamics.models.kc.poses import AxlePoses, Geometry


class Travelling:
    """An axle at c and how it moves: per metre of wheel travel, and per unit of steering.

    Parameters
    ----------
    poses : AxlePoses
    c : (n,) array

    Attributes
    ----------
    now : Geometry
    by : list of Geometry
        Derivatives by the coordinates of the suspension, and by that of the steering.
    settled : Settled or None
        The balance of the springs, where that decides.
    D : (n_q, m) array
        Change of the coordinates per travel that can be chosen (`Travels.rows`), the others held: of the left
        and of the right wheel where they travel each by itself.
    """

    def __init__(self, poses: AxlePoses, c: Array) -> None:
        n = poses.moved
        self.n, self.rows = n, poses.travels.rows
        self.now = poses.at(c)
        self.by = [poses.along(c, k) for k in range(n + len(poses.places.s))]
        self.settled = None if poses.settling is None else poses.settling.at(c)
        if self.settled is None:
            self.D = right_inverse(self.of_travel(self.heights(self.by[:n])))
        else:
            self.D = self.settled.D

    def heights(self, by: list[Geometry]) -> Array:
        """Rows of both wheels' heights."""
        return array(array(one.W[side, 2] for one in by) for side in (0, 1))

    def of_travel(self, of_wheels: Array) -> Array:
        """Return the travels that can be chosen (m, …) from those of both wheels (2, …)."""
        if len(self.rows) == 2:
            return of_wheels
        chosen: Array = self.rows @ of_wheels
        return chosen

    @property
    def travel(self) -> Array:
        """Travel of the wheel centres since the design pose, upwards."""
        return self.now.W[:, 2] - self.now.W_0[:, 2]

    def wheels(self, left: float, right: float) -> Array:
        """Direction in which the wheels travel so much; one that they can (`Travels.kinds`)."""
        way = self.of_travel(np.array((left, right)))
        d: Array = sum_of(part * self.D[:, k] for k, part in enumerate(way))
        return concatenated(d, len(self.by) - self.n)

    def ways(self) -> list[Array]:
        """Directions of the travels that can be chosen, one at a time."""
        return [concatenated(d, len(self.by) - self.n) for d in self.D.T]

    def steering(self, locked: Array | None = None) -> Array:
        """Direction of steering, the wheels at constant height, or with rows of ``locked`` constant.

        ``locked`` has the derivatives of what stays constant of both wheels by the coordinates and by the
        steering; where the balance of springs decides it is the height.
        """
        if self.settled is not None:
            return array([*self.settled.by_steering(), 1.0])
        rows = self.of_travel(self.heights(self.by) if locked is None else locked)
        d = -right_inverse(rows[:, : self.n]) @ rows[:, self.n]
        return array([*d, 1.0])

    def change(self, name: str, direction: Array) -> Array:
        """Derivative of a part of the geometry along a direction."""
        return sum_of(d * getattr(by, name) for d, by in zip(direction, self.by, strict=True))

    def screw(self, side: int, direction: Array) -> Screw:
        """Motion of a carrier along a direction, at its wheel's centre."""
        w = turning(self.now.R[side], self.change("R", direction)[side])
        return Screw(w, self.now.W[side], self.change("W", direction)[side])


def sum_of(terms: Iterable[Array]) -> Array:
    """A sum of arrays."""
    total: Array
    total, *others = terms
    for term in others:
        total = total + term
    return total


def concatenated(d: Array, others: int) -> Array:
    """Coordinates' changes, and zeros for the rest."""
    return array([*d, *zeros(others)])
