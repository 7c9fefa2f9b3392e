"""What compiling the ride model costs, and what other ways of doing it would give."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction, llvm as native, machine as compiler
from ce_dynamics.compiler.code_levels import FULL, QUICK
from ce_dynamics.compiler.codegen.emit import emit_llvm
from ce_dynamics.compiler.codegen.writer import FLAGS
from ce_dynamics.compiler.tracing.operations import arity
from ce_dynamics.models.vehicles.case import build_ride
from tests.benchmarks.evaluation import prepared
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import Contender, race


class Way(NamedTuple):
    """A way to compile: LLVM's passes (None for none), vectoriser, level of code generation, flags; pairs."""

    name: str
    passes: int | None = None
    slp: bool = False
    codegen: int = FULL
    flags: str = FLAGS
    fuse: bool = True
    depth_first: bool = False
    pairs: bool = False


WAYS = (
    Way("as used: formulas in pairs, no passes, code generation 2, products fused beforehand", pairs=True),
    Way("code generation 0, as CE_DYNAMICS_CODE=quick uses it", codegen=QUICK, pairs=True),
    Way("one formula after another; so are the ways below"),
    Way("code generation 1", codegen=1),
    Way("code generation 3", codegen=3),
    Way("passes of speed level 1", passes=1),
    Way("passes of speed level 2", passes=2),
    Way("passes of speed level 2 with the SLP vectoriser", passes=2, slp=True),
    Way("no fused multiply-add", fuse=False),
    Way("contract: LLVM fuses", flags="contract", fuse=False),
    Way("contract reassoc nsz", flags="contract reassoc nsz", fuse=False),
    Way("contract arcp reassoc nsz afn", flags="contract arcp reassoc nsz afn", fuse=False),
    Way("instructions ordered depth first", depth_first=True),
)


def run(options: Options) -> Result:
    """Compile in all ways, then time them in turn."""
    model = Model(build_ride())
    traced = model.dynamics.traced
    ways = WAYS[:2] if options.quick else WAYS
    seconds, contenders = [], []
    for way in ways:
        graph = depth_first(traced) if way.depth_first else traced
        start = time.perf_counter()
        code = object_code(graph, way)
        seconds.append(time.perf_counter() - start)
        function = compiler.link(code, graph)
        contenders.append(Contender(way.name, "", prepared(function, model.y0)[0]))
    race(contenders, options.rounds)
    rows = tuple(
        (c.name, number(took), number(1e6 * c.seconds)) for c, took in zip(contenders, seconds, strict=True)
    )
    note = (
        f"Ride model, {traced.n_instructions:,} instructions, one lane; compile: with nothing in the cache."
    )
    table = Table("Ways to compile", ("way", "compile, s", "µs"), rows, (note,))
    data = {c.name: {"us": 1e6 * c.seconds, "compile": s} for c, s in zip(contenders, seconds, strict=True)}
    return Result((table,), data)


def object_code(traced: TracedFunction, way: Way) -> bytes:
    """As `ce_dynamics.compiler.machine.object_code`, in another way."""
    llvm: Any = native.binding()
    module = llvm.parse_assembly(emit_llvm(traced, 1, way.flags, way.fuse, pairs=way.pairs))
    module.triple = native.host()[0]
    machine = native.target_machine(way.codegen)
    module.data_layout = str(machine.target_data)
    if way.passes is not None:
        tuning = llvm.create_pipeline_tuning_options(speed_level=way.passes)
        tuning.slp_vectorization = way.slp
        builder = llvm.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def depth_first(traced: TracedFunction) -> TracedFunction:
    """The same function with every instruction as late as its first use allows."""
    order: list[int] = []
    done = [False] * len(traced.instructions)
    for root in (node for output in traced.outputs for node in output):
        stack = [root]
        while stack:
            n = stack[-1]
            if done[n]:
                stack.pop()
                continue
            waiting = [k for k in operands(traced, n) if not done[k]]
            if waiting:
                stack += reversed(waiting)
            else:
                done[n] = True
                order.append(n)
                stack.pop()
    place = {n: k for k, n in enumerate(order)}
    instructions = []
    for n in order:
        op, a, b, c = traced.instructions[n]
        used = arity(op)
        moved = [place[k] if j < used else k for j, k in enumerate((a, b, c))]
        instructions.append((op, moved[0], moved[1], moved[2]))
    outputs = tuple(tuple(place[n] for n in output) for output in traced.outputs)
    return TracedFunction(
        traced.name, traced.input_shapes, traced.output_shapes, tuple(instructions), traced.numbers, outputs
    )


def operands(traced: TracedFunction, n: int) -> tuple[int, ...]:
    """Instructions that one uses."""
    op, *rest = traced.instructions[n]
    return tuple(rest[: arity(op)])
