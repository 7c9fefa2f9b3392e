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
lanes. Compiling 1, 2, 4, 8 such vehicles as one function takes 0.5, 1.0, 2.5, 8.7 s: longer functions are
compiled in pieces (`ce_dynamics.compiler.codegen.outliner`), which gives the same bits.
Level 0 is for those who cannot wait (`ce_dynamics.compiler.code_levels`).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import hashlib
import itertools
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.tables import Table, known_table
from ce_dynamics.compiler import disk_cache
from ce_dynamics.compiler.code_levels import FULL, code_level, obtained
from ce_dynamics.compiler.codegen import emit, emit_segments, writer
from ce_dynamics.compiler.codegen.fused import code_of
from ce_dynamics.compiler.codegen.outliner import outline
from ce_dynamics.compiler.progress import at_work
from ce_dynamics.compiler.signature import Signature
from ce_dynamics.compiler.tracing.function import Shape, TracedFunction
from ce_dynamics.errors import ModelError

LARGEST_STRAIGHT = 20_000
"""Instructions beyond which a function is compiled in pieces."""

_lock = threading.Lock()
_serial = itertools.count()
_EVALUATE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@functools.cache
def _llvm() -> Any:
    import llvmlite.binding as llvm  # here, because graphs are evaluated and handed on without it

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def _host() -> tuple[str, str, str]:
    """Triple, name and features of this CPU."""
    llvm = _llvm()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _target_machine(level: int) -> Any:
    triple, cpu, features = _host()
    target = _llvm().Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=level, reloc="pic")


@functools.cache
def _jit() -> Any:
    """The linker of this process.  It lives for ever, as the code it holds may."""
    return _llvm().create_lljit_compiler(_target_machine(FULL))


@functools.cache
def _libm() -> ctypes.CDLL:
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    return ctypes.CDLL(ctypes.util.find_library("m"))


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)


def _key(
    digest: str,
    lanes: int,
    level: int,
    largest_straight: int | None = None,
    fused: bool = True,
    single: bool = False,
) -> str:
    import llvmlite  # here, because graphs are evaluated and handed on without it

    llvm = _llvm()
    longest = LARGEST_STRAIGHT if largest_straight is None else largest_straight
    parts: tuple[object, ...] = (digest, lanes, emit.EMITTER_VERSION, writer.FLAGS, level, longest)
    parts += () if fused else ("unfused",)
    parts += ("single",) if single else ()
    versions = (llvmlite.__version__, llvm.llvm_version_info)
    return hashlib.sha256(repr((parts, versions, _host())).encode()).hexdigest()


def source(
    traced: TracedFunction,
    lanes: int,
    largest_straight: int | None = None,
    fused: bool = True,
    single: bool = False,
) -> str:
    """LLVM IR of a function: straight-line code, or pieces if that would be longer than is allowed.

    Single precision is written as straight-line code, however long.
    """
    if single:
        return emit.emit_llvm(traced, lanes, fuse=fused and has_fma(), single=True)
    if traced.n_instructions <= (LARGEST_STRAIGHT if largest_straight is None else largest_straight):
        return emit.emit_llvm(traced, lanes, fuse=fused and has_fma())
    fuse = fused and has_fma()
    return emit_segments.emit_outline(traced, outline(traced, code_of(traced, fuse)), lanes, fuse=fuse)


def has_fma() -> bool:
    """Whether this CPU has fused multiply-add."""
    triple, _, features = _host()
    return "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64"))


def object_code(
    traced: TracedFunction,
    lanes: int,
    largest_straight: int | None = None,
    fused: bool = True,
    single: bool = False,
    level: int = FULL,
) -> bytes:
    """Compile to an object file in memory, without looking at the cache.

    Parameters
    ----------
    traced : TracedFunction
    lanes : int
    largest_straight : int, optional
        Instructions beyond which to compile in pieces; `LARGEST_STRAIGHT` if not given.
    fused, single : bool
        As of `compile_function`.
    level : int
        Of code generation.
    """
    llvm = _llvm()
    module = llvm.parse_assembly(source(traced, lanes, largest_straight, fused, single))
    module.triple = _host()[0]
    machine = _target_machine(level)
    module.data_layout = str(machine.target_data)
    return bytes(machine.emit_object(module))


def _link(code: bytes, signature: Signature, tables: Sequence[Table]) -> Any:
    builder = _llvm().JITLibraryBuilder().add_object_img(code).add_current_process()
    symbols = [(_libc(), symbol) for symbol in emit_segments.IMPORTS]
    symbols += [(_libm(), symbol) for symbol in signature.libm]
    for library, symbol in symbols:
        builder.import_symbol(symbol, ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value)
    for table in tables:
        builder.import_symbol(writer.table_symbol(table.key), table.values.ctypes.data)
    builder.export_symbol(emit.ENTRY).export_symbol(emit.TABLE_ENTRY)
    with _lock:
        return builder.link(_jit(), f"ce_dynamics_{next(_serial)}")


def compile_function(
    traced: TracedFunction,
    lanes: int = 1,
    largest_straight: int | None = None,
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
    largest_straight : int, optional
        Instructions beyond which it is compiled in pieces, with the same results: sooner than by default for
        what should be compiled fast rather than run fast.
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
        If the environment variable CE_DYNAMICS_CODE asks for something else than it may.
    """
    if lanes not in (1, 2, 4, 8, 16, 32, 64):
        raise ValueError(f"lanes = {lanes!r}; allowed are powers of two from 1 (a single instance) to 64")
    digest = traced.digest()

    def key(level: int) -> str:
        return _key(digest, lanes, level, largest_straight, fused, single)

    def make(level: int) -> bytes:
        with at_work(f"compiling {traced.name}, {traced.n_instructions:,} instructions"):
            code = object_code(traced, lanes, largest_straight, fused, single, level)
        disk_cache.store(key(level), code)
        return code

    code = obtained(lambda level: disk_cache.load(key(level)), make)
    function = linked(code, traced, lanes)
    function.single = single
    return function


def linked(code: bytes, traced: TracedFunction, lanes: int = 1) -> CompiledFunction:
    """Link object code of a traced function, however it was made."""
    signature = Signature.of(traced)
    library = _link(code, signature, traced.tables)
    return CompiledFunction(traced, lanes, library, signature, traced.tables)


def load_function(
    signature: Signature, trace_it: Callable[[], TracedFunction], lanes: int = 1
) -> CompiledFunction | None:
    """Load a compiled function by its signature; None if its code is not in the cache.

    Parameters
    ----------
    signature : Signature
    trace_it : callable
        Called where the instructions are needed, to derive a function or to compile it for more lanes.
    lanes : int
        As of `compile_function`.
    """
    tables = [table for table in map(known_table, signature.tables) if table is not None]
    if len(tables) < len(signature.tables):
        return None
    code = disk_cache.load(_key(signature.digest, lanes, code_level()))
    if code is None:
        return None
    return CompiledFunction(trace_it, lanes, _link(code, signature, tables), signature, tables)


class CompiledFunction:
    """Machine code of a traced function.

    Attributes
    ----------
    signature : Signature
    lanes : int
    address : int
        Of ``void f(double* in_0, ..., double* out_0, ...)``, for callers such as numba; valid while this
        object lives.
    table_address : int
        Of ``void f(double** arguments)``, with the same pointers in a table.
    single : bool
        Whether it computes in single precision.
    input_shapes, output_shapes : dict of name to shape
        Of the arrays of a call: with lanes > 1 the last axis is the lane.
    """

    def __init__(
        self,
        traced: TracedFunction | Callable[[], TracedFunction],
        lanes: int,
        library: Any,
        signature: Signature,
        tables: Sequence[Table] = (),
    ) -> None:
        self.single = False
        self._traced = traced
        self._tables = tuple(tables)  # the code reads their memory
        self.signature = signature
        self.lanes = lanes
        self._library = library
        self.address: int = library[emit.ENTRY]
        self.table_address: int = library[emit.TABLE_ENTRY]
        self._call = _EVALUATE(self.table_address)
        extra = () if lanes == 1 else (lanes,)
        self.input_shapes: dict[str, Shape] = {k: s + extra for k, s in signature.input_shapes.items()}
        self.output_shapes: dict[str, Shape] = {k: s + extra for k, s in signature.output_shapes.items()}

    @property
    def name(self) -> str:
        """Name of the traced function."""
        return self.signature.name

    @property
    def traced(self) -> TracedFunction:
        """The instructions; traced now where the code was loaded without them.

        Raises
        ------
        ModelError
            If they are others than those of the code: what they are traced from has changed since.
        """
        if not isinstance(self._traced, TracedFunction):
            traced = self._traced()
            if traced.digest() != self.signature.digest:
                raise ModelError(
                    f"{self.name} is traced to other instructions than it was compiled from: its system has "
                    "been changed since; compile the system again"
                )
            self._traced = traced
        return self._traced

    def __call__(self, *arrays: Any) -> tuple[NDArray[np.float64], ...]:
        """Evaluate; one array per input, in order.

        Raises
        ------
        TypeError
            If the number of arrays is wrong or one does not hold real numbers.
        ValueError
            If a shape is wrong.
        """
        if len(arrays) != len(self.input_shapes):
            raise TypeError(
                f"{self.name} takes the arrays {list(self.input_shapes)}, got {len(arrays)} arrays"
            )
        inputs = [
            self._checked(name, shape, given)
            for (name, shape), given in zip(self.input_shapes.items(), arrays, strict=True)
        ]
        outputs = tuple(np.empty(shape) for shape in self.output_shapes.values())
        self._call(_table([*inputs, *outputs]))
        return outputs

    def _checked(self, name: str, shape: Shape, given: Any) -> NDArray[np.float64]:
        array = np.asarray(given)
        if array.dtype.kind not in "fiub":
            raise TypeError(
                f"input {name!r} of {self.name} has dtype {array.dtype}; allowed are real numbers"
            )
        if array.shape != shape:
            raise ValueError(f"input {name!r} of {self.name} has shape {array.shape}, expected {shape}")
        # not ascontiguousarray: that would make arrays out of scalars
        return np.asarray(array, dtype=np.float64, order="C")

    def bind(self) -> Binding:
        """Buffers of one's own and the cheapest way to call."""
        return Binding(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return compile_function, (self.traced, self.lanes, None, True, self.single)

    def __repr__(self) -> str:
        return f"<compiled {self.name}: {self.signature.n_instructions} instructions, {self.lanes} lane(s)>"


class Binding:
    """Buffers for one caller of a compiled function: write `inputs`, call `run()`, read `outputs`.

    Attributes
    ----------
    inputs, outputs : dict of name to float64 array
        Write into them; replacing an entry of the dictionary has no effect.
    run : callable without arguments
    """

    __slots__ = ("_function", "_table", "inputs", "outputs", "run")

    def __init__(self, function: CompiledFunction) -> None:
        self._function = function  # keeps the code alive
        self.inputs = {name: np.zeros(shape) for name, shape in function.input_shapes.items()}
        self.outputs = {name: np.zeros(shape) for name, shape in function.output_shapes.items()}
        self._table = _table([*self.inputs.values(), *self.outputs.values()])
        # an address converted once and a call without keyword handling
        table = ctypes.c_void_p(ctypes.addressof(self._table))
        self.run: Callable[[], None] = functools.partial(function._call, table)

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledFunction.bind, (self._function,)  # buffers are one's own


def _table(arrays: list[NDArray[np.float64]]) -> Any:
    return (ctypes.c_void_p * max(1, len(arrays)))(*[array.ctypes.data for array in arrays])
