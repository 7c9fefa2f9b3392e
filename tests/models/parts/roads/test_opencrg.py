"""OpenCRG: heights against two libraries, edges, refusals.  The files are our own, written here."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.opencrg import read_opencrg

pyopencrg = pytest.importorskip("pyopencrg")
pycrg = pytest.importorskip("pycrg")

NODES = """$CT
$
$ROAD_CRG
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


def written(path: Path, curved: bool, place: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Path:
    """A banked road of seven sections, uneven, straight or with a bend."""
    rng = np.random.default_rng(8)
    names = ["reference line phi,rad"] if curved else []
    names += ["reference line banking,m/m", *(f"long section at v = {0.5 * k - 1.5:.3f},m" for k in range(7))]
    columns = [np.linspace(0.0, 0.3, 21)] if curved else []
    columns += [0.02 * rng.normal(size=21), *(0.05 * rng.normal(size=(7, 21)))]
    x, y, phi = place
    head = NODES.format(x=x, y=y, phi=phi, channels="".join(f"D:{name}\n" for name in names))
    rows = []
    for k, row in enumerate(np.column_stack(columns)):
        entries = [f"{value:10.6f}" for value in row]
        if curved and k == 0:
            entries[0] = "**unused**"
        rows += ["".join(entries[:8]), "".join(entries[8:])] if len(entries) > 8 else ["".join(entries)]
    path.write_text(head + "\n".join(rows) + "\n")
    pyopencrg.read(str(path)).save(str(path), "LDFI")  # with all that the library in C asks for
    return path


def heights(road: Road, points: np.ndarray) -> np.ndarray:
    return np.array([float(road.height(x, y)) for x, y in points.tolist()])


def both_libraries(path: Path, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first = pyopencrg.read(str(path), apply_mods=True).xy_to_z(points[:, 0], points[:, 1])
    with pycrg.RoadSurface.open(str(path)) as surface:
        second = np.array([surface.xy_to_z(x, y) for x, y in points.tolist()])
    return np.asarray(first), second


def agree(path: Path, points: np.ndarray, found: np.ndarray) -> None:
    """Heights are those of both libraries."""
    for known, tolerance in zip(both_libraries(path, points), (1e-9, SINGLE), strict=True):
        np.testing.assert_allclose(found, known, rtol=0, atol=tolerance, err_msg=path.name)


def points_on(path: Path, number: int) -> np.ndarray:
    crg = pyopencrg.read(str(path), apply_mods=True)
    rng = np.random.default_rng(2)
    u = rng.uniform(crg.u_start, crg.u_end, number)
    v = rng.uniform(crg.v_min, crg.v_max, number)
    return np.column_stack(crg.uv_to_xy(u, v))


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (3.0, -2.0, 0.4)])
def test_straight_roads_have_the_heights_of_both_libraries(
    tmp_path: Path, place: tuple[float, float, float]
) -> None:
    path = written(tmp_path / "road.crg", False, place)
    points = points_on(path, 300)
    agree(path, points, heights(read_opencrg(path, smooth=False), points))


def nodes_of(road: Road) -> np.ndarray:
    """The nodes of a map that lie on the road, somewhat from its edges."""
    grid = road.grid  # type: ignore[attr-defined]  # of a curved road
    points = np.stack(np.meshgrid(grid.x.nodes, grid.y.nodes, indexing="ij"), axis=-1).reshape(-1, 2)
    return points[[float(road.margin(x, y) or 0.0) > 1e-6 for x, y in points.tolist()]]


def test_curved_roads_have_them_at_the_nodes_of_their_map(tmp_path: Path) -> None:
    path = written(tmp_path / "road.crg", True)
    for smooth in (True, False):
        road = read_opencrg(path, smooth=smooth)
        points = nodes_of(road)
        assert len(points) > 50
        agree(path, points, heights(road, points))


def test_splines_pass_through_the_nodes_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "road.crg", False)
    u, v = np.meshgrid(np.arange(0.0, 10.1, 0.5), np.arange(-1.5, 1.6, 0.5))
    points = np.column_stack((u.ravel(), v.ravel()))
    agree(path, points, heights(read_opencrg(path), points))


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    path = written(tmp_path / "road.crg", False)
    packed = tmp_path / "road.crg.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_opencrg(packed).height(3.3, 0.2) == read_opencrg(path).height(3.3, 0.2)


@pytest.mark.parametrize("bent", [False, True])
def test_roads_continue_straight_before_their_beginning(tmp_path: Path, bent: bool) -> None:
    """With the heights across of the beginning, along its direction."""
    path = written(tmp_path / "road.crg", bent)
    crg = pyopencrg.read(str(path), apply_mods=True)
    road = read_opencrg(path, smooth=False, approach=10.0)
    (x_0, x_1), (y_0, y_1) = crg.uv_to_xy(np.zeros(2), np.array([0.0, 1.0]))
    left = np.array([x_1 - x_0, y_1 - y_0])
    forward = np.array([left[1], -left[0]])
    for v in (-0.5, 0.0, 1.0):
        x, y = np.array([x_0, y_0]) + v * left - 4.0 * forward
        # linear between nodes 0.5 m apart that are turned: half a cell of bank
        assert road.height(x, y) == pytest.approx(float(crg.uv_to_z(0.0, v)), abs=2e-3 if bent else 1e-12)
        assert road.margin(x, y) == pytest.approx(1.5 - abs(v), abs=2e-3)
    x, y = np.array([x_0, y_0]) - 11.0 * forward
    beyond = float(road.margin(x, y) or 0.0)
    assert beyond < -0.1
    assert bent or beyond == pytest.approx(-1.0)


def test_edges_are_those_of_the_road(tmp_path: Path) -> None:
    straight = read_opencrg(written(tmp_path / "a.crg", False))
    assert straight.margin(5.0, 1.2) == pytest.approx(0.3)
    assert straight.margin(-1.0, 0.0) == pytest.approx(-1.0)
    curved = read_opencrg(written(tmp_path / "b.crg", True))
    crg = pyopencrg.read(str(tmp_path / "b.crg"), apply_mods=True)
    for u, v, margin in ((5.0, 1.0, 0.5), (5.0, -1.4, 0.1), (5.0, 1.7, -0.2)):
        x, y = (float(c) for c in crg.uv_to_xy(u, v))
        # linear between nodes 0.5 m apart: exact but for the bend, 0.5² / (8 · 30 m)
        assert curved.margin(x, y) == pytest.approx(margin, abs=2e-3)


@pytest.mark.skipif(not OTHERS.is_dir(), reason="CE_DYNAMICS_OPENCRG names no folder of OpenCRG files")
def test_all_files_of_a_folder(tmp_path: Path) -> None:
    for source in sorted(OTHERS.glob("*.crg*")):
        path = tmp_path / source.name.removesuffix(".gz")
        content = source.read_bytes()
        path.write_bytes(gzip.decompress(content) if source.suffix == ".gz" else content)
        road = read_opencrg(source, smooth=False)
        straight = pyopencrg.read(str(path), apply_mods=True).is_straight
        points = points_on(path, 2000) if straight else nodes_of(road)
        found = heights(road, points)
        agree(path, points, found)
        theirs, in_c = both_libraries(path, points)
        single = pyopencrg.read(str(path), apply_mods=True).as_single()
        rounding = single.xy_to_z(points[:, 0], points[:, 1]) - theirs
        np.testing.assert_allclose(found + rounding, in_c, rtol=0, atol=1e-9, err_msg=path.name)


def test_what_is_no_road_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.crg"
    path.write_text("nothing")
    with pytest.raises(DataError, match="no OpenCRG file"):
        read_opencrg(path)
    with pytest.raises(DataError, match="coarser grid"):
        read_opencrg(written(tmp_path / "b.crg", True), step=1e-4)
