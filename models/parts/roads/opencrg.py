"""Roads of OpenCRG files, read by a library of their own.

OpenCRG knows a road as heights z(u, v) over a reference line: u along it, v to its left, and interpolates
linearly.  Along a straight line its nodes are those of a `HeightMap`, turned and moved to where the line
lies.  Along a curved one the road is sampled on a regular grid of x and y, where it has the heights of the
file, and margins to its edges.
"""

from __future__ import annotations

import gzip
import math
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from ce_dynamics.algebra import files
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.roads.composition import PlacedRoad
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import Friction
from ce_dynamics.models.parts.roads.grid import Axis, Grid
from ce_dynamics.models.parts.roads.height_map import HeightMap

PIECE = 2**20
LARGEST = 2**28
"""Bytes of a file, unpacked."""
MOST_NODES = 20_000_000
"""Of a map."""


class MapWithEdges(HeightMap):
    """A height map within a larger grid: a second map tells how far the road's edges are."""

    def __init__(
        self,
        friction: float | Friction,
        heights: Floats,
        margins: Floats,
        x: tuple[float, float],
        y: tuple[float, float],
        smooth: bool,
        title: str,
    ) -> None:
        super().__init__(friction, heights, x, y, smooth, title)
        self.edges = Grid(margins, self.grid.x, self.grid.y, smooth=False)

    def margin(self, x: Scalar, y: Scalar) -> Scalar:
        return self.edges.value(x, y)


def read_opencrg(
    path: str | Path,
    friction: float | Friction = 0.8,
    *,
    smooth: bool = True,
    step: float | None = None,
    approach: float = 0.0,
) -> Road:
    """The road of an OpenCRG file (``.crg``, or packed ``.crg.gz``); needs the extra ``roads``.

    Parameters
    ----------
    path : str or path
    friction : float or Friction
    smooth : bool
        Cubic between the nodes, or linear as OpenCRG has it.
    step : float, optional
        Spacing of the grid on which a curved road is sampled [m]; the smallest of the file if not given.
    approach : float
        How far the road continues before its beginning, straight on and with the heights there [m].

    Raises
    ------
    DataError
        If the extra is missing, the file is no OpenCRG file, has gaps, or would need too large a map.
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
        plain.write_bytes(unpacked(source, content))
        try:
            crg = pyopencrg.read(str(plain), apply_mods=True)
        except (ValueError, OSError, KeyError, IndexError) as error:
            raise DataError(f"road {source}: no OpenCRG file that can be read: {error}") from None
    approach = check_number("OpenCRG", "approach", approach, at_least=0.0)
    if crg.is_straight:
        return straight(source.name, crg, friction, smooth, approach)
    if step is None:
        step = min(float(crg.u_inc), float(np.diff(crg.v).min()))
    return curved(
        source.name, crg, friction, smooth, check_number("OpenCRG", "step", step, above=0.0), approach
    )


def unpacked(path: Path, content: bytes) -> bytes:
    """The content of a file, without its packing."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        with gzip.open(path) as file:
            found = b"".join(limited(cast("BinaryIO", file)))
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"road {path}: cannot be unpacked: {error}") from None
    if len(found) > LARGEST:
        raise DataError(f"road {path}: more than {LARGEST} bytes when unpacked")
    return found


def limited(file: BinaryIO) -> Iterator[bytes]:
    """The content of a file in pieces, up to one byte more than is read of any."""
    left = LARGEST + 1
    while left > 0 and (piece := file.read(min(left, PIECE))):
        left -= len(piece)
        yield piece


def across(v: Floats) -> Floats:
    """Equally spaced nodes that hold all of v, or stand as closely as the nearest two of v."""
    gaps = np.diff(v)
    number = round((v[-1] - v[0]) / gaps.min()) + 1
    return np.linspace(v[0], v[-1], max(int(number), 2))


def straight(name: str, crg: Any, friction: float | Friction, smooth: bool, approach: float) -> Road:
    """A road along a straight line."""
    u, v = np.asarray(crg.u, dtype=float), across(np.asarray(crg.v, dtype=float))
    check_size(name, u.size * v.size)
    z = np.asarray(crg.uv_to_z(*np.meshgrid(u, v, indexing="ij")), dtype=float)
    refuse_gaps(name, z)
    (x_0, x_1), (y_0, y_1) = crg.uv_to_xy(u[[0, -1]], np.zeros(2))
    heading = math.atan2(y_1 - y_0, x_1 - x_0)
    steps = (float(u[-1] - u[0]) / (u.size - 1), float(v[1] - v[0]))
    road = HeightMap(friction, z, (0.0, steps[0]), (float(v[0]), steps[1]), smooth, name, approach)
    if (x_0, y_0, heading) == (0.0, 0.0, 0.0):
        return road
    return PlacedRoad(road, float(x_0), float(y_0), heading=heading)


def curved(
    name: str, crg: Any, friction: float | Friction, smooth: bool, step: float, approach: float
) -> Road:
    """A road along a curved line, sampled on a grid of x and y."""
    u, v = np.asarray(crg.u, dtype=float), np.asarray(crg.v, dtype=float)
    edges = [np.stack(crg.uv_to_xy(u, np.full_like(u, side))) for side in (v[0], v[-1])]
    if approach > 0.0:
        ahead = edges[0][:, 0] - edges[1][:, 0]  # from left to right; turned to the left, forward
        ahead = np.array([-ahead[1], ahead[0]]) / np.hypot(*ahead)
        edges = [np.column_stack([edge[:, 0] - approach * ahead, edge]) for edge in edges]
    low, high = (end([end(edge, axis=1) for edge in edges], axis=0) for end in (np.min, np.max))
    counts = [math.ceil((b - a) / step) + 3 for a, b in zip(low, high, strict=True)]
    check_size(name, counts[0] * counts[1])
    axes = [Axis(float(a) - step, step, n) for a, n in zip(low, counts, strict=True)]
    x, y = np.meshgrid(axes[0].nodes, axes[1].nodes, indexing="ij")
    along, aside = crg.xy_to_uv(x, y)
    margins = np.min([along - (u[0] - approach), u[-1] - along, aside - v[0], v[-1] - aside], axis=0)
    held = np.clip(along, u[0], u[-1]), np.clip(aside, v[0], v[-1])
    z = np.asarray(crg.uv_to_z(*held), dtype=float)
    refuse_gaps(name, z[margins >= 0.0])
    starts = [(axis.start, step) for axis in axes]
    return MapWithEdges(friction, z, margins, starts[0], starts[1], smooth, name)


def check_size(name: str, nodes: int) -> None:
    """Refuse maps that would fill the memory."""
    if nodes > MOST_NODES:
        raise DataError(
            f"road {name}: a map of {nodes:,} nodes is larger than {MOST_NODES:,}; cut the road, or read it "
            "with read_opencrg(path, step=...) on a coarser grid"
        )


def refuse_gaps(name: str, z: Floats) -> None:
    """Heights must be known everywhere."""
    gaps = int(np.sum(~np.isfinite(z)))
    if gaps:
        raise DataError(f"road {name}: {gaps} of {z.size} heights are missing; fill the gaps first")
