"""Contact with the road: planes, mirror images, edges; energy that comes back."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import BumpRoad, FlatRoad, InclinedRoad, KerbRoad
from ce_dynamics.models.tyres.contact.choice import METHODS, interval, method_for, relative_deflection
from ce_dynamics.models.tyres.contact.frame import WheelContact, WheelPose, contact_on

Vector = NDArray[np.float64]

R0, WIDTH = 0.47, 0.3
STILL = np.zeros(3)
LEFT = np.array([0.0, 1.0, 0.0])

BUMP, KERB, HOLE = (
    BumpRoad(0.8, 0.2, 0.4, 0.0),
    KerbRoad(0.8, 0.1, 0.0, edge=0.06),
    KerbRoad(0.8, -0.1, 0.0, length=0.45, edge=0.06),
)


def contact(method: str, road: Road, r: Vector, axis: Vector = LEFT, v: Vector = STILL) -> WheelContact:
    pose = WheelPose(R0, WIDTH, r, axis)
    return contact_on(METHODS[method].plane(road, pose), pose, v, STILL)


def on_plane(
    road: Road, yaw: float, camber: float, depth: float, rng: np.random.Generator
) -> tuple[Vector, Vector]:
    """Centre and axis of a wheel that is pressed so deep into a plane."""
    axis = np.array([-math.sin(yaw) * math.cos(camber), math.cos(yaw) * math.cos(camber), math.sin(camber)])
    x, y = rng.uniform(-5.0, 5.0, 2)
    n = np.asarray(road.normal(x, y), dtype=float)
    radial = n - (n @ axis) * axis
    return np.array([x, y, road.height(x, y)]) + (R0 - depth) / np.linalg.norm(radial) * radial, axis


def test_four_points_are_exact_on_planes(rng: np.random.Generator) -> None:
    for _ in range(50):
        road = InclinedRoad(0.8, *rng.uniform(-0.4, 0.4, 2))
        r, axis = on_plane(road, rng.uniform(-3.0, 3.0), rng.uniform(-0.2, 0.2), rng.uniform(-0.1, 0.1), rng)
        v = rng.normal(size=3)
        exact, found = (contact(method, road, r, axis, v) for method in ("tangent", "points"))
        for name, value in exact._asdict().items():
            np.testing.assert_allclose(getattr(found, name), value, rtol=0, atol=2e-13, err_msg=name)


@pytest.mark.parametrize(("depth", "part"), [(0.02, 0.02), (0.04, 0.01), (0.1, 0.02), (0.2, 0.03)])
def test_areas_are_those_of_planes(depth: float, part: float, rng: np.random.Generator) -> None:
    """Upright on grades: ends of the chord, 0.27 to 0.77 m long, lie between nodes 0.038 m apart."""
    for _ in range(20):
        road = InclinedRoad(0.8, rng.uniform(-0.3, 0.3))
        r, axis = on_plane(road, rng.choice([0.0, math.pi]), 0.0, depth, rng)
        found = contact("covered", road, r, axis)
        assert found.deflection == pytest.approx(depth, rel=part)
        assert found.share == pytest.approx(1.0, abs=2.0 * part)
        np.testing.assert_allclose(found.e_n, road.normal(0.0, 0.0), atol=part)


def test_across_a_slope_the_tread_has_width(rng: np.random.Generator) -> None:
    road = InclinedRoad(0.8, 0.1, 0.1)
    for yaw in (0.3, 2.0):
        r, axis = on_plane(road, yaw, 0.03, 0.1, rng)
        found = contact("covered", road, r, axis)
        np.testing.assert_allclose(found.e_n, road.normal(0.0, 0.0), atol=0.02)
        assert found.deflection == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("q", [1e-6, 0.01, 0.1, 0.3, 0.6])
def test_deflection_belongs_to_the_area_of_a_segment(q: float) -> None:
    area = math.acos(1.0 - q) - (1.0 - q) * math.sqrt(2.0 * q - q * q)
    # the next term of the series is 0.0062 k⁴; the arc cosine errs by the rounding of 1 − q over √(2q)
    tolerance = 2.0 * 0.0062 * q**4 + 1e-9 + 2.2e-16 / (math.sqrt(2.0 * q) * area)
    assert relative_deflection(area) == pytest.approx(q, rel=tolerance)


def test_intervals_make_up_the_segment() -> None:
    """Chords and arcs between the nodes of half a circle are its area."""
    nodes = np.linspace(-R0, R0, 26)
    parts = [interval(R0, a, b) for a, b in itertools.pairwise(nodes)]
    chords = [
        0.5 * (b - a) * sum(math.sqrt(max(R0**2 - x * x, 0.0)) for x in (a, b))
        for a, b in itertools.pairwise(nodes)
    ]
    assert sum(area for area, _ in parts) + sum(chords) == pytest.approx(0.5 * math.pi * R0**2, rel=1e-12)
    assert sum(rise for _, rise in parts) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_in_the_air_there_is_no_deflection(method: str) -> None:
    for road in (FlatRoad(0.8), BUMP):
        c = contact(method, road, np.array([-3.0, 0.0, 0.6]), v=np.array([3.0, 0.0, -1.0]))
        assert c.deflection <= 1e-11
        assert all(np.isfinite(value).all() for value in c)


def push(road: Road, x: float, z: float, method: str = "covered") -> Vector:
    """Force of a linear tyre [N per N/m]."""
    c = contact(method, road, np.array([x, 0.0, z]))
    return np.asarray(max(float(c.deflection), 0.0) * c.share * c.e_n)


def test_an_edge_pushes_back_and_then_up() -> None:
    """A kerb before the axle brakes; one under it carries; one behind it, going down, pushes forward."""
    ahead, over, behind = (push(road, x, 0.44) for road, x in ((KERB, -0.15), (KERB, 0.6), (BUMP, 0.55)))
    assert ahead[0] < -0.1 * ahead[2] < 0.0
    assert abs(over[0]) < 1e-3 * over[2]
    assert behind[0] > 0.1 * behind[2] > 0.0


def test_edges_do_not_throw_the_vehicle() -> None:
    """A bump of 0.2 m by 0.4 m under a wheel at a constant height."""
    way = np.linspace(-0.6, 1.0, 81)
    tangent, covered = (
        np.array([push(BUMP, x, 0.44, method) for x in way]) for method in ("tangent", "covered")
    )
    assert np.linalg.norm(tangent, axis=1).max() > 3.0 * np.linalg.norm(covered, axis=1).max()
    # within 2 cm the force changes by less than a fifth of the largest
    assert (
        np.linalg.norm(np.diff(covered, axis=0), axis=1).max() < np.linalg.norm(covered, axis=1).max() / 5.0
    )


@pytest.mark.parametrize("road", [BUMP, KERB, HOLE], ids=["bump", "kerb", "hole"])
def test_energy_comes_back(road: Road) -> None:
    """Round closed ways in the plane of the wheel a tyre that only springs does no work."""
    for x, z, a, b in ((0.0, 0.45, 0.25, 0.05), (0.3, 0.50, 0.2, 0.08), (-0.1, 0.42, 0.1, 0.03)):
        phi = np.linspace(0.0, 2.0 * math.pi, 721)
        way = np.column_stack((x + a * np.cos(phi), z + b * np.sin(phi)))
        force = np.array([push(road, *at)[[0, 2]] for at in way])
        steps = np.diff(way, axis=0)
        work = np.sum(0.5 * (force[1:] + force[:-1]) * steps, axis=1)
        # nodes are 0.038 m apart and edges 0.06 m wide
        assert abs(work.sum()) < 0.03 * np.abs(work).sum()


@pytest.mark.parametrize("method", METHODS)
def test_left_and_right_are_images(method: str, rng: np.random.Generator) -> None:
    for road, image in (
        (BumpRoad(0.8, 0.1, 0.8, 0.0, "left"), BumpRoad(0.8, 0.1, 0.8, 0.0, "right")),
        (InclinedRoad(0.8, 0.1, 0.2), InclinedRoad(0.8, 0.1, -0.2)),
    ):
        r = np.array([0.3, 0.05, 0.46])
        axis = np.array([0.05, 1.0, 0.08]) / np.linalg.norm([0.05, 1.0, 0.08])
        v = rng.normal(size=3)
        mirror = np.array([1.0, -1.0, 1.0])
        one = contact(method, road, r, axis, v)
        other = contact(method, image, r * mirror, -axis * mirror, v * mirror)
        assert other.deflection == pytest.approx(one.deflection, abs=1e-13)
        assert (other.v_x, other.v_y) == pytest.approx((one.v_x, -one.v_y), abs=1e-12)
        np.testing.assert_allclose(other.e_n * mirror, one.e_n, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_floats_and_machine_code_agree(method: str, rng: np.random.Generator) -> None:
    def found(x: Vector) -> dict[str, Vector]:
        c = contact(method, BUMP, x[:3], LEFT, x[3:])
        return {
            "c": np.array(
                [*c.r, *c.e_n, c.deflection, c.deflection_rate, c.v_x, c.v_y, c.share], dtype=object
            )
        }

    compiled: Callable[[Vector], tuple[Vector, ...]] = compile_function(trace("contact", found, {"x": 6}))
    for _ in range(20):
        x = np.array([*rng.uniform([-0.5, -0.3, 0.4], [0.9, 0.3, 0.7]), *rng.normal(size=3)])
        np.testing.assert_allclose(
            compiled(x)[0], np.asarray(found(x)["c"], dtype=float), rtol=1e-9, atol=1e-12
        )


def test_roads_ask_for_their_method() -> None:
    assert method_for(InclinedRoad(0.8, 0.1), R0) is METHODS["tangent"]
    assert method_for(BumpRoad(0.8, 0.1, 2.0, 0.0), R0) is METHODS["points"]
    assert method_for(BUMP, R0) is METHODS["covered"]
