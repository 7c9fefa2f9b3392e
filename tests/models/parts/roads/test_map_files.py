"""Maps from files: NumPy arrays, GeoTIFF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.map_files import read_map
from ce_dynamics.models.parts.roads.notation import road

Z = 0.1 * np.random.default_rng(1).normal(size=(6, 5))


def test_an_array_is_spaced_and_centred(tmp_path: Path) -> None:
    path = tmp_path / "map.npy"
    np.save(path, Z)
    found = road(f"{path}:dx=0.5,dy=25 cm,x0=2")
    assert found.height(2.0 + 0.5 * 3, 0.25) == pytest.approx(Z[3, 3], abs=1e-14)
    assert found.title == "map.npy"
    with pytest.raises(DataError, match="say the spacing"):
        road(str(path))


def test_maps_continue_level_before_their_beginning(tmp_path: Path) -> None:
    """For the rear of a vehicle at the origin: 20 m, or as far as said; heights stay, slopes end."""
    path = tmp_path / "map.npy"
    np.save(path, Z)
    found = road(f"{path}:dx=0.5")
    assert found.margin(-3.0, 0.5) == pytest.approx(0.5)
    assert (found.margin(-20.0, 0.0), found.margin(-21.0, 0.0)) == (0.0, -1.0)
    for y in (-0.75, 0.5):
        assert found.height(-3.0, y) == found.height(0.0, y)
        assert found.slope(-3.0, y)[0] == 0.0
        across = (found.height(-3.0, y + 1e-6) - found.height(-3.0, y - 1e-6)) / 2e-6
        assert found.slope(-3.0, y)[1] == pytest.approx(across, abs=1e-8)
    assert found.slope(1e-9, 0.5)[0] != 0.0
    assert found.sharpness >= abs(Z[1] - Z[0]).max() / 0.25  # of the kink where it begins
    assert road(f"{path}:dx=0.5,approach=2").margin(-3.0, 0.0) == -1.0
    assert road(f"{path}:dx=0.5,approach=0").margin(-3.0, 0.0) == -3.0


def test_nodes_and_friction_from_one_file(tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    mu = np.linspace(0.2, 1.0, 30).reshape(6, 5)
    np.savez(path, x=np.arange(6) * 0.2, y=np.arange(5) - 2.0, z=Z, mu=mu)
    found = read_map(path)
    assert found.height(0.4, 1.0) == pytest.approx(Z[2, 3], abs=1e-14)
    assert found.friction(0.4, 1.0) == pytest.approx(mu[2, 3], abs=1e-14)
    np.savez(path, x=np.array([0.0, 0.2, 0.5]), y=np.arange(5.0), z=Z[:3])
    with pytest.raises(DataError, match="equal steps"):
        read_map(path)
    with pytest.raises(DataError, match="leave out dx"):
        read_map(path, dx=1.0)
    np.savez(path, x=np.arange(6) * 0.2, y=np.arange(5) - 2.0, z=Z, mu=mu.T)
    with pytest.raises(DataError, match=r"mu has the shape \(5, 6\), by x and y it must be \(6, 5\)"):
        read_map(path)


def test_geotiff_points_north(tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    path = tmp_path / "map.tif"
    scale = (33550, "d", 3, (2.0, 0.5, 0.0), True)  # ModelPixelScale
    tifffile.imwrite(path, Z.astype(np.float32), extratags=[scale])
    found = read_map(path, y0=0.0)
    # rows go from north to south, columns to the east; 1e-8: float32
    assert found.height(2.0 * 3, 0.5 * 1) == pytest.approx(Z[-2, 3], abs=1e-7)


def test_what_is_no_map_is_named(tmp_path: Path) -> None:
    path = tmp_path / "map.npy"
    path.write_bytes(b"nothing")
    with pytest.raises(DataError, match="no NumPy file"):
        read_map(path, dx=1.0)
    np.save(path, Z[0])
    with pytest.raises(DataError, match="shape"):
        read_map(path, dx=1.0)
    with pytest.raises(DataError, match="interpolation"):
        road(f"{path}:dx=1,interpolation=quintic")
    with pytest.raises(DataError, match="no map"):
        read_map(tmp_path / "map.txt")
