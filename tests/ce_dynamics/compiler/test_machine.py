"""Compiled functions: calling, binding, addresses, lifetime."""

import ctypes
import gc
import math
import pickle
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import log
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function, machine, trace
from ce_dynamics.compiler.code_levels import VARIABLE
from ce_dynamics.compiler.codegen.emit import emit_llvm
from ce_dynamics.compiler.disk_cache import measure_contents
from ce_dynamics.models import hmmwv


def polynomial(a: Any, s: Any) -> dict[str, Any]:
    return {"y": a @ a.T, "z": s * s - a[0, 0]}


@pytest.fixture(scope="module")
def f() -> CompiledFunction:
    return compile_function(trace("polynomial", polynomial, {"a": (2, 3), "s": ()}))


A = np.arange(6.0).reshape(2, 3)


def test_call(f: CompiledFunction) -> None:
    y, z = f(A, 3)
    np.testing.assert_array_equal(y, A @ A.T)  # small integers: exact
    assert z == 9.0
    assert z.shape == ()


@pytest.mark.parametrize(
    "a", [np.asfortranarray(A), A.astype(int), A.tolist(), np.arange(12.0).reshape(2, 6)[:, ::2] / 2]
)
def test_any_real_array_of_right_shape_will_do(f: CompiledFunction, a: Any) -> None:
    np.testing.assert_array_equal(f(a, 0.0)[0], A @ A.T)


def test_inputs_are_checked(f: CompiledFunction) -> None:
    with pytest.raises(TypeError, match=r"polynomial takes the arrays \['a', 's'\], got 1"):
        f(A)
    with pytest.raises(ValueError, match=r"'a' of polynomial has shape \(3, 2\), expected \(2, 3\)"):
        f(A.T, 1.0)
    for wrong in (A.astype(complex), A.astype(object), A.astype(str)):
        with pytest.raises(TypeError, match="'a' of polynomial has dtype"):
            f(wrong, 1.0)
    with pytest.raises(ValueError, match="lanes = 3"):
        compile_function(f.traced, lanes=3)


def test_results_do_not_share_memory(f: CompiledFunction) -> None:
    first = f(A, 0.0)[0]
    kept = first.copy()
    f(2.0 * A, 0.0)
    np.testing.assert_array_equal(first, kept)


def test_bindings_are_independent_and_keep_the_code(f: CompiledFunction) -> None:
    function = compile_function(trace("temporary", lambda x: {"y": x[0] * 7.25}, {"x": 1}), lanes=2)
    code = weakref.ref(function)
    one, two = function.bind(), function.bind()
    assert one.inputs["x"].shape == (1, 2)
    one.inputs["x"][0] = 1.0, 2.0
    two.inputs["x"][0] = 3.0, 4.0
    del function
    gc.collect()
    assert code() is not None
    one.run()
    two.run()
    assert one.outputs["y"].tolist() == [7.25, 14.5]
    assert two.outputs["y"].tolist() == [21.75, 29.0]


def test_pickling_compiles_or_loads_again(f: CompiledFunction) -> None:
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(A, 1.0)[0], f(A, 1.0)[0])


def test_address_takes_one_pointer_per_array(f: CompiledFunction) -> None:
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(f.address)
    a, s, y, z = A.copy(), np.array(3.0), np.zeros((2, 2)), np.zeros(())
    call(a.ctypes.data, s.ctypes.data, y.ctypes.data, z.ctypes.data)
    np.testing.assert_array_equal(y, A @ A.T)
    assert z == 9.0


def test_numba_calls_by_address(f: CompiledFunction) -> None:
    pointer = ctypes.POINTER(ctypes.c_double)
    call = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)(f.address)

    @numba.njit
    def loop(a: Any, s: Any, y: Any, z: Any, n: int) -> float:
        total = 0.0
        for k in range(n):
            s[0] = k
            call(a.ctypes, s.ctypes, y.ctypes, z.ctypes)
            total += z[0]
        return total

    result = loop(A, np.zeros(1), np.zeros((2, 2)), np.zeros(1), 5)
    assert result == 0 + 1 + 4 + 9 + 16


@pytest.mark.parametrize("lanes", [1, 4])
def test_the_code_follows_the_instructions(f: CompiledFunction, lanes: int) -> None:
    words = set(emit_llvm(f.traced, lanes).split())
    assert not words & {"fast", "nnan", "ninf", "nsz", "arcp", "contract", "reassoc", "afn"}


@pytest.mark.parametrize("lanes", [1, 4])
def test_code_made_quickly_gives_the_same_bits(
    lanes: int, rng: np.random.Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CE_DYNAMICS_CACHE", str(tmp_path))
    vehicle = Model(hmmwv.build(speed=12.0))
    traced = vehicle.dynamics.traced
    near = [rng.uniform(-0.1, 0.1, (*shape, lanes)) for shape in traced.input_shapes.values()]
    given = [x if lanes > 1 else x[..., 0] for x in near]
    full = compile_function(traced, lanes)(*given)
    kept = measure_contents()[0]
    monkeypatch.setenv(VARIABLE, "quick")
    quick = compile_function(traced, lanes)(*given)
    assert measure_contents()[0] == kept + 1  # it is not the other's code
    assert all(np.isfinite(x).all() for x in full)
    for one, other in zip(full, quick, strict=True):
        np.testing.assert_array_equal(one, other)


def test_many_functions_live_side_by_side() -> None:
    functions = [
        compile_function(trace("same name", lambda x, k=k: {"y": x[0] + k}, {"x": 1})) for k in range(1, 30)
    ]
    assert [float(g([0.5])[0]) for g in functions] == [k + 0.5 for k in range(1, 30)]


@pytest.mark.parametrize("lanes", [1, 4])
def test_code_reaches_tables_that_are_far_away(lanes: int) -> None:
    """Small tables lie on the heap, terabytes from the code, which displaces by 32 bits."""
    table = Table(np.linspace(0.1, 0.9, 9))
    traced = trace("far", lambda x: {"y": table.at(x[0]) + log(x[0] + 0.3) * 7.3}, {"x": 1})
    function = compile_function(traced, lanes)
    if abs(function.address - table.values.ctypes.data) < 2**31:
        pytest.skip("the table lies near")
    at = np.arange(2.0, 2.0 + lanes)
    given = at[None, :] if lanes > 1 else at
    expected = [table.at(x) + math.log(x + 0.3) * 7.3 for x in at]
    np.testing.assert_allclose(function(given)[0].ravel(), expected, rtol=1e-15)  # two roundings


def test_heavy_dependencies_load_when_used() -> None:
    program = (
        "import sys, ce_dynamics.compiler as c; c.trace('f', lambda x: {'y': x}, {'x': 1}).evaluate(x=[1.0]);"
        "assert not {'llvmlite', 'casadi', 'numba', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize(("bodies", "cut"), [(2, False), (60, True)])
def test_pieces_that_are_not_alike_stay_together(
    bodies: int, cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pendulums in a row: first and last ones are of kinds of their own, and only those in between alike."""
    system = ce.System()
    for k in range(bodies):
        system.add_body(
            f"link {k}",
            mass=1.0,
            com=(0.1, 0.2, -k - 0.5),
            inertia=(0.1, 0.1, 0.01),
            parent=f"link {k - 1}" if k else "ground",
            hinge=ce.Revolute((0, 1, 0), at=(0, 0, -k)),
        )
    traced = ce.compile(system).trace_dynamics()
    straight = machine.source(traced, 1)
    monkeypatch.setattr(machine, "LARGEST_STRAIGHT", 50)
    assert (machine.source(traced, 1) != straight) == cut
