"""An axle in motion: derivatives of its geometry along wheel travel and along steering."""

from __future__ import annotations

from collections.abc import Iterable

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.models.kc.instant_motion import Screw, turning
from ce_dynamics.models.kc.poses import AxlePoses


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
    D : (n_q, 2) array
        Change of the coordinates per travel of the left and of the right wheel, the other one at rest.
    """

    def __init__(self, poses: AxlePoses, c: Array) -> None:
        n = poses.moved
        self.n = n
        self.now = poses.at(c)
        self.by = [poses.along(c, k) for k in range(n + len(poses.places.s))]
        self.Z = array(array(by.W[side, 2] for by in self.by[:n]) for side in (0, 1))
        self.D = right_inverse(self.Z)

    @property
    def travel(self) -> Array:
        """Travel of the wheel centres since the design pose, upwards."""
        return self.now.W[:, 2] - self.now.W_0[:, 2]

    def wheels(self, left: float, right: float) -> Array:
        """Direction in which the wheels travel so much."""
        d: Array = left * self.D[:, 0] + right * self.D[:, 1]
        return concatenated(d, len(self.by) - self.n)

    def steering(self, locked: Array | None = None) -> Array:
        """Direction of steering, the wheels at constant height, or with rows of ``locked`` constant.

        ``locked`` has the derivatives of what stays constant by the coordinates and by the steering.
        """
        rows = locked
        if rows is None:
            rows = array(array(by.W[side, 2] for by in self.by) for side in (0, 1))
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


def right_inverse(Z: Array) -> Array:
    """The inverse of two rows and columns; of more columns Zᵀ (Z Zᵀ)⁻¹, which gives the least change."""
    if Z.shape[1] == 2:
        return inverse(Z)
    result: Array = Z.T @ inverse(Z @ Z.T)
    return result


def inverse(A: Array) -> Array:
    """Of two rows and columns."""
    (a, b), (c, d) = A
    found: Array = array((array((d, -b)), array((-c, a)))) / (a * d - b * c)
    return found
