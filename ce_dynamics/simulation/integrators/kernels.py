"""Primitives of the integrators' compiled loops, for several runs side by side in SIMD lanes.

A loop gets a model as `calls`, an array of addresses:

====  ==================================================================
0, 1  the dynamics, and the table of its arguments
2, 3  the control law (0 if there is none) and its table
4, 5  the Jacobian (0 if there is none) and its table
6, 7  what sampled controllers do (0 if there are none), and its table
8, 9  the observation (0 if there is none) and its table
====  ==================================================================

and as the arrays that the tables point to.  Addresses are numbers at run time, so that one compiled loop
serves every model and can be kept on disk.

The number of lanes, `width`, is a constant of each compiled loop: a single run is one lane.  Arrays over
states and lanes are flat; entry i of a lane is at i · width + lane.  The caller allocates state, work space
and results.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from llvmlite import ir
from numba import carray, types  # type: ignore[attr-defined]  # numba does not list it
from numba.extending import intrinsic
from numpy.typing import NDArray

from ce_dynamics.compiler import loops

RUNNING, DONE, STEP_TOO_SMALL, GUARDED, NOT_FINITE = range(5)

EARLY = 1e-9
"""Part of a step, or of the time between samples, by which what is due then may lie behind the beginning of
the step it belongs to."""


Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Cubes: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
IntegerMatrix: TypeAlias = NDArray[np.int64]
"""Types of the fields of records that kernels read from a block: the names distinguish their shapes."""


class Buffers(NamedTuple):
    """Buffers that the compiled functions of a model read and write; see above."""

    calls: Integers
    time: Vector
    state: Vector
    rate: Vector
    sampled: Vector
    period: Vector
    made: Integers


class Holding(NamedTuple):
    """Inputs that are held in every lane.

    `cursor` is where they are among `times` (-1 before the first); from times[k] on the inputs `where` are
    values[k], lane by lane; they are written into `held`.
    """

    cursor: Integers
    times: Vector
    values: Matrix
    where: Integers
    held: Vector


def sources() -> str:
    """Return a hash of the files of kernels, which call each other, and of what compiles them."""
    root = Path(__file__).resolve().parents[2]
    compiler = (root / "compiler" / name for name in ("kernel_parts.py", "loops.py"))
    files = {*(root / "simulation").rglob("*kernels.py"), *(root / "contact").rglob("*.py"), *compiler}
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()


SOURCES = sources()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile when first called; keep the code on disk until a file of kernels changes."""
    return loops.kernel(function, sources=SOURCES)


def part(function: Callable[..., Any]) -> Any:
    """Compile a part of other kernels, inline.

    Tuples of buffers are not passed at run time.
    """
    return loops.kernel(function, forceinline=True)


@intrinsic
def call_address(typing_context: Any, address: Any, table: Any) -> Any:
    """Call ``void f(double** table)`` at an address."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.PointerType(ir.IntType(8))
        function = ir.FunctionType(ir.VoidType(), [pointer]).as_pointer()
        given_address, given_table = arguments
        builder.call(builder.inttoptr(given_address, function), [builder.inttoptr(given_table, pointer)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), code


call: Any = call_address  # the same function with the signature for numba: without the context


@intrinsic
def pointer_to(typing_context: Any, address: Any) -> Any:
    """Return an address as a pointer."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.PointerType(ir.IntType(8)))

    return types.voidptr(types.int64), code


at: Any = pointer_to  # the same function with the signature for numba: without the context


# Arrays of a block, by their number; see `ce_dynamics.simulation.integrators.workspace.block_of`


@part
def vector(block, k):  # type: ignore[no-untyped-def]
    """Return an array of numbers, flat."""
    return carray(at(block[3 * k]), (block[3 * k + 1] * block[3 * k + 2],), np.float64)


@part
def matrix(block, k):  # type: ignore[no-untyped-def]
    """Return an array of numbers in rows."""
    return carray(at(block[3 * k]), (block[3 * k + 1], block[3 * k + 2]), np.float64)


@part
def cubes(block, k):  # type: ignore[no-untyped-def]
    """Return an array of 3 × 3 matrices."""
    return carray(at(block[3 * k]), (block[3 * k + 1], 3, 3), np.float64)


@part
def integers(block, k):  # type: ignore[no-untyped-def]
    """Return an array of integers, flat."""
    return carray(at(block[3 * k]), (block[3 * k + 1] * block[3 * k + 2],), np.int64)


@part
def integer_matrix(block, k):  # type: ignore[no-untyped-def]
    """Return an array of integers in rows."""
    return carray(at(block[3 * k]), (block[3 * k + 1], block[3 * k + 2]), np.int64)


READERS = {
    "Vector": vector, "Matrix": matrix, "Cubes": cubes, "Integers": integers, "IntegerMatrix": integer_matrix
}  # fmt: skip
"""Parts that make an array again, by the type of a record's field."""


def reader(record: Any, *before: Any) -> Any:
    """Return a part that makes a record of arrays again from a block, in which other records come before it.

    The types of its fields are names of `READERS`.  The part is written as text, because numba unrolls no
    loop over arrays of different shapes.
    """
    first = sum(len(other._fields) for other in before)
    kinds = (getattr(kind, "__forward_arg__", kind) for kind in record.__annotations__.values())
    arrays = ", ".join(f"{kind}(block, {first + k})" for k, kind in enumerate(kinds))
    space = {**READERS, "record": record, "__name__": __name__}
    exec(f"def read(block):\n    return record({arrays})", space)
    return part(space["read"])


buffers_of = reader(Buffers)
holding_of = reader(Holding, Buffers)


@part
def put_in_place(held, k, lane, width):  # type: ignore[no-untyped-def]
    """Write the inputs of one lane that hold from instant k on."""
    for j in range(held.where.size):
        held.held[held.where[j] * width + lane] = held.values[k, j * width + lane]


@part
def write_held_inputs(held, at, width):  # type: ignore[no-untyped-def]
    """Write the inputs of all lanes that hold at a time."""
    moved = held.cursor[0] < 0
    while held.cursor[0] + 1 < held.times.size and held.times[held.cursor[0] + 1] <= at:
        held.cursor[0] += 1
        moved = True
    if moved and held.cursor[0] >= 0:
        for lane in range(width):
            put_in_place(held, held.cursor[0], lane, width)


@part
def give_inputs(b, t, y):  # type: ignore[no-untyped-def]
    """Leave time, state and the inputs there in the buffers of all lanes."""
    for k in range(b.time.size):
        b.time[k] = t
    for k in range(y.size):
        b.state[k] = y[k]
    if b.calls[2] != 0:
        call(b.calls[2], b.calls[3])


@part
def evaluate(b, t, y):  # type: ignore[no-untyped-def]
    """Leave inputs and ẏ at (t, y) in the buffers."""
    give_inputs(b, t, y)
    call(b.calls[0], b.calls[1])


@part
def look(b, t, y):  # type: ignore[no-untyped-def]
    """Leave the state after a sample at (t, y) in the buffer."""
    give_inputs(b, t, y)
    call(b.calls[6], b.calls[7])


@part
def sample_if_due(b, t, slack, y, alive, width):  # type: ignore[no-untyped-def]
    """Let sampled controllers of the lanes alive act before a step that begins at t."""
    period = b.period[0]
    if period == 0.0 or t + slack < b.made[0] * period:
        return
    look(b, t, y)
    for k in range(b.sampled.size):
        if alive[k % width] != 0:
            y[k] = b.sampled[k]
    b.made[0] += 1


@part
def is_finite(y):  # type: ignore[no-untyped-def]
    """Return True if every entry is."""
    total = 0.0
    for k in range(y.size):
        total += 0.0 * y[k]
    return total == 0.0


@part
def add_weighted(weights, places, r, K, out):  # type: ignore[no-untyped-def]
    """Add Σ w_j K_j with the weights of a row, in the order of its places; see `WeightTable`.

    Up to five terms are added in one pass, others after them, in loops that a compiler makes vectors of: for
    small models these loops cost as much as the evaluation.
    """
    m, n = places[r, 0], out.size
    w1, j1 = weights[r, 1], places[r, 1]
    if m == 1:
        for i in range(n):
            out[i] = w1 * K[j1, i]
        return
    w2, j2 = weights[r, 2], places[r, 2]
    if m == 2:
        for i in range(n):
            out[i] = w1 * K[j1, i] + w2 * K[j2, i]
        return
    w3, j3 = weights[r, 3], places[r, 3]
    if m == 3:
        for i in range(n):
            out[i] = w1 * K[j1, i] + w2 * K[j2, i] + w3 * K[j3, i]
        return
    w4, j4 = weights[r, 4], places[r, 4]
    if m == 4:
        for i in range(n):
            out[i] = w1 * K[j1, i] + w2 * K[j2, i] + w3 * K[j3, i] + w4 * K[j4, i]
        return
    w5, j5 = weights[r, 5], places[r, 5]
    for i in range(n):
        out[i] = w1 * K[j1, i] + w2 * K[j2, i] + w3 * K[j3, i] + w4 * K[j4, i] + w5 * K[j5, i]
    for j in range(6, m + 1):
        w, place = weights[r, j], places[r, j]
        for i in range(n):
            out[i] += w * K[place, i]


@part
def combine(weights, places, r, K, y, h, out):  # type: ignore[no-untyped-def]
    """Compute y + h Σ w_j K_j with the weights of a row."""
    add_weighted(weights, places, r, K, out)
    for i in range(y.size):
        out[i] = y[i] + h * out[i]


@kernel
def leaves(guards, y, h):  # type: ignore[no-untyped-def]
    """Return the first coordinate outside its bounds, or beyond them within a step; -1 if there is none.

    Rows of `guards` are its places in q and v, lower and upper bound, and its period (0 if it has none).  On
    the way into a dead centre the distance that is left is half the time left times the rate.
    """
    for g in range(guards.shape[0]):
        lower, upper, period = guards[g, 2], guards[g, 3], guards[g, 4]
        theta = y[int(guards[g, 0])]
        if period > 0.0:
            theta -= period * math.floor((theta - 0.5 * (lower + upper)) / period + 0.5)
        ahead = theta + 2.0 * h * y[int(guards[g, 1])]
        if not (lower <= theta <= upper and lower <= ahead <= upper):
            return g
    return -1
