"""LLVM in this process: its processor, code for it, and the linker that takes the code in."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import functools
import hashlib
import itertools
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler import disk_cache
from ce_dynamics.compiler.code_levels import FULL
from ce_dynamics.compiler.codegen import emit, emit_segments, writer
from ce_dynamics.compiler.signature import Signature

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


def link_helper(source: str, *names: str) -> Any:
    """Link the functions that serve all others, from LLVM IR or disk; return the library that owns them."""
    about = (source, binding().llvm_version_info, host_cpu(), NEAR)
    key = hashlib.sha256(repr(about).encode()).hexdigest()

    def load(code: bytes) -> Any:
        builder = binding().JITLibraryBuilder().add_object_img(code).add_current_process()
        for name in names:
            builder.export_symbol(name)
        with _lock:
            return builder.link(_jit(), f"ce_dynamics_{names[0]}_{next(_serial)}")

    library = disk_cache.load_with(key, load)
    if library is None:
        module = binding().parse_assembly(source)
        module.triple = host_cpu()[0]
        target = target_machine(FULL)
        module.data_layout = str(target.target_data)
        code = bytes(target.emit_object(module))
        disk_cache.store(key, code)
        library = load(code)
    return library
