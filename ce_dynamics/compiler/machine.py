"""Compile traced functions to machine code in this process, and call them.

How it is compiled
------------------
No LLVM optimisation passes run on the code: the traced graph is already free of dead, constant and repeated
instructions, and straight-line code has nothing else to gain.  Measured on a 14-DoF vehicle with four
closed-form wishbone corners (9,970 instructions, LLVM 22, one core of an AMD EPYC of family 25; passes +
code generation in seconds, µs per call):

=========================================  ===========  ======  =======  =======
pipeline                                   compile      1 lane  4 lanes  8 lanes
=========================================  ===========  ======  =======  =======
no passes, code generation level 1         0.00 + 0.50  1.60    1.80     3.01
no passes, code generation level 2 (used)  0.00 + 0.39  1.60    1.74     2.99
speed level 1, code generation level 2     0.07 + 0.36  1.62    1.76     2.91
speed level 2, code generation level 2     0.08 + 0.43  1.63    1.75     2.99
the same with SLP vectorisation            2.08 + 0.75  1.75    1.75     -
speed level 3 with SLP vectorisation       1.83 + 0.56  1.73    1.75     3.01
=========================================  ===========  ======  =======  =======

The vectoriser even loses speed: what it gathers into vectors it must take apart again. Vectors pay as
lanes, and for what the sides of a vehicle have in common (`ce_dynamics.compiler.codegen.pairs`; the table is
without them). Compiling 1, 2, 4, 8 such vehicles as one function takes 0.5, 1.0, 2.5, 8.7 s: longer functions
are compiled in pieces (`ce_dynamics.compiler.codegen.outliner`), which gives the same bits.
Level 0 is for those who cannot wait (`ce_dynamics.compiler.code_levels`).

Where code is kept
------------------
Machine code is kept under a hash of its graph.  A note under the key of a description
(`ce_dynamics.compiler.fingerprint`) has the shapes of a function and the hash of its graph, so that it is
loaded without tracing.  Notes that cannot be read, or whose code is gone, are made anew.
"""

from __future__ import annotations

import copyreg
import hashlib
import json
from collections.abc import Callable
from typing import Any

from ce_dynamics.algebra.tables import known_table
from ce_dynamics.compiler import disk_cache, llvm
from ce_dynamics.compiler.code_levels import FULL, code_level, is_portable, obtain_code
from ce_dynamics.compiler.codegen import emit, emit_segments
from ce_dynamics.compiler.codegen.fused import code_of
from ce_dynamics.compiler.codegen.outliner import outline
from ce_dynamics.compiler.compiled_function import ONE_LANE, CodeKind, CompiledFunction
from ce_dynamics.compiler.elementary import written_out
from ce_dynamics.compiler.fingerprint import changed_since_import, content_key
from ce_dynamics.compiler.llvm import Signature
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.compiler.tracing.function import TracedFunction

LARGEST_STRAIGHT = 20_000  # instructions beyond which a function is compiled in pieces
LARGEST_UNLIKE, UNLIKE = 30_000, 0.5
"""Instructions up to which it is straight-line code nevertheless, where more than this part of its pieces are
of a kind of their own.  That takes twice the time to compile, and runs 1.2 to 1.4 times as fast (vehicles of
22,000 to 27,000 instructions); pieces that are alike are compiled in a tenth of the time and run as fast."""


def _key(digest: str, kind: CodeKind, level: int) -> str:
    import llvmlite  # here, because graphs are evaluated and handed on without it

    longest = LARGEST_STRAIGHT, LARGEST_UNLIKE, UNLIKE
    parts: tuple[object, ...] = (digest, kind.lanes, emit.EMITTER_VERSION, level, longest)
    parts += ("portable",) if is_portable() else () if kind.fused else ("unfused",)
    parts += ("single",) if kind.single else ()
    versions = (llvmlite.__version__, llvm.binding().llvm_version_info)
    return hashlib.sha256(repr((parts, versions, llvm.host_cpu())).encode()).hexdigest()


def source(traced: TracedFunction, lanes: int, fused: bool = True, single: bool = False) -> str:
    """Return LLVM IR of a function: straight-line code, or pieces where that is too long.

    Single precision is written as straight-line code, however long.
    """
    fuse = fused and llvm.has_fma() and not is_portable()
    traced = written_out(traced) if is_portable() else traced
    if single:
        return emit.emit_llvm(traced, lanes, fuse=fuse, single=True)
    if traced.n_instructions <= LARGEST_STRAIGHT:
        return emit.emit_llvm(traced, lanes, fuse=fuse, pairs=fuse and lanes == 1)
    parts = outline(traced, code_of(traced, fuse))
    unlike = len(parts.kinds) > UNLIKE * len(parts.order)
    if lanes == 1 and unlike and traced.n_instructions <= LARGEST_UNLIKE:
        return emit.emit_llvm(traced, lanes, fuse=fuse, pairs=fuse)
    return emit_segments.emit_outline(traced, parts, lanes, fuse=fuse)


def object_code(traced: TracedFunction, kind: CodeKind, level: int = FULL) -> bytes:
    """Compile to an object file in memory, without looking at the cache."""
    module = llvm.binding().parse_assembly(source(traced, *kind))
    module.triple = llvm.host_cpu()[0]
    target = llvm.target_machine(level)
    module.data_layout = str(target.target_data)
    return bytes(target.emit_object(module))


def compile_function(
    traced: TracedFunction,
    lanes: int = 1,
    fused: bool = True,
    single: bool = False,
) -> CompiledFunction:
    """Compile a traced function, or load it from the cache.

    Parameters
    ----------
    traced : TracedFunction
    lanes : int
        Number of instances evaluated by one call: 1 (plain arrays), or a power of two (arrays get a last
        axis of that length; 4 or 8 suit the vector registers of today's CPUs).
    fused : bool
        Whether to use fused multiply-adds where the processor has them; without, every operation rounds once,
        as it does in C and WebAssembly.
    single : bool
        Whether to compute in single precision, twice as many instances at a time; inputs and outputs stay
        doubles.

    Raises
    ------
    ValueError
        If lanes is not a power of two between 1 and 64.
    ModelError
        If the environment variable CE_DYNAMICS_CODE has an unknown value.
    """
    if lanes not in (1, 2, 4, 8, 16, 32, 64):
        raise ValueError(f"lanes = {lanes!r}; allowed are powers of two from 1 (a single instance) to 64")
    digest, kind = traced.digest(), CodeKind(lanes, fused, single)

    def link_here(code: bytes) -> CompiledFunction:
        return link(code, traced, kind)

    def make(level: int) -> CompiledFunction:
        with log_work(f"compiling {traced.name}, {traced.n_instructions:,} instructions"):
            code = object_code(traced, kind, level)
        disk_cache.store(_key(digest, kind, level), code)
        return link_here(code)

    return obtain_code(lambda level: disk_cache.load_with(_key(digest, kind, level), link_here), make)


def _pickled(function: CompiledFunction) -> tuple[Any, ...]:
    """Return the function, compiled or unpickled from the cache."""
    return compile_function, (function.traced, *function.kind)


copyreg.pickle(CompiledFunction, _pickled)


def link(code: bytes, traced: TracedFunction, kind: CodeKind = ONE_LANE) -> CompiledFunction:
    """Link object code of a traced function, however it was made."""
    signature = Signature.of(traced)
    library = llvm.link(code, signature, traced.tables)
    return CompiledFunction(traced, kind, library, signature, traced.tables)


def load_function(
    signature: Signature, trace_it: Callable[[], TracedFunction], lanes: int = 1, single: bool = False
) -> CompiledFunction | None:
    """Load a compiled function by its signature; None if its code is not in the cache.

    `trace_it` is called where the instructions are needed, to derive a function or to compile it for more
    lanes.
    """
    tables = [table for table in map(known_table, signature.tables) if table is not None]
    if len(tables) < len(signature.tables):
        return None

    kind = CodeKind(lanes, single=single)

    def link_here(code: bytes) -> CompiledFunction:
        return CompiledFunction(trace_it, kind, llvm.link(code, signature, tables), signature, tables)

    return disk_cache.load_with(_key(signature.digest, kind, code_level()), link_here)


def recall_or_compile(
    make: Callable[[], TracedFunction], name: str, content: tuple[object, ...]
) -> CompiledFunction:
    """Compile the function that `make` traces, or load it if it was compiled from the same content.

    ``content`` is everything that `make` reads.  `make` is called at once, or when instructions are needed.
    """
    key = _content_key(name, content)
    if key is None:
        return compile_function(make())
    signature = disk_cache.load_with(key, lambda note: Signature.from_dict(json.loads(note)))
    known = None if signature is None else load_function(signature, make)
    if known is not None:
        return known
    function = compile_function(make())
    if (
        not changed_since_import()
    ):  # modules are loaded while tracing: they might have been younger than the key
        disk_cache.store(key, json.dumps(function.signature.as_dict()).encode())
    return function


def _content_key(name: str, content: tuple[object, ...]) -> str | None:
    """Return the key of the content; None if the cache is off or the content has no key."""
    if disk_cache.folder() is None:
        return None
    key = content_key(*content)
    return None if key is None else disk_cache.NOTE + hashlib.sha256(f"{name} {key}".encode()).hexdigest()
