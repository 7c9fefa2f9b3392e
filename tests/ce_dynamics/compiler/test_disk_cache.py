"""The cache of compiled code: used when it can be, harmless when it cannot."""

import errno
import logging
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from ce_dynamics.compiler import CompiledFunction, compile_function, disk_cache, llvm, machine, trace
from ce_dynamics.compiler.derivatives.compiled import compile_jacobian
from ce_dynamics.compiler.machine import recall_or_compile

X = np.array([0.3, 0.4])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "code"))
    return tmp_path / "code"


def compiled(factor: float = 2.0, lanes: int = 1) -> CompiledFunction:
    return compile_function(trace("f", lambda x: {"y": (x[0] * factor + x[1]).sin()}, {"x": 2}), lanes)


def check(f: CompiledFunction) -> None:
    assert f(X)[0] == pytest.approx(np.sin(1.0), rel=1e-15)


def refuse(*_: Any) -> NoReturn:
    raise AssertionError("compiled again")


def test_second_time_nothing_is_compiled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(compiled())
    monkeypatch.setattr(machine, "object_code", refuse)
    check(compiled())
    with pytest.raises(AssertionError, match="compiled again"):
        compiled(factor=3.0)
    with pytest.raises(AssertionError, match="compiled again"):
        compiled(lanes=2)


def test_another_cpu_or_version_is_another_entry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled()
    monkeypatch.setattr(machine, "object_code", refuse)
    triple, cpu, features = llvm.host_cpu()
    for host in ((triple, "other", features), (triple, cpu, features + ",+other")):
        with monkeypatch.context() as patch:
            patch.setattr(llvm, "host_cpu", lambda host=host: host)
            with pytest.raises(AssertionError, match="compiled again"):
                compiled()
    monkeypatch.setattr("ce_dynamics.compiler.codegen.emit.EMITTER_VERSION", -1)
    with pytest.raises(AssertionError, match="compiled again"):
        compiled()


def _flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize(
    "damage", [_flip, lambda c: c[:-1], lambda c: c[:10], lambda c: b"", lambda c: c + b"x"]
)
def test_damaged_entries_are_rebuilt(damage: Any, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    compiled()
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    with caplog.at_level(logging.WARNING):
        check(compiled())
    assert "damaged" in caplog.text
    assert entry.read_bytes() == whole


def test_unusable_folder_only_costs_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")  # chmod would not stop an administrator
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "file" / "code"))
    with caplog.at_level(logging.WARNING):
        check(compiled())
        check(compiled())
    assert len(caplog.records) == 1
    assert disk_cache.VARIABLE in caplog.text


@pytest.mark.skipif(
    sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions bind"
)
def test_folder_without_write_permission(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o500)
    check(compiled())
    assert not list(folder.iterdir())


def test_full_disk_leaves_no_debris(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with caplog.at_level(logging.WARNING):
        check(compiled())
    assert "No space left" in caplog.text
    assert list(folder.iterdir()) == []


def test_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(disk_cache.VARIABLE, "off")
    assert disk_cache.folder() is None
    check(compiled())
    assert list(tmp_path.iterdir()) == []


def test_oldest_entries_go_first_when_the_folder_grows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "_LARGEST_TOTAL", 1000)
    for age, key in enumerate(("new", "middle", "old")):
        disk_cache.store(key, bytes(250))
        os.utime(folder / f"{key}.{disk_cache.FORMAT}.code", (1e9 - age, 1e9 - age))
    assert disk_cache.load("old") == bytes(
        250
    )  # 846 bytes with the checksums: all three fit, and "old" is used just now
    disk_cache.store("one too many", bytes(250))
    # 1128 bytes: drop until at most 500 are left
    assert [path.name for path in folder.iterdir()] == [f"one too many.{disk_cache.FORMAT}.code"]


PROGRAM = """
import sys
import numpy as np
from ce_dynamics.compiler import compile_function, trace
def function(x):
    y = [x[0], x[1]]
    for k in range(300):
        y = [y[0] * (0.9 + k * 1e-4) + y[1] * 0.1, y[1] * 0.99 - y[0] * 0.01]
    return {"y": y}
f = compile_function(trace("f", function, {"x": 2}))
sys.stdout.write(repr(f(np.array([0.3, 0.4]))[0].tolist()))
"""


def test_processes_that_compile_the_same_at_once(folder: Path) -> None:
    commands = [[sys.executable, "-c", PROGRAM]] * 3
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    results = {process.communicate(timeout=60)[0] for process in running}
    assert all(process.returncode == 0 for process in running)
    assert len(results) == 1
    assert len(results.pop()) > 10
    assert [path.suffix for path in folder.iterdir()] == [".code"]


def test_an_entry_under_another_name_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "code"))
    disk_cache.store("first", b"one")
    disk_cache.store("second", b"two")
    assert stat.S_IMODE((tmp_path / "code").stat().st_mode) == 0o700
    first, second = (tmp_path / "code" / f"{name}.{disk_cache.FORMAT}.code" for name in ("first", "second"))
    first.rename(second)
    assert disk_cache.load("second") is None
    assert disk_cache.load("first") is None


def test_folder_writable_by_others_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    where = tmp_path / "code"
    monkeypatch.setenv(disk_cache.VARIABLE, str(where))
    disk_cache.store("key", b"one")
    where.chmod(0o777)
    assert disk_cache.load("key") is None
    assert "can be written to by others" in caplog.text
    assert not disk_cache.private(where)
    where.chmod(0o700)
    assert disk_cache.load("key") == b"one"


NOBODY = 65_534
"""Number of a user who is not the one that runs the tests."""


def plant(path: Path, kind: str) -> None:
    """Replace an entry as another user, or one who could once write to the folder, could have done."""
    content = path.read_bytes()
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        (path.parent / "elsewhere").write_bytes(content)
        path.symlink_to(path.parent / "elsewhere")
    else:
        path.write_bytes(content)
        path.chmod(0o666 if kind == "writable" else 0o644)
        if kind == "foreign":
            os.chown(path, NOBODY, NOBODY)


root_alone = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
@pytest.mark.parametrize("kind", ["writable", "pipe", "link", pytest.param("foreign", marks=root_alone)])
def test_planted_entries_are_neither_read_nor_kept(
    folder: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    disk_cache.store("key", b"one")
    (entry,) = folder.iterdir()
    plant(entry, kind)
    with caplog.at_level(logging.WARNING):
        assert disk_cache.load("key") is None
    assert str(entry) in caplog.text
    assert not entry.exists()
    disk_cache.store("key", b"two")
    assert disk_cache.load("key") == b"two"


@pytest.mark.skipif(sys.platform == "win32", reason="has no such permissions")
@pytest.mark.parametrize("kind", ["writable", pytest.param("foreign", marks=root_alone)])
def test_folder_that_others_can_replace_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    above = tmp_path / "above"
    monkeypatch.setenv(disk_cache.VARIABLE, str(above / "code"))
    disk_cache.store("key", b"one")
    if kind == "foreign":
        os.chown(above, NOBODY, NOBODY)
    else:
        above.chmod(0o777)
    assert disk_cache.load("key") is None
    assert f"{above} belongs to another user or can be written to by others" in caplog.text
    if kind == "writable":
        above.chmod(0o1777)  # as /tmp: nothing there is moved by those who do not own it
        assert disk_cache.load("key") == b"one"


class Trap:
    """Its pickle creates a file when it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, tuple[Path]]:
        return Path.touch, (self.mark,)


def square(x: Any) -> dict[str, Any]:
    return {"y": x[0] * x[0] * x[1]}


def ask_everything() -> list[float]:
    """Return results of code, of a function found by its content and of a Jacobian."""
    traced = trace("square", square, {"x": 2})
    known = recall_or_compile(lambda: traced, "square", ("a test",))
    return [float(known(X)[0]), *compile_jacobian(traced, "y", "x")(X).ravel().tolist()]


FOREIGN = {
    "json of another shape": b"[]",
    "json without entries": b"{}",
    "json nested deeply": b"[" * 100_000,
    "text": "Grüße".encode("latin-1"),
    "start of an object file": b"\x7fELF",
}


@pytest.mark.parametrize("content", ["pickle", *FOREIGN])
def test_entries_of_foreign_content_are_made_again(
    folder: Path, tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    expected = ask_everything()
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    assert len(whole) == 4  # two functions, a note of each
    trap = pickle.dumps(Trap(tmp_path / "ran"))
    for path in whole:
        key = path.name.removesuffix(f".{disk_cache.FORMAT}.code")
        planted = FOREIGN.get(content, trap)
        path.write_bytes(disk_cache.digest(key, planted) + planted)  # valid: of the right format
    with caplog.at_level(logging.WARNING):
        assert ask_everything() == expected
    assert not (tmp_path / "ran").exists()
    assert {path: path.read_bytes() for path in folder.iterdir()} == whole
    assert all("its content is of another kind" in record.getMessage() for record in caplog.records)


def test_nothing_that_is_kept_is_unpickled() -> None:
    """numba's own files apart (`ce_dynamics.compiler.loops`), code and notes are bytes, text and JSON."""
    root = Path(disk_cache.__file__).resolve().parents[2]
    folders = (root / name for name in ("ce_dynamics", "models", "kinematics"))
    sources = {path.name: path.read_text() for folder in folders for path in folder.rglob("*.py")}
    assert len(sources) > 200
    assert [name for name, text in sources.items() if "pickle.load" in text or "import pickle" in text] == []


def test_the_home_folder_may_be_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(disk_cache.VARIABLE, "~/code")
    assert disk_cache.folder() == tmp_path / "code"


def test_entries_of_another_format_are_not_called_damaged(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    disk_cache.store("key", b"content")
    (entry,) = folder.iterdir()
    entry.rename(folder / "key.code")  # as the first format named it, with another digest
    with caplog.at_level(logging.WARNING):
        assert disk_cache.load("key") is None
    assert not caplog.records
    assert disk_cache.measure_contents()[0] == disk_cache.clear() == 1
    assert not list(folder.iterdir())
