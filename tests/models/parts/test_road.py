"""Roads: normals against differences of the heights, shapes, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.road import BumpRoad, FlatRoad, InclinedRoad, Road
from tests.ce_dynamics.opaque import Opaque, reveal, reveal_scalar

ROADS = [
    FlatRoad(0.8),
    InclinedRoad(0.8, 0.3),
    InclinedRoad(0.8, -0.1),
    BumpRoad(0.8, 0.1, 2.0, 1.0),
    BumpRoad(0.8, -0.15, 0.7, -0.2, "left"),
    BumpRoad(0.8, 0.12, 3.0, -1.0, "right"),
]


@pytest.mark.parametrize("road", ROADS)
def test_normal_is_perpendicular_to_the_surface(road: Road, rng: np.random.Generator) -> None:
    h = 1e-6
    points = [
        *rng.uniform(-3.0, 4.0, (40, 2)),
        *np.column_stack([rng.uniform(-1, 3, 40), rng.uniform(-0.1, 0.1, 40)]),
    ]
    for x, y in points:
        along_x = np.array([2.0 * h, 0.0, road.height(x + h, y) - road.height(x - h, y)])
        along_y = np.array([0.0, 2.0 * h, road.height(x, y + h) - road.height(x, y - h)])
        n = road.normal(x, y)
        assert float(n @ n) == pytest.approx(1.0, rel=1e-14)
        # Third derivative ≤ h0 (2π/0.7)³ ~ 50 1/m², or across the edge h0 60/0.2³ ~ 1e3: times h² = 1e-9;
        # at an end of the bump the second derivative (≤ 6 1/m) jumps: times h/2 = 3e-6.  Rounding 1e-16/h.
        assert abs(float(n @ along_x)) / (2.0 * h) < 5e-6
        assert abs(float(n @ along_y)) / (2.0 * h) < 5e-6
        assert n[2] > 0.0


def test_incline_rises_with_its_angle() -> None:
    road = InclinedRoad(0.8, math.radians(10.0))
    rise = road.height(7.0, 1.0) - road.height(2.0, -3.0)
    assert math.atan2(rise, 5.0) == pytest.approx(math.radians(10.0), rel=1e-14)


@pytest.mark.parametrize(
    ("track", "left", "right"), [("both", 0.1, 0.1), ("left", 0.1, 0.0), ("right", 0.0, 0.1)]
)
def test_bump_is_where_it_was_put(track: str, left: float, right: float) -> None:
    road = BumpRoad(0.8, 0.1, 2.0, 5.0, track)
    assert road.height(6.0, 0.9) == pytest.approx(left, abs=1e-15)
    assert road.height(6.0, -0.9) == pytest.approx(right, abs=1e-15)
    for x in (4.999, 7.001, -50.0, 50.0):
        assert abs(road.height(x, 0.9)) < 1e-15


@pytest.mark.parametrize("road", ROADS)
def test_runs_on_traced_scalars(road: Road) -> None:
    x, y = 1.3, 0.03
    assert reveal_scalar(road.height(Opaque(x), Opaque(y))) == road.height(x, y)
    assert np.array_equal(reveal(road.normal(Opaque(x), Opaque(y))), road.normal(x, y))


@pytest.mark.parametrize("friction", [0.0, -0.1, math.nan, math.inf])
def test_wrong_friction_is_refused(friction: float) -> None:
    with pytest.raises(DataError, match="friction"):
        FlatRoad(friction)


def test_wrong_bumps_and_grades_are_refused() -> None:
    with pytest.raises(DataError, match="length"):
        BumpRoad(0.8, 0.1, 0.0, 0.0)
    with pytest.raises(DataError, match="track"):
        BumpRoad(0.8, 0.1, 1.0, 0.0, "middle")
    with pytest.raises(DataError, match="angle"):
        InclinedRoad(0.8, 1.5)
