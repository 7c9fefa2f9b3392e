"""Positions in closed form: the formulas that recognised parts of loops and named linkages share.

They are functions of vectors in one set of axes and have no other state.  Signs select branches; where a
square root has a negative argument the result is NaN.
"""

from __future__ import annotations

from ce_dynamics.algebra.arrays import PLAIN, Array, Scalar, array, cross, dot, maximum, sqrt
from ce_dynamics.algebra.rotation import rotate_about

ALIGNED = 1e-12
"""Sine, or cosine, below which directions count as parallel, or as perpendicular [-].

Directions of unit length carry rounding of some 1e-16; data of twelve digits still count as exact."""


def solve_turn(A: Scalar, B: Scalar, C: Scalar, sign: float) -> Array:
    """Return (cos φ, sin φ), a solution of A cos φ + B sin φ = C.

    With w = A sin φ − B cos φ = ± √(A² + B² − C²), which vanishes at the dead points and has the given sign,

        cos φ = (A C − B w) / (A² + B²),    sin φ = (B C + A w) / (A² + B²).
    """
    square = A * A + B * B
    w = sign * sqrt(square - C * C)
    per_square = 1.0 / square
    return array(((A * C - B * w) * per_square, (B * C + A * w) * per_square))


def turn_margin(A: Scalar, B: Scalar, C: Scalar) -> Scalar:
    """Return the sine of the angle to a dead point of A cos φ + B sin φ = C; 0 beyond it."""
    return sqrt(maximum(1.0 - C * C / (A * A + B * B), 0.0))


def turn_equation(u: Array, f: Array, delta: Array, square: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return A, B, C of the turn about u that brings a point to a given distance ℓ from a target.

    The axis passes through E, f leads from E to the point before the turn, δ from E to the target, and
    ``square`` is ℓ².  |Rot(u, φ) f − δ|² = ℓ² with f_u = u·f and f' = f − f_u u is A cos φ + B sin φ = C with

        A = f'·δ,    B = (u × f')·δ,    C = ½ (|δ|² + |f|² − ℓ²) − f_u u·δ,

    the spindle's equation after (31), there with X for C.
    """
    height = dot(u, f)
    across = f - height * u
    C = 0.5 * (dot(delta, delta) + dot(f, f) - square) - height * dot(u, delta)
    return dot(across, delta), dot(cross(u, across), delta), C


def turn_between(a: Array, m: Array, d: Array) -> Array:
    """Return (cos, sin) of the turn about a that takes what m is across a to what d is."""
    x = dot(m, d) - dot(a, m) * dot(a, d)
    y = dot(a, cross(m, d))
    per_across = 1.0 / sqrt(x * x + y * y)
    return array((x * per_across, y * per_across))


def inner_turn(a1: Array, a2: Array, e: Array, d: Array, branch: float) -> Array:
    """Return (cos ζ, sin ζ) of d = Rot(a1, χ) Rot(a2, ζ) e.

    Along a1, with k = (a1·a2)(a2·e), this is A cos ζ + B sin ζ = C with A = a1·e − k, B = (a1 × a2)·e and
    C = a1·d − k; ``branch`` is the sign of B cos ζ − A sin ζ.
    """
    skew = drop_rounding(dot(a1, a2))
    k = skew * dot(a2, e)
    return solve_turn(dot(a1, e) - k, dot(cross(a1, a2), e), dot(a1, d) - k, -branch)


def two_turns(a1: Array, a2: Array, e: Array, d: Array, branch: float) -> tuple[Array, Array]:
    """Return (cos χ, sin χ) and (cos ζ, sin ζ) of d = Rot(a1, χ) Rot(a2, ζ) e, as of `inner_turn`."""
    inner = inner_turn(a1, a2, e, d, branch)
    return turn_between(a1, rotate_about(a2, inner[0], inner[1], e), d), inner


def solve_slide(axis: Array, start: Array, square: Scalar, side: float) -> Scalar:
    """Return s at which |e + a s| = ℓ, with σ = ``side`` the sign of a·(e + a s), and a of unit length.

    s = −a·e + σ √((a·e)² − |e|² + ℓ²)
    """
    along = dot(axis, start)
    aside = along * along - dot(start, start)
    if isinstance(aside, PLAIN) and abs(float(aside)) < ALIGNED * along**2:
        aside = 0.0
    s: Scalar = side * sqrt(square + aside) - along
    return s


def third_corner(D: Array, n: Array, r1: Scalar, r2: Scalar, side: float) -> Array:
    """Return the corner J of a triangle, seen from P, whose side PQ is D in the plane across n.

    With r1 = |PJ|², r2 = |JQ|² and L = |D|; σ = ``side`` is 1 if J is on the side n × D of PQ, else -1:

        J = a D + σ h (n × D),    a = (r1 − r2 + L²) / (2 L²),    h = √(r1 / L² − a²).
    """
    per_square = 1.0 / dot(D, D)
    a = 0.5 + 0.5 * (r1 - r2) * per_square
    h = side * sqrt(r1 * per_square - a * a)
    corner: Array = a * D + h * cross(n, D)
    return corner


def drop_rounding(cosine: Scalar) -> Scalar:
    """Return a cosine, zero if it is a plain number that differs from zero by rounding only."""
    return 0.0 if isinstance(cosine, PLAIN) and abs(float(cosine)) < ALIGNED else cosine
