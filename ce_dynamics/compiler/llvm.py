"""LLVM in this process: its processor, code for it and its signature, the linker, and calls row by row."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import functools
import itertools
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler.code_levels import FULL
from ce_dynamics.compiler.codegen import emit, emit_segments, writer
from ce_dynamics.compiler.tracing.function import Shape, TracedFunction


@dataclass(frozen=True)
class Signature:
    """Data of a function that are needed, besides its machine code, to call it."""

    name: str
    input_shapes: dict[str, Shape]  # shapes for a single instance
    output_shapes: dict[str, Shape]
    digest: str  # digest of the traced function
    n_instructions: int
    libm: tuple[str, ...]  # functions of the C mathematics library that the code calls
    tables: tuple[int, ...] = ()  # keys of the tables that the code looks up

    @classmethod
    def of(cls, traced: TracedFunction) -> Signature:
        """Return the signature of a traced function."""
        used = {op for op, _, _, _ in traced.instructions}
        return cls(
            name=traced.name,
            input_shapes=traced.input_shapes,
            output_shapes=traced.output_shapes,
            digest=traced.digest(),
            n_instructions=traced.n_instructions,
            libm=tuple(symbol for op, symbol in writer.LIBM.items() if op in used),
            tables=tuple(table.key for table in traced.tables),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Signature:
        """Return the signature from the result of `as_dict`, after JSON."""

        def shapes(key: str) -> dict[str, Shape]:
            return {str(name): tuple(map(int, shape)) for name, shape in found[key].items()}

        return cls(
            name=str(found["name"]),
            input_shapes=shapes("input_shapes"),
            output_shapes=shapes("output_shapes"),
            digest=str(found["digest"]),
            n_instructions=int(found["n_instructions"]),
            libm=tuple(map(str, found["libm"])),
            tables=tuple(map(int, found["tables"])),
        )


_lock = threading.Lock()
_serial = itertools.count()


@functools.cache
def binding() -> Any:
    """Return LLVM's library, initialised for this processor."""
    import llvmlite.binding as llvm  # here, because graphs are evaluated and handed on without it

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def host_cpu() -> tuple[str, str, str]:
    """Return triple, name and features of the CPU: this one, or that of numba's environment variables."""
    llvm = binding()
    own = llvm.get_host_cpu_name()
    name = os.environ.get("NUMBA_CPU_NAME") or own
    features = llvm.get_host_cpu_features().flatten() if name == own else ""
    return llvm.get_process_triple(), name, os.environ.get("NUMBA_CPU_FEATURES", features)


NEAR = sys.platform == "linux"
"""True where code reads its constants relative to itself and reaches distant ones through a table, instead of
by addresses of eight bytes: 3 to 6 % less time.  LLVM's JITLink puts code and constants side by side or
refuses to; its older linker, which Windows needs, promises neither."""


def target_machine(level: int) -> Any:
    """Return the target machine of LLVM for this CPU, at a level of code generation."""
    triple, cpu, features = host_cpu()
    target = binding().Target.from_triple(triple)
    model = "small" if NEAR else "jitdefault"
    return target.create_target_machine(cpu=cpu, features=features, opt=level, reloc="pic", codemodel=model)


@functools.cache
def _jit() -> Any:
    """Return the linker of this process.  It lives for ever, as the code it holds may."""
    return binding().create_lljit_compiler(target_machine(FULL), use_jit_link=NEAR)


@functools.cache
def libm() -> ctypes.CDLL:
    """Return C's functions of floats."""
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    with contextlib.suppress(OSError):
        return ctypes.CDLL("libm.so.6")  # GNU's; to look for another starts a process
    return ctypes.CDLL(ctypes.util.find_library("m"))


@functools.cache
def libc() -> ctypes.CDLL:
    """Return C's library."""
    return ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)


def has_fma() -> bool:
    """Return True if this CPU has fused multiply-add."""
    triple, _, features = host_cpu()
    return "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64"))


def link(code: bytes, signature: Signature, tables: Sequence[Table]) -> Any:
    """Return the object code of a function, linked with its callees and tables."""
    builder = binding().JITLibraryBuilder().add_object_img(code).add_current_process()
    symbols = [(libc(), symbol) for symbol in emit_segments.IMPORTS]
    symbols += [(libm(), symbol) for symbol in signature.libm]
    for library, symbol in symbols:
        builder.import_symbol(symbol, ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value)
    for table in tables:
        builder.import_symbol(writer.table_symbol(table.key), table.values.ctypes.data)
    builder.export_symbol(emit.ENTRY).export_symbol(emit.TABLE_ENTRY)
    with _lock:
        return builder.link(_jit(), f"ce_dynamics_{next(_serial)}")


_BYTE: Any = ctypes.c_char


def address(array: NDArray[np.generic]) -> int:
    """Return the address of the first entry of an array."""
    try:
        return ctypes.addressof(_BYTE.from_buffer(array))  # a third of the time of the other way
    except (TypeError, ValueError, BufferError):  # not writable, in pieces, or empty
        place: int = array.__array_interface__["data"][0]
        return place
