"""Smooth switches: steps, hinges and saturations that are exactly constant outside their transition."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, maximum, minimum, sqrt, where


def finite_root(x: Scalar) -> Scalar:
    """√x of x ≥ 0, with the slope 0 at 0: a length of slips has derivatives at rest, too."""
    there = x > 0.0
    return where(there, sqrt(where(there, x, 1.0)), 0.0)


def unit_clip(x: Scalar) -> Scalar:
    """x limited to [0, 1]."""
    return minimum(maximum(x, 0.0), 1.0)


def smooth_step(x: Scalar) -> Scalar:
    """From 0 at x ≤ 0 to 1 at x ≥ 1 by a quintic: value, slope and curvature are continuous."""
    s = unit_clip(x)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def smooth_step_slope(x: Scalar) -> Scalar:
    """Derivative of `smooth_step`."""
    s = unit_clip(x)
    return 30.0 * s * s * (1.0 - s) * (1.0 - s)


def smooth_step_curvature(x: Scalar) -> Scalar:
    """Second derivative of `smooth_step`."""
    s = unit_clip(x)
    return 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


def smooth_hinge(x: Scalar, width: float) -> Scalar:
    """Zero for x ≤ 0, a parabola up to x = width, then the line x − width/2 (slope continuous)."""
    s = minimum(maximum(x, 0.0), width)
    return 0.5 * s * s / width + maximum(x - width, 0.0)


def saturate_unit(x: Scalar, width: float) -> Scalar:
    """x limited to [0, 1]: exactly 0 for x ≤ 0, exactly 1 for x ≥ 1 + width, slope continuous."""
    return smooth_hinge(x, width) - smooth_hinge(x - 1.0, width)


def saturate_symmetric(x: Scalar, width: float) -> Scalar:
    """x limited to [−1, 1]: the identity for |x| ≤ 1 − width, ±1 for |x| ≥ 1 + width, slope continuous."""
    return 2.0 * saturate_unit(0.5 * (x + 1.0 + width), width) - 1.0
