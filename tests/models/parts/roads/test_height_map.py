"""Height maps: through their nodes, compiled, and with edges."""

import numpy as np
import pytest

from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.map_files import HeightMap


def test_it_passes_through_its_nodes_and_compiles(rng: np.random.Generator) -> None:
    z = 0.1 * rng.normal(size=(8, 6))
    road = HeightMap(0.8, z, (2.0, 0.5), (-1.0, 0.4))
    height = compile_function(trace("height", lambda x: {"z": road.height(x[0], x[1])}, {"x": 2}))
    for i in range(8):
        for j in range(6):
            x, y = 2.0 + 0.5 * i, -1.0 + 0.4 * j
            assert road.height(x, y) == pytest.approx(z[i, j], abs=1e-14)
            assert float(height([x, y])[0]) == pytest.approx(z[i, j], abs=1e-14)


def test_margins_count_from_the_nearest_edge() -> None:
    road = HeightMap(0.8, np.zeros((11, 5)), (0.0, 1.0), (-2.0, 1.0))
    assert [road.margin(x, y) for x, y in ((1.0, 0.0), (5.0, 1.5), (10.5, 0.0))] == [1.0, 0.5, -0.5]


def test_gaps_and_shapes_are_named() -> None:
    z = np.zeros((3, 3))
    z[1, 2] = np.nan
    with pytest.raises(DataError, match=r"\(1, 2\) is nan.*1 of 9"):
        HeightMap(0.8, z, (0.0, 1.0), (0.0, 1.0))
    with pytest.raises(DataError, match="shape"):
        HeightMap(0.8, [1.0, 2.0], (0.0, 1.0), (0.0, 1.0))
    with pytest.raises(DataError, match="step"):
        HeightMap(0.8, np.zeros((3, 3)), (0.0, 0.0), (0.0, 1.0))
