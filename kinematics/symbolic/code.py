"""Loop equations in SymPy and their derivatives as functions of arrays of floats or traced scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import sympy
from sympy.printing.pycode import PythonCodePrinter

from ce_dynamics.algebra import arrays, checks
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.symbolic.algebra import Algebra, Expr, Unknown
from ce_dynamics.mechanism.hinges.base import Hinge


class LoopDerivatives(NamedTuple):
    """Φ_d, Φ_i and Φ̈ at accelerations zero, written in pairs."""

    by_dependent: Expr
    by_independent: Expr
    second: list[Expr]  # σ ∂²Φ/∂x_j∂x_k v_j v_k
    rates: tuple[Expr, ...]  # v, dependent ones first


def derivatives(
    algebra: Algebra, equations: Sequence[Expr], dependent: Sequence[Unknown], independent: Sequence[Unknown]
) -> LoopDerivatives:
    """Differentiate the loop equations twice."""
    coordinates = [unknown.symbol for unknown in (*dependent, *independent)]
    rates = tuple(sympy.Symbol(f"{symbol.name}_dot", real=True) for symbol in coordinates)
    phi = sympy.Matrix(list(equations))
    J = phi.jacobian(coordinates)
    J_dot = [
        sum(v * J[i, j].diff(x) for x, v in zip(coordinates, rates, strict=True))
        for i in range(len(equations))
        for j in range(len(coordinates))
    ]
    columns = len(coordinates)
    second = [sum(J_dot[i * columns + j] * rates[j] for j in range(columns)) for i in range(len(equations))]
    n = len(dependent)
    paired = J.applyfunc(algebra.in_pairs)
    return LoopDerivatives(paired[:, :n], paired[:, n:], [algebra.in_pairs(e) for e in second], rates)


def check_coordinates(
    coordinates: Mapping[Expr, str | tuple[str, int]], hinges: Mapping[str, Hinge], owner: str
) -> dict[Expr, tuple[str, int]]:
    """Return the body and number of every coordinate, by symbol; refuses those that mean no coordinate."""
    found: dict[Expr, tuple[str, int]] = {}
    checks.provides(f"{owner}: coordinates", coordinates, ("items",), "a mapping of symbols to bodies")
    for symbol, meaning in coordinates.items():
        pair = (meaning, 0) if isinstance(meaning, str) else meaning
        body, k = checks.items(f"{owner}: coordinate {symbol}", pair, 2)
        checks.integer(f"{owner}: number of the coordinate {symbol}", k)
        if body not in hinges:
            raise ModelError(f"{owner}: {symbol} belongs to {body!r}, which is no body of its joints")
        hinge = hinges[body]
        if hinge.coordinate_names != hinge.velocity_names or not 0 <= k < hinge.n_q:
            raise ModelError(
                f"{owner}: {symbol} cannot be coordinate {k} of the {type(hinge).__name__} hinge of "
                f"{body!r}: that has no such angle or displacement"
            )
        if (body, k) in found.values():
            raise ModelError(f"{owner}: coordinate {k} of {body!r} has two symbols")
        found[symbol] = body, k
    return found


def check_equations(equations: Sequence[Expr], known: set[Expr], owner: str) -> list[Expr]:
    """Return loop equations as expressions that must vanish; refuses symbols without meaning or value."""
    given = checks.items(f"{owner}: equations", equations)
    for e in given:
        what = "a SymPy expression that must vanish, or sympy.Eq"
        checks.instance(f"{owner}: equations", e, (sympy.Basic, sympy.MatrixBase), what)
    flat = [entry for e in given for entry in (e if isinstance(e, sympy.MatrixBase) else (e,))]
    result = [sympy.sympify(e.lhs - e.rhs if isinstance(e, sympy.Eq) else e) for e in flat]
    for k, equation in enumerate(result):
        unknown = sorted(map(str, equation.free_symbols - known))
        if unknown:
            raise ModelError(
                f"{owner}: equation {k + 1} contains {unknown}, which are neither coordinates nor parameters "
                f"with a value"
            )
    return result


FUNCTIONS = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "sqrt": "sqrt",
    "exp": "exp",
    "log": "log",
    "tanh": "tanh",
    "Abs": "absolute",
    "sign": "sign",
}
"""SymPy's names of functions and what they are called here."""


def sign(x: Any) -> Any:
    """Return the derivative of |x|; 1 at zero."""
    return arrays.where(x < 0.0, -1.0, 1.0)


class ArraysPrinter(PythonCodePrinter):  # type: ignore[misc]  # SymPy has no types
    """Prints expressions with the functions of `ce_dynamics.algebra.arrays`."""

    _kf: ClassVar[dict[str, Any]] = dict(FUNCTIONS)
    _default_settings: ClassVar[dict[str, Any]] = {
        **PythonCodePrinter._default_settings,
        "fully_qualified_modules": False,
    }

    def _print_Function(self, expr: Expr) -> str:
        arguments = ", ".join(self._print(argument) for argument in expr.args)
        return f"{FUNCTIONS[type(expr).__name__]}({arguments})"

    _print_Abs = _print_sign = _print_Function

    def _print_Pow(self, expr: Expr, rational: bool = False) -> str:
        if expr.exp == sympy.Rational(1, 2):
            return f"sqrt({self._print(expr.base)})"
        if expr.exp == -sympy.Rational(1, 2):
            return f"(1.0/sqrt({self._print(expr.base)}))"
        return str(super()._print_Pow(expr, rational=rational))

    def _print_Float(self, expr: Expr) -> str:
        return repr(float(expr))  # all digits, which SymPy's text has not

    def _print_Piecewise(self, expr: Expr) -> str:
        text = "nan"
        for value, condition in reversed(expr.args):
            text = f"where({self._print(condition)}, {self._print(value)}, {text})"
        return text

    def _print_BooleanTrue(self, expr: Expr) -> str:
        return "True"

    def _print_And(self, expr: Expr) -> str:
        return "(" + " & ".join(f"({self._print(part)})" for part in expr.args) + ")"

    def _print_Or(self, expr: Expr) -> str:
        return "(" + " | ".join(f"({self._print(part)})" for part in expr.args) + ")"


def function(
    name: str,
    arguments: Sequence[Expr],
    assignments: Sequence[tuple[Expr, Expr]],
    results: Mapping[str, Sequence[Expr]],
) -> Callable[..., dict[str, list[Any]]]:
    """Return a Python function of scalars that makes assignments in order and returns named lists.

    Sub-expressions that occur more than once are computed once.  Functions that
    `ce_dynamics.algebra.arrays` does not have are refused.
    """
    wanted = [expression for values in results.values() for expression in values]
    expressions = [sympy.sympify(value) for _, value in assignments] + [sympy.sympify(e) for e in wanted]
    names = (sympy.Symbol(f"_x{k}") for k in range(10**6))
    refuse_unknown(expressions)
    replacements, reduced = sympy.cse(expressions, symbols=names, order="none")
    n = len(assignments)
    definitions = dict(replacements)
    definitions |= {symbol: value for (symbol, _), value in zip(assignments, reduced[:n], strict=True)}
    printer = ArraysPrinter()
    text = {symbol: printer.doprint(symbol) for symbol in (*arguments, *definitions)}
    plain = {symbol: sympy.Symbol(f"v{k}") for k, symbol in enumerate(text)}
    lines = [f"def {name}({', '.join(str(plain[a]) for a in arguments)}):"]
    lines += [
        f"    {plain[s]} = {printer.doprint(definitions[s].xreplace(plain))}"
        for s in order_definitions(definitions)
    ]
    values = iter(reduced[n:])
    for key, expected in results.items():
        entries = ", ".join(printer.doprint(next(values).xreplace(plain)) for _ in expected)
        lines.append(f"    {key}_ = [{entries}]")
    lines.append("    return {" + ", ".join(f"{key!r}: {key}_" for key in results) + "}")
    space: dict[str, Any] = {key: getattr(arrays, key, sign) for key in FUNCTIONS.values()}
    space |= {"where": arrays.where, "nan": float("nan"), "pi": 3.141592653589793, "e": 2.718281828459045}
    exec("\n".join(lines), space)
    made: Callable[..., dict[str, list[Any]]] = space[name]
    return made


def refuse_unknown(expressions: Sequence[Expr]) -> None:
    """Refuse functions that have no counterpart here."""
    for expression in expressions:
        for part in expression.atoms(sympy.Function, sympy.Derivative):
            name = type(part).__name__
            if name not in FUNCTIONS and not isinstance(part, sympy.Piecewise):
                allowed = ", ".join((*FUNCTIONS, "Piecewise"))
                raise ModelError(f"{name} in {part} is not among the functions allowed: {allowed}")


def order_definitions(definitions: Mapping[Expr, Expr]) -> list[Expr]:
    """Return symbols in an order in which everything is defined before it is used."""
    done: dict[Expr, None] = {}

    def visit(symbol: Expr) -> None:
        if symbol in done:
            return
        for other in sorted(definitions[symbol].free_symbols, key=str):
            if other in definitions:
                visit(other)
        done[symbol] = None

    for symbol in definitions:
        visit(symbol)
    return list(done)
