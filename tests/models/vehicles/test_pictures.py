"""Pictures of vehicles: wheels where wheels are, roads as they are, cameras; pages by the command line."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.cli.command import execute
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.parts.paths import Gate
from ce_dynamics.models.parts.roads.kinds import road
from ce_dynamics.models.parts.roads.map_files import HeightMap
from ce_dynamics.models.parts.roads.surfaces import EDGE, BumpRoad, InclinedRoad
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.bodywork import FrameSizes, choose_style, cockpit, eye_position, styles
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.pictures import (
    ABOVE,
    CONE,
    CONES,
    EVEN,
    FINEST,
    MARK_WIDTH,
    MOST_POINTS,
    SIDE,
    SIGN,
    SIGN_AT,
    cameras_of,
    cones_of,
    draw_speed_sign,
    gates,
    lanes_of,
    picture_of,
    relief,
    road_of,
    shapes_of,
    tyres_of,
    units_of,
)
from ce_dynamics.models.vehicles.special_bodies import eyes_in, frame_of, single_seater


@pytest.fixture(scope="module")
def sedan() -> ce.System:
    return build(path="sedan", road=BumpRoad(0.8, 0.1, 2.0, 5.0, "left"))


def test_wheels_match_their_tyres_and_stand_on_road() -> None:
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


def test_gltf_file_of_vehicle_file_is_its_body(tmp_path: Path) -> None:
    """Ahead is z in glTF and x in vehicles, left x and y, up y and z."""
    trimesh = pytest.importorskip("trimesh", reason="the extra gltf is not installed")
    box = trimesh.creation.box(extents=(1.6, 1.0, 4.0))
    box.apply_translation((0.0, 0.7, -1.3))
    box.visual = trimesh.visual.TextureVisuals(
        material=trimesh.visual.material.PBRMaterial(baseColorFactor=[192, 64, 32, 255])
    )
    trimesh.Scene([box]).export(tmp_path / "box.glb")
    file = tmp_path / "car.yaml"
    file.write_text("format: 2\nbase: sedan\ntitle: Boxed\nbody: box.glb\n", "utf-8")
    case = prepare("step-steer", model=file, duration=0.1, practice=False)
    (shape,) = shapes_of(case.model.system, case.body_file)["chassis"]
    assert (shape.look, shape.colour) == ("paint", "#c04020")
    np.testing.assert_allclose(shape.points.min(axis=0), (-3.3, -0.8, 0.2), atol=1e-6)
    np.testing.assert_allclose(shape.points.max(axis=0), (0.7, 0.8, 1.2), atol=1e-6)
    (tmp_path / "box.glb").write_bytes(b"glTF nonsense")
    with pytest.raises(ce.DataError, match=r"box\.glb: not a glTF file"):
        shapes_of(case.model.system, case.body_file)
    file.write_text("format: 2\nbase: sedan\nbody: other.glb\n", "utf-8")
    with pytest.raises(ce.DataError, match=r"car\.yaml: body: no file 'other\.glb' beside it"):
        build(path=file)


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("sedan", "saloon"),
        ("hatchback", "hatchback"),
        ("van", "van"),
        ("off-roader", "off-roader"),
        ("hmmwv", "hmmwv"),
        ("truck", "truck"),
        ("formula-student", "single-seater"),
    ],
)
def test_bodywork_follows_class_and_clears_wheels(name: str, style: str) -> None:
    system = build(path=name)
    frame = frame_of(units_of(system)["chassis"])
    com = float(nominal(system.find("chassis").com)[2])
    assert choose_style(frame, com - frame.ground) == style
    shells = [shape for shape in shapes_of(system)["chassis"] if shape.kind == "mesh"]
    painted = [shape.points for shape in shells if shape.look == "paint"]
    points = np.concatenate(painted)
    low, high = points.min(axis=0), points.max(axis=0)
    assert frame.front < high[0]
    assert low[0] < (frame.front if style == "truck" else frame.rear)  # a cab is all of a truck's shell
    np.testing.assert_allclose(low[1], -high[1], atol=1e-12)
    assert low[2] > frame.ground
    # seen from the side, no point of the shell lies inside a wheel that it covers
    beside = np.abs(points[:, 1]) > frame.half - frame.tyre
    for x in frame.axles:
        apart = np.hypot(points[beside, 0] - x, points[beside, 2] - frame.ground - frame.radius)
        assert style in ("truck", "single-seater") or apart.min() > frame.radius


def test_shells_face_outwards(sedan: ce.System) -> None:
    shell = next(shape for shape in shapes_of(sedan)["chassis"] if shape.look == "paint")
    a, b, c = (shell.points[shell.triangles[:, k]] for k in range(3))
    # the volume of a closed surface, the mean of whose tetrahedra is positive if its faces look outwards
    assert np.einsum("ij,ij->", a - shell.points.mean(axis=0), np.cross(b - a, c - a)) > 0.0


def test_cones_stand_beside_gates() -> None:
    gate = Gate(10.0, 22.0, -1.0, 1.5)
    (cones,) = cones_of(SimpleNamespace(gates=[gate]), BumpRoad(0.8, 0.1, 2.0, 90.0, "left"))  # type: ignore[arg-type]
    feet = cones.points[::2]
    assert sorted({float(y) for y in feet[:, 1]}) == [-1.0 - CONE, 1.5 + CONE]
    assert np.diff(sorted({float(x) for x in feet[:, 0]})).max() <= CONES
    assert (feet[:, 0].min(), feet[:, 0].max()) == (10.0, 22.0)
    assert not list(cones_of(None, BumpRoad(0.8, 0.1, 2.0, 90.0, "left")))


def test_marks_lie_on_the_road_along_lanes() -> None:
    gate, road = Gate(78.0, 102.0, 0.5, 1.5), BumpRoad(0.8, 0.1, 2.0, 90.0, "left")
    marks = list(lanes_of(SimpleNamespace(gates=[gate]), road))  # type: ignore[arg-type]
    assert len(marks) == 2
    for mark, y in zip(marks, (1.5, 0.5), strict=True):
        right, left = mark.points[::2], mark.points[1::2]
        # where the road rises, too: the sides of a mark are level, as the bump is across
        heights = [nominal(road.height(x, y)) + ABOVE for x in right[:, 0].tolist()]
        np.testing.assert_allclose(right[:, 2], heights, atol=1e-12)
        np.testing.assert_allclose(left - right, [(0.0, MARK_WIDTH, 0.0)] * len(right), atol=1e-12)
        np.testing.assert_allclose(0.5 * (right + left)[:, 1], y, atol=1e-12)
        assert (right[0, 0], right[-1, 0]) == (78.0, 102.0)
        assert max(heights) > 0.09
        a, b, c = (mark.points[mark.triangles[:, k]] for k in range(3))
        assert np.cross(b - a, c - a)[:, 2].min() > 0.0  # seen from above
    assert not list(lanes_of(None, road))


@pytest.mark.parametrize("vehicle", ["sedan", "truck", "van-trailer"])
def test_instruments_name_series_of_results(vehicle: str) -> None:
    run = prepare("step-steer", model=vehicle, duration=0.1, practice=False)
    page = picture_of(run, run.simulate(rtol=1e-3))
    (take,) = page.takes
    shown = take.instruments
    assert shown is not None
    named = [shown.speed, shown.ax, shown.ay, shown.steering_wheel, shown.throttle, shown.brake, shown.gear]
    named += [name for wheel in shown.wheels for name in (wheel.load, wheel.slip, wheel.brake)]
    assert len(shown.wheels) == len(tyres_of(run.model.system))
    assert set(named) <= {series.name for series in take.series}
    assert {wheel.body for wheel in shown.wheels} <= {body.name for body in take.bodies}


def test_proving_ground_has_hills_and_ice() -> None:
    ground = road("proving-ground", 0.9)
    plane, *hills, ice = road_of(build(path="sedan", road=ground), np.array([[-20.0, -20.0], [200.0, 20.0]]))
    assert (plane.kind, [hill.kind for hill in hills], ice.kind) == ("plane", ["terrain"] * 2, "mesh")
    tops = sorted(hill.points[:, 2].max() for hill in hills)
    assert tops == pytest.approx([0.06, 4.0], abs=3.0 * EVEN)  # along x, along y and along diagonals
    x, y, _ = ice.points.mean(axis=0)
    assert (ground.friction(x, y), ground.friction(0.0, 0.0)) == pytest.approx((0.25, 0.9))


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


def test_thinned_roads_keep_both_sides() -> None:
    """A rough road has more places than are drawn; those left out must not be its edges."""
    way = np.array([[0.0, 0.0], [60.0, 3.0]])
    surface = relief(road("iso8608:E", 0.8), way)
    assert len(surface.points) <= MOST_POINTS
    np.testing.assert_allclose(surface.points[:, :2].min(axis=0), way.min(axis=0) - SIDE, atol=1e-9)
    np.testing.assert_allclose(surface.points[:, :2].max(axis=0), way.max(axis=0) + SIDE, atol=1e-9)


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


def test_steering_wheels_are_within_reach_of_eyes() -> None:
    frame = FrameSizes(0.8, -0.8, (0.8, -0.8), half=0.6, ground=-0.3, radius=0.26, tyre=0.09)
    seats = {name: (cockpit(style, frame), eye_position(style, frame)) for name, style in styles().items()}
    seats["single-seater"] = single_seater(frame), eyes_in("single-seater", frame)
    for name, (shapes, eyes) in seats.items():
        rods = [shape for shape in shapes if shape.colour == "#33383d"]
        away = np.concatenate([rod.points for rod in rods]) - eyes
        assert (away[:, 0] > 0.3).all(), name  # ahead of the chest
        assert (np.linalg.norm(away, axis=1) < 0.8).all(), name  # as far as arms reach
        assert (away[:, 2] < 0.0).all(), name  # the way is seen over it


def test_the_command_line_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, out = tmp_path / "new" / "run.html", tmp_path / "out"
    arguments = [
        "--vehicle", "ride", "--duration", "0.05", "--no-plots", "--output", str(out), "--view", str(page),
        "--table", str(page.with_suffix(".csv")),
    ]  # fmt: skip
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


def test_a_sign_shows_the_speed_beside_the_way() -> None:
    """50 has five strokes and six; the sign stands on the right, and all of it within its ring."""
    way = np.stack((np.linspace(0.0, 40.0, 81), np.zeros(81)), axis=1)
    post, back, ring, face, *strokes = draw_speed_sign(50.0 / 3.6, road("flat"), way)
    assert (back.kind, ring.kind, face.kind, len(strokes)) == ("plate", "plate", "plate", 5 + 6)
    middle = ring.points.mean(axis=0)
    assert middle[0] == pytest.approx(SIGN_AT[0])
    assert middle[1] == pytest.approx(-SIGN_AT[1])
    assert post.points[0, 2] == 0.0
    away = np.concatenate([stroke.points for stroke in strokes]) - middle
    assert np.linalg.norm(away[:, 1:], axis=1).max() < SIGN
    assert away[:, 0].max() < 0.0  # towards who arrives
    digits = [np.mean([s.points[:, 1].mean() for s in strokes[k]]) for k in (slice(0, 5), slice(5, 11))]
    assert digits[0] > digits[1]  # the five stands on the left for who drives ahead
    assert not list(draw_speed_sign(0.0, road("flat"), way))
    assert not list(draw_speed_sign(10.0, road("flat"), way[:20]))
