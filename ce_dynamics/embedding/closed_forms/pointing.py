"""Two turns that take one vector to another: how hinges of legs, rods and balls are found.

    d = Rot(a1, χ) Rot(a2, ζ) e

Along a1, with k = (a1·a2)(a2·e): A cos ζ + B sin ζ = C, A = a1·e − k, B = (a1 × a2)·e, C = a1·d − k, whence

    cos ζ = (A C + β B √(A² + B² − C²)) / (A² + B²),  sin ζ = (B C − β A √(A² + B² − C²)) / (A² + B²)

with β = ±1; and χ turns what Rot(a2, ζ) e is across a1 to what d is.
"""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, array, cross, dot, sqrt
from ce_dynamics.algebra.rotation import rotate_about


def inner_turn(a1: Array, a2: Array, e: Array, d: Array, branch: float) -> Array:
    """(cos ζ, sin ζ)."""
    skew = dot(a1, a2)
    k = skew * dot(a2, e)
    A, B, C = dot(a1, e) - k, dot(cross(a1, a2), e), dot(a1, d) - k
    square = A * A + B * B
    per_square = 1.0 / square
    root = branch * sqrt(square - C * C)
    return array(((A * C + B * root) * per_square, (B * C - A * root) * per_square))


def turn_between(a: Array, m: Array, d: Array) -> Array:
    """(cos, sin) of the turn about a that takes what m is across a to what d is."""
    x = dot(m, d) - dot(a, m) * dot(a, d)
    y = dot(a, cross(m, d))
    per_across = 1.0 / sqrt(x * x + y * y)
    return array((x * per_across, y * per_across))


def two_turns(a1: Array, a2: Array, e: Array, d: Array, branch: float) -> tuple[Array, Array]:
    """(cos χ, sin χ) and (cos ζ, sin ζ)."""
    inner = inner_turn(a1, a2, e, d, branch)
    return turn_between(a1, rotate_about(a2, inner[0], inner[1], e), d), inner
