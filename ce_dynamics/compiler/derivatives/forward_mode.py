"""Exact derivatives of traced functions, forward mode: sparse Jacobians, and along one direction.

Every instruction carries its derivatives with respect to the inputs it depends on, and no others.  They are
written beside the instruction itself, so that the code stays as local as the formulas it came from: on the
HMMWV it runs 1.4 times as fast as one directional derivative after another, and can be cut where the function
can (`ce_dynamics.compiler.codegen.outliner`): the pieces share few values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.tracing.function import TracedFunction, extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import COMPARISONS, LOGICAL, UNARY, Op


class SparseJacobian(NamedTuple):
    """Jacobian whose structural zeros are left out."""

    # of the inputs of the original; its only output holds the entries, ordered by columns, then rows
    function: TracedFunction
    # positions of the entries; rows number the flattened output, columns the flattened input (C order)
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    shape: tuple[int, int]


Gradient = dict[int, int]
"""Derivative node by what it is a derivative by, such as an entry of an input; what is missing is zero."""


def sparse_forward_jacobian(traced: TracedFunction, output: str, input: str) -> SparseJacobian:
    """Return the derivative of an output with respect to an input, without its structural zeros.

    At switching points of selections, and of abs, it is the derivative of one of the branches; the derivative
    of the branch that is not taken never matters, not even if it is NaN.
    """
    if output not in traced.output_shapes:
        raise KeyError(f"{traced.name} has no output {output!r}; allowed are {list(traced.output_shapes)}")
    if input not in traced.input_shapes:
        raise KeyError(f"{traced.name} has no input {input!r}; allowed are {list(traced.input_shapes)}")
    which = list(traced.input_shapes).index(input)
    sweep = ForwardSweep(traced, lambda graph, k, entry: {entry: graph.constant(1.0)} if k == which else {})
    wanted = traced.outputs[list(traced.output_shapes).index(output)]
    entries = [(row, column, node) for row, n in enumerate(wanted) for column, node in sweep.gradient(n)]
    name = f"d{output}_d{input}"
    function = extract(
        name, sweep.graph, traced.input_shapes, {name: (len(entries),)}, [[node for _, _, node in entries]]
    )
    rows, columns = (np.array([entry[k] for entry in entries], dtype=np.intp) for k in (0, 1))
    return SparseJacobian(function, rows, columns, (len(wanted), math.prod(traced.input_shapes[input])))


class ForwardSweep:
    """One pass over the instructions that rebuilds each and adds its derivatives.

    ``seed`` returns the derivatives of an input's entry in the new graph.
    """

    def __init__(self, traced: TracedFunction, seed: Callable[[Graph, int, int], Gradient]) -> None:
        self.graph = Graph()
        self.zero, self.one = self.graph.constant(0.0), self.graph.constant(1.0)
        self.values: list[int] = []
        self.gradients: list[Gradient] = []
        marks = set(traced.marks)
        for n, (op, a, b, c) in enumerate(traced.instructions):
            if n in marks:
                self.graph.mark()
            if op == Op.CONST:
                value, gradient = self.graph.constant(traced.numbers[a]), {}
            elif op == Op.INPUT:
                value = self.graph.input(a, b)
                gradient = seed(self.graph, a, b)
            else:
                value, gradient = self._instruction(op, a, b, c)
            self.values.append(value)
            self.gradients.append(gradient)

    def gradient(self, n: int) -> list[tuple[int, int]]:
        """Return columns and nodes of the derivatives of instruction n that are not zero."""
        return [(k, node) for k, node in sorted(self.gradients[n].items()) if node != self.zero]

    def _instruction(self, op: int, a: int, b: int, c: int) -> tuple[int, Gradient]:
        graph, values, gradients = self.graph, self.values, self.gradients
        x = values[a]
        if op in LOGICAL:
            return self._condition(op, x, values[b]), {}
        if op == Op.NEG:
            return graph.neg(x), {k: graph.neg(node) for k, node in gradients[a].items()}
        if op in UNARY:
            value = graph.unary(op, x)
            return value, self._chain(gradients[a], lambda: self._unary(op, x, value))
        y = values[b]
        if op == Op.SELECT:
            parts = gradients[b], gradients[c]
            return graph.select(x, y, values[c]), {
                k: graph.select(x, *(part.get(k, self.zero) for part in parts)) for k in parts[0] | parts[1]
            }
        if op == Op.LOOKUP:  # between two indices nothing changes
            return graph.lookup(x, y, values[c]), {}
        if op == Op.ADD:
            return graph.add(x, y), self._sum(gradients[a], gradients[b])
        if op == Op.SUB:
            return graph.sub(x, y), self._difference(gradients[a], gradients[b])
        if op == Op.MUL:
            return graph.mul(x, y), self._sum(
                {k: graph.mul(y, node) for k, node in gradients[a].items()},
                {k: graph.mul(x, node) for k, node in gradients[b].items()},
            )
        if op == Op.DIV:
            value = graph.div(x, y)
            # d(x/y) = (dx − (x/y) dy) / y
            part = {k: graph.mul(value, node) for k, node in gradients[b].items()}
            return value, self._chain(self._difference(gradients[a], part), lambda: graph.div(self.one, y))
        value = graph.binary(op, x, y)
        by_x, by_y = self._binary(op, x, y, value)
        return value, self._sum(self._chain(gradients[a], by_x), self._chain(gradients[b], by_y))

    def _condition(self, op: int, x: int, y: int) -> int:
        graph = self.graph
        if op in COMPARISONS:
            result = graph.compare(op, x, y)
            assert not isinstance(result, bool), "comparisons of constants were folded when they were traced"
            return result
        if op == Op.NOT:
            return graph.logical_not(x)
        return graph.logical_and(x, y) if op == Op.AND else graph.logical_or(x, y)

    def _chain(self, inner: Gradient, outer: Callable[[], int]) -> Gradient:
        """Return derivatives times a factor, which is computed only if it is used."""
        if not inner:
            return {}
        factor = outer()
        return {k: self.graph.mul(factor, node) for k, node in inner.items()}

    def _sum(self, x: Gradient, y: Gradient) -> Gradient:
        return x | {k: self.graph.add(x[k], node) if k in x else node for k, node in y.items()}

    def _difference(self, x: Gradient, y: Gradient) -> Gradient:
        return x | {k: self.graph.sub(x.get(k, self.zero), node) for k, node in y.items()}

    def _unary(self, op: int, x: int, value: int) -> int:
        """Return the derivative of an elementary function at x, where its value is known."""
        g, one = self.graph, self.one
        square = g.mul(x, x)
        match op:
            case Op.SQRT:
                return g.div(g.constant(0.5), value)
            case Op.FABS:
                negative = g.compare(Op.LT, x, self.zero)
                assert not isinstance(negative, bool), "functions of constants were folded"
                return g.select(negative, g.constant(-1.0), one)
            case Op.SIN:
                return g.unary(Op.COS, x)
            case Op.COS:
                return g.neg(g.unary(Op.SIN, x))
            case Op.TAN:
                return g.add(one, g.mul(value, value))
            case Op.ASIN:
                return g.div(one, g.unary(Op.SQRT, g.sub(one, square)))
            case Op.ACOS:
                return g.neg(g.div(one, g.unary(Op.SQRT, g.sub(one, square))))
            case Op.ATAN:
                return g.div(one, g.add(one, square))
            case Op.EXP:
                return value
            case Op.LOG:
                return g.div(one, x)
            case Op.TANH:
                return g.sub(one, g.mul(value, value))
            case Op.FLOOR | Op.CEIL:
                return self.zero
            case Op.SINH:
                return g.unary(Op.COSH, x)
            case Op.COSH:
                return g.unary(Op.SINH, x)
            case Op.ASINH:
                return g.div(one, g.unary(Op.SQRT, g.add(square, one)))
            case Op.ACOSH:
                return g.div(one, g.unary(Op.SQRT, g.sub(square, one)))
            case Op.ATANH:
                return g.div(one, g.sub(one, square))
            case Op.EXPM1:
                return g.add(value, one)
            case Op.LOG1P:
                return g.div(one, g.add(one, x))
            case Op.ERF:
                return g.mul(g.constant(2.0 / math.sqrt(math.pi)), g.unary(Op.EXP, g.neg(square)))
        raise NotImplementedError(f"operation {Op(op).name} has no derivative here")

    def _binary(self, op: int, x: int, y: int, value: int) -> tuple[Callable[[], int], Callable[[], int]]:
        """Return functions that form the derivatives of an elementary function with respect to x and to y."""
        g, one = self.graph, self.one

        def over_square(node: int) -> int:
            return g.div(node, g.add(g.mul(x, x), g.mul(y, y)))

        def sign(node: int) -> int:
            return g.binary(Op.COPYSIGN, one, node)

        match op:
            case Op.ATAN2:
                return lambda: over_square(y), lambda: g.neg(over_square(x))
            case Op.POW:
                return (
                    lambda: g.mul(y, g.binary(Op.POW, x, g.sub(y, one))),
                    lambda: g.mul(value, g.unary(Op.LOG, x)),
                )
            case Op.HYPOT:
                return lambda: g.div(x, value), lambda: g.div(y, value)
            case Op.COPYSIGN:
                return lambda: g.mul(sign(x), sign(y)), lambda: self.zero
            case Op.FMOD:
                # x − n y with the whole number n that leaves it between 0 and y
                return lambda: one, lambda: g.div(g.sub(value, x), y)
        raise NotImplementedError(f"operation {Op(op).name} has no derivative here")


def directional_derivative(traced: TracedFunction) -> TracedFunction:
    """Return all outputs' derivatives along one direction of all inputs.

    Parameters
    ----------
    traced : TracedFunction
        A function f of inputs a, b, ...

    Returns
    -------
    TracedFunction
        Of a, b, ... and directions ``a_direction``, ``b_direction``, ... of their shapes; for every output y
        of f it has ``y_direction``, the sum of (∂y/∂a) a_direction, (∂y/∂b) b_direction, ...

    Examples
    --------
    >>> from ce_dynamics.compiler import trace
    >>> product = trace("product", lambda a, b: {"y": a * b}, {"a": (), "b": ()})
    >>> directional_derivative(product).evaluate(a=2.0, b=5.0, a_direction=1.0, b_direction=0.1)
    {'y_direction': array(5.2)}
    """
    number = len(traced.input_shapes)

    def seed(graph: Graph, which: int, entry: int) -> Gradient:
        return {0: graph.input(number + which, entry)}

    sweep = ForwardSweep(traced, seed)
    directions = {f"{name}_direction": shape for name, shape in traced.input_shapes.items()}
    return extract(
        f"{traced.name}_direction",
        sweep.graph,
        {**traced.input_shapes, **directions},
        {f"{name}_direction": shape for name, shape in traced.output_shapes.items()},
        [[sweep.gradients[n].get(0, sweep.zero) for n in nodes] for nodes in traced.outputs],
    )
