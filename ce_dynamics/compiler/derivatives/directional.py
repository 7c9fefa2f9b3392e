"""Exact directional derivatives of traced functions, at a few times the function's cost."""

from __future__ import annotations

from ce_dynamics.compiler.derivatives.forward_mode import ForwardSweep, Gradient
from ce_dynamics.compiler.tracing.function import TracedFunction, extract
from ce_dynamics.compiler.tracing.graph import Graph


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
