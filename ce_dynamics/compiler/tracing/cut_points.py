"""Marks at which a traced function may be cut: between pieces of work that repeat.

A function that runs over bodies marks the start of each body. Long functions are compiled in pieces between
marks, equal pieces once (`ce_dynamics.compiler.codegen.outliner`). A mark changes no result.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from ce_dynamics.compiler.tracing.graph import Graph

_tracing: ContextVar[Graph | None] = ContextVar("tracing", default=None)


def mark() -> None:
    """Mark the begin of a separate piece of work; it has no effect unless a function is traced."""
    graph = _tracing.get()
    if graph is not None:
        graph.mark()


@contextlib.contextmanager
def marking(graph: Graph) -> Iterator[None]:
    """Let marks go to a graph."""
    token = _tracing.set(graph)
    try:
        yield
    finally:
        _tracing.reset(token)
