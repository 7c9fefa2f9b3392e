"""Differences with an estimate of their error.

Of central differences D(h) = f' + h² f‴/6 + … two give one of order four, (4 D(h) − D(2h))/3, whose error
is smaller by h² than what the two differ by, h² f‴/2.  Rounding shows in the fourth difference, h⁴ f⁗ but for
what rounding leaves, √70 times the noise of a value.  So the tolerance of a derivative is

    |D(2h) − D(h)| + 10 |δ⁴f|/h + 1e-14 |f|/h,    |f| or the size of what f is a difference of,

and where that is more than a thousandth of the derivative, a kink of the function is near or the difference
says nothing; then other steps are tried.  Derivatives that are exactly zero have to be so within that.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.errors import CeDynamicsError

Floats = NDArray[np.float64]
TELLING = 1e-3
"""Tolerance over the size of the derivatives up to which a difference says something."""
STEPS = (1.0, 0.1, 10.0, 0.01)
"""Tried in turn, times the first."""


class Slope(NamedTuple):
    """Derivative by differences, and how far it can be off; of values beside each other."""

    value: Floats
    off: Floats

    def telling(self, size: Floats) -> NDArray[np.bool_]:
        """Return a mask of the differences that resolve derivatives of a size."""
        finite = np.isfinite(self.value) & np.isfinite(self.off)
        return np.asarray(finite & (self.off <= TELLING * size))


def slope(f: Callable[[float], Floats], h: float, sizes: Floats | float = 0.0) -> Slope:
    """Derivative of f at zero; of sizes are the numbers that cancel in it."""
    a, b, c, d, e = (value_of(f, k * h) for k in (-2, -1, 0, 1, 2))
    with np.errstate(invalid="ignore"):  # infinite swing arms
        near, far = (d - b) / (2.0 * h), (e - a) / (4.0 * h)
        fourth = np.abs(a - 4.0 * b + 6.0 * c - 4.0 * d + e)
        size = np.maximum(np.maximum(np.maximum(np.abs(a), np.abs(c)), np.abs(e)), sizes)
        off = np.abs(far - near) + 10.0 * fourth / h + 1e-14 * size / h
        return Slope((4.0 * near - far) / 3.0, off)


def value_of(f: Callable[[float], Floats], distance: float) -> Floats:
    """NaN where a model is another one there, such as with another choice of axes, or cannot be assembled."""
    try:
        return np.asarray(f(distance), dtype=float)
    except CeDynamicsError:
        return np.asarray(np.nan)


class Verdict(NamedTuple):
    """Derivatives of many quantities by one number, judged."""

    # compared, zero, silent: How many were compared, how many were zero and are so by differences, and of how
    # many differences say nothing
    compared: int
    zero: int
    silent: int
    worst: float  # largest deviation over its tolerance
    # quantities with their derivative, that by differences, and its tolerance
    wrong: list[tuple[str, float, float, float]]


def compared(
    names: list[str],
    exact: Floats,
    f: Callable[[float], Floats],
    h: float,
    least: Floats | float = 0.0,
    sizes: Floats | float = 0.0,
) -> Verdict:
    """Return exact derivatives (n,) of f at zero, judged by differences whose first step is h.

    Derivatives below ``least`` are as good as zero; numbers of ``sizes`` cancel in the quantities.
    """
    left = np.ones(len(names), dtype=bool)
    none = np.asarray(exact == 0.0)
    worst, done = 0.0, 0
    wrong: list[tuple[str, float, float, float]] = []
    for factor in STEPS:
        found = slope(f, factor * h, sizes)
        size = np.maximum(np.fmax(np.abs(exact), np.abs(found.value)), least)
        now = left & found.telling(size)
        off, allowed = np.abs(exact - found.value), found.off + 1e-13 * size
        for k in np.flatnonzero(now & ~(none & (off <= allowed))):
            done += 1
            ratio = 0.0 if off[k] == 0.0 else float(off[k] / allowed[k]) if allowed[k] else np.inf
            worst = max(worst, ratio)
            if not ratio <= 1.0:
                wrong.append((names[k], float(exact[k]), float(found.value[k]), float(found.off[k])))
        none &= off <= allowed
        left &= ~now & ~none
        if not np.any(left):
            break
    return Verdict(done, int(np.sum(none)), int(np.sum(left)), worst, wrong)
