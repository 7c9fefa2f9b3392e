"""Ctrl-C is answered even if it comes where Python cannot raise it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator

import pytest

from ce_dynamics.algebra.lost_interrupts import none_lost


class InterruptedAtItsEnd:
    def __del__(self) -> None:
        raise KeyboardInterrupt


def interrupted_and_going_on(seconds: float) -> None:
    InterruptedAtItsEnd()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.001)


@pytest.fixture
def answered() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt: whatever runs the tests may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("answered")
def test_an_interrupt_in_a_finalizer_comes_again() -> None:
    before = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt), none_lost():
        interrupted_and_going_on(10.0)
    assert sys.unraisablehook is before
