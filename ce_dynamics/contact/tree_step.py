"""Rows of an embedded system for a step, and its motion, as machine code.

    M v⁺ − G p = M v + h f,   ψ/h + Gᵀ v⁺ + ∂ψ/∂t ≥ 0,   q⁺ = q + h q̇(q, v⁺)

M⁻¹ f and the columns of M⁻¹ G come from the O(N) recursion; M is never formed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Conditions
from ce_dynamics.contact.gyroscopic import free_velocities
from ce_dynamics.contact.machine import ContactMachine, RowFunctions, observe, responses
from ce_dynamics.contact.rigid import rotate_all
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
from ce_dynamics.simulation.integrators.kernels import Integers, Vector, call, kernel, reader
from ce_dynamics.simulation.integrators.workspace import block_of


class Stage(NamedTuple):
    """Equations of motion and rows of the elements at one instant.

    Attributes
    ----------
    v_dot, x_dot : arrays
        Rates without impulses of the elements.
    GT : (m, n_v) array
    psi, rate, mu : (m,) arrays
    power : float
        Power of force elements and prescribed motions [W].
    """

    v_dot: Floats
    x_dot: Floats
    GT: Floats
    psi: Floats
    rate: Floats
    mu: Floats
    power: float


class TreeData(NamedTuple):
    """Data of a step of an embedded system.

    Attributes
    ----------
    limit, turning : (m,) arrays
        Largest forces of box rows; a term added to w: h γ where v is consistent at the start of the step.
    quaternions : int array
        Indices at which unit quaternions begin in q.
    end : array
        State behind the step.
    """

    limit: Vector
    turning: Vector
    quaternions: Integers
    end: Vector


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
    """Steps of one `UnilateralModel`.

    Parameters
    ----------
    functions : RowFunctions
    conditions : Conditions
    limit : (m,) array
        Largest forces of box rows.
    quaternions : sequence of int
        Indices at which unit quaternions begin in q.
    rest_speed : float

    Attributes
    ----------
    machine : ContactMachine
        Its buffers hold the state and what the stage gave.
    """

    def __init__(
        self,
        functions: RowFunctions,
        conditions: Conditions,
        limit: Floats,
        quaternions: list[int],
        rest_speed: float,
    ) -> None:
        M, self._alive = functions.machine()
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
        self._data = TreeData(limit, turning, np.array(quaternions, dtype=np.int64), np.zeros_like(M.y))
        self._block = block_of((*self.rows, *M, *self._data))
        self._t, self._turned = 0.0, False

    def start(self, t: float, y: Floats, u: Floats, h: float) -> None:
        """Put the start of a step in place, without impulses."""
        self._t = t
        if h != self.given.h:
            self.given = self.given._replace(h=h)
        self.machine.y[:], self.machine.u[:] = y, u
        self.rows.p[:] = 0.0
        if self._turned:
            self._data.turning[:] = 0.0
            self._turned = False

    def turn(self, turning: Floats) -> None:
        """Add to w h γ of rows at which v is consistent, see `UnilateralModel.step`."""
        self._data.turning[:] = turning
        self._turned = True

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
