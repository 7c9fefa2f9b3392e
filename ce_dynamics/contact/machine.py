"""Compiled functions of a model with unilateral elements as kernels see them: addresses and buffers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction, loops
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.simulation.integrators.kernels import call

STAGE, RESPONSE, DYNAMICS, RATES, BIAS, CONTROL = range(6)
"""Numbers of the functions in `Machine.calls`; their tables follow."""
FUNCTIONS = 6


def sources() -> tuple[tuple[str, int, int], ...]:
    """Files of this package with ages and sizes: numba looks only at that of the function it compiles."""
    files = sorted(Path(__file__).resolve().parent.rglob("*.py"))
    return tuple((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files)


SOURCES = sources()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile when first called; what was kept counts as long as no file of the package has changed."""
    return loops.kernel(function, sources=SOURCES)


class Functions(NamedTuple):
    """Compiled functions, in the order of the numbers above.

    Attributes
    ----------
    stage : y, u, t → v̇, ẋ, Gᵀ, ψ, rates, μ, power
    response : y, u, T → M⁻¹ T, in lanes
    dynamics : y, u → ẏ
    rates : q, v → q̇
    bias : y, u, t and a direction of each → derivative of the rates along that direction; higher-order steps
    control : t, y → u, if there is a law
    """

    stage: CompiledFunction
    response: CompiledFunction
    dynamics: CompiledFunction
    rates: CompiledFunction
    bias: CompiledFunction | None = None
    control: CompiledFunction | None = None


class Machine(NamedTuple):
    """Addresses and buffers of the functions that a kernel calls.

    Attributes
    ----------
    calls : (12,) int array
        Addresses of the functions, 0 for those that are missing, and of their tables.
    y, u, t : arrays
        Inputs of the stage.
    v_dot, x_dot, GT, psi, rate, mu, power : arrays
        Outputs of the stage.
    y_lanes, u_lanes, T, Y : arrays, the last axis of which is the lane
        Buffers of the response, for several rows at once.
    y_mid, y_dot : arrays
        Buffers of the dynamics.
    q, v, q_dot : arrays
        Buffers of the rates.
    along, gamma : arrays
        Direction of y, and the derivative of the rows' rates along it and t.
    """

    calls: Integers
    y: Floats
    u: Floats
    t: Floats
    v_dot: Floats
    x_dot: Floats
    GT: Floats
    psi: Floats
    rate: Floats
    mu: Floats
    power: Floats
    y_lanes: Floats
    u_lanes: Floats
    T: Floats
    Y: Floats
    y_mid: Floats
    y_dot: Floats
    q: Floats
    v: Floats
    q_dot: Floats
    along: Floats
    gamma: Floats


def machine(functions: Functions) -> tuple[Machine, tuple[object, ...]]:
    """Buffers and addresses, and what has to live as long as they are used."""
    stage, response, dynamics, rates = functions[:4]
    made = {name: np.zeros(shape) for f in (stage, rates) for name, shape in f.input_shapes.items()}
    made |= {name: np.zeros(shape) for f in (stage, rates) for name, shape in f.output_shapes.items()}
    along, gamma = np.zeros_like(made["y"]), np.zeros_like(made["rate"])
    still = {"y_direction": along, "u_direction": np.zeros_like(made["u"]), "t_direction": np.ones(1)}
    y_lanes, u_lanes, T = (np.zeros(response.input_shapes[name]) for name in ("y", "u", "T"))
    Y = np.zeros(response.output_shapes["Y"])
    y_mid, y_dot = np.zeros_like(made["y"]), np.zeros(dynamics.output_shapes["y_dot"])
    named = (
        made,
        {"y": y_lanes, "u": u_lanes, "T": T, "Y": Y},
        {"y": y_mid, "u": made["u"], "y_dot": y_dot},
        made,
        made | still | {"rate_direction": gamma},
        made,
    )
    calls, tables = np.zeros(2 * FUNCTIONS, dtype=np.int64), []
    for k, (function, buffers) in enumerate(zip(functions, named, strict=True)):
        if function is not None:
            order = (*function.input_shapes, *function.output_shapes)
            tables.append(np.array([buffers[name].ctypes.data for name in order], dtype=np.int64))
            calls[k], calls[FUNCTIONS + k] = function.table_address, tables[-1].ctypes.data
    wide = {"y_lanes": y_lanes, "u_lanes": u_lanes, "T": T, "Y": Y}
    shaped = {name: array.reshape(-1, response.lanes) for name, array in wide.items()}
    own = {name: made[name] for name in Machine._fields if name in made}
    others = {"y_mid": y_mid, "y_dot": y_dot, "along": along, "gamma": gamma}
    M = Machine(calls=calls, **{**own, **shaped, **others})
    return M, (functions, tables, named)


@kernel
def observe(M, t, y):  # type: ignore[no-untyped-def]
    """The stage at (t, y), and q̇ there; inputs by the law if there is one."""
    M.t[0] = t
    for k in range(y.size):
        M.y[k] = y[k]
    if M.calls[5] != 0:
        call(M.calls[5], M.calls[11])
    call(M.calls[0], M.calls[6])
    n_q = M.q.size
    for k in range(n_q):
        M.q[k] = y[k]
    for k in range(M.v.size):
        M.v[k] = y[n_q + k]
    call(M.calls[3], M.calls[9])


@kernel
def responses(M, GT, YT):  # type: ignore[no-untyped-def]
    """(M⁻¹ G)ᵀ at the state and the inputs of the stage, as many rows at a time as there are lanes."""
    m, n_v = GT.shape
    lanes = M.T.shape[1]
    for lane in range(lanes):
        for k in range(M.y.size):
            M.y_lanes[k, lane] = M.y[k]
        for k in range(M.u.size):
            M.u_lanes[k, lane] = M.u[k]
    for first in range(0, m, lanes):
        for lane in range(lanes):
            row = min(first + lane, m - 1)
            for k in range(n_v):
                M.T[k, lane] = GT[row, k]
        call(M.calls[1], M.calls[7])
        for lane in range(min(lanes, m - first)):
            for k in range(n_v):
                YT[first + lane, k] = M.Y[k, lane]
