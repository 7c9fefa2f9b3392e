"""Heights from GeoTIFF files, with their tags of spacing, units, scales and missing pixels."""

from __future__ import annotations

import math
import re
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.grid import LARGEST, check_size

if TYPE_CHECKING:
    from tifffile import TiffPage

PIXEL_SCALE, TRANSFORMATION, GEO_KEYS, GDAL_METADATA, GDAL_NO_DATA = 33550, 34264, 34735, 42112, 42113
"""Numbers of tags: ModelPixelScale, ModelTransformation, GeoKeyDirectory, and two of GDAL."""
MODEL_TYPE, LINEAR_UNITS, VERTICAL_UNITS = 1024, 3076, 4099
"""Geo keys."""
GEOGRAPHIC, GEOCENTRIC, METRE = 2, 3, 9001
"""Values of theirs."""
FEET = {9002: "feet", 9003: "US survey feet"}
METRES = ("m", "metre", "metres", "meter", "meters")
WRONG = (
    ValueError, LookupError, TypeError, ArithmeticError, OSError, RuntimeError, struct.error, zlib.error,
)  # fmt: skip
"""Errors that the reader raises for bytes without meaning."""


class GeoTiff(NamedTuple):
    """Heights (n_x, n_y) to the east and to the north, and the size of pixels if the file states it [m]."""

    z: Floats
    spacing: tuple[float, float] | None


def read_geotiff(path: Path, sized: bool) -> GeoTiff:
    """Read a GeoTIFF file; ``sized`` is True if the size of its pixels is given beside it."""
    try:
        import tifffile  # here, because an extra installs it
    except ImportError:
        raise DataError(
            f"road {path}: GeoTIFF needs a package of an extra: pip install 'ce-dynamics[roads]'"
        ) from None
    files.read("road", path, LARGEST)
    try:
        with tifffile.TiffFile(path) as file:
            page = file.pages.first
            check_kind(path, page)
            tags = {tag.code: tag.value for tag in page.tags}
            z = page.asarray()
            if z.shape != page.shape:
                raise ValueError(f"it promises {page.shape} heights and has {z.shape}")
    except DataError:
        raise
    except (tifffile.TiffFileError, *WRONG) as error:
        raise DataError(f"road {path}: no GeoTIFF that can be read: {error}") from None
    check_units(path, tags, sized)
    with np.errstate(invalid="ignore"):  # of NaN of other kinds, which is refused as NaN
        z = np.asarray(z, dtype=float)
    heights = scale_heights(path, tags, refuse_missing(path, tags, z))
    return GeoTiff(heights[::-1].T, None if sized else read_pixel_size(path, tags))


def check_kind(path: Path, page: TiffPage) -> None:
    """Reject files without a field of heights, before unpacking."""
    if len(page.shape) != 2:
        raise DataError(f"road {path}: one band of heights is needed, got an array of shape {page.shape}")
    if page.dtype is None or page.dtype.kind not in "iuf":
        raise DataError(f"road {path}: heights must be real numbers, not of the kind {page.dtype}")
    check_size(str(path), math.prod(page.shape))


def check_units(path: Path, tags: dict[int, object], sized: bool) -> None:
    """Refuse degrees and feet: heights and lengths are metres."""
    keys = geo_keys(tags)
    if keys.get(MODEL_TYPE) in (GEOGRAPHIC, GEOCENTRIC) and not sized:
        raise DataError(
            f"road {path}: its pixels are counted in degrees or from the Earth's centre; project it "
            "to metres, for example with gdalwarp -t_srs, or set their size by dx and dy"
        )
    units = {"heights": keys.get(VERTICAL_UNITS, METRE)}
    if not sized:
        units["pixels"] = keys.get(LINEAR_UNITS, METRE)
    for what, unit in units.items():
        if unit != METRE:
            name = FEET.get(unit, f"the unit {unit} of EPSG")
            raise DataError(f"road {path}: its {what} are in {name}; convert it to metres")
    gdal_unit = gdal(tags).get("unittype", "m")
    if gdal_unit.strip().lower() not in METRES:
        raise DataError(f"road {path}: its heights are in {checks.show(gdal_unit)}; convert it to metres")


def geo_keys(tags: dict[int, object]) -> dict[int, int]:
    """Return the geo keys with short integer values, by number."""
    directory = np.atleast_1d(np.asarray(tags.get(GEO_KEYS, ()), dtype=object)).tolist()
    rows = (directory[k : k + 4] for k in range(4, len(directory) - 3, 4))
    return {key: value for key, place, _, value in rows if place == 0}


def gdal(tags: dict[int, object]) -> dict[str, str]:
    """Return GDAL's metadata of the first band, by role: scale, offset, unittype."""
    values: dict[str, str] = {}
    for item in str(tags.get(GDAL_METADATA, "")).split("<Item")[1:]:
        head, _, behind = item.partition(">")
        role = re.search(r'role="(\w+)"', head)
        text, closed, _ = behind.partition("<")
        if role is not None and closed:
            values.setdefault(role[1], text)
    return values


def refuse_missing(path: Path, tags: dict[int, object], z: Floats) -> Floats:
    """Return the heights, where none is missing."""
    given = str(tags.get(GDAL_NO_DATA, "")).strip("\0 ")
    if given:
        missing = int(np.count_nonzero(np.isnan(z) | (z == number(path, "no data", given))))
        if missing:
            raise DataError(
                f"road {path}: {missing} of {z.size} pixels hold no data ({given}); fill the gaps first, for "
                "example with gdal_fillnodata, or cut the map"
            )
    return z


def scale_heights(path: Path, tags: dict[int, object], z: Floats) -> Floats:
    """Return heights of the numbers that are kept."""
    tagged = gdal(tags)
    scale, offset = (number(path, what, tagged.get(what, usual)) for what, usual in SCALES.items())
    return z * scale + offset


SCALES = {"scale": "1", "offset": "0"}


def number(path: Path, what: str, text: str) -> float:
    """Return a number of a tag of GDAL; no data may be NaN."""
    try:
        return float(text)
    except ValueError:
        raise DataError(f"road {path}: its {what} {checks.show(text)} is no number") from None


def read_pixel_size(path: Path, tags: dict[int, object]) -> tuple[float, float]:
    """Return the size of pixels to the east and to the north."""
    if PIXEL_SCALE in tags:
        found = np.atleast_1d(np.asarray(tags[PIXEL_SCALE], dtype=float)).ravel()[:2]
    elif TRANSFORMATION in tags:
        matrix = np.atleast_1d(np.asarray(tags[TRANSFORMATION], dtype=float)).ravel()
        if matrix.size < 6 or matrix[1] or matrix[4]:
            raise DataError(f"road {path}: its pixels are turned against north; set their size by dx and dy")
        found = matrix[[0, 5]] * (1.0, -1.0)
    else:
        raise DataError(f"road {path}: the size of its pixels is missing; set it by dx")
    if found.size < 2 or not np.all((found > 0.0) & np.isfinite(found)):
        shown = ", ".join(f"{x:g}" for x in found)
        raise DataError(
            f"road {path}: the size of its pixels is ({shown}), not two positive numbers; set dx and dy"
        )
    return float(found[0]), float(found[1])
