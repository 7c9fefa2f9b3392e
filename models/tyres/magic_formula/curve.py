"""The sine and cosine curves that gave the Magic Formula its name, and signs without branches."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ce_dynamics.algebra.arrays import Scalar, absolute, arctan, cos, exp, log, sin, sqrt, where
from ce_dynamics.compiler.free_numbers import is_free, nominal

EPSILON = 1e-6
"""ε of (4.E6a), (4.E16), (4.E26), (4.E27), (4.E39): keeps quotients finite at zero load and speed."""

NEAR = 0.1
"""Argument up to which series of few terms are exact to rounding."""

_TINY_SLIP = 1e-9
_NEAR_OF_COSINE = 0.3  # its first term left out is y¹⁴/14! = 5e-19
_ARCTAN = [(-1.0) ** k / (2 * k + 1) for k in range(8)]
_COSINE = [(-1.0) ** k / math.factorial(2 * k) for k in range(7)]


def bend_argument(B: Scalar, E: Scalar, x: Scalar) -> Scalar:
    """Return arctan(B x − E (B x − arctan(B x))), the argument of both curves."""
    b = B * x
    return arctan(b - E * (b - arctan(b)))


def sine_curve(D: Scalar, C: Scalar, B: Scalar, E: Scalar, x: Scalar) -> Scalar:
    """Return D sin(C arctan(B x − E (B x − arctan(B x)))): a force over a slip (4.49)."""
    return D * sin(C * bend_argument(B, E, x))


def cosine_curve(D: Scalar, C: Scalar, B: Scalar, E: Scalar, x: Scalar) -> Scalar:
    """Return D cos(C arctan(B x − E (B x − arctan(B x)))): a hill, of trail or weight over a slip (4.60)."""
    return D * cos(C * bend_argument(B, E, x))


def cosine_curve_near_zero(C: Scalar, B: Scalar, E: Scalar, x: Scalar) -> Scalar:
    """Return `cosine_curve` with D = 1 for |B x| ≤ `NEAR`, where series take a few terms each."""
    b = B * x
    y = C * small_arctan(b - E * (b - small_arctan(b)))
    return series(y * y, _COSINE)


def is_near_zero(C: Scalar, B: float, E: float, x: float) -> bool:
    """Return True if `cosine_curve_near_zero` holds up to these sizes: its omitted terms are below 1e-17.

    |b − E (b − arctan b)| ≤ |b| (1 + |E| b²/3).
    """
    b = B * x
    inner = b * (1.0 + E * b * b / 3.0)
    return inner <= NEAR and abs(nominal(C)) * inner <= _NEAR_OF_COSINE


def small_arctan(x: Scalar) -> Scalar:
    """Return the arctan of |x| ≤ `NEAR`: of the series the first term left out is x¹⁷/17 = 6e-19."""
    return x * series(x * x, _ARCTAN)


def series(z: Scalar, coefficients: Sequence[float]) -> Scalar:
    """Sum of c_k zᵏ, by Horner's rule."""
    total: Scalar = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = total * z + c
    return total


def sin_multiple(C: Scalar, x: Scalar) -> Scalar:
    """Return sin(C arctan(x)), by its algebraic form for the usual C = 1 and 2."""
    if not is_free(C) and C == 2.0:
        return 2.0 * x / (1.0 + x * x)
    if not is_free(C) and C == 1.0:
        return x / sqrt(1.0 + x * x)
    return sin(C * arctan(x))


def cos_multiple(C: Scalar, x: Scalar) -> Scalar:
    """Return cos(C arctan(x)), by its algebraic form for the usual C = 1."""
    return cos_arctan(x) if not is_free(C) and C == 1.0 else cos(C * arctan(x))


def cos_arctan(x: Scalar) -> Scalar:
    """Return cos(arctan(x)), by its algebraic form."""
    return 1.0 / sqrt(1.0 + x * x)


def side(x: Scalar) -> Scalar:
    """Return −1 where x is negative, else 1."""
    return where(x < 0.0, -1.0, 1.0)


def sign(x: Scalar) -> Scalar:
    """Return −1, 0 or 1."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


def keep_from_zero(x: Scalar) -> Scalar:
    """Return x + ε with the sign of x, for a denominator."""
    return x + EPSILON * side(x)


def secant(force: Scalar, slip: Scalar, slope: Scalar) -> Scalar:
    """Return |F/slip|; the slope at zero."""
    small = absolute(slip) < _TINY_SLIP
    return absolute(where(small, slope, force / where(small, 1.0, slip)))


def is_absent(coefficient: Scalar) -> bool:
    """Return True if a coefficient is zero and not free, so that its effect need not be computed."""
    return not is_free(coefficient) and bool(coefficient == 0.0)


def power(x: Scalar, exponent: Scalar) -> Scalar:
    """Return x to a power, for x ≥ 0; 1 for the exponent 0.  The slope at 0 is 0, as in the air."""
    if is_absent(exponent):
        return 1.0
    away = absolute(x) > 0.0
    return where(away, exp(exponent * log(where(away, x, 1.0))), 0.0)
