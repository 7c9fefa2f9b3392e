"""GeoTIFF: what tags say of units, scales and gaps is heeded; files of nonsense are refused by name."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads import grid
from ce_dynamics.models.parts.roads.kinds import road

tifffile = pytest.importorskip("tifffile", reason="the extra roads is not installed")

Z = np.add.outer(0.03 * np.arange(5)[::-1], 0.1 * np.arange(8))
"""Heights in rows from north to south: 3 cm a pixel to the north, 10 cm to the east."""
SIZE = (33550, "d", 3, (0.5, 0.25, 0.0), True)


def geo_keys(**values: int) -> tuple[Any, ...]:
    numbers = {"model": 1024, "linear": 3076, "vertical": 4099}
    rows = [entry for name, value in values.items() for entry in (numbers[name], 0, 1, value)]
    directory = (1, 1, 0, len(values), *rows)
    return (34735, "H", len(directory), directory, True)


def turned(*matrix: float) -> tuple[Any, ...]:
    return (34264, "d", 16, (*matrix, *(0.0,) * (15 - len(matrix)), 1.0), True)


def gdal(role: str, value: str) -> tuple[Any, ...]:
    return (
        42112,
        "s",
        0,
        f'<GDALMetadata><Item name="X" sample="0" role="{role}">{value}</Item></GDALMetadata>',
        True,
    )


@pytest.mark.parametrize(
    ("z", "tags"),
    [
        (Z, [SIZE]),
        (Z, [SIZE, geo_keys(model=1, linear=9001, vertical=9001)]),
        (Z, [turned(0.5, 0, 0, 6e5, 0, -0.25, 0, 4e6), (42113, "s", 6, "-9999", True)]),
        ((1000.0 * Z).round().astype("i2"), [SIZE, gdal("scale", "0.001"), gdal("unittype", "metre")][:2]),
        (Z, [SIZE, gdal("unittype", "m")]),
    ],
)
def test_heights_stand_where_and_as_tags_say(z: np.ndarray, tags: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "map.tif"
    tifffile.imwrite(path, z, extratags=tags)
    found = road(str(path))
    for x, y in ((0.0, 0.0), (2.0, 0.5), (3.5, -0.5)):  # a linear map is linear in between, too
        assert found.height(x, y) == pytest.approx(0.2 * x + 0.12 * (y + 0.5), abs=1e-12)


@pytest.mark.parametrize(
    ("z", "tags", "words", "message"),
    [
        (Z, [], "", "the size of its pixels is missing; set it by dx"),
        (Z, [], ":dy=1", "dy is given without dx"),
        (Z, [SIZE, geo_keys(model=2)], "", "degrees .* project it to metres"),
        (Z, [SIZE, geo_keys(model=1, linear=9002)], "", "its pixels are in feet"),
        (Z, [SIZE, geo_keys(model=1, vertical=9003)], ":dx=1", "its heights are in US survey feet"),
        (Z, [SIZE, gdal("unittype", "ft")], "", "its heights are in 'ft'; convert it to metres"),
        (Z, [SIZE, gdal("scale", "much")], "", "its scale 'much' is no number"),
        (
            np.where(Z > 0.5, -9999.0, Z),
            [SIZE, (42113, "s", 6, "-9999", True)],
            "",
            r"of 40 pixels hold no data \(-9999\)",
        ),
        (
            np.where(Z > 0.5, np.nan, Z),
            [SIZE, (42113, "s", 4, "nan", True)],
            "",
            r"pixels hold no data \(nan\)",
        ),
        (np.where(Z > 0.5, np.nan, Z), [SIZE], "", "not finite; fill the gaps first"),
        (Z, [turned(0.4, 0.3, 0, 0, 0.3, -0.4)], "", "turned against north"),
        (Z, [(33550, "d", 3, (0.5, -0.5, 0.0), True)], "", r"size of its pixels is \(0.5, -0.5\)"),
        (Z, [(33550, "d", 1, 0.5, True)], "", r"size of its pixels is \(0.5\), not two positive numbers"),
        (Z + 1j, [SIZE], "", "heights must be real numbers, not of the kind complex128"),
        (Z > 0.3, [SIZE], "", "heights must be real numbers, not of the kind bool"),
        (np.zeros((9, 9, 3), "u1"), [SIZE], "", "one band of heights is needed"),
    ],
)
def test_what_is_no_map_in_metres_is_named(
    z: np.ndarray, tags: list[Any], words: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "map.tif"
    tifffile.imwrite(path, z, extratags=tags, photometric="rgb" if z.ndim == 3 else "minisblack")
    with pytest.raises(DataError, match=rf"road .*map\.tif: {message}|map\.tif: .*{message}"):
        road(f"{path}{words}")


def test_pixels_beyond_memory_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "map.tif"
    tifffile.imwrite(path, Z, extratags=[SIZE])
    monkeypatch.setattr(grid, "MOST_NODES", Z.size)
    road(str(path))
    monkeypatch.setattr(grid, "MOST_NODES", Z.size - 1)
    with pytest.raises(DataError, match="a map of 40 nodes is larger than 39; cut the road"):
        road(str(path))


def test_files_with_wrong_bytes_are_read_or_named(tmp_path: Path) -> None:
    path, rng = tmp_path / "map.tif", np.random.default_rng(4)
    tifffile.imwrite(path, Z, extratags=[SIZE, gdal("scale", "2")], compression="zlib")
    whole = path.read_bytes()
    said = []
    for _ in range(60):
        wrong = bytearray(whole)
        wrong[rng.integers(len(wrong))] = rng.integers(256)
        path.write_bytes(wrong[: rng.integers(1, 2 * len(wrong))])
        try:
            road(str(path))
        except DataError as error:
            said.append(str(error))
    assert len(said) > 20
    assert all("map.tif" in message for message in said)
