"""Unilateral elements on an embedded system, and one time step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.contact.conditions import Conditions, InitialStateError, Kind
from ce_dynamics.contact.element import UnilateralElement, check_elements, rows_of
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.machine import RowFunctions
from ce_dynamics.contact.problem import Problem, Solution
from ce_dynamics.contact.step import REBOUNDS
from ce_dynamics.contact.tree_step import Stage, TreeStep


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
        step = self._prepared(t, y, u, h)
        if start is not None:
            step.rows.p[:] = start
        if turning is not None:
            step.turn(turning)
        tried = step.begin(solver)
        stage = step.stage()
        solution, work = step.conclude(tried, solver)
        if tried.status == REBOUNDS:
            stage = stage._replace(power=float(step.machine.power[0]))
        return TimeStep(step.end, stage, solution, work)

    def _prepared(self, t: float, y: Floats, u: Floats, h: float) -> TreeStep:
        step = self._step
        step.rows.restitution[:] = self.restitution
        step.start(t, y, u, h)
        return step

    @cached_property
    def _step(self) -> TreeStep:
        kinds = self.row_kinds
        conditions = Conditions.of([kind.kind for kind in kinds], [kind.normal for kind in kinds])
        quaternions = [where.start for where in self.quaternions]
        return TreeStep(self.compiled, conditions, self.limit, quaternions, self.rest_speed)

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
