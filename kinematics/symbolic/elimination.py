"""The search for a closed form: which equation gives which unknown, on which branch.

Patterns, tried in this order until nothing is unknown any more:

1. one equation with one unknown: linear in it; A c + B s = C in its cosine and sine; quadratic in it;
2. two equations with two unknowns, linear in the cosine and sine of one of them, M (c, s)ᵀ = K.  Where M
   turns and scales, as the end of a bar in a plane does, |K|² = det M (the intersection of two circles) is an
   equation for the other unknown alone;
3. an unknown that enters an equation linearly is eliminated from the others;
4. whatever SymPy solves for the one unknown of an equation within a few seconds.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import sympy

from ce_dynamics.kinematics.symbolic.algebra import Algebra, Expr, Unknown, unknowns_in

SECONDS = 10.0

PROGRAM = """
import sys
from sympy import *
equation, unknown = (sympify(line) for line in sys.stdin.read().splitlines())
for root in solve(equation, unknown):
    print(srepr(root))
"""


def solutions(equation: Expr, unknown: Expr) -> list[Expr]:
    """Return roots in closed form; none where SymPy finds none in time."""
    text = f"{sympy.srepr(equation)}\n{sympy.srepr(unknown)}\n"
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], input=text, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return []
    if done.returncode != 0:
        return []
    roots = [sympy.sympify(line) for line in done.stdout.splitlines()]
    return [root for root in roots if not root.has(sympy.Piecewise, sympy.RootOf, sympy.I)]


REGULAR = 1e-9  # smallest divisor in the design pose, relative to its terms


@dataclass(frozen=True, eq=False)
class EliminationStep:
    """Solution for one unknown in terms of known ones."""

    unknown: Unknown
    # assignments of the cosine and sine of the unknown, or of the unknown itself
    assignments: tuple[tuple[Expr, Expr], ...]
    margin: Expr  # 1 well inside the reach, 0 at its end (the square of a sine)
    pattern: str  # name of the pattern, in words


class Elimination:
    """Search for a closed form of dependent unknowns from equations in pairs (`Algebra.pair_products`).

    ``steps`` are in the order of evaluation, ``left`` the unknowns without closed form.
    """

    def __init__(self, algebra: Algebra, equations: Sequence[Expr], unknowns: Sequence[Unknown]) -> None:
        self.algebra = algebra
        self.equations = list(equations)
        self.left = list(unknowns)
        self.steps: list[EliminationStep] = []
        self._later: list[EliminationStep] = []
        while self.left and (self._single() or self._pair() or self._linear() or self._solve_by_sympy()):
            pass
        if not self.left:
            self.steps += reversed(self._later)
        else:
            self.left += [step.unknown for step in self._later]

    def _keep_step(self, step: EliminationStep, *equations: Expr) -> bool:
        self.steps.append(step)
        self.left.remove(step.unknown)
        for equation in equations:
            self.equations.remove(equation)
        return True

    # Patterns

    def _single(self) -> bool:
        """Solve one equation for one unknown."""
        for equation in self.equations:
            there = unknowns_in(equation, self.left)
            if len(there) == 1:
                step = self._from_one(equation, there[0])
                if step is not None:
                    return self._keep_step(step, equation)
        return False

    def _from_one(self, equation: Expr, x: Unknown) -> EliminationStep | None:
        poly = self.algebra.polynomial(equation, x)
        if poly is None or poly.total_degree() == 0:
            return None
        if len(poly.gens) == 2:
            return self._angle(poly, x) if poly.total_degree() == 1 else None
        if poly.degree() == 1:
            b, c = poly.nth(1), poly.nth(0)
            return (
                EliminationStep(x, ((x.symbol, -c / b),), sympy.Integer(1), "linear")
                if self._regular(b)
                else None
            )
        return self._quadratic(poly, x) if poly.degree() == 2 else None

    def _angle(self, poly: sympy.Poly, x: Unknown) -> EliminationStep | None:
        """Return a c + B s = C: c = (A C ∓ B w)/r², s = (B C ± A w)/r², w² = r² − C², r² = A² + B²."""
        A, B = poly.coeff_monomial((1, 0)), poly.coeff_monomial((0, 1))
        C = -poly.coeff_monomial((0, 0))
        derivative = self.algebra.at_design(B)  # of A c + B s by the angle: ∓ w in the design pose
        if not abs(derivative) > REGULAR * max(abs(self.algebra.at_design(A)), 1e-300):
            return None
        sign = 1 if derivative > 0 else -1
        r2 = A * A + B * B
        w = -sign * sympy.sqrt(r2 - C * C)
        pair = ((x.c, (A * C - B * w) / r2), (x.s, (B * C + A * w) / r2)) if C != 0 else None
        if pair is None:
            r = sympy.sqrt(r2)
            pair = ((x.c, sign * B / r), (x.s, -sign * A / r))
        margin = 1 - C * C / r2
        return EliminationStep(x, pair, margin, "A cos + B sin = C")

    def _quadratic(self, poly: sympy.Poly, x: Unknown) -> EliminationStep | None:
        """Return a x² + b x + c = 0, the root that is zero in the design pose: x = −2c/(b ± √(b² − 4ac))."""
        a, b, c = (poly.nth(k) for k in (2, 1, 0))
        slope = self.algebra.at_design(b)
        if not self._regular(b):
            return None
        sign = 1 if slope > 0 else -1
        discriminant = b * b - 4 * a * c
        root = -2 * c / (b + sign * sympy.sqrt(discriminant))
        return EliminationStep(x, ((x.symbol, root),), discriminant / (b * b), "quadratic")

    def _pair(self) -> bool:
        """Solve two equations for two unknowns, one of which is an angle that enters linearly."""
        for equations in combinations(self.equations, 2):
            there = unknowns_in(equations[0] + sympy.Symbol("_") * equations[1], self.left)
            if len(there) != 2:
                continue
            for x, y in permutations(there):
                if x.angle and self._dyad(equations, x, y):
                    return True
        return False

    def _dyad(self, equations: tuple[Expr, Expr], x: Unknown, y: Unknown) -> bool:
        if any(x.symbol in equation.free_symbols for equation in equations):
            return False
        rows = [self.algebra.linear(equation, x.pair) for equation in equations]
        first, second = rows
        if first is None or second is None:
            return False
        (a, b, k1), (c, d, k2) = first, second
        det = self.algebra.shorten(a * d - b * c)
        if not self._regular(det):
            return False
        adjugate = d * -k1 - b * -k2, a * -k2 - c * -k1
        sizes = [sympy.expand(k1 * k1 + k2 * k2 - sign * det) for sign in (1, -1)]
        agree = self.algebra.agree
        if agree(a, d) and agree(b, -c):
            eliminated = sizes[0]
        elif agree(a, -d) and agree(b, c):
            eliminated = sizes[1]
        else:
            eliminated = sympy.expand(adjugate[0] ** 2 + adjugate[1] ** 2 - det**2)
        step = self._from_one(self.algebra.shorten(eliminated), y)
        if step is None:
            return False
        self.steps.append(
            EliminationStep(y, step.assignments, step.margin, f"intersection of circles, {step.pattern}")
        )
        self.left.remove(y)
        # the length is |det|, but this way rounding leaves the direction of unit length
        length = sympy.sqrt(adjugate[0] ** 2 + adjugate[1] ** 2)
        if not self.algebra.at_design(det) > 0:
            length = -length
        pair = ((x.c, adjugate[0] / length), (x.s, adjugate[1] / length))
        return self._keep_step(EliminationStep(x, pair, sympy.Integer(1), "end of the bar"), *equations)

    def _linear(self) -> bool:
        """Return an unknown that is linear in an equation, in the others put in place of it."""
        for equation in self.equations:
            for x in unknowns_in(equation, self.left):
                row = self.algebra.linear(equation, (x.symbol,)) if not self._has_pair(equation, x) else None
                if row is None or unknowns_in(row[0], self.left) or not self._regular(row[0]):
                    continue
                value = -row[1] / row[0]
                others = [other for other in self.equations if other is not equation]
                if any(self._has_pair(other, x) for other in others):
                    continue
                self._later.append(EliminationStep(x, ((x.symbol, value),), sympy.Integer(1), "linear"))
                self.left.remove(x)
                self.equations = [sympy.expand(other.subs(x.symbol, value)) for other in others]
                return True
        return False

    @staticmethod
    def _has_pair(equation: Expr, x: Unknown) -> bool:
        return bool(equation.free_symbols & set(x.pair))

    def _solve_by_sympy(self) -> bool:
        """Solve an equation for its only unknown by SymPy; return True if a root fits the design pose."""
        for equation in self.equations:
            there = unknowns_in(equation, self.left)
            if len(there) == 1 and not self._has_pair(equation, there[0]):
                (x,) = there
                for root in solutions(equation, x.symbol):
                    if abs(self.algebra.at_design(root)) < 1e-9:
                        return self._keep_step(
                            EliminationStep(x, ((x.symbol, root),), sympy.Integer(1), "sympy.solve"), equation
                        )
        return False

    def _regular(self, divisor: Expr) -> bool:
        """Return True if a divisor is not zero in the design pose."""
        design = dict.fromkeys(self.algebra.of, 0.0)
        value = abs(self.algebra.value(divisor, design))
        return value > REGULAR * max(self.algebra.size(divisor, design), 1e-300)
