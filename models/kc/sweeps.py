"""Sweeps of the rig: which way the wheels travel and the steering turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError

TRAVEL, POSES, MOST_POSES = 0.1, 41, 1_000_000
"""Range either way [m] and number of poses, unless said otherwise; and poses at most."""

KINDS: Mapping[str, tuple[float, float, float]] = {
    "parallel": (1.0, 1.0, 0.0),
    "opposed": (1.0, -1.0, 0.0),
    "left": (1.0, 0.0, 0.0),
    "right": (0.0, 1.0, 0.0),
    "steering": (0.0, 0.0, 1.0),
}
"""Travel of the left and of the right wheel, and steering, per unit of the sweep."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """Poses one after the other.

    Attributes
    ----------
    kind : str
        A name for people.
    values : (n,) array
        What the curves are drawn over: travel [m], or part of full lock.
    travel : (n, 2) array
        Of the left and the right wheel centre [m].
    steering : (n,) array
        Part of full lock, positive to the left.
    """

    kind: str
    values: Floats
    travel: Floats
    steering: Floats

    @property
    def over_steering(self) -> bool:
        """True if it is steering that changes."""
        return self.kind == "steering"

    def part(self, rows: Sequence[int]) -> Sweep:
        """Some of the poses."""
        return Sweep(self.kind, self.values[rows], self.travel[rows], self.steering[rows])


def sweep_of(kind: str, values: ArrayLike | None = None) -> Sweep:
    """A sweep by name.

    Raises
    ------
    DataError
        If there is none of that name, or a value is not finite.
    """
    checks.known("sweep", kind, list(KINDS), "kind", DataError)
    largest = 1.0 if kind == "steering" else TRAVEL
    given = np.linspace(-largest, largest, POSES) if values is None else values
    x = checks.finite_array(f"{kind} sweep", given, (None,), DataError)
    if not len(x):
        raise DataError(f"{kind} sweep: no value is given")
    left, right, steering = KINDS[kind]
    return Sweep(kind, x, np.stack((left * x, right * x), axis=1), steering * x)
