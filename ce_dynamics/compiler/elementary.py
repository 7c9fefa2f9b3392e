"""Elementary functions written out in +, −, ×, ÷, √ and comparisons, which round the same on every machine.

Mathematical libraries differ in the last digit of a sine; the operations that IEEE 754 defines do
not.  A traced function in which sines and the like are written out gives the same bits wherever every
operation is rounded once: in a browser, on another processor, years later.

Arguments are reduced to a short interval (of sine and cosine by π/2 in three parts, exactly up to about 10⁶),
where a polynomial is summed; results are within four units in the last place, powers within that of their
logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ce_dynamics.algebra.arrays import Scalar, floor, maximum, minimum, sqrt, where
from ce_dynamics.compiler.tracing.function import TracedFunction, extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.inline import rebuild
from ce_dynamics.compiler.tracing.operations import Op
from ce_dynamics.compiler.tracing.traced import Traced, node_of, wrap
from ce_dynamics.errors import ModelError

# π/2 and ln 2 in parts of 33 bits and less: whole numbers up to 2²⁰ times these are exact.
PI_2 = (
    float.fromhex("0x1.921fb544p+0"),
    float.fromhex("0x1.0b4611a6p-34"),
    float.fromhex("0x1.3198a2e037073p-69"),
)
LN_2 = (float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33"))

SINE = [
    -0.16666666666666666,
    0.008333333333333331,
    -0.0001984126984126506,
    2.7557319219335453e-06,
    -2.5052106231157904e-08,
    1.605853141458901e-10,
    -7.586685070091267e-13,
]
"""(sin r/r − 1)/r² as a polynomial in r², through its values at Chebyshev points of |r| ≤ π/4."""
COSINE = [
    0.041666666666666664,
    -0.0013888888888887395,
    2.4801587298763433e-05,
    -2.7557317270560326e-07,
    2.0876146024689747e-09,
    -1.1382614868556325e-11,
]
"""(cos r − 1 + r²/2)/r⁴ likewise."""
ARCTANGENT = [
    -0.3333333333333333,
    0.19999999999999804,
    -0.14285714285659729,
    0.11111111105145725,
    -0.09090908753017178,
    0.07692296361048218,
    -0.06666424634599337,
    0.05878926110528101,
    -0.052304330074828924,
    0.0455149623749493,
    -0.034568068014968874,
    0.016282993238924487,
]
"""(arctan u/u − 1)/u² likewise, for |u| ≤ tan π/8."""


class FormulaCoefficients(NamedTuple):
    """Coefficients of the formulas for one precision."""

    quarter: tuple[float, float, float]  # π/2 as a sum of parts whose whole multiples are exact
    half_pi: tuple[float, float]  # π/2 rounded, and the remainder
    # coefficients of the polynomials `SINE`, `COSINE` and `ARCTANGENT` in this precision
    sine: Sequence[float]
    cosine: Sequence[float]
    arctangent: Sequence[float]


DOUBLE = FormulaCoefficients(PI_2, PI_2[:2], SINE, COSINE, ARCTANGENT)
SINGLE = FormulaCoefficients(
    (1.5703125, 0.0004837512969970703, 7.549789948768648e-08),  # 8, 10 and 24 bits
    (1.5707963705062866, -4.371138828673793e-08),
    [-0.1666666716337204, 0.008333331905305386, -0.00019840087043121457, 2.7249925551586784e-06],
    [0.0416666641831398, -0.001388830249197781, 2.454794230288826e-05],
    [
        -0.3333333134651184,
        0.19999539852142334,
        -0.14263956248760223,
        0.10743731260299683,
        -0.06451927870512009,
    ],
)

EXPONENTIAL = [1.0 / math.factorial(n) for n in range(2, 16)]
LOGARITHM = [1.0 / (2 * n + 1) for n in range(1, 13)]


def written_out(traced: TracedFunction) -> TracedFunction:
    """Return the same function with all elementary functions written out; erf and fmod are refused."""
    graph = _WrittenOut()
    inputs = [
        [graph.input(k, entry) for entry in range(math.prod(shape))]
        for k, shape in enumerate(traced.input_shapes.values())
    ]
    nodes = rebuild(traced, graph, inputs, frozenset(traced.marks))
    outputs = [[nodes[n] for n in entries] for entries in traced.outputs]
    return extract(traced.name, graph, traced.input_shapes, traced.output_shapes, outputs)


class _WrittenOut(Graph):
    """A graph that has formulas for elementary functions."""

    __slots__ = ()

    def unary(self, op: int, i: int) -> int:
        if op == Op.ERF:
            raise ModelError("erf has no formula that rounds the same on every machine")
        return self._written(op, i) if op in FORMULAS else super().unary(op, i)

    def binary(self, op: int, i: int, j: int) -> int:
        if op == Op.FMOD:
            raise ModelError("fmod has no formula that rounds the same on every machine")
        return self._written(op, i, j) if op in FORMULAS else super().binary(op, i, j)

    def _written(self, op: int, *operands: int) -> int:
        return node_of(self, FORMULAS[op](*(wrap(self, n) for n in operands)))


def polynomial(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """Return c₀ + c₁ x + c₂ x² + … by Estrin's rule, with independent operations side by side."""
    terms: list[Scalar] = list(coefficients)
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2], strict=False)
        terms = [even + x * odd for even, odd in pairs] + terms[len(terms) // 2 * 2 :]
        x = x * x
    return terms[0]


def copysign(x: Scalar, y: Scalar) -> Scalar:
    """Return |x| with the sign of y, also of a zero."""
    for given in (x, y):
        if isinstance(given, Traced):
            graph = given.graph
            return wrap(graph, Graph.binary(graph, Op.COPYSIGN, node_of(graph, x), node_of(graph, y)))
    return math.copysign(x, y)


# Sine and cosine


def quarter_turns(x: Scalar, of: FormulaCoefficients) -> tuple[Scalar, Scalar]:
    """Return X as k quarter turns and a rest of at most an eighth: k modulo 4, and the rest."""
    k = floor(x * (2.0 / math.pi) + 0.5)
    rest = ((x - k * of.quarter[0]) - k * of.quarter[1]) - k * of.quarter[2]
    return k - 4.0 * floor(0.25 * k), rest


def sine_near_zero(r: Scalar, of: FormulaCoefficients) -> Scalar:
    """Return sin r for |r| ≤ π/4."""
    z = r * r
    return r + r * (z * polynomial(z, of.sine))


def cosine_near_zero(r: Scalar, of: FormulaCoefficients) -> Scalar:
    """Return cos r for |r| ≤ π/4, with the rounding of 1 − z/2 compensated."""
    z = r * r
    half = 0.5 * z
    rough = 1.0 - half
    return rough + (((1.0 - rough) - half) + z * z * polynomial(z, of.cosine))


def sine(x: Scalar, of: FormulaCoefficients = DOUBLE) -> Scalar:
    """Return sin x."""
    k, r = quarter_turns(x, of)
    size = where((k == 1.0) | (k == 3.0), cosine_near_zero(r, of), sine_near_zero(r, of))
    return where(k >= 2.0, -size, size)


def cosine(x: Scalar, of: FormulaCoefficients = DOUBLE) -> Scalar:
    """Return cos x."""
    k, r = quarter_turns(x, of)
    size = where((k == 1.0) | (k == 3.0), sine_near_zero(r, of), cosine_near_zero(r, of))
    return where((k == 1.0) | (k == 2.0), -size, size)


def tangent(x: Scalar, of: FormulaCoefficients = DOUBLE) -> Scalar:
    """Return tan x."""
    return sine(x, of) / cosine(x, of)


# Inverse functions


def angle_of_slope(rise: Scalar, run: Scalar, of: FormulaCoefficients = DOUBLE) -> Scalar:
    """Return arctan(rise/run) for 0 ≤ rise ≤ run, run > 0, by the difference from the nearer of 0 and π/4."""
    steep = rise > math.tan(math.pi / 8.0) * run
    u = where(steep, rise - run, rise) / where(steep, rise + run, run)
    z = u * u
    near = u + u * (z * polynomial(z, of.arctangent))
    return where(steep, 0.5 * of.half_pi[0] + (near + 0.5 * of.half_pi[1]), near)


def arctangent(x: Scalar, of: FormulaCoefficients = DOUBLE) -> Scalar:
    """Return arctan x."""
    a = abs(x)
    large = a > 1.0
    near = angle_of_slope(where(large, 1.0, a), where(large, a, 1.0), of)
    return copysign(where(large, of.half_pi[0] - (near - of.half_pi[1]), near), x)


def angle(y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the finite point (x, y), in [−π, π]."""
    a, b = abs(x), abs(y)
    high, low = maximum(a, b), minimum(a, b)
    near = angle_of_slope(where(high > 0.0, low / where(high > 0.0, high, 1.0), 0.0 * high), 1.0)
    first = where(b > a, PI_2[0] - (near - PI_2[1]), near)
    behind = 2.0 * PI_2[0] - (first - 2.0 * PI_2[1])
    found = where(copysign(1.0, x) < 0.0, behind, first) + 0.0 * (x + y)  # which of two is larger hides a NaN
    return copysign(found, y)


def arcsine(x: Scalar) -> Scalar:
    """Return arcsin x, NaN beyond ±1."""
    return where(abs(x) <= 1.0, angle(x, sqrt((1.0 - x) * (1.0 + x))), math.nan)


def arccosine(x: Scalar) -> Scalar:
    """Return arccos x, NaN beyond ±1."""
    return where(abs(x) <= 1.0, angle(sqrt((1.0 - x) * (1.0 + x)), x), math.nan)


# Exponential function and logarithm


def power_of_two(k: Scalar) -> Scalar:
    """Return 2ᵏ for whole |k| ≤ 1023."""
    left, value = abs(k), 1.0 + 0.0 * k
    for bit in reversed(range(10)):
        there = left >= 2.0**bit
        value = where(there, value * 2.0 ** (2**bit), value)
        left = where(there, left - 2.0**bit, left)
    return where(k < 0.0, 1.0 / value, value)


def scale_and_rest(x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return exp x as 2ᵏ 2ˡ (1 + q): the two powers, and q."""
    within = where(x > 720.0, 720.0, where(x < -760.0, -760.0, x))
    n = floor(within * (1.0 / math.log(2.0)) + 0.5)
    r = (within - n * LN_2[0]) - n * LN_2[1]
    k = floor(0.5 * n)
    return power_of_two(k), power_of_two(n - k), r + r * r * polynomial(r, EXPONENTIAL)


def exponential(x: Scalar) -> Scalar:
    """Return exp x."""
    first, second, q = scale_and_rest(x)
    return (first + first * q) * second


def exponential_less_one(x: Scalar) -> Scalar:
    """Return exp x − 1."""
    first, second, q = scale_and_rest(x)
    return where(x > 710.0, exponential(x), first * second * q + (first * second - 1.0))


def logarithm(x: Scalar) -> Scalar:
    """Return Ln x; −∞ at zero, NaN below."""
    small = x < 1.0
    m, k = where(small, x * 2.0**1023, x), where(small, -1023.0, 0.0 * x)
    for bit in reversed(range(10)):
        there = m >= 2.0 ** (2**bit)
        m, k = where(there, m * 2.0 ** -(2**bit), m), where(there, k + 2.0**bit, k)
    high = m > math.sqrt(2.0)
    m, k = where(high, 0.5 * m, m), where(high, k + 1.0, k)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    value = k * LN_2[0] + (2.0 * (s + s * (z * polynomial(z, LOGARITHM))) + k * LN_2[1])
    value = where(x == math.inf, math.inf, value)
    return where(x > 0.0, value, where(x == 0.0, -math.inf, math.nan))


def logarithm_of_one_more(x: Scalar) -> Scalar:
    """Return Ln(1 + x)."""
    u = 1.0 + x
    lost = where(u > 0.0, (x - (u - 1.0)) / where(u > 0.0, u, 1.0), 0.0)
    return logarithm(u) + lost


def power(a: Scalar, b: Scalar) -> Scalar:
    """Return aᵇ; of a negative number for whole b."""
    size = exponential(b * logarithm(where(a == 0.0, 1.0, abs(a))))
    whole, odd = floor(b) == b, floor(0.5 * b) * 2.0 != b
    of_negative = where(whole, where(odd, -size, size), math.nan)
    of_zero = where(b > 0.0, 0.0, where(b == 0.0, 1.0, math.inf))
    return where(
        b == 0.0, 1.0, where(a > 0.0, size, where(a < 0.0, of_negative, where(a == 0.0, of_zero, math.nan)))
    )


# Hyperbolic functions


def hyperbolic_sine(x: Scalar) -> Scalar:
    """Return sinh x."""
    e = exponential_less_one(abs(x))
    return copysign(0.5 * (e + where(e > 1e300, 0.0, e) / (1.0 + e)), x)


def hyperbolic_cosine(x: Scalar) -> Scalar:
    """Return cosh x."""
    e = exponential(abs(x))
    return 0.5 * (e + 1.0 / e)


def hyperbolic_tangent(x: Scalar) -> Scalar:
    """Return tanh x."""
    e = exponential_less_one(-2.0 * abs(x))
    return copysign(-e / (2.0 + e), x)


def hyperbolic_arcsine(x: Scalar) -> Scalar:
    """Return arsinh x, for |x| below 10¹⁵⁰."""
    a = abs(x)
    return copysign(logarithm_of_one_more(a + a * a / (1.0 + sqrt(1.0 + a * a))), x)


def hyperbolic_arccosine(x: Scalar) -> Scalar:
    """Return arcosh x, for x from 1 to 10¹⁵⁰."""
    t = x - 1.0
    return logarithm_of_one_more(t + sqrt(t * (x + 1.0)))


def hyperbolic_arctangent(x: Scalar) -> Scalar:
    """Return artanh x, NaN beyond ±1."""
    a = abs(x)
    return copysign(0.5 * logarithm_of_one_more(2.0 * a / (1.0 - a)), x)


def hypotenuse(a: Scalar, b: Scalar) -> Scalar:
    """Return √(a² + b²) without overflow."""
    high, low = maximum(abs(a), abs(b)), minimum(abs(a), abs(b))
    ratio = where(high > 0.0, low / where(high > 0.0, high, 1.0), 0.0)
    return high * sqrt(1.0 + ratio * ratio) + 0.0 * (a + b)


FORMULAS: dict[int, Callable[..., Any]] = {
    Op.SIN: sine,
    Op.COS: cosine,
    Op.TAN: tangent,
    Op.ASIN: arcsine,
    Op.ACOS: arccosine,
    Op.ATAN: arctangent,
    Op.ATAN2: angle,
    Op.EXP: exponential,
    Op.LOG: logarithm,
    Op.TANH: hyperbolic_tangent,
    Op.POW: power,
    Op.SINH: hyperbolic_sine,
    Op.COSH: hyperbolic_cosine,
    Op.ASINH: hyperbolic_arcsine,
    Op.ACOSH: hyperbolic_arccosine,
    Op.ATANH: hyperbolic_arctangent,
    Op.EXPM1: exponential_less_one,
    Op.LOG1P: logarithm_of_one_more,
    Op.HYPOT: hypotenuse,
}
"""By operation, of floats or traced scalars."""
