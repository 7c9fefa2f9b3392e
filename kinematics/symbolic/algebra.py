"""Loop equations as polynomials in the cosines and sines of hinge angles and in displacements.

cos and sin of an angle are symbols of their own, so that a closed form can give them by algebra, without
calling a trigonometric function, and hinges take them as they are.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import sympy
from sympy import Poly, PolynomialError

from ce_dynamics.compiler.free_numbers import nominal

Expr: TypeAlias = Any  # A SymPy expression

ZERO = 1e-10  # bound of coefficients that count as zero, relative to the terms that cancel


@dataclass(frozen=True, eq=False)
class Unknown:
    """A coordinate as it appears in polynomials."""

    symbol: Expr  # the coordinate itself
    angle: bool  # whether it is an angle, which comes with its cosine and sine
    c: Expr = field(init=False)  # cosine and sine
    s: Expr = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", sympy.Symbol(f"cos_{self.symbol.name}", real=True))
        object.__setattr__(self, "s", sympy.Symbol(f"sin_{self.symbol.name}", real=True))

    @property
    def pair(self) -> tuple[Expr, Expr]:
        """Cosine and sine."""
        return self.c, self.s

    def is_in(self, expression: Expr) -> bool:
        """Return True if an expression depends on it."""
        return bool(expression.free_symbols & {self.symbol, self.c, self.s})


class Algebra:
    """Expressions of the coordinates of one linkage, independent ones too, and of its parameters."""

    def __init__(self, unknowns: Sequence[Unknown], parameters: Mapping[Expr, float]) -> None:
        self.unknowns = tuple(unknowns)
        self.of = {unknown.symbol: unknown for unknown in unknowns}
        self.parameters = {symbol: float(nominal(value)) for symbol, value in parameters.items()}
        self._random = random.Random(0)
        self.samples = [self._sample() for _ in range(3)]

    def pair_products(self, expression: Expr) -> Expr:
        """Multiply out cos and sin of whole multiples and sums of angles in pairs."""
        return sympy.expand(self.in_pairs(expression))

    def in_pairs(self, expression: Expr) -> Expr:
        """Write cos and sin in pairs, unexpanded: repeated sums of angles stay recognisable."""
        expression = expression.replace(sympy.tan, lambda x: sympy.sin(x) / sympy.cos(x))
        expression = expression.replace(sympy.cot, lambda x: sympy.cos(x) / sympy.sin(x))
        expression = expression.replace(sympy.cos, lambda x: self._expand_angle(x)[0])
        return expression.replace(sympy.sin, lambda x: self._expand_angle(x)[1])

    def _expand_angle(self, argument: Expr) -> tuple[Expr, Expr]:
        """Return the cosine and sine of Σ n x + rest, by complex multiplication."""
        rest, factors = sympy.expand(argument), []
        for unknown in self.unknowns:
            n = rest.coeff(unknown.symbol, 1)
            if unknown.angle and n.is_Integer and n != 0:
                rest = sympy.expand(rest - n * unknown.symbol)
                factors.append((unknown, int(n)))
        c, s = sympy.cos(rest), sympy.sin(rest)
        for unknown, n in factors:
            for _ in range(abs(n)):
                x, y = unknown.c, unknown.s if n > 0 else -unknown.s
                c, s = c * x - s * y, c * y + s * x
        return c, s

    def shorten(self, expression: Expr) -> Expr:
        """Write a c² + d s² of each angle as d + (a − d) c², where a and d agree."""
        expression = sympy.expand(expression)
        for unknown in self.unknowns:
            present = expression.free_symbols & set(unknown.pair)
            poly = polynomial_in(expression, unknown.pair) if present else None
            if poly is not None and poly.total_degree() == 2:
                expression = sympy.expand(self._lower_powers(poly).as_expr())
        return expression

    def polynomial(self, expression: Expr, unknown: Unknown) -> Poly | None:
        """Return a polynomial in one unknown, with c² + s² = 1 used where that lowers its degree.

        None where it is none: an angle that appears both by itself and in cosines, or in other functions.
        """
        bare = unknown.symbol in expression.free_symbols
        paired = bool(expression.free_symbols & set(unknown.pair))
        if bare and paired:
            return None
        generators = unknown.pair if paired else (unknown.symbol,)
        poly = polynomial_in(expression, generators)
        if poly is None:
            return None
        return self._lower_powers(poly) if paired else self._without_zeros(poly)

    def _lower_powers(self, poly: Poly) -> Poly:
        """Return the expression with A for A (c² + s²)."""
        poly = self._without_zeros(poly)
        a, b = poly.coeff_monomial((2, 0)), poly.coeff_monomial((0, 2))
        if poly.total_degree() == 2 and self.agree(a, b) and poly.coeff_monomial((1, 1)) == 0:
            terms = {m: k for m, k in poly.terms() if sum(m) < 2}
            terms[(0, 0)] = sympy.expand(terms.get((0, 0), sympy.Integer(0)) + a)
            return self._without_zeros(Poly.from_dict(terms, *poly.gens, domain="EX"))
        return poly

    def _without_zeros(self, poly: Poly) -> Poly:
        """Return a copy without coefficients that are rounding of the others."""
        largest = [max(self.size(k, sample) for k in poly.coeffs()) for sample in self.samples]
        terms = {
            m: k
            for m, k in poly.terms()
            if any(
                not abs(self.value(k, sample)) <= ZERO * max(size, 1e-300)
                for sample, size in zip(self.samples, largest, strict=True)
            )
        }
        return Poly.from_dict(terms or {(0,) * len(poly.gens): 0}, *poly.gens, domain="EX")

    def linear(self, expression: Expr, generators: Sequence[Expr]) -> list[Expr] | None:
        """Return the coefficients of generators and the constant; None if the expression is not linear."""
        poly = polynomial_in(expression, generators)
        if poly is None:
            return None
        poly = self._without_zeros(poly)
        if poly.total_degree() > 1:
            return None
        n = len(generators)
        units = [tuple(int(i == k) for i in range(n)) for k in range(n)]
        return [poly.coeff_monomial(m) for m in (*units, (0,) * n)]

    def at_design(self, expression: Expr) -> float:
        """Return the value where all coordinates are zero; NaN where it has none."""
        return self.value(expression, dict.fromkeys(self.of, 0.0))

    def value(self, expression: Expr, coordinates: Mapping[Expr, float]) -> float:
        """Return the value at given coordinates."""
        return real(sympy.sympify(expression).evalf(30, subs=self._numbers(coordinates)))

    def size(self, expression: Expr, coordinates: Mapping[Expr, float]) -> float:
        """Sum of the sizes of the terms of an expression, at least the smallest that is no zero."""
        numbers = self._numbers(coordinates)
        terms = sympy.Add.make_args(sympy.sympify(expression))
        return sum(abs(real(term.evalf(20, subs=numbers))) for term in terms)

    def agree(self, a: Expr, b: Expr) -> bool:
        """Return True if two expressions are equal for all coordinates, judged by three random samples."""
        for sample in self.samples:
            size = max(self.size(a, sample), self.size(b, sample), 1e-300)
            if not abs(self.value(a, sample) - self.value(b, sample)) <= ZERO * size:
                return False
        return True

    def _sample(self) -> dict[Expr, float]:
        return {symbol: self._random.uniform(-1.2, 1.2) for symbol in self.of}

    def _numbers(self, coordinates: Mapping[Expr, float]) -> dict[Expr, Any]:
        numbers: dict[Expr, Any] = {s: sympy.Float(v, 30) for s, v in self.parameters.items()}
        for symbol, x in coordinates.items():
            exact = sympy.Float(x, 30)
            numbers[symbol] = exact
            numbers[self.of[symbol].c], numbers[self.of[symbol].s] = sympy.cos(exact), sympy.sin(exact)
        return numbers


def real(value: Expr) -> float:
    """Return a number that SymPy evaluated, NaN if it is not real."""
    try:
        x = complex(value)
    except (TypeError, ValueError):
        return float("nan")
    return x.real if abs(x.imag) <= 1e-12 * max(1.0, abs(x.real)) else float("nan")


def unknowns_in(expression: Expr, unknowns: Iterable[Unknown]) -> list[Unknown]:
    """Return the unknowns that an expression depends on."""
    return [unknown for unknown in unknowns if unknown.is_in(expression)]


def polynomial_in(expression: Expr, generators: Sequence[Expr]) -> Poly | None:
    """Return an expression as a polynomial; None if it is none, or its coefficients have the generators."""
    try:
        poly = Poly(expression, *generators, domain="EX")
    except PolynomialError:
        return None
    if any(set(generators) & coefficient.free_symbols for coefficient in poly.coeffs()):
        return None
    return poly
