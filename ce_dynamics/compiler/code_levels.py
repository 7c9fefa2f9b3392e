"""Kinds of code: ``full`` runs fast, ``quick`` compiles fast, ``portable`` rounds alike everywhere.

LLVM spends most of its time on the choice of registers and the order of instructions.  ``quick`` omits both:
its code compiles several times as fast, gives the same bits, and takes longer to run.

Portable code has no fused multiply-adds and calls no mathematical library: every operation rounds once, as in
C and WebAssembly (`ce_dynamics.compiler.elementary`).

- The environment selects ``quick`` where many models are evaluated a few times each, as in tests.
- Within `first_soon` a first result comes from quick code.  The full code is made afterwards, for later use.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

from ce_dynamics.algebra.checks import show
from ce_dynamics.compiler import disk_cache
from ce_dynamics.errors import ModelError

VARIABLE = "CE_DYNAMICS_CODE"
"""Environment variable that selects the kind of code: ``full`` (the default), ``quick`` or ``portable``."""

QUICK, FULL = 0, 2  # code generation levels of LLVM

LEVELS = {"full": FULL, "quick": QUICK, "portable": FULL}

Owed: TypeAlias = list[Callable[[], object]]
"""Calls that compile full code of functions of which there is only quick code."""

T = TypeVar("T")

_owed: ContextVar[Owed | None] = ContextVar("owed", default=None)


def code_level() -> int:
    """Return the code generation level of the environment."""
    level = os.environ.get(VARIABLE, "") or "full"
    if level not in LEVELS:
        raise ModelError(f"{VARIABLE} = {show(level)}; allowed are {', '.join(map(repr, LEVELS))}")
    return LEVELS[level]


def is_portable() -> bool:
    """Return True if the environment selects portable code."""
    return os.environ.get(VARIABLE) == "portable"


def obtain_code(load: Callable[[int], T | None], make: Callable[[int], T]) -> T:
    """Return code of the requested level, or within `first_soon` the code that is available first.

    ``load`` returns the code of a level from the cache, or None; ``make`` makes it and leaves it there.
    """
    level, owed = code_level(), _owed.get()
    code = load(level)
    if code is None and level == FULL and owed is not None:
        owed.append(lambda: make(FULL))
        level = QUICK
        code = load(level)
    return make(level) if code is None else code


@contextmanager
def first_soon() -> Iterator[Owed]:
    """Make uncached code quickly within the block; yield the pending full code (`make_behind`).

    Without a cache no code is pending.
    """
    owed: Owed = []
    token = _owed.set(owed)
    try:
        yield owed
    finally:
        _owed.reset(token)
        if disk_cache.folder() is None:
            owed.clear()


def make_behind(owed: Owed) -> threading.Thread:
    """Make pending code in a thread that the process waits for at its end."""

    def work() -> None:
        for make in owed:
            make()

    thread = threading.Thread(target=work, name="full code")
    thread.start()
    return thread
