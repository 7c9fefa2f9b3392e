"""Maps from files: NumPy arrays, GeoTIFF."""

import contextlib
import io
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.grid import MOST_NODES
from ce_dynamics.models.parts.roads.kinds import road
from ce_dynamics.models.parts.roads.map_files import read_map

Z = 0.1 * np.random.default_rng(1).normal(size=(6, 5))


def test_an_array_is_spaced_and_centred(tmp_path: Path) -> None:
    path = tmp_path / "map.npy"
    np.save(path, Z)
    found = road(f"{path}:dx=0.5,dy=25 cm,x0=2")
    assert found.height(2.0 + 0.5 * 3, 0.25) == pytest.approx(Z[3, 3], abs=1e-14)
    assert found.title == "map.npy"
    with pytest.raises(DataError, match="set the spacing"):
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


def archive(method: int = zipfile.ZIP_DEFLATED, **more: bytes) -> bytes:
    """An .npz of some members, packed by a method."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as made:
        for name, part in more.items():
            made.writestr(f"{name}.npy", part)
    return content.getvalue()


def npy(shape: tuple[int, ...], content: bytes) -> bytes:
    """A .npy whose header promises a shape, and what follows."""
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + content


def bomb() -> bytes:
    """An archive that says of itself that it unpacks to 7.5 GiB."""
    whole = bytearray(archive(z=npy((4,), bytes(32))))
    at = whole.rindex(b"PK\x01\x02") + 24  # size of the member in the list of contents
    whole[at : at + 4] = struct.pack("<I", 2**32 - 2)
    return bytes(whole)


def big() -> bytes:
    """An archive of 25 million heights in as many bytes."""
    stream = io.BytesIO()
    np.savez_compressed(stream, x=np.arange(5000.0), y=np.arange(5000.0), z=np.zeros((5000, 5000), np.int8))
    return stream.getvalue()


def understated() -> bytes:
    """An archive that says that its 20 MB are 1 kB."""
    whole = bytearray(archive(z=npy((1600, 1600), bytes(8 * 1600**2))))
    for signature, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = whole.rindex(signature) + at
        whole[place : place + 4] = struct.pack("<I", 1024)
    return bytes(whole)


def encrypted() -> bytes:
    whole = bytearray(archive(z=npy((4,), bytes(32))))
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.rindex(signature) + at] |= 1
    return bytes(whole)


def packed_by(number: int) -> bytes:
    """An archive whose member is packed by a method of some number."""
    whole = bytearray(archive(z=npy((4,), bytes(32))))
    for signature, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        whole[whole.rindex(signature) + at] = number
    return bytes(whole)


def cut_lzma() -> bytes:
    whole = bytearray(archive(zipfile.ZIP_LZMA, z=npy((400,), np.arange(400.0).tobytes())))
    whole[60:90] = b"\xff" * 30
    return bytes(whole)


@pytest.mark.parametrize(
    ("ending", "content", "problem"),
    [
        ("npz", bomb(), "unpacked it has 4,294,967,294 bytes, 214,748,352 are allowed"),
        ("npz", encrypted(), "encrypted"),
        ("npz", packed_by(9), "packed by method 9; use numpy.savez"),
        ("npz", cut_lzma(), "packed by method 14; use numpy.savez"),
        ("npz", big(), "25,000,000 nodes is larger than"),
        ("npz", understated(), "no NumPy file that can be read"),
        ("npz", archive(z=npy((10**12,), bytes(8))), "promises 8,000,000,000,000 bytes, it holds 8"),
        ("npy", npy((10**6, 10**6), bytes(99)), "promises 8,000,000,000,000 bytes, it holds 99"),
        ("npy", npy((-4, 1), bytes(99)), "no NumPy file that can be read"),
        ("npz", npy((2, 2), bytes(32)), "it holds one array"),
    ],
)
def test_damaged_arrays_are_refused_before_unpacking(
    tmp_path: Path, ending: str, content: bytes, problem: str
) -> None:
    path = tmp_path / f"map.{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError, match=problem) as caught:
        read_map(path, dx=0.1) if ending == "npy" else read_map(path)
    assert str(path) in str(caught.value)


def peak_of(path: Path, **given: Any) -> int:
    """Return the peak of Python's memory while a map is read, which must fail or succeed [bytes]."""
    tracemalloc.start()
    try:
        with contextlib.suppress(DataError):
            read_map(path, **given)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_no_map_takes_more_than_a_gibibyte(tmp_path: Path) -> None:
    """Reading a map takes its share of the limit; one that understates its size takes the declared one."""
    n = 400
    nodes = np.arange(float(n))
    mu = np.full((n, n), 0.8)
    compressed, plain = tmp_path / "compressed.npz", tmp_path / "plain.npz"
    np.savez_compressed(compressed, x=nodes, y=nodes, z=mu, mu=mu)
    np.savez(plain, x=nodes, y=nodes, z=mu, mu=mu)
    np.save(tmp_path / "alone.npy", mu)
    read_map(plain)  # loads SciPy
    for path, given in ((compressed, {}), (plain, {}), (tmp_path / "alone.npy", {"dx": 0.1})):
        assert peak_of(path, **given) * MOST_NODES / n**2 <= 2**30
    bad = tmp_path / "bad.npz"
    bad.write_bytes(understated())
    assert peak_of(bad) < 2**20  # 20 kB of file, not the 20 MB that it unpacks to


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
