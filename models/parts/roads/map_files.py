"""Roads from files: NumPy arrays, GeoTIFF, OpenCRG."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.arrays import Scalar, minimum, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Option, check_number
from ce_dynamics.models.parts.roads.contract import Friction, FrictionMap, Road
from ce_dynamics.models.parts.roads.geotiff import read_geotiff
from ce_dynamics.models.parts.roads.grid import LARGEST, Axis, Grid, axes_of, check_size
from ce_dynamics.models.parts.roads.opencrg import read_opencrg


class HeightMap(Road):
    """A road through heights (n_x, n_y) at the nodes of a regular grid, along x in the first axis.

    ``x`` and ``y`` are the first coordinate and the spacing [m].  If smooth, a cubic spline passes through
    the heights, whose slopes and curvatures are continuous (so that integrators keep their order), else
    straight lines, as OpenCRG has it.  The road continues by ``approach`` before its first nodes, with their
    heights [m]; the title is for messages.

    Examples
    --------
    >>> road = HeightMap(0.8, [[0.0, 0.0], [0.1, 0.1], [0.0, 0.0]], x=(0.0, 1.0), y=(-2.0, 4.0))
    >>> round(road.height(1.0, 0.3), 12)
    0.1
    """

    def __init__(
        self,
        friction: float | Friction,
        heights: ArrayLike,
        x: Sequence[float],
        y: Sequence[float],
        smooth: bool = True,
        title: str = "height map",
        approach: float = 0.0,
    ) -> None:
        super().__init__(friction)
        title = checks.name_of("height map: title", title, DataError)
        smooth = checks.flag(f"{title}: smooth", smooth, DataError)
        z = checks.numbers(title, heights, DataError)
        if z.ndim != 2 or min(z.shape) < 2:
            raise DataError(f"{title}: an array of shape {z.shape}; give two axes with two nodes at least")
        checks.limit_memory(f"{title}: heights", 40.0 * z.size, "cut the map, or make it coarser", DataError)
        if not np.isfinite(z).all():
            first = tuple(int(k) for k in np.argwhere(~np.isfinite(z))[0])
            raise DataError(
                f"{title}: height {first} is {z[first]:g}, in all {np.sum(~np.isfinite(z))} of {z.size} are "
                "not finite; fill the gaps first, or cut the map"
            )
        self.title = title
        with np.errstate(over="ignore"):
            if not np.isfinite(np.ptp(z)):
                raise DataError(f"{title}: heights from {z.min():g} to {z.max():g} m are too far apart")
        along, across = axes_of(title, x, y, z.shape)
        self.grid = Grid(z, along, across, smooth)
        self.approach = check_number(title, "approach", approach, at_least=0.0)
        begun = np.concatenate([z[:1], z]) if self.approach > 0.0 else z
        self._sharpness = sharpness(begun, along, across)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self.grid.value(x, y)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        along, across = self.grid.slope(x, y)
        return (where(x < self.grid.x.start, 0.0, along) if self.approach > 0.0 else along), across

    @property
    def sharpness(self) -> float:
        return self._sharpness

    @property
    def reach(self) -> str:
        along, across = self.grid.x, self.grid.y
        return (
            f"x from {along.start - self.approach:.6g} to {along.end:.6g} m, "
            f"y from {across.start:.6g} to {across.end:.6g} m"
        )

    def margin(self, x: Scalar, y: Scalar) -> Scalar:
        along = self.grid.x
        return minimum(
            minimum(x - (along.start - self.approach), along.end - x),
            self.grid.y.inside(y),
        )


def sharpness(z: Floats, x: Axis, y: Axis) -> float:
    """Return the largest second difference of heights [1/m]."""
    bends = [np.abs(np.diff(z, 2, axis=k)) / axis.step**2 for k, axis in enumerate((x, y))]
    return float(max((bend.max() for bend in bends if bend.size), default=0.0))


APPROACH = 20.0
"""[m]; longer than a vehicle with its trailer, whose first axle begins where the road does."""

FILE_WORDS = (
    Option("dx", "m", None, "spacing of the nodes along x (.npy; .tif without it)"),
    Option("dy", "m", None, "spacing across; dx if not given (.npy, .tif)"),
    Option("x0", "m", 0.0, "x of the first node (.npy, .tif)"),
    Option("y0", "m", None, "y of the first node; centred if not given (.npy, .tif)"),
    Option("approach", "m", APPROACH, "how far the road continues level before its beginning"),
    Option("interpolation", "", "cubic", "cubic or linear"),
)
"""Options of a file."""


def is_map_file(name: str) -> bool:
    """Return True if a name is that of a file with a road."""
    return any(name.lower().endswith(ending) for ending in READERS)


def read_map(
    path: str | Path,
    friction: float | Friction = 0.8,
    *,
    dx: float | None = None,
    dy: float | None = None,
    x0: float = 0.0,
    y0: float | None = None,
    approach: float = APPROACH,
    interpolation: str = "cubic",
) -> Road:
    """Return a road from a file; interpolation is cubic or linear.

    A ``.npy`` has heights (n_x, n_y) along x and to the left, with a spacing dx, and dy if it differs [m]; an
    ``.npz`` has ``z`` of that shape, ``x`` and ``y`` of equally spaced nodes, and ``mu`` (n_x, n_y) if
    friction is mapped too.  GeoTIFF and OpenCRG, ``.crg`` or ``.crg.gz``, need the extra ``roads``.

    ``x0`` and ``y0`` are the first node of a ``.npy`` or GeoTIFF [m]; across, the middle is at y = 0 if None.
    The road continues by ``approach`` before its beginning, with the heights there [m]; the rear of a vehicle
    starts there.
    """
    source = files.path_of("road", path, DataError)
    checks.choice(f"{path}: interpolation", interpolation, ("cubic", "linear"), DataError)
    for word, value in (("dx", dx), ("dy", dy)):
        if value is not None:
            check_number(str(path), word, value, above=0.0)
    check_number(str(path), "x0", x0)
    if y0 is not None:
        check_number(str(path), "y0", y0)
    name = str(path).lower()
    for ending, reader in READERS.items():
        if name.endswith(ending):
            given = {"dx": dx, "dy": dy, "x0": x0 or None, "y0": y0}
            return reader(source, friction, given, MapShape(interpolation == "cubic", approach))
    raise DataError(f"road {str(path)!r} is no map; endings are {', '.join(READERS)}")


class MapShape(NamedTuple):
    """Interpolation of a map, cubic or linear, and its continuation before its beginning [m]."""

    smooth: bool
    approach: float


def read_npy(path: Path, friction: float | Friction, given: dict[str, Any], shape: MapShape) -> Road:
    """Read heights alone: spacing and place are arguments."""
    z = load(path)
    if not isinstance(z, np.ndarray) or z.ndim != 2:
        raise DataError(f"road {path}: heights must be an array (n_x, n_y), got shape {np.shape(z)}")
    if given["dx"] is None:
        raise DataError(f"road {path}: set the spacing of its nodes, for example {path.name}:dx=0.1")
    check_size(str(path), z.size)
    dy = given["dx"] if given["dy"] is None else given["dy"]
    return place_map(path, friction, z, (given["dx"], dy), given, shape)


def place_map(
    path: Path,
    friction: float | Friction,
    z: Floats,
    spacing: tuple[float, float],
    given: dict[str, Any],
    shape: MapShape,
) -> Road:
    """Return a map whose place is given, or that begins at x = 0 and has y = 0 in its middle."""
    dx, dy = spacing
    x0 = 0.0 if given["x0"] is None else given["x0"]
    y0 = -0.5 * dy * (z.shape[1] - 1) if given["y0"] is None else given["y0"]
    return HeightMap(friction, z, (x0, dx), (y0, dy), shape.smooth, path.name, shape.approach)


def read_npz(path: Path, friction: float | Friction, given: dict[str, Any], shape: MapShape) -> Road:
    """Return heights with their nodes, and friction."""
    refuse_given(path, given)
    arrays = load(path)
    if not isinstance(arrays, dict):
        raise DataError(f"road {path}: it holds one array; name it .npy, or save x, y and z by numpy.savez")
    for name in ("x", "y", "z"):
        if name not in arrays:
            raise DataError(f"road {path}: no array {name!r}; there are {', '.join(arrays) or 'none'}")
    check_size(str(path), arrays["z"].size)
    x, y = (read_axis(path, name, arrays[name]) for name in ("x", "y"))
    sizes = (arrays["x"].size, arrays["y"].size)
    for name in ("z", "mu"):
        if name in arrays and arrays[name].shape != sizes:
            raise DataError(
                f"road {path}: {name} has the shape {arrays[name].shape}, by x and y it must be {sizes}"
            )
    if "mu" in arrays:
        friction = FrictionMap(arrays["mu"], x, y, f"road {path}: mu")
    return HeightMap(friction, arrays["z"], x, y, shape.smooth, path.name, shape.approach)


def read_axis(path: Path, name: str, nodes: Floats) -> tuple[float, float]:
    """Read the first node and the spacing of an axis."""
    if nodes.ndim != 1 or nodes.size < 2 or nodes.dtype.kind not in "iuf":
        raise DataError(f"road {path}: {name} must be a list of two nodes at least")
    step = float(nodes[-1] - nodes[0]) / (nodes.size - 1)
    even = nodes[0] + step * np.arange(nodes.size)
    if not (step > 0.0 and np.max(np.abs(nodes - even)) <= 1e-6 * step):
        raise DataError(
            f"road {path}: {name} must rise in equal steps; resample it, for example with scipy.interpolate"
        )
    return float(nodes[0]), step


def read_tiff(path: Path, friction: float | Friction, given: dict[str, Any], shape: MapShape) -> Road:
    """Read a GeoTIFF in metres: x to the east, y to the north; its place on the Earth is dropped."""
    dx, dy = given["dx"], given["dy"]
    if dx is None and dy is not None:
        raise DataError(f"road {path}: dy is given without dx; give both, or leave both to the file")
    found = read_geotiff(path, dx is not None)
    spacing = found.spacing or (dx, dx if dy is None else dy)
    return place_map(path, friction, found.z, spacing, given, shape)


def read_crg(path: Path, friction: float | Friction, given: dict[str, Any], shape: MapShape) -> Road:
    """Read an OpenCRG file."""
    refuse_given(path, given)
    return read_opencrg(path, friction, smooth=shape.smooth, approach=shape.approach)


def refuse_given(path: Path, given: dict[str, Any]) -> None:
    """Reject positions of nodes for a file that states its own."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise DataError(f"road {path}: the file itself defines its nodes; leave out {', '.join(names)}")


WRONG = (
    ValueError, OSError, EOFError, SyntaxError, TokenError, RuntimeError, NotImplementedError, struct.error,
    zlib.error, zipfile.BadZipFile,
)  # fmt: skip
"""Errors of NumPy and of zipfile for files that are damaged, encrypted, or packed in another way."""


def load(path: Path) -> Any:
    """Return the array of a NumPy file; those of an .npz as a dict."""
    content = files.read("road", path, LARGEST)
    try:
        if not content.startswith(b"PK"):
            return array_of(content)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > LARGEST:
                raise ValueError(f"unpacked it has {size:,} bytes, {LARGEST:,} are allowed")
            return {
                member.filename.removesuffix(".npy"): array_of(unpack(archive, member)) for member in members
            }
    except WRONG as error:
        raise DataError(f"road {path}: no NumPy file that can be read: {error}") from None


def unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the content of a member, which unpacks to no more than it promises.

    `ValueError` if it is packed in a way that NumPy does not write: zipfile unpacks those whole, however
    long.
    """
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member.filename} is packed by method {member.compress_type}; use numpy.savez")
    with archive.open(member) as stream:
        return stream.read(member.file_size)  # a limit, where ``archive.read`` has none


def array_of(content: bytes) -> Floats:
    """Return the numbers that a .npy holds, as many as its header promises; `ValueError` if it does not."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version not in HEADERS:
        raise ValueError(f"its format {version[0]}.{version[1]} is for arrays of records, not for numbers")
    shape, by_columns, dtype = HEADERS[version](stream)
    if dtype.kind not in "iufc":
        raise ValueError(f"it holds {dtype}, not numbers")
    held, promised = len(content) - stream.tell(), math.prod(shape) * dtype.itemsize
    if held != promised:
        raise ValueError(f"its header promises {promised:,} bytes, it holds {held:,}")
    found = np.frombuffer(content, dtype, offset=stream.tell())
    return found.reshape(shape, order="F" if by_columns else "C")


HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
"""Readers of the header of a .npy by its version."""

Reader = Callable[[Path, "float | Friction", dict[str, Any], MapShape], Road]

READERS: dict[str, Reader] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".tif": read_tiff,
    ".tiff": read_tiff,
    ".crg": read_crg,
    ".crg.gz": read_crg,
}
"""By ending."""
