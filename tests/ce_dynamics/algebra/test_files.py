"""Files are regular, of known size, and read at once or not at all."""

import os
import tempfile
from pathlib import Path

import pytest

from ce_dynamics.algebra import files
from ce_dynamics.errors import DataError, ModelError, WrongTypeError


def test_content_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"12345")
    assert files.read("table", path, 5) == b"12345"
    assert files.read("table", str(path), 6) == b"12345"
    with pytest.raises(DataError, match=r"table '.*data' is too large: 5 bytes, 4 are allowed"):
        files.read("table", path, 4)


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes by these names")
def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, kind in ((tmp_path / "pipe", "a pipe"), (tmp_path, "a folder"), ("/dev/zero", "a device")):
        with pytest.raises(DataError, match=f"cannot be read: it is {kind}, not a file"):
            files.read("table", name, 100)
    # the size of what the kernel makes up is given as 0
    with pytest.raises(DataError, match=r"is too large: [\d,]+ bytes, 10 are allowed"):
        files.read("table", "/proc/self/status", 10)
    version = Path("/proc/version").read_bytes()
    assert files.read("table", "/proc/version", len(version)) == version


def test_names_that_are_none() -> None:
    no_names: list[object] = [1, None, b"x", [], float("nan"), "", "a\0b"]
    for name in no_names:
        with pytest.raises(DataError, match="must be the name of a file"):
            files.read("table", name, 1)
    with pytest.raises(DataError, match="cannot be read: File name too long"):
        files.read("table", "x" * 5000, 1)
    with pytest.raises(WrongTypeError):
        files.path_of("table", 1, ModelError)
    assert files.path_of("table", tempfile.gettempdir()) == Path(tempfile.gettempdir())
