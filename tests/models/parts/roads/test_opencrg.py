"""OpenCRG: heights against two libraries, edges, refusals.  The files are our own, written here."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson

from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.opencrg import read_opencrg

pyopencrg = pytest.importorskip("pyopencrg")
pycrg = pytest.importorskip("pycrg")

NODES = """$CT
$
{options}$ROAD_CRG
reference_line_start_u = 0.0
reference_line_end_u = 10.0
reference_line_increment = 0.5
reference_line_start_x = {x}
reference_line_start_y = {y}
reference_line_start_phi = {phi}
$KD_DEFINITION
#:LRFI
U:reference line u,m,0.0,0.5
{channels}$
$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$
"""

SINGLE = 1e-8
"""[m]: the library in C holds heights in single precision, 2^−24 of 0.15 m here."""

OTHERS = Path(os.environ.get("CE_DYNAMICS_OPENCRG", "/nowhere"))
"""A folder of more files, if there is one."""


EVEN = np.linspace(-1.5, 1.5, 7)
UNEVEN = np.array((-1.5, -1.2, -0.5, 0.0, 0.7, 1.0, 1.7))
BENDS = {
    "straight": None, "bend": np.linspace(0.0, 0.3, 20), "ess": 0.5 * np.sin(np.linspace(0.0, 6.0, 20)),
    "circle": 2.0 * np.pi * (np.arange(20) + 0.5) / 20,
}  # fmt: skip
"""Headings of the twenty steps of half a metre [rad]."""


def written(
    path: Path,
    bend: str = "straight",
    place: tuple[float, float, float] = (0.0, 0.0, 0.0),
    v: np.ndarray = EVEN,
    options: str = "",
) -> Path:
    """A banked and sloped road of seven sections, uneven."""
    rng = np.random.default_rng(8)
    headings = BENDS[bend]
    sections = [f"long section at v = {side:.3f},m" for side in v]
    names, columns = ["reference line banking,m/m", *sections], [0.02 * rng.normal(size=21)]
    columns += [*(0.05 * rng.normal(size=(7, 21)))]
    x, y, phi = place
    if headings is not None:
        names = ["reference line phi,rad", "reference line slope,m/m", *names]
        columns = [np.append(np.nan, headings), np.append(np.nan, 0.03 * rng.normal(size=20)), *columns]
        phi = headings[0]
    channels = "".join(f"D:{name}\n" for name in names)
    if options:
        options = f"$ROAD_CRG_OPTS\n{options}\n"
    rows = []
    for row in np.column_stack(columns):
        entries = ["**unused**" if np.isnan(value) else f"{value:10.6f}" for value in row]
        rows += ["".join(entries[:8]), *(["".join(entries[8:])] if len(entries) > 8 else [])]
    head = NODES.format(x=x, y=y, phi=phi, channels=channels, options=options)
    path.write_text(head + "\n".join(rows) + "\n")
    pyopencrg.read(str(path)).save(str(path), "LDFI")  # with all that the library in C asks for
    return path


def of_points(function: Callable[..., Any], points: np.ndarray) -> np.ndarray:
    """A function of x and y at many points."""
    return trace("points", lambda p: {"z": function(p[0], p[1])}, {"p": 2}).evaluate_many(p=points)["z"]


def heights(road: Road, points: np.ndarray) -> np.ndarray:
    return of_points(road.height, points)


def both_libraries(path: Path, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first = pyopencrg.read(str(path), apply_mods=True).xy_to_z(points[:, 0], points[:, 1])
    with pycrg.RoadSurface.open(str(path)) as surface:
        second = np.array([surface.xy_to_z(x, y) for x, y in points.tolist()])
    return np.asarray(first), second


def agree(path: Path, points: np.ndarray, found: np.ndarray) -> None:
    for known, tolerance in zip(both_libraries(path, points), (1e-9, SINGLE), strict=True):
        np.testing.assert_allclose(found, known, rtol=0, atol=tolerance, err_msg=path.name)


def points_on(
    path: Path, number: int, u: tuple[float, float] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Road coordinates at random, perhaps of a part of the road, and where they are."""
    crg = pyopencrg.read(str(path), apply_mods=True)
    rng = np.random.default_rng(2)
    first, last = u or (crg.u_start, crg.u_end)
    along = rng.uniform(first, last, number)
    aside = rng.uniform(crg.v_min, crg.v_max, number)
    return along, aside, np.column_stack(crg.uv_to_xy(along, aside))


PLACED = {"place": (3.0, -2.0, 0.4)}
ZONES = {"options": "border_smooth_ubeg = 2.3\nborder_smooth_uend = 1.4"}


@pytest.mark.parametrize("others", [{}, PLACED, {"v": UNEVEN}, ZONES], ids=["", "placed", "uneven", "zones"])
@pytest.mark.parametrize("bend", ["straight", "bend", "ess"])
def test_linear_roads_are_those_of_both_libraries(tmp_path: Path, bend: str, others: dict[str, Any]) -> None:
    """Anywhere: heights, in machine code too, normals and edges."""
    path = written(tmp_path / "road.crg", bend, **others)
    road, crg = read_opencrg(path, smooth=False), pyopencrg.read(str(path), apply_mods=True)
    u, v, points = points_on(path, 300)
    found = heights(road, points)
    agree(path, points, found)
    compiled = compile_function(trace("height", lambda p: {"z": road.height(*p)}, {"p": 2}))
    np.testing.assert_allclose([float(compiled(p)[0]) for p in points], found, rtol=0, atol=1e-13)
    normals = of_points(road.normal, points)
    np.testing.assert_allclose(normals, np.column_stack(crg.uv_to_normal(u, v)), rtol=0, atol=1e-9)
    edges = np.min([u, 10.0 - u, v - crg.v_min, crg.v_max - v], axis=0)
    np.testing.assert_allclose(of_points(road.margin, points), edges, atol=1e-9)


@pytest.mark.parametrize("options", ["", "refline_continuation = 1"])
def test_closed_roads_go_on_at_their_beginning(tmp_path: Path, options: str) -> None:
    """Away from the seam, by the normals' half an angle there, heights are those of the road coordinates."""
    path = written(tmp_path / "road.crg", "circle", options=options)
    crg = pyopencrg.read(str(path), apply_mods=True)
    u, v, points = points_on(path, 400, u=(0.3, 9.7))
    road = read_opencrg(path, smooth=False, approach=5.0)
    np.testing.assert_allclose(heights(road, points), crg.uv_to_z(u, v), rtol=0, atol=1e-9)
    edges = np.minimum(v - crg.v_min, crg.v_max - v)
    np.testing.assert_allclose(of_points(road.margin, points), edges, atol=1e-9)
    start, ahead = np.array((crg.x[0], crg.y[0])), 1e-9 * np.array((crg.x[1] - crg.x[0], crg.y[1] - crg.y[0]))
    before, after = heights(road, start + np.array((-ahead, ahead)))
    rise = float(crg.z[0, 3] + crg.zr[0] - crg.z[-1, 3] - crg.zr[-1])
    # headings of 1e-6 rad close the circle to some 1e-7 m
    assert after - before == pytest.approx(rise, abs=1e-6)


@pytest.mark.parametrize("v", [EVEN, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("bend", ["straight", "bend", "ess"])
def test_splines_pass_through_the_nodes_of_the_file(tmp_path: Path, bend: str, v: np.ndarray) -> None:
    path = written(tmp_path / "road.crg", bend, v=v)
    u, sides = (grid.ravel() for grid in np.meshgrid(np.arange(0.0, 10.1, 0.5), v))
    points = np.column_stack(pyopencrg.read(str(path), apply_mods=True).uv_to_xy(u, sides))
    agree(path, points, heights(read_opencrg(path), points))


def test_integrators_keep_their_order_on_bends(tmp_path: Path) -> None:
    """ż = height and ż = slope by RK4, Simpson's rule, on a chord: O(h⁴) and O(h³) with splines."""
    path = written(tmp_path / "road.crg", "ess")
    road = read_opencrg(path)
    crg = pyopencrg.read(str(path), apply_mods=True)
    ends = np.column_stack(crg.uv_to_xy(np.array([1.0, 3.4]), np.array([-1.0, 1.0])))
    traced = trace("road", lambda p: {"z": [road.height(*p), road.slope(*p)[0]]}, {"p": 2})

    def integral(steps: int) -> np.ndarray:
        part = np.linspace(0.0, 1.0, 2 * steps + 1)[:, None]
        values = traced.evaluate_many(p=ends[0] + part * (ends[1] - ends[0]))["z"]
        return np.asarray(simpson(values, dx=0.5 / steps, axis=0))

    exact = integral(20000)
    coarse, fine = (
        np.sqrt(np.mean([(integral(n + k) - exact) ** 2 for k in range(12)], axis=0)) for n in (60, 480)
    )
    orders = np.log2(coarse / fine) / 3.0
    assert orders[0] > 3.5
    assert orders[1] > 2.5


@pytest.mark.parametrize("smooth", [True, False])
def test_slopes_are_differences_of_heights(tmp_path: Path, smooth: bool) -> None:
    """Central over 1e-6 m: rounding of 1e-10, and third derivatives of some 10 1/m² times 1e-12."""
    path = written(tmp_path / "road.crg", "ess", v=UNEVEN)
    road = read_opencrg(path, smooth=smooth)
    h = 1e-6
    _, _, points = points_on(path, 200)
    east, west, north, south = (
        heights(road, points + h * np.array(to)) for to in ((1, 0), (-1, 0), (0, 1), (0, -1))
    )
    found = of_points(lambda x, y: list(road.slope(x, y)), points)
    expected = np.column_stack((east - west, north - south)) / (2.0 * h)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    path = written(tmp_path / "road.crg")
    packed = tmp_path / "road.crg.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_opencrg(packed).height(3.3, 0.2) == read_opencrg(path).height(3.3, 0.2)


@pytest.mark.parametrize("bend", ["straight", "bend"])
def test_roads_continue_straight_before_their_beginning(tmp_path: Path, bend: str) -> None:
    """With the heights across of the beginning, along its direction."""
    path = written(tmp_path / "road.crg", bend)
    crg = pyopencrg.read(str(path), apply_mods=True)
    road = read_opencrg(path, smooth=False, approach=10.0)
    (x_0, x_1), (y_0, y_1) = crg.uv_to_xy(np.zeros(2), np.array([0.0, 1.0]))
    left = np.array([x_1 - x_0, y_1 - y_0])
    forward = np.array([left[1], -left[0]])
    for v in (-0.5, 0.0, 1.0):
        x, y = np.array([x_0, y_0]) + v * left - 4.0 * forward
        assert road.height(x, y) == pytest.approx(float(crg.uv_to_z(0.0, v)), abs=1e-12)
        assert road.slope(x, y) @ forward == pytest.approx(0.0, abs=1e-12)
        assert road.margin(x, y) == pytest.approx(1.5 - abs(v))
    x, y = np.array([x_0, y_0]) - 11.0 * forward
    assert road.margin(x, y) == pytest.approx(-1.0)


@pytest.mark.skipif(not OTHERS.is_dir(), reason="CE_DYNAMICS_OPENCRG names no folder of OpenCRG files")
def test_all_files_of_a_folder(tmp_path: Path) -> None:
    for source in sorted(OTHERS.glob("*.crg*")):
        path = tmp_path / source.name.removesuffix(".gz")
        content = source.read_bytes()
        path.write_bytes(gzip.decompress(content) if source.suffix == ".gz" else content)
        road = read_opencrg(source, smooth=False)
        _, _, points = points_on(path, 2000)
        found = heights(road, points)
        agree(path, points, found)
        theirs, in_c = both_libraries(path, points)
        single = pyopencrg.read(str(path), apply_mods=True).as_single()
        rounding = single.xy_to_z(points[:, 0], points[:, 1]) - theirs
        np.testing.assert_allclose(found + rounding, in_c, rtol=0, atol=1e-9, err_msg=path.name)


@pytest.mark.filterwarnings(r"ignore:.*\.crg")
def test_what_is_no_road_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.crg"
    path.write_text("nothing")
    with pytest.raises(DataError, match="no OpenCRG file"):
        read_opencrg(path)
    BENDS["tight"] = np.linspace(0.0, 9.0, 20)  # a radius of 1.1 m, and 1.5 m of road beside it
    with pytest.raises(DataError, match="an edge lies beyond the centre of a bend"):
        read_opencrg(written(tmp_path / "b.crg", "tight"))
