"""Compilers in processes of their own."""

import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from ce_dynamics.compiled.export.cross_compiler import Compilers

SLEEPS = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(60)"


def test_interrupted_compilers_end_at_once(tmp_path: Path) -> None:
    """One runs, one waits for the thread: neither is waited for, nor begun."""
    paths = [tmp_path / "first", tmp_path / "second"]
    made: list[Future[tuple[int, str]]] = []

    def interrupted() -> None:
        with ThreadPoolExecutor(1) as pool, Compilers() as compilers:
            made.extend(pool.submit(compilers.run, [sys.executable, "-c", SLEEPS, str(p)]) for p in paths)
            while not paths[0].exists():
                time.sleep(0.01)
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert time.monotonic() - began < 30.0  # of 60 s
    assert not paths[1].exists()
    assert all(one.result()[0] != 0 for one in made)


def test_messages_of_compilers_are_passed_on() -> None:
    with Compilers() as compilers:
        assert compilers.run([sys.executable, "-c", "import sys; sys.exit('no')"]) == (1, "no\n")
