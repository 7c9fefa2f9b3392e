"""CasADi functions as traced ones, and CasADi's derivatives: what ours are compared with.

CasADi matrices are columns first, NumPy's rows first: an array of shape (n,) is an n-by-1 matrix, (n, m) an
n-by-m matrix, () a 1-by-1 matrix; arrays of more axes are flattened (C order) into a column.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from ce_dynamics.compiler.casadi import flat_in_c_order, matrix, matrix_shape, to_casadi
from ce_dynamics.compiler.derivatives.forward_mode import SparseJacobian
from ce_dynamics.compiler.tracing.function import Shape, TracedFunction, extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import COMPARISONS, LOGICAL, UNARY, Op
from ce_dynamics.errors import CeDynamicsError


class UnsupportedOperationError(CeDynamicsError, NotImplementedError):
    """A CasADi function uses an operation that has no machine code here."""


_SAME_UNARY = tuple(op.name for op in sorted(UNARY - {Op.NEG, Op.NOT}))
_SAME_BINARY = ("ATAN2", "HYPOT", "FMOD", "COPYSIGN")


class _Reader:
    """Rebuilds CasADi instructions in a graph.

    CasADi's truth values are the numbers 0 and 1, ours are conditions: `number` and `condition` convert
    where a value is used as the other kind.  A condition known beforehand is a bool.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.handlers: dict[str, Callable[..., int | bool]] = self._table()

    def number(self, value: int | bool) -> int:
        graph = self.graph
        if isinstance(value, bool):
            return graph.constant(float(value))
        if self.is_condition(value):
            return graph.select(value, graph.constant(1.0), graph.constant(0.0))
        return value

    def is_condition(self, n: int) -> bool:
        return self.graph.nodes[n][0] in LOGICAL

    def condition(self, value: int | bool) -> int | bool:
        if isinstance(value, bool) or self.is_condition(value):
            return value
        return self.graph.compare(Op.NE, value, self.graph.constant(0.0))

    def select(self, chosen: int | bool, if_true: int, if_false: int) -> int:
        if isinstance(chosen, bool):
            return if_true if chosen else if_false
        return self.graph.select(chosen, if_true, if_false)

    def both(self, x: int | bool, y: int | bool) -> int | bool:
        x, y = self.condition(x), self.condition(y)
        if isinstance(x, bool):
            return y if x else False
        if isinstance(y, bool):
            return x if y else False
        return self.graph.logical_and(x, y)

    def opposite(self, x: int | bool) -> int | bool:
        x = self.condition(x)
        return not x if isinstance(x, bool) else self.graph.logical_not(x)

    def either(self, x: int | bool, y: int | bool) -> int | bool:
        x, y = self.condition(x), self.condition(y)
        if isinstance(x, bool):
            return True if x else y
        if isinstance(y, bool):
            return True if y else x
        return self.graph.logical_or(x, y)

    def extremum(self, x: int, y: int, larger: bool) -> int:
        """C's fmin and fmax: the other number where one is NaN."""
        graph = self.graph
        better = graph.compare(Op.LT, y, x) if larger else graph.compare(Op.LT, x, y)
        return self.select(self.either(better, graph.compare(Op.NE, y, y)), x, y)

    def sign(self, x: int) -> int:
        graph = self.graph
        zero, one, minus = graph.constant(0.0), graph.constant(1.0), graph.constant(-1.0)
        negative, positive = graph.compare(Op.LT, x, zero), graph.compare(Op.LT, zero, x)
        return self.select(positive, one, self.select(negative, minus, x))

    def product(self, x: int | bool, y: int | bool) -> int:
        """Product; by a truth value it is a selection, so that NaN of what is not selected does not leak."""
        graph = self.graph
        for chosen, value in ((x, y), (y, x)):
            if isinstance(chosen, bool) or self.is_condition(chosen):
                return self.select(chosen, self.number(value), graph.constant(0.0))
        return graph.mul(x, y)

    def power(self, x: int, y: int) -> int:
        exponent = self.graph.value(y)
        if exponent is not None and abs(exponent) <= 32 and exponent == int(exponent):
            return self.graph.power(x, int(exponent))
        return self.graph.binary(Op.POW, x, y)

    def _table(self) -> dict[str, Callable[..., int | bool]]:
        graph, number = self.graph, self.number

        def on_numbers(build: Callable[..., int | bool]) -> Callable[..., int | bool]:
            return lambda *values: build(*(number(value) for value in values))

        def unary(op: Op) -> Callable[[int], int]:
            return lambda x: graph.unary(op, x)

        def binary(op: Op) -> Callable[[int, int], int]:
            return lambda x, y: graph.binary(op, x, y)

        def compare(op: Op) -> Callable[[int, int], int | bool]:
            return lambda x, y: graph.compare(op, x, y)

        numeric: dict[str, Callable[..., int | bool]] = {
            "ASSIGN": lambda x: x, "ADD": graph.add, "SUB": graph.sub, "DIV": graph.div, "NEG": graph.neg,
            "SQ": lambda x: graph.mul(x, x), "TWICE": lambda x: graph.add(x, x),
            "INV": lambda x: graph.div(graph.constant(1.0), x), "POW": self.power, "CONSTPOW": self.power,
            "SIGN": self.sign, "FMIN": lambda x, y: self.extremum(x, y, larger=False),
            "FMAX": lambda x, y: self.extremum(x, y, larger=True),
        }  # fmt: skip
        numeric |= {name: unary(Op[name]) for name in _SAME_UNARY}
        numeric |= {name: binary(Op[name]) for name in _SAME_BINARY}
        numeric |= {op.name: compare(op) for op in COMPARISONS}
        table = {name: on_numbers(build) for name, build in numeric.items()}
        table["MUL"] = self.product
        table["AND"] = self.both
        table["OR"] = self.either
        table["NOT"] = self.opposite
        table["IF_ELSE_ZERO"] = lambda c, x: self.select(self.condition(c), number(x), graph.constant(0.0))
        return table


@cache
def _operation_names() -> dict[int, str]:
    import casadi as ca

    return {getattr(ca, name): name[3:] for name in dir(ca) if name.startswith("OP_")}


def _c_order(sparsity: Any, shape: Shape) -> list[int]:
    """For each nonzero of a CasADi matrix its position in the NumPy array of that shape."""
    rows, columns = sparsity.row(), sparsity.get_col()
    width = shape[1] if len(shape) == 2 else 1
    return [row * width + column for row, column in zip(rows, columns, strict=True)]


def from_casadi(
    function: Any,
    input_shapes: Mapping[str, Shape] | None = None,
    output_shapes: Mapping[str, Shape] | None = None,
) -> TracedFunction:
    """A ``casadi.Function`` as a traced function.

    Parameters
    ----------
    function : casadi.Function
        Of SX, or of MX that can be expanded.
    input_shapes, output_shapes : mapping of name to shape, optional
        Shapes of the arrays where they are not those of CasADi's matrices ((n,) for columns, else (n, m)).

    Raises
    ------
    UnsupportedOperationError
        If it uses an operation without machine code, or cannot be expanded into scalar operations.
    """
    if not function.is_a("SXFunction"):
        try:
            function = function.expand()
        except RuntimeError as error:
            raise UnsupportedOperationError(
                f"the CasADi function {function.name()} cannot be expanded into scalar operations: {error}"
            ) from error
    sizes_in = [function.size_in(k) for k in range(function.n_in())]
    sizes_out = [function.size_out(k) for k in range(function.n_out())]
    shapes_in = _shapes(function.name_in(), sizes_in, input_shapes)
    shapes_out = _shapes(function.name_out(), sizes_out, output_shapes)
    orders_in = [_c_order(function.sparsity_in(k), s) for k, s in enumerate(shapes_in.values())]
    orders_out = [_c_order(function.sparsity_out(k), s) for k, s in enumerate(shapes_out.values())]
    graph = Graph()
    reader = _Reader(graph)
    handlers, number = reader.handlers, reader.number
    names = _operation_names()
    registers: dict[int, int | bool] = {}
    outputs = [[graph.constant(0.0)] * math.prod(shape) for shape in shapes_out.values()]
    for k in range(function.n_instructions()):
        name = names.get(function.instruction_id(k), "unknown")
        read, written = function.instruction_input(k), function.instruction_output(k)
        if name == "CONST":
            registers[written[0]] = graph.constant(function.instruction_constant(k))
        elif name == "INPUT":
            registers[written[0]] = graph.input(read[0], orders_in[read[0]][read[1]])
        elif name == "OUTPUT":
            outputs[written[0]][orders_out[written[0]][written[1]]] = number(registers[read[0]])
        elif name in handlers:
            registers[written[0]] = handlers[name](*(registers[r] for r in read))
        else:
            raise UnsupportedOperationError(
                f"the CasADi operation {name} in {function.name()} has no machine code here; "
                f"allowed are {sorted(handlers)}"
            )
    return extract(function.name(), graph, shapes_in, shapes_out, outputs)


def jacobian(traced: TracedFunction, output: str, input: str) -> TracedFunction:
    """Exact derivative of an output with respect to an input.

    Returns
    -------
    TracedFunction
        Of the same inputs; its only output ``d<output>_d<input>`` has the shape of the output followed by
        that of the input.

    Raises
    ------
    KeyError
        If there is no such output or input.

    Notes
    -----
    At switching points of selections, and of abs, it is the derivative of one of the branches.
    """
    import casadi as ca

    arguments, derivative = _derivative(traced, output, input)
    shape = traced.output_shapes[output] + traced.input_shapes[input]
    entries = ca.densify(derivative)
    return _of_same_inputs(traced, f"d{output}_d{input}", arguments, matrix(ca.vec(entries.T), shape), shape)


def sparse_jacobian(traced: TracedFunction, output: str, input: str) -> SparseJacobian:
    """Return the `jacobian` without the structural zeros."""
    import casadi as ca

    arguments, derivative = _derivative(traced, output, input)
    pattern = derivative.sparsity()
    entries = ca.densify(ca.vertcat(*derivative.nonzeros())) if pattern.nnz() else ca.SX(0, 1)
    function = _of_same_inputs(traced, f"d{output}_d{input}", arguments, entries, (pattern.nnz(),))
    rows, columns = np.array(pattern.row(), dtype=np.intp), np.array(pattern.get_col(), dtype=np.intp)
    return SparseJacobian(function, rows, columns, (derivative.shape[0], derivative.shape[1]))


def _derivative(traced: TracedFunction, output: str, input: str) -> tuple[list[Any], Any]:
    """Arguments, and the sparse matrix d(flat output)/d(flat input) in NumPy's order."""
    import casadi as ca

    if output not in traced.output_shapes:
        raise KeyError(f"{traced.name} has no output {output!r}; allowed are {list(traced.output_shapes)}")
    if input not in traced.input_shapes:
        raise KeyError(f"{traced.name} has no input {input!r}; allowed are {list(traced.input_shapes)}")
    function = to_casadi(traced)
    arguments = function.sx_in()
    result = function.call(arguments)[list(traced.output_shapes).index(output)]
    argument = arguments[list(traced.input_shapes).index(input)]
    column = flat_in_c_order(result, traced.output_shapes[output])
    order = flat_in_c_order(
        ca.DM(np.arange(argument.numel()).reshape(argument.shape, order="F")), traced.input_shapes[input]
    )
    by_columns = ca.jacobian(column, ca.vec(argument))  # CasADi wants the bare symbol, in its own order
    return arguments, by_columns[:, [int(k) for k in np.asarray(order).ravel()]]


def _of_same_inputs(
    traced: TracedFunction, name: str, arguments: list[Any], result: Any, shape: Shape
) -> TracedFunction:
    import casadi as ca

    function = ca.Function(name, arguments, [result], list(traced.input_shapes), [name])
    return from_casadi(function, traced.input_shapes, {name: shape})


def _shapes(
    names: list[str], sizes: list[tuple[int, int]], given: Mapping[str, Shape] | None
) -> dict[str, Shape]:
    shapes: dict[str, Shape] = {}
    for name, (rows, columns) in zip(names, sizes, strict=True):
        shape = (rows,) if columns == 1 else (rows, columns)
        wanted = tuple((given or {}).get(name, shape))
        if math.prod(wanted) != rows * columns or matrix_shape(wanted) != (rows, columns):
            raise ValueError(f"{name!r} is {rows} by {columns} in CasADi; it cannot have the shape {wanted}")
        shapes[name] = wanted
    return shapes
