"""Strong components of a graph, in an order in which each can be dealt with (Tarjan, 1972)."""

from __future__ import annotations

from collections.abc import Sequence


def strong_components(follows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups of nodes each of which leads to every other, each group after those that it leads to.

    Parameters
    ----------
    follows : sequence of sequences of int
        The nodes that each node leads to.

    Examples
    --------
    >>> strong_components([[1], [2], [1], [0, 3]])
    [[1, 2], [0], [3]]
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[list[int]] = []

    def visit(i: int) -> None:
        index[i] = low[i] = len(index)
        stack.append(i)
        for k in follows[i]:
            if k not in index:
                visit(k)
                low[i] = min(low[i], low[k])
            elif k in stack:
                low[i] = min(low[i], index[k])
        if low[i] == index[i]:
            cut = stack.index(i)
            found.append(stack[cut:])
            del stack[cut:]

    for i in range(len(follows)):
        if i not in index:
            visit(i)
    return found
