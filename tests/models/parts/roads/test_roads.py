"""Roads: normals against differences of the heights, shapes, refusals."""

import math

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.contract import PlacedRoad, Road, SplitFriction, SumRoad
from ce_dynamics.models.parts.roads.iso8608 import RandomRoad
from ce_dynamics.models.parts.roads.map_files import HeightMap
from ce_dynamics.models.parts.roads.surfaces import (
    BumpRoad,
    FlatRoad,
    HillsRoad,
    InclinedRoad,
    KerbRoad,
    RampRoad,
)
from tests.ce_dynamics.opaque import Opaque, reveal, reveal_scalar

RNG = np.random.default_rng(5)
ROADS: list[Road] = [
    FlatRoad(0.8),
    InclinedRoad(0.8, 0.3),
    InclinedRoad(0.8, -0.1, 0.2),
    BumpRoad(0.8, 0.1, 2.0, 1.0),
    BumpRoad(0.8, -0.15, 0.7, -0.2, "left"),
    BumpRoad(0.8, 0.12, 3.0, -1.0, "right"),
    RampRoad(0.8, 0.2, -1.0, 2.0, 0.7),
    HillsRoad(0.8, 0.1, -2.0, -1.5, 5.0, 4.0, 3),
    KerbRoad(0.8, 0.03, 0.5, edge=0.4),
    KerbRoad(0.8, -0.02, 0.5, length=1.1, edge=0.5, track="left"),
    RandomRoad(0.8, "A", seed=2, start=-4.0, fade=2.0, length=100.0),
    HeightMap(0.8, 0.03 * RNG.normal(size=(9, 8)), x=(-4.0, 1.0), y=(-3.5, 1.1)),
    PlacedRoad(
        HeightMap(0.8, 0.03 * RNG.normal(size=(19, 15)), (-9.0, 1.0), (-7.0, 1.0)), 0.5, -0.3, 2.0, 0.7
    ),
    SumRoad(0.8, [InclinedRoad(0.8, 0.1), RampRoad(0.8, -0.2, 0.0, 2.0), BumpRoad(0.8, 0.1, 2.0, 1.0)]),
]


@pytest.mark.parametrize("road", ROADS, ids=lambda road: road.title)
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


def test_hills_have_tops_between_level_edges() -> None:
    road = HillsRoad(0.8, 0.2, 10.0, -3.0, 6.0, 4.0, 3)
    for k in range(3):
        assert road.height(11.0 + 2.0 * k, -1.0) == pytest.approx(0.2, abs=1e-15)
        assert road.height(10.0 + 2.0 * k, -1.0) == pytest.approx(0.0, abs=1e-15)
    for x, y in ((9.0, -1.0), (17.0, -1.0), (11.0, -3.1), (11.0, 1.1)):
        assert road.height(x, y) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    ("track", "left", "right"), [("both", 0.1, 0.1), ("left", 0.1, 0.0), ("right", 0.0, 0.1)]
)
def test_bump_is_where_it_was_put(track: str, left: float, right: float) -> None:
    road = BumpRoad(0.8, 0.1, 2.0, 5.0, track)
    assert road.height(6.0, 0.9) == pytest.approx(left, abs=1e-15)
    assert road.height(6.0, -0.9) == pytest.approx(right, abs=1e-15)
    for x in (4.999, 7.001, -50.0, 50.0):
        assert abs(road.height(x, 0.9)) < 1e-15


@pytest.mark.parametrize("road", ROADS, ids=lambda road: road.title)
def test_runs_on_traced_scalars(road: Road) -> None:
    x, y = 1.3, 0.03
    assert reveal_scalar(road.height(Opaque(x), Opaque(y))) == road.height(x, y)
    assert np.array_equal(reveal(road.normal(Opaque(x), Opaque(y))), road.normal(x, y))


@pytest.mark.parametrize("friction", [0.0, -0.1, math.nan, math.inf])
def test_wrong_friction_is_refused(friction: float) -> None:
    with pytest.raises(DataError, match="friction"):
        FlatRoad(friction)


@pytest.mark.parametrize("road", ROADS, ids=lambda road: road.title)
def test_nothing_is_sharper_than_it_says(road: Road, rng: np.random.Generator) -> None:
    h = 1e-4
    bends = [
        abs(road.height(x + h, y) - 2.0 * road.height(x, y) + road.height(x - h, y)) / h**2
        for x, y in rng.uniform(-3.0, 4.0, (200, 2)).tolist()
    ]
    # rounding 4e-16/h²; splines bend at most as much as 3 times the second difference of their nodes
    assert max(bends) <= 3.0 * road.sharpness + 1e-6


def test_a_kerb_goes_up_and_down() -> None:
    kerb = KerbRoad(0.8, 0.1, 10.0, length=3.0, edge=0.05)
    heights = [kerb.height(x, 0.0) for x in (9.99, 10.025, 10.06, 12.94, 12.975, 13.01)]
    assert heights == pytest.approx([0.0, 0.05, 0.1, 0.1, 0.05, 0.0], abs=1e-12)
    assert KerbRoad(0.8, 0.1, 10.0).height(500.0, 0.0) == 0.1


def test_a_ramp_rises_by_its_grade() -> None:
    ramp = RampRoad(0.8, 0.2, 5.0, 10.0)
    assert ramp.height(100.0, 0.0) == pytest.approx(2.0)
    assert ramp.slope(10.0, 0.0) == (0.2, 0.0)


def test_sums_and_places() -> None:
    uphill, bump = InclinedRoad(0.8, 0.1), BumpRoad(0.8, 0.1, 2.0, 5.0)
    both = SumRoad(0.5, [uphill, bump])
    assert both.height(6.0, 1.0) == pytest.approx(uphill.height(6.0, 1.0) + 0.1)
    assert both.friction(0.0, 0.0) == 0.5
    assert both.margin(0.0, 0.0) is None
    turned = PlacedRoad(bump, x=3.0, y=4.0, z=1.0, heading=math.pi / 2)  # its x axis points along y
    assert turned.height(3.0, 10.0) == pytest.approx(1.1)
    map_ = HeightMap(0.8, np.zeros((3, 3)), (0.0, 1.0), (-1.0, 1.0))
    assert PlacedRoad(map_, x=10.0).margin(10.5, 0.8) == pytest.approx(0.2)
    split = turned.with_friction(SplitFriction(0.9, 0.3))
    assert [split.friction(3.0 + x, 4.0) for x in (-1.0, 1.0)] == pytest.approx(
        [0.9, 0.3]
    )  # left and right of the bump's x axis
    assert turned.friction(2.0, 4.0) == bump.friction(0.0, 0.0)
    assert SumRoad(0.8, [uphill, map_]).margin(-2.0, 0.0) == pytest.approx(-2.0)


def test_wrong_bumps_and_grades_are_refused() -> None:
    with pytest.raises(DataError, match="length"):
        BumpRoad(0.8, 0.1, 0.0, 0.0)
    with pytest.raises(DataError, match="track"):
        BumpRoad(0.8, 0.1, 1.0, 0.0, "middle")
    with pytest.raises(DataError, match="angle"):
        InclinedRoad(0.8, 1.5)
    with pytest.raises(DataError, match="length"):
        KerbRoad(0.8, 0.1, 0.0, length=0.08, edge=0.05)
    with pytest.raises(DataError, match="bank"):
        InclinedRoad(0.8, 0.0, math.nan)
