"""Strong components against those of SciPy, and their order."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ce_dynamics.algebra.pivoted_lu import strong_components
from tests.import_graph import circles


@pytest.mark.parametrize("arrows", [0, 3, 10, 20, 60])
def test_groups_are_those_of_scipy_in_order(arrows: int, rng: np.random.Generator) -> None:
    n = 12
    A = np.zeros((n, n))
    A[tuple(rng.integers(0, n, (2, arrows)))] = 1.0
    found = strong_components([np.flatnonzero(row).tolist() for row in A])
    _, labels = connected_components(csr_matrix(A), directed=True, connection="strong")
    expected = {frozenset(np.flatnonzero(labels == k).tolist()) for k in set(labels)}
    assert {frozenset(group) for group in found} == expected
    place = {node: k for k, group in enumerate(found) for node in group}
    assert all(place[j] <= place[i] for i, j in np.argwhere(A))


def test_circles_of_imports_are_named() -> None:
    edges = {"a": ["b", "d"], "b": ["c"], "c": ["b"], "d": [], "e": ["a"]}
    assert circles(edges) == [["b", "c"]]
