"""Compiled functions of a model with unilateral elements as kernels see them: addresses and buffers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.compiler.program import Program
from ce_dynamics.simulation.integrators.kernels import Integers, Matrix, Vector, call, kernel


class ContactFunctions(NamedTuple):
    """Compiled functions.

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


class ContactMachine(NamedTuple):
    """Addresses and buffers of the functions that a kernel calls.

    Attributes
    ----------
    stage_call, rates_call, control_call, bias_call, dynamics_call, response_call : (2,) int arrays
        Address of each function and of its table of arguments; 0 where it is missing.
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

    stage_call: Integers
    rates_call: Integers
    control_call: Integers
    bias_call: Integers
    dynamics_call: Integers
    response_call: Integers
    y: Vector
    u: Vector
    t: Vector
    v_dot: Vector
    x_dot: Vector
    GT: Matrix
    psi: Vector
    rate: Vector
    mu: Vector
    power: Vector
    y_lanes: Matrix
    u_lanes: Matrix
    T: Matrix
    Y: Matrix
    y_mid: Vector
    y_dot: Vector
    q: Vector
    v: Vector
    q_dot: Vector
    along: Vector
    gamma: Vector


def machine(functions: ContactFunctions) -> tuple[ContactMachine, tuple[Program, ...]]:
    """Bind the functions to arrays; returns the programs too, which must live as long as the machine."""
    stage, response, dynamics, rates, bias, control = functions
    main = Program({"stage": stage, "rates": rates, "control": control})
    a = main.arrays
    along, gamma = np.zeros_like(a["y"]), np.zeros_like(a["rate"])
    directions = {"y_direction": along, "u_direction": np.zeros_like(a["u"]), "t_direction": np.ones(1)}
    slope = Program({"bias": bias}, a | directions | {"rate_direction": gamma})
    middle = Program({"dynamics": dynamics}, {"u": a["u"]})
    lanes = Program({"response": response})
    wide = {name: array.reshape(-1, response.lanes) for name, array in lanes.arrays.items()}
    made: dict[str, Any] = {name: a[name] for name in ContactMachine._fields if name in a}
    made |= {"y_lanes": wide["y"], "u_lanes": wide["u"], "T": wide["T"], "Y": wide["Y"]}
    made |= {"y_mid": middle.arrays["y"], "y_dot": middle.arrays["y_dot"], "along": along, "gamma": gamma}
    calls = zip(("stage", "rates", "control"), main.calls.reshape(3, 2), strict=True)
    made |= {f"{name}_call": call for name, call in calls}
    made |= {"bias_call": slope.calls, "dynamics_call": middle.calls, "response_call": lanes.calls}
    M = ContactMachine(**made)
    return M, (main, slope, middle, lanes)


@kernel
def observe(M, t, y):  # type: ignore[no-untyped-def]
    """Compute the stage at (t, y), and q̇ there, with inputs by the law if there is one."""
    M.t[0] = t
    for k in range(y.size):
        M.y[k] = y[k]
    if M.control_call[0] != 0:
        call(M.control_call[0], M.control_call[1])
    call(M.stage_call[0], M.stage_call[1])
    n_q = M.q.size
    for k in range(n_q):
        M.q[k] = y[k]
    for k in range(M.v.size):
        M.v[k] = y[n_q + k]
    call(M.rates_call[0], M.rates_call[1])


@kernel
def responses(M, GT, YT):  # type: ignore[no-untyped-def]
    """Compute (M⁻¹ G)ᵀ at the state and inputs of the stage, as many rows at a time as there are lanes."""
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
        call(M.response_call[0], M.response_call[1])
        for lane in range(min(lanes, m - first)):
            for k in range(n_v):
                YT[first + lane, k] = M.Y[k, lane]
