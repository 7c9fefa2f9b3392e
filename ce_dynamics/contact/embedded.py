"""Unilateral elements on an embedded system: its compiled rows, and one time step.

The generalised forces of loads on a tree: Gᵀ v = power, so the loads of a unit multiplier give G.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.spatial import phi_force, rotate_vector
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.contact.conditions import Conditions, InitialStateError, Integers, Kind
from ce_dynamics.contact.element import Row, UnilateralElement, check_elements, rows_of
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.problem import Problem, Solution
from ce_dynamics.contact.step import REBOUNDS
from ce_dynamics.contact.tree_step import Stage, TreeStep
from ce_dynamics.dynamics.articulated_body import project_torques
from ce_dynamics.dynamics.energy import compute_drive_power, load_power
from ce_dynamics.dynamics.loads import Loads, sum_loads
from ce_dynamics.dynamics.mass_matrix import solve_mass
from ce_dynamics.dynamics.outward import Member, Outward
from ce_dynamics.errors import ModelError


def row_of_G(outward: Outward, members: Mapping[str, Sequence[Member]], row: Row) -> Array:
    """Return Gᵀ of one row, (n_v,): H φ applied to the loads of a unit multiplier, one sweep to the base."""
    return project_loads(outward, members, sum_loads(outward, row.loads))


def project_loads(outward: Outward, members: Mapping[str, Sequence[Member]], loads: Loads) -> Array:
    """Return generalised forces on the independent hinges of given loads, (n_v,)."""
    embedding = outward.embedding
    carried: dict[str, Array] = {}
    T: dict[str, Array] = {}
    for S in reversed(embedding.aggregates):
        T_S = project_torques(S, outward, loads.torques)
        f_p = carried.get(S.parent.name)
        for j in members[S.name]:
            parts = []
            if j.body.name in loads.wrenches:
                parts.append(loads.wrenches[j.body.name])
            if j.body.name in carried:
                parts.append(rotate_vector(j.R, carried[j.body.name]))
            if not parts:
                continue
            f_j = sum(parts[1:], parts[0])
            T_S = T_S + j.J.T @ f_j  # T = H f
            onwards = phi_force(j.r, f_j)
            f_p = onwards if f_p is None else f_p + onwards
        if f_p is not None:
            carried[S.parent.name] = f_p
        T |= {body.name: T_S[S.columns(body)] for body in S.independent}
    if not embedding.v_of:
        return zeros(0)
    return array(entry for name in embedding.v_of for entry in T[name])


class RowFunctions:
    """Compiled functions of a model and its elements, which declare so many rows."""

    def __init__(self, model: Model, elements: Sequence[UnilateralElement], count: int) -> None:
        self.model, self.elements, self.count = model, elements, count

    @cached_property
    def stage(self) -> CompiledFunction:
        """v̇ and ẋ without impulses, Gᵀ, gaps, rates, friction, power, at one instant."""
        sizes = {"y": len(self.model.layout.y0), "u": len(self.model.layout.u), "t": 1}
        return compile_function(trace("unilateral_stage", self._evaluate, sizes))

    def _evaluate(self, y: Array, u: Array, t: Array) -> dict[str, Array]:
        instant = self.model.instant(y, u)
        outward = instant.outward
        rows = [row for element in self.elements for row in element.rows(outward, t[0])]
        if len(rows) != self.count:
            raise ModelError(f"the elements gave {len(rows)} rows for {self.count} row kinds")
        members = {name: node.members for name, node in instant.nodes.items()}
        n_v = self.model.embedding.n_v
        GT = [row_of_G(outward, members, row) for row in rows]
        power = load_power(outward, instant.loads) + compute_drive_power(
            outward, instant.loads, instant.accelerations, instant.nodes
        )
        return {
            "v_dot": instant.accelerations.v_dot,
            "x_dot": instant.x_dot,
            "GT": array(concatenate(GT) if GT else ()).reshape(len(rows), n_v),
            "psi": array(row.psi for row in rows),
            "rate": array(row.rate for row in rows),
            "mu": array(row.mu for row in rows),
            "power": array((power,)),
        }

    @cached_property
    def response(self) -> CompiledFunction:
        """M⁻¹ T of as many rows at a time as are worth it."""
        return self.responses(1 if self.count == 1 else 4)

    def responses(self, lanes: int) -> CompiledFunction:
        """Return M⁻¹ T in lanes."""
        layout = self.model.layout

        def response(y: Array, u: Array, T: Array) -> dict[str, Array]:
            instant = self.model.instant(y, u)
            return {"Y": solve_mass(instant.outward, instant.nodes, T)}

        sizes = {"y": len(layout.y0), "u": len(layout.u), "T": self.model.embedding.n_v}
        return compile_function(trace("unilateral_response", response, sizes), lanes)

    @cached_property
    def rates(self) -> CompiledFunction:
        """Rates of the coordinates q̇(q, v)."""
        embedding = self.model.embedding

        def rates(q: Array, v: Array) -> dict[str, Array]:
            parts = [
                body.inboard.q_dot(q[embedding.q_of[name]], v[embedding.v_of[name]])
                for name, body in embedding.coordinates.items()
            ]
            return {"q_dot": concatenate(parts)}

        return compile_function(trace("unilateral_rates", rates, {"q": embedding.n_q, "v": embedding.n_v}))

    @cached_property
    def bias(self) -> CompiledFunction:
        """Derivative of the rows' rates along a direction of y, u and t; for steps of higher order."""

        def rate(y: Array, u: Array, t: Array) -> dict[str, Array]:
            outward = self.model.instant(y, u).outward
            rows = [row for element in self.elements for row in element.rows(outward, t[0])]
            return {"rate": array(row.rate for row in rows)}

        sizes = {"y": len(self.model.layout.y0), "u": len(self.model.layout.u), "t": 1}
        return compile_function(directional_derivative(trace("unilateral_row_rates", rate, sizes)))

    @cached_property
    def functions(self) -> dict[str, CompiledFunction]:
        """Functions that kernels call in steps of first order."""
        dynamics = {"dynamics": self.model.dynamics}
        return {"stage": self.stage, "response": self.response, "rates": self.rates} | dynamics


class TimeStep(NamedTuple):
    """One time step."""

    y: Floats  # state at its end
    stage: Stage  # at its start
    solution: Solution
    work: float  # done by the impulses, ½ pᵀ (rates before and after) [J]


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
        self.conditions = Conditions.of([kind.kind for kind in kinds], [kind.normal for kind in kinds])
        self.unilateral = self.conditions.kind == Kind.UNILATERAL
        self.compiled = RowFunctions(model, self.elements, len(kinds))

    @cached_property
    def quaternions(self) -> Integers:
        """Indices at which unit quaternions begin in q."""
        places = self.model.tangent.quaternions.values()
        return np.array([indices[0] for indices in places], dtype=np.int64)

    # Answers

    def stage(self, t: float, y: Floats, u: Floats) -> Stage:
        """Evaluate at one instant."""
        v_dot, x_dot, GT, psi, rate, mu, power = self.compiled.stage(y, u, np.array([t]))
        return Stage(v_dot, x_dot, GT, psi, rate, mu, float(power[0]))

    def problem(self, t: float, y: Floats, u: Floats, h: float) -> Problem:
        """Return the complementarity problem of a step of length h, in which nothing rebounds."""
        step = self._prepared(t, y, u, h)
        step.attempt(solve=False)
        return step.problem()

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
        step = self._prepared(t, y, u, h, start, turning)
        tried = step.begin(solver)
        stage = step.stage()
        solution, work = step.conclude(tried, solver)
        if tried.status == REBOUNDS:
            stage = stage._replace(power=float(step.machine.power[0]))
        return TimeStep(step.end, stage, solution, work)

    def _prepared(
        self, t: float, y: Floats, u: Floats, h: float, p: Floats | None = None, turning: Floats | None = None
    ) -> TreeStep:
        step = self._step
        step.rows.restitution[:] = self.restitution  # which may be changed between steps
        step.start(t, y, u, h, p, turning)
        return step

    @cached_property
    def _step(self) -> TreeStep:
        functions = self.compiled.functions
        return TreeStep(functions, self.conditions, self.limit, self.quaternions, self.rest_speed)

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
