"""Functions compiled in pieces: the same bits as in one piece, and few kinds of pieces."""

import ctypes
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ce_dynamics.algebra import arrays
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, llvm, machine, trace
from ce_dynamics.compiler.codegen import fused
from ce_dynamics.compiler.codegen.fused import code_of
from ce_dynamics.compiler.codegen.outliner import Outline, outline
from ce_dynamics.compiler.compiled_function import CodeKind
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.case import build_ride
from tests.benchmarks.large_systems import chain, comb, tree
from tests.searching import examples

N = 3


@pytest.fixture
def joined_as_in_long_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products join sums as in functions that are compiled in pieces by default."""
    monkeypatch.setattr(fused, "LONGEST_ALIKE", -1)


def straight(traced: TracedFunction, lanes: int = 1) -> CompiledFunction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "LARGEST_STRAIGHT", 10**9)
        return compile_function(traced, lanes)


def parts_of(traced: TracedFunction, **sizes: int) -> Outline:
    return outline(traced, code_of(traced), **sizes)


# Random functions

NAMES = [
    "add", "sub", "mul", "div", "neg", "sin", "sqrt", "third", "abs", "greatest", "least", "arctan", "exp",
    "flip", "less", "equal", "and", "or", "not", "where", "mark",
]  # fmt: skip
steps = st.lists(
    st.tuples(st.sampled_from(NAMES), *(st.integers(0, 10**6) for _ in range(3))), min_size=1, max_size=60
)


def run(
    program: Sequence[tuple[str, int, int, int]], x: Any, side: float = -1.0, last: Any = 1.5
) -> list[Any]:
    """Random instructions; conditions outlive the pieces they are made in, one side flips signs."""
    values, conditions = [*x, last], [x[0] < x[1], x[1] <= x[2]]
    for name, i, j, k in program:
        a, b, p, q = (
            values[i % len(values)], values[j % len(values)], i % len(conditions), j % len(conditions),
        )  # fmt: skip
        if name == "mark":
            mark()
        elif name == "less":
            conditions.append(a < b)
        elif name == "equal":
            conditions.append(a == b if k % 2 else a != b)
        elif name == "and":
            conditions.append(conditions[p] & conditions[q])
        elif name == "or":
            conditions.append(conditions[p] | conditions[q])
        elif name == "not":
            conditions.append(conditions[p] == False if isinstance(conditions[p], bool) else ~conditions[p])  # noqa: E712
        elif name == "where":
            values.append(arrays.where(conditions[k % len(conditions)], a, b))
        else:
            values.append(
                {
                    "add": lambda a, b: a + b,
                    "sub": lambda a, b: a - b,
                    "mul": lambda a, b: a * b,
                    "div": lambda a, b: a / (b * b + 1.0),
                    "neg": lambda a, b: -a,
                    "sin": lambda a, b: arrays.sin(a),
                    "sqrt": lambda a, b: arrays.sqrt(a),  # NaN of negative numbers
                    "third": lambda a, b: a / 3.0,
                    "abs": lambda a, b: arrays.absolute(a),
                    "greatest": lambda a, b: arrays.maximum(a, b),
                    "least": lambda a, b: arrays.minimum(a, b),
                    "arctan": lambda a, b: arrays.arctan(a),
                    "exp": lambda a, b: arrays.exp(a),
                    "flip": lambda a, b: side * a,
                }[name](a, b)
            )
    return values


def numbers(seed: int, *shape: int) -> np.ndarray:
    """Random ones, now and then one that is not finite, zero, or far from one."""
    rng = np.random.default_rng(seed)
    odd = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1e200, -1e-200, 1.0], shape)
    return np.where(rng.random(shape) < 0.1 * (seed % 3), odd, rng.normal(size=shape))


@examples(25)
@given(steps, st.integers(1, 5), st.integers(1, 30), st.integers(0, 2**32 - 1))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_functions_give_the_same_bits(
    program: list[tuple[str, int, int, int]], shortest: int, longest: int, seed: int
) -> None:
    traced = trace("program", lambda x: {"y": run(program, x), "x": x[::-1]}, {"x": N})
    x = numbers(seed, N, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "LARGEST_STRAIGHT", -2)
        patch.setattr(machine, "LARGEST_UNLIKE", -2)
        patch.setattr(
            "ce_dynamics.compiler.machine.outline", lambda t, code: outline(t, code, shortest, longest)
        )
        kinds = [CodeKind(n) for n in (1, 4)]
        pieces = [machine.link(machine.object_code(traced, kind), traced, kind) for kind in kinds]
    one, four = straight(traced), straight(traced, 4)
    np.testing.assert_array_equal(pieces[0](x[:, 0])[0], one(x[:, 0])[0])
    for got, expected in zip(pieces[1](x), four(x), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: {"y": [2.5, x[1], x[0], 2.5, 0.0]}, [2.5, 4.0, 3.0, 2.5, 0.0]),  # nothing to compute
        (lambda x: {"y": [x[0] * x[1], x[0] * x[1] - 12.0, -7.0]}, [12.0, 0.0, -7.0]),  # a product read twice
        (lambda x: {"y": []}, []),
    ],
)
def test_outputs_that_nothing_computes(
    function: Any, expected: list[float], in_pieces: Callable[..., CompiledFunction]
) -> None:
    traced = trace("outputs", function, {"x": 2})
    assert in_pieces(traced)(np.array([3.0, 4.0]))[0].tolist() == expected


# Mechanisms


def states(model: Model, n: int, rng: np.random.Generator) -> np.ndarray:
    return model.y0[:, None] + 0.02 * rng.standard_normal((len(model.y0), n))


@pytest.mark.parametrize("system", [chain(6), comb(5), tree(2), build_ride()], ids=lambda system: system.name)
def test_mechanisms_give_the_same_bits(
    system: System, in_pieces: Callable[..., CompiledFunction], rng: np.random.Generator
) -> None:
    model = Model(system)
    traced, y = model.trace_dynamics(), states(model, 4, rng)
    one, pieces = straight(traced), in_pieces(traced)
    single = np.column_stack([pieces(column, model.u0)[0] for column in y.T])
    assert np.isfinite(single).all()
    np.testing.assert_array_equal(single, np.column_stack([one(column, model.u0)[0] for column in y.T]))
    u = np.tile(model.u0[:, None], 4)
    np.testing.assert_array_equal(in_pieces(traced, 4)(y, u)[0], straight(traced, 4)(y, u)[0])


@pytest.mark.usefixtures("joined_as_in_long_functions")
@pytest.mark.parametrize(("build", "few", "many"), [(chain, 16, 36), (comb, 16, 36)])
def test_a_longer_row_has_no_more_kinds(build: Callable[[int], System], few: int, many: int) -> None:
    short, long = (parts_of(Model(build(n)).trace_dynamics()) for n in (few, many))
    assert len(long.kinds) == len(short.kinds) <= 12
    assert sum(len(kind.op) for kind in long.kinds) == sum(len(kind.op) for kind in short.kinds)
    assert sum(kind.bases.size for kind in long.kinds) < 20 * many  # tables grow by little per loop


def test_a_tree_has_few_kinds() -> None:
    """For left and right, tips and others, and for zeros that rounding of the coordinates makes others."""
    traced = Model(tree(40)).trace_dynamics()
    parts = parts_of(traced)
    assert len(parts.kinds) <= 60
    assert sum(len(kind.op) for kind in parts.kinds) < 0.5 * code_of(traced).computes.sum()


@pytest.mark.usefixtures("joined_as_in_long_functions")
def test_bodies_of_other_sizes_are_of_same_kind(
    in_pieces: Callable[..., CompiledFunction], rng: np.random.Generator
) -> None:
    """Constants that differ are data."""
    lengths = rng.uniform(0.5, 2.0, 30)

    def function(x: Any) -> dict[str, Any]:
        value = x[0]
        for length in lengths:
            mark()
            value = length * arrays.sin(value) + 0.25 * arrays.cos(value) + length * x[1]
        return {"y": value}

    traced = trace("row", function, {"x": 2})
    parts = parts_of(traced, shortest=1)
    assert len(parts.kinds) == 1
    assert parts.kinds[0].numbers.tolist() == lengths[:, None].tolist()  # one column; 0.25 is in the code
    x = np.array([0.4, 0.1])
    assert in_pieces(traced)(x)[0] == pytest.approx(function(list(x))["y"], rel=1e-13)


def test_pieces_reading_other_tables_are_other_kinds() -> None:
    """Table and offset are written into the code; two of the four readings below are alike."""
    rising, falling = (Table(values, reach=1) for values in ((1.0, 2.0, 4.0), (7.0, 5.0, 2.0)))
    readings = [(rising, 0), (falling, 0), (rising, 1), (rising, 0)]

    def function(x: Any) -> dict[str, Any]:
        value = x[0]
        for table, offset in readings:
            mark()
            value = value + x[1] * table.at(arrays.floor(value), offset)
        return {"y": value}

    traced = trace("readings", function, {"x": 2})
    assert len(parts_of(traced, shortest=1).kinds) == 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "LARGEST_STRAIGHT", -2)
        patch.setattr(machine, "LARGEST_UNLIKE", -2)
        patch.setattr("ce_dynamics.compiler.machine.outline", lambda t, code: outline(t, code, shortest=1))
        compiled = compile_function(traced)
    x = np.array([0.25, 0.125])
    assert compiled(x)[0] == function(x.tolist())["y"]


def test_slots_are_used_again() -> None:
    def function(x: Any) -> dict[str, Any]:
        a, b = x
        for _ in range(100):
            mark()
            a, b = arrays.sin(a) * b, a + b
        return {"y": [a, b]}

    parts = parts_of(trace("iteration", function, {"x": 2}), shortest=1)
    assert len(parts.order) == 100
    assert parts.n_slots <= 2 + 2 * 3  # inputs, and the two values of the piece that writes and the one read


def test_long_row_agrees_with_the_recursion_on_floats(rng: np.random.Generator) -> None:
    """60 loops, enough to be in pieces by default."""
    n = 60
    model = Model(chain(n))
    assert model.trace_dynamics().n_instructions > machine.LARGEST_STRAIGHT
    y = model.y0 + 0.005 * rng.standard_normal(len(model.y0))
    (compiled,) = model.dynamics(y, model.u0)
    plain = model.instant(y, model.u0).y_dot
    # what rounding of the state alone does: both sides round as often as there are loops
    nearby = model.instant(y * (1.0 + 2.0**-52 * rng.choice([-1, 1], len(y))), model.u0).y_dot
    error = np.abs(compiled - plain).max()
    assert error < n * np.abs(nearby - plain).max()
    assert error < 1e-9 * np.abs(plain).max()


# Compiling


def test_only_long_functions_are_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    traced = Model(chain(4)).trace_dynamics()
    assert traced.n_instructions < machine.LARGEST_STRAIGHT
    assert "@kind" not in machine.source(traced, 1)
    monkeypatch.setattr(machine, "LARGEST_STRAIGHT", traced.n_instructions)
    assert "@kind" not in machine.source(traced, 1)
    monkeypatch.setattr(machine, "LARGEST_STRAIGHT", traced.n_instructions - 1)
    # four loops have few pieces that are alike
    assert "@kind" not in machine.source(traced, 1)
    assert "@kind" in machine.source(traced, 4)
    monkeypatch.setattr(machine, "LARGEST_UNLIKE", traced.n_instructions - 1)
    assert "@kind" in machine.source(traced, 1)


@pytest.mark.usefixtures("joined_as_in_long_functions")
def test_code_does_not_grow_with_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "LARGEST_STRAIGHT", -2)
    sizes = []
    for n in (15, 30):
        traced = Model(chain(n)).trace_dynamics()
        tables = 8.0 * sum(k.numbers.size for k in parts_of(traced).kinds)
        sizes.append(len(machine.object_code(traced, CodeKind())) - tables)
    assert sizes[1] < 1.3 * sizes[0]


def test_the_second_time_nothing_is_compiled(
    in_pieces: Callable[..., CompiledFunction], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("CE_DYNAMICS_CACHE", str(tmp_path))
    model = Model(chain(5))
    fresh = in_pieces(model.trace_dynamics())

    def refuse(*_: Any) -> Any:
        raise AssertionError("compiled again")

    monkeypatch.setattr(machine, "object_code", refuse)
    again = in_pieces(Model(chain(5)).trace_dynamics())
    np.testing.assert_array_equal(again(model.y0, model.u0)[0], fresh(model.y0, model.u0)[0])
    with pytest.raises(AssertionError, match="compiled again"):
        straight(model.trace_dynamics())


def test_threads_do_not_share_a_work_space(
    in_pieces: Callable[..., CompiledFunction], rng: np.random.Generator
) -> None:
    model = Model(chain(20))
    f = in_pieces(model.trace_dynamics())
    columns = states(model, 8, rng).T
    expected = [f(y, model.u0)[0] for y in columns]

    def many(k: int) -> bool:
        return all((f(columns[k], model.u0)[0] == expected[k]).all() for _ in range(300))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(many, range(8)))


def test_without_memory_the_answer_is_nan(
    in_pieces: Callable[..., CompiledFunction], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = llvm.libc()
    nothing = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)

    class Exhausted:
        malloc, free, memcpy, memset = nothing, library.free, library.memcpy, library.memset

    monkeypatch.setattr(llvm, "libc", Exhausted)
    y, z = in_pieces(trace("f", lambda x: {"y": x[0] * x[1], "z": [x[0], 2.0]}, {"x": 2}))(
        np.array([1.0, 2.0])
    )
    assert np.isnan(y)
    assert np.isnan(z).all()
