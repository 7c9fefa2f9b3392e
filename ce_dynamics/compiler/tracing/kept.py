"""Leave out of a traced function what nobody asks for."""

from __future__ import annotations

from collections.abc import Collection

from ce_dynamics.compiler.tracing.function import TracedFunction, extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import Op


def with_entries(traced: TracedFunction, output: str, entries: Collection[int]) -> TracedFunction:
    """The same function, but of one output only some entries are computed.

    Parameters
    ----------
    traced : TracedFunction
    output : str
        Name of the output.
    entries : collection of int
        Places in the flattened output that are wanted; the others are 0.

    Returns
    -------
    TracedFunction
        With the same shapes, and the same bits in all that is wanted.

    Examples
    --------
    >>> from ce_dynamics.compiler import trace
    >>> f = trace("f", lambda x: {"y": [x + 1.0, x * x], "z": x - 1.0}, {"x": ()})
    >>> with_entries(f, "y", [1]).evaluate(x=3.0)
    {'y': array([0., 9.]), 'z': array(2.)}
    """
    graph = Graph()
    graph.nodes = list(traced.instructions)
    graph.numbers = list(traced.numbers)
    graph.marks = list(traced.marks)
    zero = len(graph.nodes)
    graph.nodes.append((int(Op.CONST), len(graph.numbers), -1, -1))
    graph.numbers.append(0.0)
    wanted = frozenset(entries)
    outputs = [
        [n if name != output or k in wanted else zero for k, n in enumerate(nodes)]
        for name, nodes in zip(traced.output_shapes, traced.outputs, strict=True)
    ]
    return extract(traced.name, graph, traced.input_shapes, traced.output_shapes, outputs)
