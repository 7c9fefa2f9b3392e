"""Settings of all tests: reproducible randomness, no deadlines on a busy machine, no window system."""

import contextlib
import ctypes
import functools
import gc
import os
import sys
import threading
import warnings
import zlib
from collections.abc import Callable, Generator
from typing import Any

import hypothesis
import numpy as np
import pytest

from tests.searching import FACTOR

os.environ.setdefault("MPLBACKEND", "Agg")
# most models here are evaluated a few times only; the tests of the compiler are about the code that users run
os.environ.setdefault("CE_DYNAMICS_CODE", "quick")

hypothesis.settings.register_profile("here", deadline=None, print_blob=True, max_examples=100 * FACTOR)
hypothesis.settings.register_profile("ci", parent=hypothesis.settings.get_profile("here"), derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_collection_finish() -> None:
    """Freeze all loaded objects: searching them for garbage again took an eighth of all time."""
    release_memory()
    gc.set_threshold(20_000, 20, 20)
    if sys.platform == "linux" and (parts := sys.modules.get("ce_dynamics.compiler.kernel_parts")):
        parts.Kernel.compile = functools.partialmethod(compile_apart, parts.Kernel.compile)


def compile_apart(kernel: Any, compile_here: Callable[[Any, Any], Any], types: Any) -> Any:
    """Load a kernel of the package; compile it first, in a process of its own, if no other has.

    numba keeps some 60 MiB for every kernel that it compiles, and 7 MiB for one that it loads.
    """
    import fcntl  # here, because Windows has none

    from numba.core.caching import FunctionCache  # here, because numba takes long to load

    from ce_dynamics.compiler.kernel_parts import now

    cache, function = kernel._cache, kernel.py_func
    is_whole = isinstance(cache, FunctionCache) and now.callee is not kernel
    others = set(threading.enumerate()) - {threading.current_thread()}
    alone = all(thread.daemon for thread in others)  # the main thread is no daemon
    if is_whole and alone and function.__module__.startswith("ce_dynamics."):
        with open(function.__code__.co_filename, "rb") as source, warnings.catch_warnings():
            fcntl.flock(source, fcntl.LOCK_EX)  # another worker that wants it waits, and loads it then
            warnings.simplefilter("ignore")  # of daemons that are not copied: none of them compiles
            key = cache._index_key(types, kernel.targetctx.codegen())
            if key not in cache._cache_file._load_index():
                if not (child := os.fork()):
                    with contextlib.suppress(BaseException):
                        compile_here(kernel, types)
                    os._exit(0)
                os.waitpid(child, 0)
    return compile_here(kernel, types)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on nothing but the test's own name and parameters."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


STARTED = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slowest", type=int, default=0, metavar="N", help="List the N tests that take most processor time."
    )


def processor_time() -> float:
    """Return the processor time of this process and of those it has waited for [s]."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.stash[STARTED] = processor_time()
    return (yield)


GROWTH = 100.0
"""Memory that may be taken between two looks for garbage [MiB]."""
after_garbage = [0.0]


def resident() -> float:
    """Return the memory that this process takes now [MiB]; 0 where the system has no /proc."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return 0.0


def release_memory() -> None:
    """Free what lies in cycles, and return what compilers have freed to the system where glibc can.

    Every command of the command line freezes all objects that are alive, models of other tests included.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)


@pytest.hookimpl(trylast=True)  # after fixtures
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Free compiled models: those that helpers cache after the last test of a folder, and those in cycles."""
    if nextitem is None or nextitem.path.parent != item.path.parent:
        for name, module in list(sys.modules.items()):
            for value in list(vars(module).values()) if name.startswith("tests.") else ():
                if isinstance(value, functools._lru_cache_wrapper) and value.__module__.startswith("tests."):
                    value.cache_clear()
    if resident() > after_garbage[0] + GROWTH:
        release_memory()
        after_garbage[0] = resident()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        peak = 0.0
        if sys.platform != "win32":
            import resource  # here, because Windows has none

            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        report.user_properties += [
            ("seconds", processor_time() - item.stash[STARTED]),
            ("peak", peak),
            ("process", os.getpid()),
        ]
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not (count := config.getoption("slowest")):
        return
    reports = [
        r for rs in terminalreporter.stats.values() for r in rs if getattr(r, "when", "") == "teardown"
    ]
    rows = [(dict(report.user_properties), report.nodeid) for report in reports]
    terminalreporter.section(
        f"slowest {count} by processor time, {sum(row['seconds'] for row, _ in rows):.0f} s in all"
    )
    for row, name in sorted(rows, key=lambda row: -row[0]["seconds"])[:count]:
        terminalreporter.write_line(f"{row['seconds']:8.2f} s  {row['peak']:6.0f} MiB  {name}")
    for process in sorted({row["process"] for row, _ in rows}):
        peak = max(row["peak"] for row, _ in rows if row["process"] == process)
        terminalreporter.write_line(f"process {process}: {peak:.0f} MiB at most")
