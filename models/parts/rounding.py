"""Smooth switches, and corners and tables rounded by convolution: integrators keep their order across them.

|u|, smoothed by the kernel 15/(16 w) (1 − (u/w)²)² of half width w, is with t = 1 − |u|/w

    |u| + w t⁴ (10 − 6 t + t²)/16        where |u| < w, and |u| elsewhere:

three derivatives are continuous.  A corner made of it has slopes between those of its two lines, so that what
rises, bends one way or stays within bounds still does, and lies off the lines by no more than `OFFSET` w per
change of slope, on the inner side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, sqrt, where
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler.free_numbers import decide, is_free, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.laws import Law
from ce_dynamics.models.data.quantities import check_function, check_number

OFFSET = 5.0 / 32.0
"""Distance of a rounded corner from its vertex, per half width and change of slope."""
AREA = 1.0 / 14.0
"""Between a rounded corner and its lines, per square of the half width and change of slope."""


def nearness(u: Scalar, width: Scalar) -> Scalar:
    """Return t: 1 at a corner, 0 where its rounding ends and beyond."""
    return maximum(1.0 - absolute(u) / width, 0.0)


def fillet(t: Scalar) -> Scalar:
    """Return the height that a rounding adds to its lines, per half width and change of slope."""
    return (t * t) * (t * t) * (2.0 * OFFSET + t * (t / 32.0 - 6.0 / 32.0))


def vertex_offset(t: Scalar) -> Scalar:
    """Return the correction to subtract from `fillet` so that the vertex stays in place.

    It is OFFSET (1 − (u/w)²)⁴.  Slopes overshoot by no more than a third of half the change of slope.
    """
    s = t * (2.0 - t)
    return OFFSET * (s * s) * (s * s)


def round_ramp(u: Scalar, width: Scalar) -> Scalar:
    """Return max(u, 0), rounded within ± `width`."""
    return maximum(u, 0.0) + width * fillet(nearness(u, width))


def rounded_ramp_integral(u: Scalar, width: Scalar) -> Scalar:
    """Return the integral of `round_ramp` from the beginning of its rounding."""
    t, straight = nearness(u, width), maximum(u, 0.0)
    end = t * (t * t) * (t * t) * (2.0 - t + t * t / 7.0) / 32.0  # from the nearer end of the rounding
    return 0.5 * straight * straight + width * width * where(u > 0.0, AREA - end, end)


def round_absolute(u: Scalar, width: Scalar) -> Scalar:
    """Return |u|, rounded within ± `width`."""
    return absolute(u) + 2.0 * width * fillet(nearness(u, width))


def round_clip(u: Scalar, width: Scalar) -> Scalar:
    """Return u limited to [0, 1], rounded within ± `width` of both corners."""
    return round_ramp(u, width) - round_ramp(u - 1.0, width)


def finite_root(x: Scalar) -> Scalar:
    """Return √x of x ≥ 0, with the slope 0 at 0: a length of slips has derivatives at rest, too."""
    there = x > 0.0
    return where(there, sqrt(where(there, x, 1.0)), 0.0)


def unit_clip(x: Scalar) -> Scalar:
    """Return x limited to [0, 1]."""
    return minimum(maximum(x, 0.0), 1.0)


def smooth_step(x: Scalar) -> Scalar:
    """Return a quintic step from 0 at x ≤ 0 to 1 at x ≥ 1, with continuous value, slope and curvature."""
    s = unit_clip(x)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def smooth_step_slope(x: Scalar) -> Scalar:
    """Return the derivative of `smooth_step`."""
    s = unit_clip(x)
    return 30.0 * s * s * (1.0 - s) * (1.0 - s)


def smooth_step_curvature(x: Scalar) -> Scalar:
    """Return the second derivative of `smooth_step`."""
    s = unit_clip(x)
    return 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


def smooth_hinge(x: Scalar, width: float) -> Scalar:
    """Return zero for x ≤ 0, a parabola up to x = width, then the line x − width/2 (continuous slope)."""
    s = minimum(maximum(x, 0.0), width)
    return 0.5 * s * s / width + maximum(x - width, 0.0)


def saturate_unit(x: Scalar, width: float) -> Scalar:
    """Return x limited to [0, 1]: exactly 0 for x ≤ 0, exactly 1 for x ≥ 1 + width, slope continuous."""
    return smooth_hinge(x, width) - smooth_hinge(x - 1.0, width)


def saturate_symmetric(x: Scalar, width: float) -> Scalar:
    """Limit x to [−1, 1]: identity for |x| ≤ 1 − width, ±1 for |x| ≥ 1 + width, continuous slope."""
    return 2.0 * saturate_unit(0.5 * (x + 1.0 + width), width) - 1.0


ROUNDED = 0.1
"""Half width of a rounded corner, of the narrower one of the intervals beside it."""


LOOKED_UP = 5
"""Corners from which on the nearest one's numbers are looked up rather than selected one after the other."""


class TableBend(NamedTuple):
    """Bend of a table at a knot: slopes before and after it, half ``width`` of its rounding.

    ``pinned`` is 1 if the vertex stays in place, else 0; ``area`` the integral of the table from its first
    knot to this one, the rounding of this one left out.
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
    if that is less.  Knots x increase; numbers may be free parameters.  A ``passive`` table keeps the value
    of the points at 0, as for a damper, which at rest must not push: a corner at (0, 0) stays there, and
    roundings of others do not reach it.
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
