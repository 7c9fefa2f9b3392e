"""Shared libraries for many platforms from one machine: the C compiler that the package ziglang carries."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from ce_dynamics.compiler.progress import log_work
from ce_dynamics.errors import ModelError


class Platform(NamedTuple):
    """Platform of a library."""

    target: str  # name of the platform for the compiler
    suffix: str  # suffix of library files


SOURCES = files("ce_dynamics.compiled.export") / "sources"

PLATFORMS = {
    # a C library that every distribution of the last ten years has
    "x86_64-linux": Platform("x86_64-linux-gnu.2.17", ".so"),
    "aarch64-linux": Platform("aarch64-linux-gnu.2.17", ".so"),
    "x86_64-windows": Platform("x86_64-windows-gnu", ".dll"),
    "x86_64-darwin": Platform("x86_64-macos.11.0", ".dylib"),
    "aarch64-darwin": Platform("aarch64-macos.11.0", ".dylib"),
}
"""By the names of FMI 3.0."""

# More than -O1 takes twice the time to compile straight-line code and gains nothing; so does the vectoriser.
FLAGS = (
    "-std=c99",
    "-O1",
    "-fno-slp-vectorize",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-shared",
    "-s",
)

WINDOWS_LIBRARIES = tuple(f"-lapi-ms-win-crt-{part}-l1-1-0" for part in ("math", "heap", "string", "private"))
"""Libraries of the C library that Windows 10 and later have.

With these alone there is no start-up code of MinGW, which takes more than a minute to compile the first time
and does nothing for such a library.
"""

REMEDY = "FMUs need packages of an extra: pip install 'ce-dynamics[fmi]'"


def require(*packages: str) -> None:
    """Reject exports without the packages of the extra ``fmi``."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise ModelError(f"no package {' and no package '.join(missing)}; {REMEDY}")


class Compilers:
    """Compilers that run at once, each for a thread; those that still run when the block is left are ended.

    The threads of a pool would wait for them, and Ctrl-C with them.
    """

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._over = threading.Event()

    def __enter__(self) -> Compilers:
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        for process in tuple(self._running):
            self._end(process)

    def run(self, command: Sequence[str]) -> tuple[int, str]:
        """Return exit code and stderr."""
        if self._over.is_set():
            return 1, "stopped"
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            self._running.add(process)
            if self._over.is_set():  # in between
                self._end(process)
            _, output = process.communicate()
            self._running.discard(process)
        return process.returncode, output

    def _end(self, process: subprocess.Popen[str]) -> None:
        """End the process and its children; Windows has no groups."""
        with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)


def build_library(
    compilers: Compilers, sources: Sequence[Path], includes: Sequence[Path], platform: str, result: Path
) -> None:
    """Compile C files and link them for one of `PLATFORMS`."""
    require("ziglang")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", PLATFORMS[platform].target, *FLAGS]
    command += [f"-I{folder}" for folder in includes]
    command += [*map(str, sources), "-o", str(result)]
    command += windows_arguments() if platform.endswith("windows") else ["-lm"]
    with log_work(f"compiling for {platform}"):
        code, output = compilers.run(command)
    if code != 0 or not result.is_file():
        raise ModelError(f"compiling for {platform} failed: {output.strip()[-500:]}")


def windows_arguments() -> list[str]:
    """Return the extra arguments of a Windows library: headers, entry point, parts of the C library."""
    found = importlib.util.find_spec("ziglang")
    assert found is not None, "asked for before"
    included = Path(str(found.origin)).parent / "lib" / "libc" / "include" / "any-windows-any"
    entry = str(SOURCES / "windows.c")
    return ["-nostdlib", "-isystem", str(included), entry, *WINDOWS_LIBRARIES]


def universal(libraries: Sequence[bytes]) -> bytes:
    """Return one library for several processors of macOS: a table, then the single libraries."""
    align = 14
    header = struct.pack(">II", 0xCAFEBABE, len(libraries))
    place = 1 << align
    body = b""
    for library in libraries:
        processor, subtype = struct.unpack("<ii", library[4:12])
        header += struct.pack(">iiIII", processor, subtype, place + len(body), len(library), align)
        body += library + bytes(-len(library) % (1 << align))
    return header.ljust(1 << align, b"\0") + body
