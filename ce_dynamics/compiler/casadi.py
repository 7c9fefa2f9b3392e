"""Hand traced functions to CasADi.

CasADi matrices are columns first, NumPy's rows first: an array of shape (n,) is an n-by-1 matrix, (n, m) an
n-by-m matrix, () a 1-by-1 matrix; arrays of more axes are flattened (C order) into a column.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler.tracing.function import Shape, TracedFunction
from ce_dynamics.compiler.tracing.operations import C_FUNCTIONS, OPERATORS, Op, arity
from ce_dynamics.errors import ModelError


class CasADi:
    """The package ``casadi``, loaded when something of it is first used: an extra installs it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_casadi(), name)


@cache
def _casadi() -> Any:
    try:
        import casadi  # here, because an extra installs it
    except ImportError as error:
        raise ModelError("CasADi, which this needs, is not installed; install ce-dynamics[casadi]") from error
    return casadi


ca: Any = CasADi()

LARGEST_TABLE = 1000  # numbers in which something may be looked up


@cache
def _builders() -> dict[int, Callable[..., Any]]:
    return {
        **{op: written.of for op, written in OPERATORS.items()},
        **{op: getattr(ca, name) for op, name in C_FUNCTIONS.items() if op != Op.POW},
        Op.NEG: operator.neg,
        Op.AND: ca.logic_and,
        Op.OR: ca.logic_or,
        Op.NOT: ca.logic_not,
        Op.SELECT: ca.if_else,
    }


def matrix_shape(shape: Shape) -> tuple[int, int]:
    """Return rows and columns of CasADi's matrix for an array."""
    if len(shape) == 2:
        return shape[0], shape[1]
    return math.prod(shape), 1


def matrix(column: Any, shape: Shape) -> Any:
    """Return the dense CasADi matrix of an array given as a column in NumPy's order."""
    if len(shape) == 2:
        column = ca.reshape(column, shape[1], shape[0]).T
    return ca.densify(column)


def _identifier(name: str) -> str:
    """Return a function name CasADi accepts: letters, digits and single underscores, a letter first."""
    return re.sub(r"__+|[^A-Za-z0-9]+", "_", f"f_{name}" if not name[:1].isalpha() else name).strip("_")


def _looked_up(traced: TracedFunction, table: Table, offset: int, index: Any) -> Any:
    """Return a number of a table at an index: CasADi's expressions choose one number after the other."""
    if table.last > LARGEST_TABLE:
        raise ModelError(
            f"{traced.name} looks numbers up in a table of {table.values.size} (of a road, for example); "
            f"CasADi's expressions are too slow beyond {LARGEST_TABLE}: use a road of formulas"
        )
    found = ca.SX(float(table.values[offset]))
    for k in range(1, table.last + 1):
        found = ca.if_else(index >= k, float(table.values[k + offset]), found)
    return found


def to_casadi(traced: TracedFunction) -> Any:
    """Return the same function as a ``casadi.Function`` of ``SX``, with the same names of inputs and outputs.

    Raises
    ------
    ModelError
        If it looks numbers up in a table of more than `LARGEST_TABLE`, or CasADi is not installed.
    """
    builders = _builders()
    arguments = [ca.SX.sym(name, *matrix_shape(shape)) for name, shape in traced.input_shapes.items()]
    flat = [
        ca.vertsplit(ca.vec(argument.T if len(shape) == 2 else argument)) if math.prod(shape) else []
        for argument, shape in zip(arguments, traced.input_shapes.values(), strict=True)
    ]
    tables = {table.key: table for table in traced.tables}
    values: list[Any] = []
    for op, a, b, c in traced.instructions:
        if op == Op.CONST:
            values.append(ca.SX(traced.numbers[a]))
        elif op == Op.INPUT:
            values.append(flat[a][b])
        elif op == Op.LOOKUP:
            key, offset = (traced.numbers[traced.instructions[k][1]] for k in (b, c))
            values.append(_looked_up(traced, tables[int(key)], int(offset), values[a]))
        else:
            values.append(builders[op](*(values[k] for k in (a, b, c)[: arity(op)])))
    results = []
    for shape, nodes in zip(traced.output_shapes.values(), traced.outputs, strict=True):
        column = ca.vertcat(*(values[n] for n in nodes)) if nodes else ca.SX(0, 1)
        results.append(matrix(column, shape))
    names = list(traced.input_shapes), list(traced.output_shapes)
    return ca.Function(_identifier(traced.name), arguments, results, *names)
