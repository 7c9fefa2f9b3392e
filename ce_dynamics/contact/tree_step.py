"""Rows of an embedded system for a step, and its motion, as machine code.

    M v⁺ − G p = M v + h f,   ψ/h + Gᵀ v⁺ + ∂ψ/∂t ≥ 0,   q⁺ = q + h q̇(q, v⁺)

M⁻¹ f and the columns of M⁻¹ G come from the O(N) recursion; M is never formed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.compiler.compiled_function import Program
from ce_dynamics.contact.conditions import Conditions
from ce_dynamics.contact.gyroscopic import free_velocities, rotate_all
from ce_dynamics.contact.step import (
    ASSEMBLE,
    FINISH,
    LEFT,
    REBOUNDS,
    SOLVE,
    SOLVED,
    ContactStep,
    Made,
    StepGiven,
    StepRows,
    apply_impulses,
    complete_rows,
    rows_of,
    solve_islands,
)
from ce_dynamics.simulation.integrators.kernels import Integers, Matrix, Vector, call, kernel, reader
from ce_dynamics.simulation.integrators.workspace import block_of


class ContactMachine(NamedTuple):
    """Addresses and buffers of the functions that a kernel calls.

    A call is the address of a function and of its table of arguments; 0 where it is missing.
    """

    stage_call: Integers
    rates_call: Integers
    control_call: Integers
    bias_call: Integers
    dynamics_call: Integers
    response_call: Integers
    y: Vector  # inputs of the stage
    u: Vector
    t: Vector
    v_dot: Vector  # outputs of the stage
    x_dot: Vector
    GT: Matrix
    psi: Vector
    rate: Vector
    mu: Vector
    power: Vector
    y_lanes: Matrix  # buffers of the response, for several rows at once: the last axis is the lane
    u_lanes: Matrix
    T: Matrix
    Y: Matrix
    y_mid: Vector  # buffers of the dynamics
    y_dot: Vector
    q: Vector  # buffers of the rates
    v: Vector
    q_dot: Vector
    along: Vector  # direction of y
    gamma: Vector  # derivative of the rows' rates along it and t


def machine(
    functions: Mapping[str, CompiledFunction], control: CompiledFunction | None = None
) -> tuple[ContactMachine, tuple[Program, ...]]:
    """Bind functions to arrays; return the programs too, which must live as long as the machine.

    The functions are those of `RowFunctions`, `control` is t, y → u if inputs follow a law.
    """
    response = functions["response"]
    main = Program({"stage": functions["stage"], "rates": functions["rates"], "control": control})
    a = main.arrays
    along, gamma = np.zeros_like(a["y"]), np.zeros_like(a["rate"])
    directions = {"y_direction": along, "u_direction": np.zeros_like(a["u"]), "t_direction": np.ones(1)}
    slope = Program({"bias": functions.get("bias")}, a | directions | {"rate_direction": gamma})
    middle = Program({"dynamics": functions["dynamics"]}, {"u": a["u"]})
    lanes = Program({"response": response})
    wide = {name: part.reshape(-1, response.lanes) for name, part in lanes.arrays.items()}
    made: dict[str, Any] = {name: a[name] for name in ContactMachine._fields if name in a}
    made |= {"y_lanes": wide["y"], "u_lanes": wide["u"], "T": wide["T"], "Y": wide["Y"]}
    made |= {"y_mid": middle.arrays["y"], "y_dot": middle.arrays["y_dot"], "along": along, "gamma": gamma}
    calls = zip(("stage", "rates", "control"), main.calls.reshape(3, 2), strict=True)
    made |= {f"{name}_call": call for name, call in calls}
    made |= {"bias_call": slope.calls, "dynamics_call": middle.calls, "response_call": lanes.calls}
    return ContactMachine(**made), (main, slope, middle, lanes)


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


class Stage(NamedTuple):
    """Equations of motion and rows of the elements at one instant."""

    v_dot: Floats  # without impulses of the elements
    x_dot: Floats  # likewise
    GT: Floats  # (m, n_v)
    psi: Floats  # of all rows, (m,)
    rate: Floats
    mu: Floats
    power: float  # of force elements and prescribed motions [W]


class TreeData(NamedTuple):
    """Data of a step of an embedded system."""

    limit: Vector  # largest forces of box rows
    turning: Vector  # a term added to w: h γ where v is consistent at the start of the step
    quaternions: Integers  # indices at which unit quaternions begin in q
    end: Vector  # state behind the step


@kernel
def assemble_tree(M, R, G, D, t):  # type: ignore[no-untyped-def]
    """Assemble rows at t and the machine's state; return the problem's speed, and True if a row rebounds."""
    m, n_v = R.J_a.shape
    v = R.v[0]
    observe(M, t, M.y)
    free_velocities(M, v, G.h, R.free[0])
    for i in range(m):
        before = 0.0
        for k in range(n_v):
            before += R.J_a[i, k] * v[k]
        R.drift[i] = R.rate[i] - before  # ∂ψ/∂t and what prescribed motions add
        R.c[i] = R.drift[i] + D.turning[i]
        R.lower[i], R.upper[i] = -G.h * D.limit[i], G.h * D.limit[i]
    speed, rebounds = complete_rows(R, G, min(1, m))
    responses(M, R.J_a, R.Y_a)
    return speed, rebounds


@kernel
def move_tree(M, R, G, D):  # type: ignore[no-untyped-def]
    """Move a tree: u⁺ = u + V v⁺ h, orientations by exp(h ω⁺) (`rigid.rotate_quaternions`), and ẋ."""
    n_q, n_v, y, end = M.q.size, M.v.size, M.y, D.end
    for k in range(n_v):
        M.v[k] = end[n_q + k] = R.behind[0, k]
    call(M.rates_call[0], M.rates_call[1])
    for k in range(n_q):
        end[k] = y[k] + G.h * M.q_dot[k]
    for first in D.quaternions:
        part = slice(first, first + 4)
        rotate_all(y[part].reshape(1, 4), M.q_dot[part].reshape(1, 4), G.h, end[part].reshape(1, 4))
    for k in range(M.x_dot.size):
        end[n_q + n_v + k] = y[n_q + n_v + k] + G.h * M.x_dot[k]


machine_of = reader(ContactMachine, StepRows)
data_of = reader(TreeData, StepRows, ContactMachine)


@kernel
def tree_step(block, G, task, t):  # type: ignore[no-untyped-def]
    """Step from the machine's state, or make a part of it; return the first entries of `Made`.

    ``block`` has the arrays of `StepRows`, `ContactMachine` and `TreeData`, see `block_of`.
    """
    R, M, D = rows_of(block), machine_of(block), data_of(block)
    count, residual, steps = min(1, len(R.J_a)), 0.0, 0
    if task != FINISH:
        speed, rebounds = assemble_tree(M, R, G, D, t)
        if rebounds:
            return 0, REBOUNDS, 0.0, 0.0, 0
        if task == ASSEMBLE:
            return 0, LEFT, 0.0, 0.0, 0
        solved, residual, steps = solve_islands(R, G, count, speed)
        if not solved:
            return 0, LEFT, 0.0, residual, steps
    work = apply_impulses(R, G, count)
    move_tree(M, R, G, D)
    return 1, SOLVED, work, residual, steps


class TreeStep(ContactStep):
    """Steps of one `UnilateralModel`; for its functions see `machine`.

    ``limit`` are the largest forces of box rows, (m,); ``quaternions`` the indices at which unit quaternions
    begin in q.  The buffers of ``machine`` hold the state and what the stage gave.
    """

    def __init__(
        self,
        functions: Mapping[str, CompiledFunction],
        conditions: Conditions,
        limit: Floats,
        quaternions: Integers,
        rest_speed: float,
    ) -> None:
        M, self._alive = machine(functions)
        m, n_q, n_v = len(limit), len(M.q), len(M.v)
        drift, b, c, p, w, turning, lower, upper, restitution = np.zeros((9, m))
        one, none = np.zeros(1, dtype=np.int64), np.full(1, -1, dtype=np.int64)
        v, YT = M.y[n_q : n_q + n_v].reshape(1, n_v), np.zeros((m, n_v))
        free, behind = np.zeros((2, 1, n_v))
        self.machine, self.count = M, min(1, m)
        self.rows = StepRows(
            kind=conditions.kind, normal=conditions.normal, mu=M.mu, lower=lower, upper=upper,
            restitution=restitution, first=one, second=none, J_a=M.GT, J_b=M.GT, Y_a=YT, Y_b=YT, psi=M.psi,
            rate=M.rate, drift=drift, b=b, c=c, p=p, w=w, v=v, free=free, behind=behind,
            parent=one.copy(), order=one.copy(), starts=np.zeros(2, dtype=np.int64),
        )  # fmt: skip
        self.given = StepGiven(per=m, h=0.0, rest_speed=rest_speed)
        self._data = TreeData(limit, turning, quaternions, np.zeros_like(M.y))
        self._block = block_of((*self.rows, *M, *self._data))
        self._t = 0.0

    def start(
        self, t: float, y: Floats, u: Floats, h: float, p: Floats | None = None, turning: Floats | None = None
    ) -> None:
        """Put the start of a step in place, see `UnilateralModel.step`: p are impulses to begin with."""
        self._t = t
        if h != self.given.h:
            self.given = self.given._replace(h=h)
        self.machine.y[:], self.machine.u[:] = y, u
        self.rows.p[:] = 0.0 if p is None else p
        self._data.turning[:] = 0.0 if turning is None else turning

    def set_velocities(self, v: Floats) -> None:
        super().set_velocities(v)
        self._data.turning[:] = 0.0

    def stage(self) -> Stage:
        """Return the machine's buffers of the start of the step."""
        M = self.machine
        v_dot, x_dot, GT = M.v_dot.copy(), M.x_dot.copy(), M.GT.copy()
        return Stage(v_dot, x_dot, GT, M.psi.copy(), M.rate.copy(), M.mu.copy(), float(M.power[0]))

    @property
    def end(self) -> Floats:
        """State behind the step."""
        return self._data.end.copy()

    def attempt(self, solve: bool, most: int = 1) -> Made:
        return self._run(SOLVE if solve else ASSEMBLE)

    def finish(self) -> float:
        return self._run(FINISH).work

    def _run(self, task: int) -> Made:
        return Made(*tree_step(self._block, self.given, task, self._t))
