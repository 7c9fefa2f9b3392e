"""Piecewise linear functions with rounded corners, without branches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, minimum, where
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler.free_numbers import decide, is_free, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.laws import Law
from ce_dynamics.models.data.quantities import check_function, check_number
from ce_dynamics.models.parts.rounding import AREA, fillet, nearness, rounded_ramp_integral, vertex_offset

ROUNDED = 0.1
"""Half width of a rounded corner, of the narrower one of the intervals beside it."""


LOOKED_UP = 5
"""Corners from which on the nearest one's numbers are looked up rather than selected one after the other."""


class TableBend(NamedTuple):
    """Bend of a table at a knot.

    Attributes
    ----------
    x, y : float
    before, after : float
        Slopes.
    width : float
        Half width of its rounding.
    pinned : float
        1 if the vertex stays in place, else 0.
    area : float
        Integral of the table from its first knot to this one, the rounding of this one left out.
    """

    x: Scalar
    y: Scalar
    before: Scalar
    after: Scalar
    width: Scalar
    pinned: Scalar
    area: Scalar


@dataclass(frozen=True)
class RoundedTable(Law):
    """A piecewise linear function, constant outside its knots, its corners rounded (`rounding`).

    It is the table itself but for `ROUNDED` of the narrower interval on both sides of a corner, or `widest`
    if that is less.

    Attributes
    ----------
    x, y : tuple of float
        Knots, increasing in x, and values there; they may be free parameters that leave it so.
    widest : float
        Largest half width of a rounding.
    passive : bool
        Whether what the points say at 0 is kept, as of a damper, which at rest must not push: a corner at
        (0, 0) stays there, and roundings of others do not reach it.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    widest: float = math.inf
    passive: bool = False

    def __post_init__(self) -> None:
        for k, number in enumerate((*self.x, *self.y)):
            check_number("table", f"points[{k % len(self.x)}]", number)
        if len(self.x) < 2:
            raise DataError(f"table: points has {len(self.x)} number; give at least two")
        x, y = (tuple(map(nominal, numbers)) for numbers in (self.x, self.y))
        try:
            check_function("x", x, "y", y)
        except ValueError as error:
            raise DataError(f"table: {error}") from None
        for before, after in pairwise(self.x):
            decide(before < after, "the abscissae of a table must increase")

    @cached_property
    def corners(self) -> tuple[TableBend, ...]:
        """Knots at which the slope changes."""
        intervals = [b - a for a, b in pairwise(self.x)]
        rises = zip(pairwise(self.y), intervals, strict=True)
        slopes: list[Scalar] = [0.0, *((b - a) / d for (a, b), d in rises), 0.0]
        gaps = [intervals[0], *intervals, intervals[-1]]
        found = []
        area: Scalar = 0.0
        for k, (x, y) in enumerate(zip(self.x, self.y, strict=True)):
            before, after = slopes[k], slopes[k + 1]
            if k > 0:
                area = area + 0.5 * intervals[k - 1] * (self.y[k - 1] + y)
            if not is_free(after - before) and before == after:
                continue
            narrower = minimum(gaps[k], gaps[k + 1])
            width = minimum(ROUNDED * narrower, self.widest)
            kept = 1.0 if self.passive and nominal(x) == nominal(y) == 0.0 else 0.0
            if self.passive and nominal(x) != 0.0:
                width = minimum(width, absolute(x))
            found.append(TableBend(x, y, before, after, width, kept, area))
            area = area + (after - before) * AREA * width * width
        return tuple(found)

    def __call__(self, x: Scalar) -> Scalar:
        """Return the value at x."""
        if not self.corners:
            return self.y[0]
        c, d = self._nearest(x)
        slope, t = where(d > 0.0, c.after, c.before), nearness(d, c.width)
        added = c.width * (fillet(t) - c.pinned * vertex_offset(t))
        return c.y + slope * d + (c.after - c.before) * added

    force = __call__

    def energy(self, x: Scalar) -> Scalar:
        """Return its integral from 0 to x, of one that is not passive."""
        return self._area(x) - self._area(0.0)

    def _area(self, x: Scalar) -> Scalar:
        """Return integral up to x."""
        if not self.corners:
            return self.y[0] * x
        c, d = self._nearest(x)
        bent = (c.after - c.before) * rounded_ramp_integral(d, c.width)
        return c.area + d * (c.y + 0.5 * c.before * d) + bent

    def _nearest(self, x: Scalar) -> tuple[TableBend, Scalar]:
        """Return the nearest corner, and x from there."""
        between = [0.5 * (here.x + following.x) for here, following in pairwise(self.corners)]
        if self._columns is None:
            chosen = self.corners[0]
            for middle, following in zip(between, self.corners[1:], strict=True):
                chosen = TableBend(*(where(x > middle, b, a) for b, a in zip(following, chosen, strict=True)))
        else:
            index: Scalar = 0.0
            for middle in between:
                index = index + where(x > middle, 1.0, 0.0)
            chosen = TableBend(*(column.at(index) for column in self._columns))
        return chosen, x - chosen.x

    @cached_property
    def _columns(self) -> tuple[Table, ...] | None:
        """Numbers of all corners, to be looked up; none if some are free parameters, or there are few."""
        if len(self.corners) < LOOKED_UP or any(map(is_free, chain(*self.corners))):
            return None
        return tuple(map(Table, zip(*self.corners, strict=True)))
