"""Distributions of friction over a road."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.parts.roads.grid import Grid, axes_of
from ce_dynamics.models.parts.rounding import smooth_step

EDGE = 0.1
"""Default width over which friction changes [m]."""


class Friction(ABC):
    """Contract: `at` is positive and continuous, written on scalars and `where`."""

    @abstractmethod
    def at(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the friction coefficient μ."""


class SplitFriction(Friction):
    """One coefficient on the left of a line along x, another on the right.

    Parameters
    ----------
    left, right : float
        Friction coefficients.
    y : float
        Where the line is [m].
    edge : float
        Width over which one passes into the other [m].
    """

    def __init__(self, left: float, right: float, y: float = 0.0, edge: float = EDGE) -> None:
        self.left = check_number("split friction", "left", left, above=0.0)
        self.right = check_number("split friction", "right", right, above=0.0)
        self.y = check_number("split friction", "y", y)
        self.edge = check_number("split friction", "edge", edge, above=0.0)

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        return self.right + (self.left - self.right) * smooth_step(0.5 + (y - self.y) / self.edge)


class FrictionPatch(Friction):
    """A rectangle of another friction, for instance ice.

    Parameters
    ----------
    mu : float
        Friction coefficient within.
    x, y : (float, float)
        From, to [m].
    around : float or Friction
        Friction outside.
    edge : float
        Width over which one passes into the other, within the rectangle [m].
    """

    def __init__(
        self,
        mu: float,
        x: Sequence[float],
        y: Sequence[float],
        around: float | Friction,
        edge: float = EDGE,
    ) -> None:
        self.mu = check_number("friction patch", "mu", mu, above=0.0)
        self.edge = check_number("friction patch", "edge", edge, above=0.0)
        self.x, self.y = (self._ends(name, ends) for name, ends in (("x", x), ("y", y)))
        if not isinstance(around, Friction):
            check_number("friction patch", "around", around, above=0.0)
        self.around = around

    @staticmethod
    def _ends(name: str, ends: Sequence[float]) -> tuple[float, float]:
        low, high = checks.vector(f"friction patch: {name}", ends, 2, DataError).tolist()
        if not low < high:
            raise DataError(f"friction patch: {name} from {low:g} to {high:g} m must be in rising order")
        return low, high

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        inside: Scalar = 1.0
        for at, (low, high) in ((x, self.x), (y, self.y)):
            inside = inside * smooth_step((at - low) / self.edge) * smooth_step((high - at) / self.edge)
        around = self.around.at(x, y) if isinstance(self.around, Friction) else self.around
        return around + (self.mu - around) * inside


class FrictionMap(Friction):
    """Friction on a regular grid, bilinear in between, that of the edges beyond them.

    Parameters
    ----------
    values : (n_x, n_y) array_like
        Friction coefficients, positive.
    x, y : (float, float)
        First coordinate and spacing [m].
    title : str
        For messages.
    """

    def __init__(
        self, values: ArrayLike, x: Sequence[float], y: Sequence[float], title: str = "friction map"
    ) -> None:
        title = checks.text("FrictionMap: title", title, DataError)
        mu = checks.numbers(title, values, DataError)
        if mu.ndim != 2 or min(mu.shape) < 2:
            raise DataError(f"{title}: an array of shape {mu.shape}; give two axes with two nodes at least")
        checks.limit_memory(f"{title}: values", 40.0 * mu.size, "cut the map, or make it coarser", DataError)
        wrong = ~(np.isfinite(mu) & (mu > 0.0))
        if wrong.any():
            first = tuple(int(k) for k in np.argwhere(wrong)[0])
            raise DataError(
                f"{title}: friction coefficients must be positive numbers; {first} is {mu[first]:g}, in all "
                f"{np.sum(wrong)} of {mu.size} are not"
            )
        along, across = axes_of(title, x, y, mu.shape)
        self.grid = Grid(mu, along, across, smooth=False)

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        return self.grid.value(x, y)
