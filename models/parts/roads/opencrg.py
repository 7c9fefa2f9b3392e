"""Roads of OpenCRG files, read by a library of their own.

OpenCRG gives a road as heights z(u, v) over a reference line: u along it, v to its left.  The line is a
polygon with steps of equal length.  Normals of its corners cut the road into quadrilaterals; in each, x and y
are bilinear in u and v, and so is z.

The road is evaluated in these coordinates.  Linear, it is that of the file.  Cubic, splines in u pass through
the corners and their normals, and bicubic splines pass through the heights: the road is twice continuously
differentiable.  Newton's method finds u on the spline: it starts at the corner that is nearest to the middle
of a square of the ground.  Corners' normals are lines of constant u on the spline and on the polygon: the one
determines the quadrilateral of the other.
"""

from __future__ import annotations

import gzip
import math
import tempfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import files
from ce_dynamics.algebra.arrays import Scalar, absolute, floor, maximum, minimum, sqrt, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler import trace
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.parts.roads.contract import Friction, Road
from ce_dynamics.models.parts.roads.grid import (
    LARGEST,
    MOST_NODES,
    Axis,
    Grid,
    SplineCurve,
    UnevenAxis,
    check_size,
)  # fmt: skip
from ce_dynamics.models.parts.rounding import unit_clip

STEPS = 4
"""Steps of Newton's method: each squares the error in parts of the radius of curvature, 1/4 at the start."""
EXACT = 1e-9
"""Distance [m] to which points and their road coordinates agree."""


class RoadPoint(NamedTuple):
    """Road coordinates u along the line, beyond its ends too, v to its left [m], and derivatives.

    ``off`` is the distance along the line between the point and the position at these coordinates [m].
    """

    u: Scalar
    v: Scalar
    x_u: Scalar
    y_u: Scalar
    x_v: Scalar
    y_v: Scalar
    off: Scalar


class StraightLine:
    """A reference line from (x, y) in the direction of a heading [m, rad]; u is zero at its beginning."""

    closed = False
    bend = 0.0

    def __init__(self, x: float, y: float, heading: float) -> None:
        self.x, self.y = x, y
        self.c, self.s = math.cos(heading), math.sin(heading)

    def at(self, x: Scalar, y: Scalar) -> RoadPoint:
        dx, dy, c, s = x - self.x, y - self.y, self.c, self.s
        return RoadPoint(c * dx + s * dy, c * dy - s * dx, c, s, -s, c, 0.0)


class CurvedLine:
    """A reference line through corners (n, 2) at equal distances [m], as a spline if smooth, or a polygon.

    ``u`` is that of the first corner, and of the way to the next; ``sides`` are v of the right and of the
    left edge [m].  The first and the last corner of a closed line are one.
    """

    def __init__(
        self, corners: Floats, u: tuple[float, float], sides: tuple[float, float], smooth: bool, closed: bool
    ) -> None:
        self.smooth, self.closed, self.sides = smooth, closed, sides
        self.axis = Axis(*u, len(corners) - closed, periodic=closed)
        first, last = corner_normals(corners)
        self.pieces = len(first)
        self.table = Table(np.hstack((corners[:-1], corners[1:], first, last)), reach=7)
        turns = np.diff(np.unwrap(np.arctan2(*np.diff(corners, axis=0).T[::-1])))
        bends = 2.0 * np.tan(0.5 * turns) / self.axis.step
        normals = np.vstack((first, last[-1:]))
        if closed:
            around = corner_normals(np.vstack((corners[-2:], corners[1])))[0]
            corners, normals = corners[:-1], np.vstack((around[1], normals[1:-1]))
        self.curves = [SplineCurve(column, self.axis) for column in np.hstack((corners, normals)).T]
        self.bend = float(np.abs(bends).max())
        self._find_starts(corners, normals, float(np.max(bends * np.where(bends > 0.0, sides[1], sides[0]))))

    def _find_starts(self, corners: Floats, normals: Floats, closest: float) -> None:
        """Cover the road by squares so small that the search from their middles finds all of it.

        Edges are no nearer to the centre of curvature than (1 − closest)/bend; squares are a quarter at most.
        """
        if closest >= 1.0:
            raise DataError("folds: an edge lies beyond the centre of a bend; make the road narrower there")
        from scipy.spatial import cKDTree  # here, because most runs have no maps

        edges = np.vstack([corners + side * normals for side in self.sides])
        low, extent = edges.min(axis=0), float(np.ptp(edges, axis=0).max())
        nearest = cKDTree(corners)
        self.corner = low[0], low[1]
        self.size = extent if self.bend == 0.0 else min(extent, 0.25 * (1.0 - closest) / self.bend)
        while True:
            counts = np.ceil(np.ptp(edges, axis=0) / self.size).astype(int) + 1
            if np.prod(counts) > MOST_NODES:
                raise DataError("has bends too tight for its length; cut the road, or make it narrower there")
            self.counts = int(counts[0]), int(counts[1])
            middles = np.stack(
                np.meshgrid(*(np.arange(n) + 0.5 for n in self.counts), indexing="ij"), axis=-1
            )
            found = nearest.query(low + self.size * middles.reshape(-1, 2))[1]
            self.starts = Table(self.axis.nodes[found])
            if self._finds_all():
                return
            self.size *= 0.5

    def _finds_all(self) -> bool:
        """Return True if the search finds corners, points between them, and the edges beside both.

        Where the road meets itself the nearer part counts.
        """
        nodes = np.concatenate((self.axis.nodes, self.axis.nodes[:-1] + 0.5 * self.axis.step))
        uv = np.stack(np.meshgrid(nodes, (*self.sides, 0.5 * sum(self.sides))), axis=-1).reshape(-1, 2)

        def search(p: Any) -> dict[str, Any]:
            x, y, n_x, n_y = (curve.value(self.axis.place(p[0])) for curve in self.curves)
            x, y = x + p[1] * n_x, y + p[1] * n_y
            found = self._on_spline(x, y)
            outside = maximum(self.sides[0] - found.v, found.v - self.sides[1])
            return {"error": maximum(outside, absolute(found.off)), "way": absolute(self._start(x, y) - p[0])}

        done = trace("search", search, {"p": 2}).evaluate_many(p=uv)
        # across a fold it is half a circle at most whose radius is the distance of an edge
        other_part = done["way"] > math.pi * float(np.max(np.abs(self.sides))) + 2.0 * self.size
        return bool(np.all((done["error"] < EXACT) | other_part))

    def at(self, x: Scalar, y: Scalar) -> RoadPoint:
        found = self._on_spline(x, y)
        return found if self.smooth else self._on_polygon(x, y, found)

    def _held(self, u: Scalar) -> Scalar:
        """Return u within the line: turned back by whole rounds, or held at the ends."""
        if self.closed:
            return u - self.axis.step * self.pieces * floor(
                (u - self.axis.start) / (self.axis.step * self.pieces)
            )
        return minimum(self.axis.end, maximum(self.axis.start, u))

    def _start(self, x: Scalar, y: Scalar) -> Scalar:
        """Return u of the corner that is nearest to the middle of the square around a point."""
        row, column = (
            minimum(n - 1.0, maximum(0.0, floor((c - low) / self.size)))
            for c, low, n in zip((x, y), self.corner, self.counts, strict=True)
        )
        return self.starts.at(row * float(self.counts[1]) + column)

    def _on_spline(self, x: Scalar, y: Scalar) -> RoadPoint:
        u = self._start(x, y)
        for _ in range(STEPS + 1):
            held = self._held(u)
            place = self.axis.place(held)
            px, py, n_x, n_y = (curve.value(place) for curve in self.curves)
            dx, dy = x - px, y - py
            px_u, py_u, nx_u, ny_u = (curve.slope(place) for curve in self.curves)
            off = dx * n_y - dy * n_x
            u = held + off / (px_u * n_y - py_u * n_x + dy * nx_u - dx * ny_u)
        v = (dx * n_x + dy * n_y) / (n_x * n_x + n_y * n_y)
        return RoadPoint(u, v, px_u + v * nx_u, py_u + v * ny_u, n_x, n_y, off)

    def _on_polygon(self, x: Scalar, y: Scalar, found: RoadPoint) -> RoadPoint:
        """Return the coordinates in the quadrilateral, or in the next where rounding took the wrong one."""
        held = self._held(found.u)
        cell = self.axis.place(held).cell
        for again in (True, False):
            x_1, y_1, x_2, y_2, a_x, a_y, b_x, b_y = (self.table.at(8.0 * cell, k) for k in range(8))
            since, beyond = (x - x_1) * a_y - (y - y_1) * a_x, (x - x_2) * b_y - (y - y_2) * b_x
            if again:
                cell = cell + where(beyond > 0.0, 1.0, where(since < 0.0, -1.0, 0.0))
                turns = self.pieces * floor(cell / self.pieces)
                cell = cell - turns if self.closed else minimum(self.pieces - 1.0, maximum(0.0, cell))
        d_x, d_y = x_2 - x_1, y_2 - y_1
        v = (d_x * (y - y_1) - d_y * (x - x_1)) / sqrt(d_x * d_x + d_y * d_y)
        ahead, left = since / (a_y * d_x - a_x * d_y), -beyond / (b_y * d_x - b_x * d_y)
        t = unit_clip(ahead / (ahead + left))
        step = self.axis.step
        u = self.axis.start + (cell + t) * step + (0.0 if self.closed else found.u - held)
        c_x, c_y = b_x - a_x, b_y - a_y
        return RoadPoint(
            u, v, (d_x + v * c_x) / step, (d_y + v * c_y) / step, a_x + t * c_x, a_y + t * c_y, found.off
        )


def corner_normals(corners: Floats) -> tuple[Floats, Floats]:
    """Return the normals at both ends of each side of a polygon, (n − 1, 2), as OpenCRG has them.

    They are at right angles to the line from the corner before to the corner after, and so long that they
    end 1 m from the side; at the ends of the line they are at right angles to the side.
    """
    sides = np.diff(corners, axis=0)
    across = np.column_stack((-sides[:, 1], sides[:, 0])) / np.hypot(*sides.T)[:, None]
    chords = corners[2:] - corners[:-2]
    at = np.column_stack((-chords[:, 1], chords[:, 0]))
    first, last = across.copy(), across.copy()
    first[1:] = at / np.sum(at * across[1:], axis=1)[:, None]
    last[:-1] = at / np.sum(at * across[:-1], axis=1)[:, None]
    return first, last


class Zone(NamedTuple):
    """The way over which heights begin at an end of the road: from u, in a direction ±1, to a level [m]."""

    u: float
    direction: float
    length: float
    level: float

    def way(self, u: Scalar) -> Scalar:
        """Return the way from its beginning, in parts of its length."""
        return self.direction * (u - self.u) / self.length


class Heights(NamedTuple):
    """Heights z (n_u, n_v) at the nodes of two axes, cubic between them if smooth, or else linear."""

    z: Floats
    u: Axis
    v: Axis
    smooth: bool


class CrgRoad(Road):
    """Heights over a reference line that continues by ``approach`` before its beginning [m]."""

    def __init__(
        self, friction: float | Friction, line: StraightLine | CurvedLine, heights: Heights, approach: float
    ) -> None:
        super().__init__(friction)
        self.line, (z, u, v, smooth) = line, heights
        self.zones: tuple[Zone, ...] = ()
        self.first, self.last = u.start, u.end
        self.approach = 0.0 if line.closed else approach
        if line.closed and smooth and np.max(np.abs(z[0] - z[-1])) < EXACT:
            u, z = Axis(u.start, u.step, u.number - 1, periodic=True), z[:-1]
        self.grid = Grid(z, u, v, smooth)
        begun = np.concatenate((z[:1], z)) if self.approach > 0.0 else z
        tilt = float(np.max(np.abs(np.diff(z) / np.diff(v.nodes))))
        bends = [second_differences(begun.T, u.step), second_differences(begun, np.diff(v.nodes))]
        self._sharpness = max(bends) + line.bend * tilt

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        at = self.line.at(x, y)
        z = self.grid.value(at.u, at.v)
        for zone in self.zones:
            z = zone.level + unit_clip(zone.way(at.u)) * (z - zone.level)
        return z

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        at = self.line.at(x, y)
        z_u, z_v = self.grid.slope(at.u, at.v)
        if not self.line.closed:
            z_u = where(at.u < self.first, 0.0, z_u)
        z = self.grid.value(at.u, at.v) if self.zones else 0.0
        for zone in self.zones:
            way, above = zone.way(at.u), z - zone.level
            part = unit_clip(way)
            inside = where(way > 0.0, where(way < 1.0, zone.direction / zone.length, 0.0), 0.0)
            z, z_u, z_v = zone.level + part * above, part * z_u + inside * above, part * z_v
        area = at.x_u * at.y_v - at.y_u * at.x_v
        return (z_u * at.y_v - z_v * at.y_u) / area, (z_v * at.x_u - z_u * at.x_v) / area

    @property
    def sharpness(self) -> float:
        return self._sharpness

    @property
    def reach(self) -> str:
        v = self.grid.y
        ends = f"u from {self.first - self.approach:.6g} to {self.last:.6g} m along its line, "
        return f"{'' if self.line.closed else ends}v from {v.start:.6g} to {v.end:.6g} m to its left"

    def margin(self, x: Scalar, y: Scalar) -> Scalar:
        at = self.line.at(x, y)
        aside = self.grid.y.inside(at.v)
        if self.line.closed:
            return aside - absolute(at.off)
        ahead = minimum(at.u - (self.first - self.approach), self.last - at.u)
        return minimum(ahead, aside - absolute(at.off))


def second_differences(z: Floats, steps: float | Floats) -> float:
    """Return the largest second difference along the second axis [1/m], by the distances of its nodes."""
    slopes = np.diff(z) / steps
    if slopes.shape[1] < 2:
        return 0.0
    steps = np.broadcast_to(steps, slopes.shape[1:])
    return float(np.max(np.abs(np.diff(slopes) / (0.5 * (steps[1:] + steps[:-1])))))


def read_opencrg(
    path: str | Path,
    friction: float | Friction = 0.8,
    *,
    smooth: bool = True,
    approach: float = 0.0,
) -> Road:
    """Return the road of an OpenCRG file (``.crg``, or packed ``.crg.gz``); needs the extra ``roads``.

    It is cubic between the nodes if smooth, or linear as OpenCRG has it, and continues by ``approach`` before
    its beginning, straight on and with the heights there [m].
    """
    try:
        import pyopencrg  # here, because an extra installs it
    except ImportError:
        raise DataError(
            f"road {path}: OpenCRG needs a package of an extra: pip install 'ce-dynamics[roads]'"
        ) from None
    source = Path(path)
    content = files.read("road", source, LARGEST)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "road.crg"
        plain.write_bytes(unpack(source, content))
        try:
            crg = pyopencrg.read(str(plain), apply_mods=True)
        except (ValueError, OSError, KeyError, IndexError) as error:
            raise DataError(f"road {source}: no OpenCRG file that can be read: {error}") from None
    approach = check_number("OpenCRG", "approach", approach, at_least=0.0)
    return road_of(source.name, crg, friction, smooth, approach)


def unpack(path: Path, content: bytes) -> bytes:
    """Return the content of a file, without its packing."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        with gzip.open(path) as file:
            found = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"road {path}: cannot be unpacked: {error}") from None
    if len(found) > LARGEST:
        raise DataError(f"road {path}: more than {LARGEST} bytes when unpacked")
    return found


def road_of(name: str, crg: Any, friction: float | Friction, smooth: bool, approach: float) -> Road:
    """Return the road of a file that has been read."""
    u, v = np.asarray(crg.u, dtype=float), np.asarray(crg.v, dtype=float)
    check_size(name, u.size * v.size)
    level = np.asarray(crg.zr, dtype=float)
    z = np.asarray(crg.z, dtype=float) + level[:, None] + np.outer(np.asarray(crg.banking, dtype=float), v)
    gaps = int(np.sum(~np.isfinite(z)))
    if gaps:
        raise DataError(f"road {name}: {gaps} of {z.size} heights are missing; fill the gaps first")
    along = Axis(float(u[0]), float(u[-1] - u[0]) / (u.size - 1), u.size)
    across = UnevenAxis(v) if crg.v_inc is None else Axis(float(v[0]), float(crg.v_inc), v.size)
    try:
        line = line_of(crg, along, (float(v[0]), float(v[-1])), smooth, approach)
    except DataError as error:
        raise DataError(f"road {name}: it {error}") from None
    lengths = (float(crg.get_option(f"border_smooth_{end}")) for end in ("ubeg", "uend"))
    ends = zip((along.start, along.end), (1.0, -1.0), lengths, level[[0, -1]].tolist(), strict=True)
    road = CrgRoad(friction, line, Heights(z, along, across, smooth), approach)
    road.title, road.zones = name, tuple(Zone(*end) for end in ends if end[2] > 0.0)
    return road


def line_of(
    crg: Any, u: Axis, sides: tuple[float, float], smooth: bool, approach: float
) -> StraightLine | CurvedLine:
    """Return the reference line of a file, with straight steps before its beginning."""
    if crg.is_straight:
        (x_0, x_1), (y_0, y_1) = crg.uv_to_xy(np.array([u.start, u.end]), np.zeros(2))
        heading = math.atan2(y_1 - y_0, x_1 - x_0)
        back = u.start * np.array((math.cos(heading), math.sin(heading)))
        return StraightLine(float(x_0 - back[0]), float(y_0 - back[1]), heading)
    corners = np.column_stack((crg.x, crg.y)).astype(float)
    first, last = corners[1] - corners[0], corners[-1] - corners[-2]
    # OpenCRG closes a track whose ends differ by 60° at most
    gap = float(np.hypot(*(corners[-1] - corners[0])))
    if gap <= float(crg.get_option("check_tol")) and float(first @ last) >= 0.5 * u.step**2:
        return CurvedLine(corners, (u.start, u.step), sides, smooth, closed=True)
    more = math.ceil(approach / u.step)
    before = corners[0] - np.arange(more, 0, -1)[:, None] * first
    begin = u.start - more * u.step
    return CurvedLine(np.vstack((before, corners)), (begin, u.step), sides, smooth, closed=False)
