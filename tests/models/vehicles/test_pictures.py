"""Pictures of vehicles: wheels where wheels are, roads as they are, cameras; pages by the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.cli.command import execute
from ce_dynamics.models.parts.roads.kinds import road
from ce_dynamics.models.parts.roads.map_files import HeightMap
from ce_dynamics.models.parts.roads.surfaces import EDGE, BumpRoad, InclinedRoad
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.pictures import (
    EVEN,
    FINEST,
    cameras_of,
    gates,
    relief,
    road_of,
    shapes_of,
)


@pytest.fixture(scope="module")
def sedan() -> ce.System:
    return build(path="sedan", road=BumpRoad(0.8, 0.1, 2.0, 5.0, "left"))


def test_wheels_are_as_large_as_their_tyres_and_stand_on_the_road() -> None:
    system = build(path="hmmwv")
    (take,) = ce.view(ce.compile(system), shapes=shapes_of(system)).takes
    names = [body.name for body in take.bodies]
    for corner in ("front_left", "rear_right"):
        k = names.index(f"{corner}.wheel")
        (drawn,) = take.bodies[k].shapes
        np.testing.assert_allclose(drawn.points.mean(axis=0), 0.0, atol=1e-15)
        # 37 inches across as sold; it starts a hand's breadth above or below where it settles
        assert drawn.radius == pytest.approx(18.5 * 0.0254, abs=0.001)
        assert abs(take.places[0, k, 2] - drawn.radius) < 0.1


def test_roads_are_drawn_as_they_are() -> None:
    rng = np.random.default_rng(1)
    bump = BumpRoad(0.8, 0.1, 2.0, 5.0, "left")
    way = np.array([[0.0, 0.0], [12.0, 1.0]])
    surface = relief(bump, way)
    assert len(surface.points) < 20_000
    corners = surface.points[surface.triangles]
    parts = rng.dirichlet((1, 1, 1), len(corners))
    inside = np.einsum("nk,nkj->nj", parts, corners)
    heights = np.array([bump.height(x, y) for x, y, _ in inside])
    # straight to within EVEN and to what is missed in between, h²/8 max |z''|, in either direction; the bump
    # fades out over 0.2 m by a step whose second derivative is 6 at most, along x it is 0.1 π²/2 (2/length)²
    missed = FINEST**2 / 8 * 0.1 * (6 / EDGE**2 + np.pi**2 / 2)
    assert np.abs(inside[:, 2] - heights).max() < 2 * EVEN + missed
    assert surface.points[:, 2].max() == pytest.approx(0.1, abs=EVEN)


def test_small_maps_are_drawn_up_to_their_edges() -> None:
    """However level: all of 20 m by 12 m but for less than `FINEST` at each edge, as seen from above."""
    level = HeightMap(0.8, np.zeros((3, 3)), (0.0, 10.0), (-6.0, 6.0))
    surface = relief(level, np.array([[-10.0, 0.0], [40.0, 0.0]]))
    a, b, c = (surface.points[surface.triangles[:, k], :2] for k in range(3))
    (ax, ay), (bx, by) = (b - a).T, (c - a).T
    area = 0.5 * np.abs(ax * by - ay * bx).sum()
    assert (20.0 - 2 * FINEST) * (12.0 - 2 * FINEST) < area <= 240.0


def test_an_inclined_road_is_a_plane() -> None:
    (drawn,) = road_of(build(path="sedan", road=InclinedRoad(0.8, 0.1)), np.zeros((1, 2)))
    np.testing.assert_allclose(drawn.points[1] - drawn.points[0], [-np.sin(0.1), 0, np.cos(0.1)], atol=1e-15)


def test_gates_show_what_is_plumb_on_inclined_roads() -> None:
    way = np.stack((np.linspace(0.0, 45.0, 91), 0.1 * np.linspace(0.0, 45.0, 91)), axis=1)
    way = np.concatenate((way, way[-1:]))  # at last it stands
    banked = road("bank:0.08 + grade:0.06")
    system = build(path="sedan", road=banked)
    drawn = list(gates(system, way))
    assert len(drawn) == 9  # at 10, 30 and 50 m
    for left, right, beam in (drawn[k : k + 3] for k in (0, 3, 6)):
        for post in (left, right):
            np.testing.assert_allclose(np.diff(post.points, axis=0)[0, :2], 0.0, atol=1e-12)
            assert post.points[0, 2] == pytest.approx(banked.height(*post.points[0, :2]), abs=1e-12)
        assert np.linalg.norm(np.diff(beam.points, axis=0)) == pytest.approx(8.0)
        assert np.ptp(beam.points[:, 2]) == 0.0
        across = np.diff(beam.points, axis=0)[0, :2] @ (1.0, 0.1)
        assert abs(across) < 1e-9  # square to the way
    assert not list(gates(system, way[:1]))
    assert not list(gates(build(path="sedan", road=road("iso8608:C")), way))


def test_cameras_look_forward_and_at_every_wheel(sedan: ce.System) -> None:
    cameras = {camera.name: camera for camera in cameras_of(sedan)}
    assert len(cameras) == 1 + 2 * 4
    ahead = np.asarray(cameras["driver"].target) - cameras["driver"].eye
    assert ahead[0] > 0.9 * np.linalg.norm(ahead)
    left, right = cameras["wheel front_left"], cameras["wheel front_right"]
    assert left.eye[1] > left.target[1] > 0.0 > right.target[1] > right.eye[1]


def test_the_command_line_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, out = tmp_path / "new" / "run.html", tmp_path / "out"
    arguments = [
        "--vehicle",
        "ride",
        "--duration",
        "0.05",
        "--no-plots",
        "--output",
        str(out),
        "--view",
        str(page),
        "--table",
        str(page.with_suffix(".csv")),
    ]
    assert execute(arguments) == 0
    told = capsys.readouterr().out
    assert f"page: {page}" in told
    assert f"table: {page.with_suffix('.csv')}" in told
    head, *rows = page.with_suffix(".csv").read_text().splitlines()
    assert head.startswith("time [s],")
    assert float(rows[-1].split(",")[0]) == 0.05
    assert execute([*arguments[:-1], str(page.with_suffix(".xls"))]) == 2
    assert ".parquet" in capsys.readouterr().err
    assert "front_left.spindle" in page.read_text("utf-8")
