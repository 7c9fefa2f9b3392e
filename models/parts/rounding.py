"""Smooth switches, and corners rounded by convolution, so that integrators keep their order across them.

|u|, smoothed by the kernel 15/(16 w) (1 − (u/w)²)² of half width w, is with t = 1 − |u|/w

    |u| + w t⁴ (10 − 6 t + t²)/16        where |u| < w, and |u| elsewhere:

three derivatives are continuous.  A corner made of it has slopes between those of its two lines, so that what
rises, bends one way or stays within bounds still does, and lies off the lines by no more than `OFFSET` w per
change of slope, on the inner side.
"""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, sqrt, where

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
