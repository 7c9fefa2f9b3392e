"""Helpers of tests that belong to no folder of the sources."""

from collections import Counter

from ce_dynamics.compiler import TracedFunction
from ce_dynamics.compiler.tracing.operations import Op


def count_operations(function: TracedFunction) -> dict[str, int]:
    """Return the number of occurrences of each operation, most frequent first."""
    count = Counter(op for op, _, _, _ in function.instructions)
    return {Op(op).name.lower(): n for op, n in count.most_common()}
