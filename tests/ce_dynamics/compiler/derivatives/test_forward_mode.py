"""Sparse forward derivatives, compiled."""

from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiler import CompiledFunction, disk_cache, trace
from ce_dynamics.compiler.derivatives import compiled as jacobians
from ce_dynamics.compiler.derivatives.compiled import compile_jacobian
from ce_dynamics.compiler.derivatives.forward_mode import sparse_forward_jacobian
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import LOGICAL, Op
from tests.ce_dynamics.compiler.casadi_reading import from_casadi, jacobian
from tests.ce_dynamics.simulation.integrators.systems import pendulum

ca: Any = pytest.importorskip("casadi")


def every_operation() -> TracedFunction:
    """A function of three numbers in (0, 1) that uses all operations that have a derivative."""
    x, y, z = ca.SX.sym("x"), ca.SX.sym("y"), ca.SX.sym("z")
    unary = [ca.sqrt, ca.fabs, ca.sin, ca.cos, ca.tan, ca.asin, ca.acos, ca.atan, ca.exp, ca.log, ca.tanh]
    unary += [ca.floor, ca.ceil, ca.sinh, ca.cosh, ca.asinh, ca.atanh, ca.expm1, ca.log1p, ca.erf]
    results = [f(x * y - 0.3 * z) if f is ca.fabs else f(x * y) for f in unary]
    results += [ca.acosh(1 + x), ca.atan2(x * z, y - z), ca.power(x, y), ca.power(x + y, 2.5)]
    results += [ca.hypot(x, y), ca.copysign(x, y - z), ca.fmod(5 * x, y), -x, x / y, x - y * z, 3 / z]
    results += [ca.if_else(ca.logic_and(x < y, ca.logic_not(z <= x)), x * z, y * y)]
    results += [ca.if_else(ca.logic_or(ca.eq(x, y), ca.ne(y, z)), x * x, y), ca.fmin(x, y) * ca.fmax(y, z)]
    f = ca.Function("f", [ca.vertcat(x, y, z)], [ca.vertcat(*results)], ["x"], ["f"])
    return from_casadi(f)


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
    theirs = jacobian(traced, "f", "x")
    for x in rng.uniform(0.05, 0.95, (50, 3)):
        (expected,) = theirs.evaluate(x=x).values()
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
