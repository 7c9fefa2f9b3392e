"""Unilateral elements on an embedded system: G, M⁻¹G and gaps as machine code, and one time step.

    M v⁺ − G p = M v + h f,   ψ/h + Gᵀ v⁺ + ∂ψ/∂t ≥ 0,   q⁺ = q + h q̇(q, v⁺)

M⁻¹ f and the columns of M⁻¹ G come from the O(N) recursion; M is never formed.

Data of one instant of an embedded system with unilateral elements, and of one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import Binding
from ce_dynamics.contact.compiled_step import CompiledStep
from ce_dynamics.contact.conditions import Conditions, InitialStateError, Kind, SparseRows
from ce_dynamics.contact.element import UnilateralElement, check_elements, rows_of
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.gyroscopic import at_midpoint
from ce_dynamics.contact.machine import ContactFunctions
from ce_dynamics.contact.problem import Problem, Solution, closing, without_gain
from ce_dynamics.contact.restitution import Impact, TouchingRows, impacts
from ce_dynamics.contact.rigid import rotate_quaternions
from ce_dynamics.contact.row_functions import RowFunctions
from ce_dynamics.contact.solvers.chain import Chain
from ce_dynamics.contact.solvers.rows import DENSE_ROWS


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


class TimeStep(NamedTuple):
    """One time step.

    Attributes
    ----------
    y : array
        State at its end.
    stage : Stage
        At its start.
    solution : Solution
    work : float
        Done by the impulses, ½ pᵀ (rates before and after) [J].
    """

    y: Floats
    stage: Stage
    solution: Solution
    work: float


def together(before: Stage, hit: Impact, done: TimeStep) -> TimeStep:
    """A step that begins with impacts."""
    solution = done.solution.behind(hit.p, hit.residual, hit.unresolved)
    return TimeStep(done.y, before._replace(power=done.stage.power), solution, hit.work + done.work)


ALLOWED_VIOLATION = 1e-6
"""Largest negative gap an initial state may have [m or rad]."""


class UnilateralModel:
    """A compiled model with elements of the complementarity layer.

    Parameters
    ----------
    model : Model
    elements : sequence of UnilateralElement
    rest_speed : float
        Impacts slower than this do not bounce [m/s or rad/s].

    Attributes
    ----------
    row_kinds : tuple of RowKind
        Of all rows, ``normal`` counting from the first row of the model.
    row_names : tuple of str
        ``<element>.<suffix>``.

    Raises
    ------
    ModelError
        If two elements have the same name, or one acts on a body of another system.
    """

    def __init__(self, model: Model, elements: Sequence[UnilateralElement], rest_speed: float = 1e-2) -> None:
        check_elements(model, elements, rest_speed)
        self.model, self.elements, self.rest_speed = model, tuple(elements), rest_speed
        kinds = rows_of(self.elements)
        self.row_kinds = kinds
        self.row_names = tuple(f"{e.name}.{kind.suffix}" for e in elements for kind in e.kinds)
        self.restitution = np.array([kind.restitution for kind in kinds])
        self.limit = np.array([kind.limit for kind in kinds])
        self.unilateral = np.array([kind.kind == Kind.UNILATERAL for kind in kinds], dtype=bool)
        self.compiled = RowFunctions(model, self.elements, len(kinds))

    @cached_property
    def quaternions(self) -> list[slice]:
        """Slices of the unit quaternions in q."""
        found = []
        for name, where in self.model.embedding.q_of.items():
            names = self.model.embedding.coordinates[name].inboard.coordinate_names
            if "qw" in names:
                first = where.start + names.index("qw")
                found.append(slice(first, first + 4))
        return found

    # Answers

    def stage(self, t: float, y: Floats, u: Floats) -> Stage:
        """Evaluate at one instant."""
        v_dot, x_dot, GT, psi, rate, mu, power = self.compiled.stage(y, u, np.array([t]))
        return Stage(v_dot, x_dot, GT, psi, rate, mu, float(power[0]))

    def responses(self, y: Floats, u: Floats, GT: Floats) -> Floats:
        """(M⁻¹ G)ᵀ, (m, n_v), by one O(N) sweep per row."""
        call = self._response_binding
        call.inputs["y"][:] = y
        call.inputs["u"][:] = u
        YT = np.empty_like(GT)
        T, Y = call.inputs["T"], call.outputs["Y"]
        for k in range(len(GT)):
            T[:] = GT[k]
            call.run()
            YT[k] = Y
        return YT

    @cached_property
    def _response_binding(self) -> Binding:
        return self.compiled.response.bind()

    def free_velocities(self, y: Floats, u: Floats, h: float, v_dot: Floats) -> Floats:
        """v + h v̇ with v̇ at the middle of the step, so that gyroscopic terms do no work."""
        layout = self.model.layout
        v = layout.split(y)[1]
        call = self._dynamics_binding
        call.inputs["u"][:] = u
        y_mid, y_dot = call.inputs["y"], call.outputs["y_dot"]
        y_mid[:] = y
        moving = layout.split(y_mid)[1]  # a view
        rates = layout.split(y_dot)[1]

        def rate(v_mid: Floats) -> Floats:
            moving[:] = v_mid
            call.run()
            return rates.copy()

        return at_midpoint(rate, v, v_dot, h)

    @cached_property
    def _dynamics_binding(self) -> Binding:
        return self.model.dynamics.bind()

    def problem(self, y: Floats, u: Floats, h: float, stage: Stage, turning: Floats | None = None) -> Problem:
        """The complementarity problem of a step of length h, in which nothing rebounds."""
        _, v, _ = self.model.layout.split(y)
        v_free = self.free_velocities(y, u, h, stage.v_dot)
        drift = stage.rate - stage.GT @ v  # ∂ψ/∂t and what prescribed motions add
        wanted = closing(stage.psi, stage.GT @ v_free + drift, h, self.rest_speed)
        c = drift + np.where(self.unilateral, wanted, 0.0)
        if turning is not None:
            c = c + turning
        conditions = self._conditions._replace(mu=stage.mu, lower=-h * self.limit, upper=h * self.limit)
        GT, YT = stage.GT, self.responses(y, u, stage.GT)
        return Problem(SparseRows.dense(GT), SparseRows.dense(YT), v_free, c, conditions)

    def impacts(self, y: Floats, u: Floats, h: float, stage: Stage, solver: Solver) -> Impact | None:
        """Return the impacts at the start of a step, or None if no row rebounds.

        See `ce_dynamics.contact.restitution`.
        """
        if not self.bouncing or not np.any(stage.rate[self.restitution > 0.0] < -self.rest_speed):
            return None
        _, v, _ = self.model.layout.split(y)
        drift = stage.rate - stage.GT @ v
        predicted = stage.GT @ self.free_velocities(y, u, h, stage.v_dot) + drift
        matrices = SparseRows.dense(stage.GT), SparseRows.dense(self.responses(y, u, stage.GT))
        rows = TouchingRows(
            *matrices, drift, stage.psi, self._conditions._replace(mu=stage.mu), self.restitution
        )
        return impacts(rows, v, predicted, h, self.rest_speed, solver)

    @cached_property
    def bouncing(self) -> bool:
        """True if any row may rebound."""
        return bool(np.any(self.restitution > 0.0))

    @cached_property
    def _conditions(self) -> Conditions:
        kinds = self.row_kinds
        return Conditions.of([kind.kind for kind in kinds], [kind.normal for kind in kinds])

    def step(
        self,
        t: float,
        y: Floats,
        u: Floats,
        h: float,
        solver: Solver,
        start: Floats | None = None,
        turning: Floats | None = None,
    ) -> TimeStep:
        """Advance by one step.

        Parameters
        ----------
        t : float
            Time at its start [s].
        y, u : arrays
            State and inputs at its start.
        h : float
            Its length [s].
        solver : Solver
        start : (m,) array, optional
            Impulses of the step before.
        turning : (m,) array, optional
            h γ of rows at which v is consistent: so Gᵀ v⁺ is taken at the end of the step.  After a step of
            first order v is consistent where that began, and h γ is in Gᵀ v already.

        Raises
        ------
        ConvergenceError, InfeasibleError
            If the solver finds no solution.
        ModelError
            If the state has become infinite or NaN.
        """
        stage = None
        if isinstance(solver, Chain) and len(self.row_kinds) <= DENSE_ROWS:
            done, stage = self._in_machine_code(t, y, u, h, solver, start, turning)
            if done is not None:
                return done
        before = self.stage(t, y, u) if stage is None else stage
        hit = self.impacts(y, u, h, before, solver)
        if hit is None:
            return self._without_rebound(t, y, u, h, solver, start, before, turning)
        q, _, x = self.model.layout.split(y)
        behind = np.concatenate((q, hit.v, x))
        done = None
        if isinstance(solver, Chain) and len(self.row_kinds) <= DENSE_ROWS:
            done, _ = self._in_machine_code(t, behind, u, h, solver, start, bouncing=False)
        if done is None:
            done = self._without_rebound(t, behind, u, h, solver, start, self.stage(t, behind, u))
        return together(before, hit, done)

    def _without_rebound(
        self,
        t: float,
        y: Floats,
        u: Floats,
        h: float,
        solver: Solver,
        start: Floats | None,
        stage: Stage,
        turning: Floats | None = None,
    ) -> TimeStep:
        q, v, x = self.model.layout.split(y)
        problem = self.problem(y, u, h, stage, turning)
        solution = solver.solve(problem, start)
        after = stage.rate + stage.GT @ (solution.v - v)
        solution = without_gain(problem, solution, stage.rate, after)
        v_plus = solution.v
        q_dot = self.compiled.rates(q, v_plus)[0]
        q_plus = q + h * q_dot  # u⁺ = u + V v⁺ h
        for where in self.quaternions:
            q_plus[where] = rotate_quaternions(q[None, where], q_dot[None, where], h)[0]
        y_plus = np.concatenate((q_plus, v_plus, x + h * stage.x_dot))
        work = 0.5 * float(solution.p @ (stage.GT @ (v + v_plus)))
        return TimeStep(y_plus, stage, solution, work)

    def _in_machine_code(
        self,
        t: float,
        y: Floats,
        u: Floats,
        h: float,
        solver: Chain,
        start: Floats | None,
        turning: Floats | None = None,
        bouncing: bool = True,
    ) -> tuple[TimeStep | None, Stage | None]:
        """The step, or None and, where rows rebound, the stage."""
        machine = self._compiled_step
        restitution = self.restitution if bouncing else np.zeros_like(self.restitution)
        given = solver.tolerance, restitution, self.rest_speed, turning
        answer = machine.step(t, y, u, h, start, *given)
        if answer is None:
            return None, None
        M = machine.machine
        stage = Stage(
            M.v_dot.copy(),
            M.x_dot.copy(),
            M.GT.copy(),
            M.psi.copy(),
            M.rate.copy(),
            M.mu.copy(),
            float(M.power[0]),
        )
        if answer.rebounds or not answer.residual <= solver.limit:
            return None, stage
        solution = Solution(answer.v, answer.p, answer.w, answer.residual, True, answer.steps, "Newton")
        return TimeStep(answer.y, stage, solution, answer.work), stage

    @cached_property
    def functions(self) -> ContactFunctions:
        """Compiled functions that kernels call in first-order steps."""
        response = self.compiled.responses(1 if len(self.row_kinds) == 1 else 4)
        return ContactFunctions(self.compiled.stage, response, self.model.dynamics, self.compiled.rates)

    @cached_property
    def _compiled_step(self) -> CompiledStep:
        return CompiledStep(
            self.functions,
            self._conditions,
            self.limit,
            [where.start for where in self.quaternions],
        )

    def check_start(self, t: float, y: Floats, u: Floats, allowed: float = ALLOWED_VIOLATION) -> None:
        """Refuse an initial state that violates a unilateral condition.

        Raises
        ------
        InitialStateError
            Naming the worst row.
        """
        stage = self.stage(t, y, u)
        numbers = np.concatenate((stage.v_dot, stage.psi, stage.rate, stage.GT.ravel()))
        if not np.all(np.isfinite(numbers)):
            raise InitialStateError("the initial state gives accelerations or gaps that are not finite")
        psi = np.where(self.unilateral, stage.psi, 0.0)
        if len(psi) and np.min(psi) < -allowed:
            k = int(np.argmin(psi))
            raise InitialStateError(
                f"{self.row_names[k]}: the initial gap ψ = {psi[k]:.6g} must not be negative; move the bodies"
                " apart or, for a cable, make it longer"
            )
