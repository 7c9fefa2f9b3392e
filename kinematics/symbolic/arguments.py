"""Checks the arguments of a `SymbolicLinkage`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy

from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.symbolic.algebra import Expr
from ce_dynamics.mechanism.hinges.base import Hinge


def checked_coordinates(
    coordinates: Mapping[Expr, str | tuple[str, int]], hinges: Mapping[str, Hinge], owner: str
) -> dict[Expr, tuple[str, int]]:
    """Body and number of every coordinate, by symbol.

    Raises
    ------
    ModelError
        For a body without a joint, a hinge without such a coordinate, or one with two symbols.
    """
    found: dict[Expr, tuple[str, int]] = {}
    for symbol, meaning in coordinates.items():
        body, k = (meaning, 0) if isinstance(meaning, str) else meaning
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


def checked_equations(equations: Sequence[Expr], known: set[Expr], owner: str) -> list[Expr]:
    """Loop equations as expressions that must vanish.

    Raises
    ------
    ModelError
        For a symbol that is neither a coordinate nor a parameter.
    """
    flat = [entry for e in equations for entry in (e if isinstance(e, sympy.MatrixBase) else (e,))]
    result = [sympy.sympify(e.lhs - e.rhs if isinstance(e, sympy.Eq) else e) for e in flat]
    for k, equation in enumerate(result):
        unknown = sorted(map(str, equation.free_symbols - known))
        if unknown:
            raise ModelError(
                f"{owner}: equation {k + 1} contains {unknown}, which are neither coordinates nor parameters "
                f"with a value"
            )
    return result
