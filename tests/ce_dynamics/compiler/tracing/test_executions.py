"""Plain NumPy, the interpreter, machine code (scalar and in lanes) and CasADi compute the same."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from ce_dynamics.algebra import arrays
from ce_dynamics.compiler import TracedFunction, compile_function, to_casadi, trace
from ce_dynamics.compiler.tracing.function import extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import LOGICAL, MEANING, Op, arity
from tests.searching import examples

N = 3
UNIT = 2.0**-53
LIBM = (
    4 * UNIT
)  # error of elementary functions: libm and NumPy's vector code state at most 4 units in the last place

Step = tuple[str, int, int, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "sub", "mul", "neg", "sin", "cos", "tanh", "arctan", "root", "lorentz", "where", "thirds"]
        ),
        *(st.integers(0, 10**6) for _ in range(3)),
    ),
    min_size=1,
    max_size=25,
)
floats = st.floats(-2.0, 2.0, allow_nan=False)
points = st.lists(st.lists(floats, min_size=N, max_size=N), min_size=4, max_size=4)


def run(program: Sequence[Step], x: Sequence[Any]) -> list[Any]:
    """A random straight-line program on floats or traced scalars: its last four values."""
    values = list(x)
    for name, i, j, k in program:
        a, b = values[i % len(values)], values[j % len(values)]
        if name == "add":
            values.append(a + b)
        elif name == "sub":
            values.append(a - b)
        elif name == "mul":
            values.append(a * b)
        elif name == "neg":
            values.append(-a)
        elif name == "thirds":
            values.append(a / -3.0)
        elif name == "root":
            values.append(arrays.sqrt(1.0 + a * a))
        elif name == "lorentz":
            values.append(1.0 / (1.0 + a * a))
        elif name == "where":  # on inputs, so that rounding cannot decide
            condition = (x[k % N] < x[i % N]) | ~(x[j % N] >= 0.25) & (x[k % N] <= 1.0)
            values.append(arrays.where(condition, a, b))
        else:
            values.append(getattr(arrays, name)(a))
    return values[-4:]


def error_bound(program: Sequence[Step], x: Sequence[float]) -> NDArray[np.float64]:
    """Running error analysis: how far rounding can take each value from the exact one."""
    values, errors = list(x), [0.0] * N
    for name, i, j, k in program:
        p, q = i % len(values), j % len(values)
        a, b, da, db = values[p], values[q], errors[p], errors[q]
        value = _one(name, a, b, x, i, j, k)
        if name in ("add", "sub"):
            error = da + db + UNIT * abs(value)
        elif name == "mul":
            error = abs(a) * db + abs(b) * da + da * db + UNIT * abs(value)
        elif name == "where":
            error = max(da, db)
        elif name in ("root", "lorentz"):  # both have slope at most 1; three roundings
            error = da + 4 * UNIT * abs(value)
        else:  # slope at most 1
            error = da + LIBM * abs(value)
        values.append(value)
        errors.append(error + UNIT * error)
    return np.array(errors[-4:])


def _one(name: str, a: float, b: float, x: Sequence[float], i: int, j: int, k: int) -> float:
    if name == "where":
        condition = x[k % N] < x[i % N] or (not x[j % N] >= 0.25 and x[k % N] <= 1.0)
        return a if condition else b
    operations = {"add": a + b, "sub": a - b, "mul": a * b, "neg": -a, "thirds": a / -3.0}
    if name in operations:
        return operations[name]
    if name == "root":
        return float(np.sqrt(1 + a * a))
    if name == "lorentz":
        return float(1 / (1 + a * a))
    return float(getattr(np, name)(a))


@examples(60)
@given(steps, points)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_programs(program: list[Step], x: list[list[float]]) -> None:
    n_out = len(run(program, [0.0] * N))
    f = trace("program", lambda x: {"y": run(program, list(x))}, {"x": N})
    scalar, four = compile_function(f), compile_function(f, lanes=4)
    to = to_casadi(f)
    lanes = four(np.array(x).T)[0]
    for k, point in enumerate(x):
        expected = np.array(run(program, [float(v) for v in point]))
        tolerance = 2 * error_bound(program, point)[-n_out:]  # both sides round
        if not np.all(np.isfinite(tolerance)):
            continue
        for got in (
            f.evaluate(x=point)["y"],
            scalar(point)[0],
            lanes[:, k],
            np.array(to(point)).ravel(),
        ):
            assert np.all(np.abs(got - expected) <= tolerance)


SPECIAL = [-np.inf, -2.0, -1.0, -0.5, 0.0, 5e-324, 0.3, 1.0, 2.0, 1e300, np.inf, np.nan]


def _function_of(op: Op) -> TracedFunction:
    """One operation on two inputs; truth values as 1 and 0."""
    graph = Graph()
    x = [graph.input(0, 0), graph.input(0, 1)]
    zero, one = graph.constant(0.0), graph.constant(1.0)
    if op in (Op.AND, Op.OR, Op.NOT):
        x = [graph.compare(Op.LT, zero, n) for n in x]
    if op == Op.SELECT:
        n = graph.select(graph.compare(Op.LT, zero, x[0]), x[0], x[1])
    else:
        n = graph._intern((op, *x[: arity(op)], *[-1] * (3 - arity(op))))  # type: ignore[arg-type]
    if op in LOGICAL:
        n = graph.select(n, one, zero)
    return extract(op.name, graph, {"x": (2,)}, {"y": ()}, [[n]])


@pytest.mark.parametrize(
    "op", [op for op in Op if op not in (Op.CONST, Op.INPUT, Op.LOOKUP)], ids=lambda op: op.name
)
def test_every_operation_at_special_values(op: Op) -> None:
    f = _function_of(op)
    scalar, two, to = compile_function(f), compile_function(f, lanes=2), to_casadi(f)
    for a in SPECIAL:
        for b in SPECIAL:
            with np.errstate(all="ignore"):
                if op == Op.SELECT:
                    expected = a if a > 0.0 else b
                elif op in (Op.AND, Op.OR, Op.NOT):
                    expected = float(MEANING[op](*(a > 0.0, b > 0.0)[: arity(op)]))
                else:
                    expected = float(MEANING[op](*np.array([a, b])[: arity(op)]))
            swapped = two(np.array([[b, a], [a, b]]))[0][1]
            results = {
                "interpreter": f.evaluate(x=[a, b])["y"], "machine": scalar([a, b])[0], "lanes": swapped,
                "casadi": to([a, b]),
            }  # fmt: skip
            for name, result in results.items():
                got = float(result)
                if name == "casadi" and op == Op.COPYSIGN and np.isnan(b):
                    continue  # the sign of a NaN means nothing
                # 4 units in the last place of libm on either side
                np.testing.assert_allclose(
                    got, expected, rtol=16 * UNIT, err_msg=f"{name} {op.name}({a}, {b})"
                )


def nan_cases(x: Any) -> dict[str, Any]:
    root = arrays.sqrt(x[0])  # NaN for the negative x[0] of the tests
    nan = root * x[1] + 1.0
    return {
        "propagates": [
            nan,
            -nan,
            nan / 3.0,
            arrays.cos(nan),
            abs(nan),
            nan**3,
            arrays.arctan2(1.0, nan),
            nan - nan * x[1],
        ],
        "guarded": [
            arrays.where(x[0] > 0.0, root, x[1]),
            arrays.where(x[0] <= 0.0, x[1], nan),
            arrays.where(nan > 0.0, nan, x[1]),
            arrays.minimum(nan, x[1]),
            arrays.maximum(nan, x[1]),
        ],
        "chosen": [arrays.where(x[0] < 0.0, nan, x[1]), arrays.maximum(x[1], nan)],
    }


def test_nan_propagates_and_stays_behind_unselected_branches() -> None:
    f = trace("nan", nan_cases, {"x": 2})
    x = np.array([-1.0, 0.5])
    names = list(f.output_shapes)
    executions = [
        nan_cases(x),
        f.evaluate(x=x),
        dict(zip(names, compile_function(f)(x), strict=True)),
        dict(zip(names, (y[:, 2] for y in compile_function(f, 4)(np.tile(x[:, None], 4))), strict=True)),
        dict(zip(names, (np.array(y).ravel() for y in to_casadi(f)(x)), strict=True)),
    ]
    for result in executions:
        assert np.all(np.isnan(result["propagates"]))
        assert np.all(np.asarray(result["guarded"]) == 0.5)
        assert np.all(np.isnan(result["chosen"]))


def test_lanes_do_not_mix() -> None:
    f = trace(
        "f", lambda a, s: {"y": arrays.sin(a @ a.T) * s, "z": a[0, 1] / s, "c": 3.0}, {"a": (2, 2), "s": ()}
    )
    rng = np.random.default_rng(3)
    one = compile_function(f)
    for lanes in (2, 4, 8, 16):
        a, s = rng.normal(size=(2, 2, lanes)), rng.normal(size=lanes)
        y, z, c = compile_function(f, lanes)(a, s)
        for k in range(lanes):
            expected = one(a[:, :, k], s[k])
            # the order of a fused sum may differ: one rounding of sums below 10
            np.testing.assert_allclose(y[:, :, k], expected[0], rtol=1e-14, atol=1e-14)
            assert z[k] == expected[1]
            assert c[k] == 3.0


def test_empty_and_constant_functions() -> None:
    f = trace("none", lambda x, u: {"y": np.zeros((0,)), "z": [1.5, x[0]]}, {"x": 1, "u": 0})
    y, z = compile_function(f)(np.array([2.0]), np.zeros(0))
    assert y.shape == (0,)
    assert z.tolist() == [1.5, 2.0]
