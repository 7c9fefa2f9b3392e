"""Defines the travels of an axle's wheels: each wheel by itself, both together, or one against the other.

An axle with one freedom between its wheels and the chassis has one travel.  For a beam that pivots keep from
rolling, this travel is the mean of both wheels' travels.  For a beam pinned in its middle, it is half their
difference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError

ROUNDING = 1e-12
"""[m] that the travel of the wheels may be off what an axle with one freedom can have."""


class Travels(NamedTuple):
    """Possible travels of an axle's wheels.

    Attributes
    ----------
    rows : (m, 2) array
        The travels that are chosen, from those of the left and of the right wheel.
    kinds : tuple of str
        Sweeps of travel that there are.
    why : str
        Why others are missing, as a clause.
    """

    rows: Floats
    kinds: tuple[str, ...]
    why: str

    @property
    def number(self) -> int:
        """Number of travels that can be chosen."""
        return len(self.rows)

    def check(self, axle: str, goals: Floats) -> None:
        """Refuse travels (n, 2) that the wheels cannot have at once.

        Raises
        ------
        DataError
            With the travels that there are.
        """
        part = self.rows / np.sum(self.rows**2, axis=1, keepdims=True)
        off = goals - goals @ self.rows.T @ part
        if np.any(np.abs(off) > ROUNDING):
            left, right = 1e3 * goals[int(np.argmax(np.max(np.abs(off), axis=1)))]
            raise DataError(
                f"axle {axle!r}: {self.why}, so there is no travel of {left:.5g} mm left and {right:.5g} mm "
                f"right; take {' or '.join(self.kinds)} travel"
            )


SEPARATE = Travels(np.eye(2), ("parallel", "opposed", "left", "right"), "")
TOGETHER = Travels(np.array([[0.5, 0.5]]), ("parallel",), "its wheels rise and fall together")
AGAINST = Travels(
    np.array([[0.5, -0.5]]), ("opposed",), "its wheels travel against each other, in one way only"
)
ALIKE = 1e-9
"""Singular value of the wheels' heights below which they follow from each other, over the largest."""


def travels_of(Z: Array) -> Travels | None:
    """By the derivatives of both wheels' heights by the coordinates (2, n); None where nothing travels."""
    directions, sizes, _ = np.linalg.svd(np.asarray(Z, dtype=float))
    if not np.any(sizes > 0.0):
        return None
    if len(sizes) == 2 and sizes[1] > ALIKE * sizes[0]:
        return SEPARATE
    left, right = directions[:, 0]
    return TOGETHER if left * right > 0.0 else AGAINST
