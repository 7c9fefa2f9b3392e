"""Tables that traced functions look up: interpreted, compiled, in lanes, in pieces, in C, differentiated."""

import ctypes
import pickle
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import floor
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler import CompiledFunction, machine, to_casadi, trace
from ce_dynamics.compiler.codegen.c import c_function
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.llvm import Signature
from ce_dynamics.compiler.machine import compile_function
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.errors import ModelError

RNG = np.random.default_rng(4)
TABLES = [Table(RNG.normal(size=40), reach=2) for _ in range(3)]
N = 6
POINTS = [*RNG.uniform(-8.0, 45.0, (20, N)), np.full(N, np.nan), np.full(N, 1e300), np.full(N, -np.inf)]


def readings(x: Any) -> dict[str, Any]:
    total = 0.0
    for k in range(N):
        mark()
        i = floor(x[k])
        s = x[k] - i
        t = TABLES[k % 3]
        for _ in range(8):  # long enough for pieces
            total = total + (t.at(i, k % 2) * (1.0 - s) + t.at(i, 1 + k % 2) * s) * s
    return {"y": total}


def expected(x: np.ndarray) -> float:
    with np.errstate(invalid="ignore"):
        return float(readings(x)["y"])


@pytest.fixture(scope="module")
def traced() -> TracedFunction:
    return trace("readings", readings, {"x": N})


def test_all_executions_read_the_same(
    traced: TracedFunction, in_pieces: Callable[..., CompiledFunction]
) -> None:
    assert {table.key for table in traced.tables} == {table.key for table in TABLES}
    whole, pieces, four = compile_function(traced), in_pieces(traced), compile_function(traced, lanes=4)
    in_lanes = [four(np.array([x, x[::-1], x, -x]).T)[0] for x in POINTS]
    many = traced.evaluate_many(x=np.array(POINTS))["y"]
    for k, x in enumerate(POINTS):
        exact = expected(x)
        # 48 terms of size below 3 × 45² if the index is held at an end
        bound = 1e-16 * 48 * 50 * 3 * 45**2
        for got in (traced.evaluate(x=x)["y"], whole(x)[0], pieces(x)[0], in_lanes[k][0], many[k]):
            if np.isfinite(exact) and abs(exact) < 1e100:
                assert abs(float(got) - exact) < bound
            else:
                assert np.isfinite(got) == np.isfinite(exact)
        np.testing.assert_array_equal(whole(x)[0], pieces(x)[0])


@pytest.mark.parametrize("lanes", [1, 2])
def test_table_read_in_one_piece_serves_another(
    lanes: int, in_pieces: Callable[..., CompiledFunction]
) -> None:
    """Numbers of tables leave their pieces as they are, with nothing done to them there."""

    def kept(x: Any) -> dict[str, Any]:
        read = [table.at(floor(x[k]), 1) for k, table in enumerate(TABLES)]
        total = 0.0
        for k in range(N):
            mark()
            for _ in range(6):
                total = total * x[k] + read[k % 3]
        return {"y": np.array([total, *read])}

    x = RNG.uniform(0.5, 1.5, N) + np.arange(N)
    whole, pieces = (make(trace("kept", kept, {"x": N}), lanes) for make in (compile_function, in_pieces))
    given = x if lanes == 1 else np.stack([x] * lanes, axis=1)
    np.testing.assert_array_equal(pieces(given)[0], whole(given)[0])
    found = np.reshape(pieces(given)[0], (4, lanes))[:, 0]
    np.testing.assert_allclose(found, np.array(kept(x)["y"], dtype=float), rtol=1e-14)


def test_slopes_are_those_between_the_numbers(traced: TracedFunction) -> None:
    slope = directional_derivative(traced)
    assert len(slope.tables) == 3
    x, along = RNG.uniform(2.2, 30.0, N), RNG.normal(size=N)
    found = float(compile_function(slope)(x, along)[0])
    h = 1e-6
    difference = (expected(x + h * along) - expected(x - h * along)) / (2.0 * h)
    assert found == pytest.approx(difference, rel=1e-7)  # quadratic: rounding over h only


def test_a_function_takes_its_tables_along(traced: TracedFunction) -> None:
    again = pickle.loads(pickle.dumps(traced))
    assert [table.key for table in again.tables] == [table.key for table in traced.tables]
    known = Signature.from_dict(Signature.of(traced).as_dict())
    assert sorted(known.tables) == sorted(table.key for table in TABLES)
    gone = Signature(**{**Signature.of(traced).as_dict(), "tables": (12345,)})
    assert machine.load_function(gone, lambda: traced) is None


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler cc")
@pytest.mark.parametrize("piece", [50, 10**6])
def test_c_reads_the_same(traced: TracedFunction, tmp_path: Path, piece: int) -> None:
    source, library = tmp_path / "f.c", tmp_path / "f.so"
    both = c_function(traced, "f", piece) + c_function(traced, "g", piece)  # tables are defined once
    source.write_text(f"#include <math.h>\n{both}")
    flags = ["-std=c99", "-Wall", "-Werror", "-ffp-contract=off", "-fPIC", "-shared"]
    subprocess.run(["cc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    f = ctypes.CDLL(str(library)).f
    for x in POINTS:
        y = np.zeros(1)
        f(ctypes.c_void_p(np.ascontiguousarray(x).ctypes.data), ctypes.c_void_p(y.ctypes.data))
        np.testing.assert_array_equal(y[0], traced.evaluate(x=x)["y"])


def test_casadi_reads_the_same(traced: TracedFunction) -> None:
    """Sums of 48 terms below 3 × 45², whose order is that of the trace."""
    function = to_casadi(traced)
    for x in POINTS[:20]:
        assert abs(float(np.asarray(function(x)).item()) - expected(x)) < 1e-16 * 48 * 50 * 3 * 45**2


def test_casadi_is_refused_large_tables_by_name() -> None:
    table = Table(np.arange(1002.0))
    large = trace("map", lambda x: {"y": table.at(floor(x[0]))}, {"x": 1})
    with pytest.raises(ModelError, match=r"map looks numbers up in a table of 1002 .* beyond 1000"):
        to_casadi(large)
