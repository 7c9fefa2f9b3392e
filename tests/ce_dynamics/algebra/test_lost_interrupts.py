"""Ctrl-C is answered even if it comes where Python cannot raise it."""

import signal
import sys
import time
from collections.abc import Iterator

import pytest

from ce_dynamics.algebra.interrupts import lose_none


class InterruptedAtItsEnd:
    def __del__(self) -> None:
        raise KeyboardInterrupt


def interrupted_and_going_on(seconds: float) -> None:
    InterruptedAtItsEnd()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.001)


@pytest.fixture
def _none_lost() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt: whatever runs the tests may ignore it."""
    before, hook = signal.signal(signal.SIGINT, signal.default_int_handler), sys.unraisablehook
    lose_none()
    yield
    signal.signal(signal.SIGINT, before)
    sys.unraisablehook = hook


@pytest.mark.usefixtures("_none_lost")
def test_an_interrupt_in_a_finalizer_comes_again() -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted_and_going_on(10.0)
