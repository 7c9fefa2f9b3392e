"""Sparse forward derivatives, compiled."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiler import CompiledFunction, disk_cache, to_casadi, trace
from ce_dynamics.compiler.derivatives import compiled as jacobians
from ce_dynamics.compiler.derivatives.compiled import compile_jacobian
from ce_dynamics.compiler.derivatives.forward_mode import sparse_forward_jacobian
from ce_dynamics.compiler.tracing.function import TracedFunction, extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import LOGICAL, UNARY, Op
from tests.ce_dynamics.simulation.integrators.systems import pendulum

ca: Any = pytest.importorskip("casadi")


def every_operation() -> TracedFunction:
    """A function of three numbers in (0, 1) that uses all operations that have a derivative."""
    g = Graph()
    x, y, z = (g.input(0, k) for k in range(3))
    lt, ne = partial(g.compare, Op.LT), partial(g.compare, Op.NE)
    xy, one, five = g.mul(x, y), g.constant(1.0), g.constant(5.0)
    both = g.logical_and(lt(x, y), g.logical_not(g.compare(Op.LE, z, x)))
    either = g.logical_or(g.compare(Op.EQ, x, y), ne(y, z))
    least = g.select(g.logical_or(lt(x, y), ne(y, y)), x, y)
    greatest = g.select(g.logical_or(lt(z, y), ne(z, z)), y, z)
    results = [g.unary(op, xy) for op in sorted(UNARY - {Op.NEG, Op.NOT, Op.FABS, Op.ACOSH})]
    results += [g.unary(Op.FABS, g.sub(xy, g.mul(g.constant(0.3), z))), g.unary(Op.ACOSH, g.add(one, x))]
    results += [g.binary(Op.ATAN2, g.mul(x, z), g.sub(y, z)), g.binary(Op.POW, x, y)]
    results += [g.binary(Op.POW, g.add(x, y), g.constant(2.5)), g.binary(Op.HYPOT, x, y)]
    results += [g.binary(Op.COPYSIGN, x, g.sub(y, z)), g.binary(Op.FMOD, g.mul(five, x), y), g.neg(x)]
    results += [g.div(x, y), g.sub(x, g.mul(y, z)), g.div(g.constant(3.0), z), g.mul(least, greatest)]
    results += [g.select(both, g.mul(x, z), g.mul(y, y)), g.select(either, g.mul(x, x), y)]
    return extract("f", g, {"x": (3,)}, {"f": (len(results),)}, [results])


def dense(traced: TracedFunction, output: str, name: str, **inputs: Any) -> Any:
    sparse = sparse_forward_jacobian(traced, output, name)
    (entries,) = sparse.function.evaluate(**inputs).values()
    result = np.zeros(sparse.shape)
    result[sparse.rows, sparse.columns] = entries
    return result


def test_the_derivative_of_every_operation_is_casadis(rng: np.random.Generator) -> None:
    traced = every_operation()
    covered = {Op(op) for op, *_ in traced.instructions}
    unknown = {Op.LOOKUP}  # of CasADi; what is looked up is constant
    assert covered >= set(Op) - LOGICAL - unknown - {Op.CONST, Op.INPUT}
    function = to_casadi(traced)
    theirs = ca.Function("J", function.sx_in(), [ca.jacobian(function(*function.sx_in()), *function.sx_in())])
    for x in rng.uniform(0.05, 0.95, (50, 3)):
        expected = np.array(ca.densify(theirs(x)))
        np.testing.assert_allclose(dense(traced, "f", "x", x=x), expected, rtol=1e-12, atol=1e-13)


def test_branch_not_taken_may_have_no_derivative() -> None:
    def f(x: Any) -> dict[str, Any]:
        negative = x[0] < 0.0
        return {"f": [negative.where(x[1], x[0].sqrt() * x[1])]}

    traced = trace("f", f, {"x": 2})
    np.testing.assert_array_equal(dense(traced, "f", "x", x=np.array([-1.0, 2.0])), [[0.0, 1.0]])
    np.testing.assert_array_equal(dense(traced, "f", "x", x=np.array([0.25, 2.0])), [[2.0, 0.5]])


def test_structural_zeros_are_left_out() -> None:
    traced = trace("f", lambda x, u: {"f": [x[1] * u[0], u[1] - u[1] * 0.0, x[0] - x[2]]}, {"x": 3, "u": 2})
    sparse = sparse_forward_jacobian(traced, "f", "x")
    assert list(zip(sparse.rows, sparse.columns, strict=True)) == [(0, 1), (2, 0), (2, 2)]
    with pytest.raises(KeyError, match="no output 'g'"):
        sparse_forward_jacobian(traced, "g", "x")
    with pytest.raises(KeyError, match="no input 'y'"):
        sparse_forward_jacobian(traced, "f", "y")


def test_a_jacobian_without_entries_is_empty() -> None:
    traced = trace("f", lambda x, u: {"f": [u[0], 2.0]}, {"x": 3, "u": 1})
    compiled = compile_jacobian(traced, "f", "x")
    assert compiled.shape == (2, 3)
    assert len(compiled.rows) == 0
    assert not compiled(np.ones(3), np.ones(1)).any()


def run_at(compiled: jacobians.CompiledJacobian, y: Any, u: Any) -> Any:
    return compiled(np.array(y, dtype=float), np.array(u, dtype=float))


@pytest.mark.parametrize("text", [b"{}", b"[]", b"no JSON", b'{"signature": {"name": "f"}}', b"\xff"])
def test_notes_of_another_release_are_written_anew(
    text: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("CE_DYNAMICS_CACHE", str(tmp_path))
    stored: dict[str, bytes] = {}
    store = disk_cache.store

    def storing(key: str, content: bytes) -> None:
        stored[key] = content
        store(key, content)

    monkeypatch.setattr(disk_cache, "store", storing)
    traced = trace("f", lambda y, u: {"f": [y[0] * y[1], y[1] * u[0]]}, {"y": 2, "u": 1})
    compile_jacobian(traced, "f", "y")
    (key,) = (key for key, content in stored.items() if content.startswith(b'{"signature"'))
    whole = stored[key]
    disk_cache.store(key, text)
    again = compile_jacobian(traced, "f", "y")
    np.testing.assert_array_equal(run_at(again, [3.0, 5.0], [7.0]), [[5.0, 3.0], [0.0, 7.0]])
    assert stored[key] == whole


def test_the_cache_gives_back_the_same_jacobian(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("CE_DYNAMICS_CACHE", str(tmp_path))
    dynamics = pendulum().dynamics
    assert isinstance(dynamics, CompiledFunction)
    fresh = compile_jacobian(dynamics.traced, "y_dot", "y")

    def forbidden(*arguments: Any) -> Any:
        raise AssertionError("derived again")

    monkeypatch.setattr(jacobians, "sparse_forward_jacobian", forbidden)
    again = compile_jacobian(dynamics.traced, "y_dot", "y")
    y, u = [0.3, -0.2, 1.0, 2.0], [0.5]
    np.testing.assert_array_equal(run_at(fresh, y, u), run_at(again, y, u))
