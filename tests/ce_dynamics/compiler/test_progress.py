"""Progress of long work is logged by name from time to time; short work is silent."""

import io
import logging
import subprocess
import sys
import threading
import time

import pytest

import ce_dynamics as ce
from ce_dynamics.cli.progress import Display
from ce_dynamics.compiler import progress
from ce_dynamics.compiler.progress import log_work
from tests.support import systems as mechanisms


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Lines come twenty times as soon."""
    monkeypatch.setattr(progress, "FIRST", 0.05)
    monkeypatch.setattr(progress, "EVERY", 0.09)
    caplog.set_level(logging.INFO, "ce_dynamics")
    return caplog


def test_long_work_is_mentioned_again_and_again(impatient: pytest.LogCaptureFixture) -> None:
    with log_work("digging", lambda: "3 m deep"):
        time.sleep(0.5)
    lines = impatient.messages
    assert 2 <= len(lines) <= 8  # 6, and one more or a few less on a busy machine
    assert lines[0].startswith("digging, 3 m deep: ")
    assert lines[-1].startswith("digging: done after ")


def test_the_innermost_is_named(impatient: pytest.LogCaptureFixture) -> None:
    with log_work("outer"), log_work("inner"):
        time.sleep(0.3)
    named = {line.split(":")[0] for line in impatient.messages[1:] if "so far" in line}
    assert named == {"inner"}  # the first may come before the inner work begins


def test_much_that_is_short_is_mentioned(impatient: pytest.LogCaptureFixture) -> None:
    for k in range(20):
        with log_work(f"piece {k}"):
            time.sleep(0.03)
    assert len([line for line in impatient.messages if "so far" in line]) >= 2


def test_short_work_is_not(impatient: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST", 60.0)
    monkeypatch.setattr(progress, "_workers", progress._Workers())  # of whom no work ended a moment ago
    with log_work("a moment"):
        time.sleep(0.01)
    assert not impatient.messages
    with pytest.raises(ValueError, match="oops"), log_work("a failure"):
        raise ValueError("oops")
    assert not progress._workers.here.stack


def test_nobody_listens(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "ce_dynamics")
    before = threading.active_count()
    with log_work("silence"):
        assert threading.active_count() == before


def test_compiling_is_mentioned(impatient: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CE_DYNAMICS_CACHE", "off")
    monkeypatch.setattr(progress, "FIRST", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.001)
    model = ce.compile(mechanisms.five_bar())
    model.linearize(model.y0)
    text = "\n".join(impatient.messages)
    for what in (
        "embedding the loops of",
        "tracing dynamics",
        "compiling dynamics, ",
        "compiling dy_dot_dy, ",
    ):
        assert what in text


def test_the_command_line_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the line becomes the description of the bar; afterwards the logger is as it was."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    level, handlers = progress.logger.level, list(progress.logger.handlers)
    with Display() as display:
        display.stage("preparing")
        progress.logger.info("compiling dynamics, 7,081 instructions: 3 s so far")
        assert display.progress is not None
        assert display.progress.tasks[0].description.startswith("compiling dynamics")
    assert (progress.logger.level, progress.logger.handlers) == (level, handlers)


def test_by_logging_alone() -> None:
    """The user of ``python -c`` sees the logs."""
    code = (
        "import logging, time; logging.basicConfig(level=logging.INFO)\n"
        "from ce_dynamics.compiler import progress; progress.FIRST = 0.05\n"
        "with progress.log_work('compiling dynamics'): time.sleep(0.4)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "INFO:ce_dynamics:compiling dynamics: 0 s so far" in run.stderr
