"""Objects found again by what was asked: made anew whenever that, or a file of the package, is another."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path

import pytest

from ce_dynamics import _version
from ce_dynamics.compiler import disk_cache, known_objects
from ce_dynamics.compiler.known_objects import recall_or_make


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only file of the package, as far as is looked, in a process that begins in a minute; a cache."""
    path = tmp_path / "module.py"
    path.write_text("1")
    monkeypatch.setattr(known_objects, "package_files", lambda: [(str(path), path.name)])
    monkeypatch.setattr(_version, "IMPORTED", time.time() + 60.0)
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "code"))
    return path


class Maker:
    """Makes lists and counts them."""

    def __init__(self, warning: str = "") -> None:
        self.made, self.warning = 0, warning

    def __call__(self) -> list[float]:
        self.made += 1
        if self.warning:
            warnings.warn(self.warning, UserWarning, stacklevel=1)
        return [0.1, float("inf")]


def times_made(*questions: tuple[object, ...], make: Maker | None = None) -> int:
    """How often something was made while these were asked; what was answered is always the same."""
    make = make or Maker()
    for asked in questions:
        assert recall_or_make(make, "list", asked) == [0.1, float("inf")]
    return make.made


@pytest.mark.usefixtures("source")
def test_what_was_asked_before_is_not_made_again() -> None:
    assert times_made(("a", 1.0), ("a", 1.0), ("a", 1.0)) == 1
    assert times_made(("a", 1.0)) == 0


@pytest.mark.usefixtures("source")
def test_another_question_has_another_answer() -> None:
    questions = [("a", 1.0), ("a", 1), ("a", "1.0"), ("a", None), ("a",), (("a", 1.0),), ("a", 1.0 + 2e-16)]
    assert times_made(*questions, *questions) == len(questions)
    make = Maker()
    recall_or_make(make, "another list", ("a", 1.0))
    assert make.made == 1


def test_a_file_that_has_changed_is_seen_though_size_and_time_are_put_back(source: Path) -> None:
    assert times_made(("a",)) == 1
    before = source.stat()
    time.sleep(0.02)  # twice the clock of file systems
    source.write_text("2")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert source.stat().st_mtime_ns == before.st_mtime_ns
    assert times_made(("a",), ("a",)) == 1


def test_nothing_is_kept_that_older_files_may_have_made(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_version, "IMPORTED", source.stat().st_ctime - 1.0)
    assert times_made(("a",), ("a",)) == 2
    monkeypatch.setattr(_version, "IMPORTED", time.time() + 60.0)
    assert times_made(("a",)) == 1
    source.unlink()
    assert times_made(("a",), ("a",)) == 2


def test_nothing_is_kept_if_a_file_changes_while_it_is_made(source: Path) -> None:
    class Editor(Maker):
        def __call__(self) -> list[float]:
            source.write_text("edited")
            return super().__call__()

    assert times_made(("a",), make=Editor()) == 1
    assert times_made(("a",), ("a",)) == 1


@pytest.mark.usefixtures("source")
def test_what_is_warned_of_is_warned_of_every_time() -> None:
    make = Maker("mind the gap")
    for _ in range(2):
        with pytest.warns(UserWarning, match="mind the gap") as said:
            times_made(("a",), make=make)
        assert len(said) == 1
    assert make.made == 2


@pytest.mark.usefixtures("source")
def test_nothing_is_kept_of_a_package_without_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_objects, "package_files", list)
    assert times_made(("a",), ("a",)) == 2


@pytest.mark.usefixtures("source")
def test_without_a_cache_everything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(disk_cache.VARIABLE, "off")
    assert times_made(("a",), ("a",)) == 2


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("content", [b"no pickle", b"cnowhere\nNothing\n."])
def test_what_cannot_be_read_is_made_anew(content: bytes) -> None:
    key = known_objects._key("list", ("a",))
    assert key is not None
    disk_cache.store(key, content)
    assert times_made(("a",), ("a",)) == 1
