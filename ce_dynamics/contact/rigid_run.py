"""Runs of plain rigid bodies in contact, in equal steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.rigid import RigidState
from ce_dynamics.contact.rigid_contacts import RigidContacts
from ce_dynamics.contact.simulation import warn_of_remains
from ce_dynamics.contact.solvers.chain import Chain, Patience, Thorough
from ce_dynamics.errors import ModelError, SimulationError

if TYPE_CHECKING:
    from ce_dynamics.contact.compiled_rigid import CompiledRigid


AT_ONCE = 200
"""Steps between two looks at interruptions, at most."""


class RigidRun(NamedTuple):
    """A run; arrays over the stored instants.

    Attributes
    ----------
    t : (n,) array
    states : list of RigidState
    energy, contact_work : (n,) arrays
        [J].
    contacts : (n,) int array
        Points where bodies pushed in the step that ends at an instant.
    unresolved : int
        Steps taken with more than the solver's tolerance left.
    residual_max : float
        [m/s].
    wall : float
        [s].
    """

    t: Floats
    states: list[RigidState]
    energy: Floats
    contact_work: Floats
    contacts: Integers
    unresolved: int
    residual_max: float
    wall: float


def simulate_rigid(
    contacts: RigidContacts,
    *,
    duration: float,
    step: float = 1e-3,
    solver: Solver | None = None,
    interval: float = 0.01,
    progress: Callable[[float], None] | None = None,
) -> RigidRun:
    """Advance plain rigid bodies with contacts.

    Parameters
    ----------
    contacts : RigidContacts
    duration, step, interval : float
        [s], as for `simulate_unilateral`.
    solver : Solver, optional
    progress : callable, optional
        Called with the time reached [s] after every stored instant.

    Raises
    ------
    InitialStateError
        If shapes overlap at the start.
    SimulationError
        If a step finds no solution or the run is interrupted; ``partial`` holds the run up to there.
    """
    for name, value in (("duration", duration), ("step", step), ("interval", interval)):
        checks.seconds(f"simulate_rigid: {name}", value)
    owner = "simulate_rigid"
    checks.instance(f"{owner}: contacts", contacts, RigidContacts, "RigidContacts(bodies, shapes)")
    if solver is not None:
        checks.provides(f"{owner}: solver", solver, ("solve",), "a solver, such as Chain()")
    if progress is not None:
        checks.function(f"{owner}: progress", progress)
    steps = max(1, math.ceil(duration / step * (1.0 - 1e-12)))
    h, every = duration / steps, max(1, round(interval * steps / duration))
    run = RigidWay(contacts, h, Chain() if solver is None else solver)
    run.store()
    while run.count < steps:
        try:
            run.advance(min(every - run.count % every, steps - run.count, AT_ONCE))
        except KeyboardInterrupt:
            run.store_last()
            raise SimulationError(f"interrupted at t = {run.t:.4g} s", run.result()) from None
        except (SimulationError, ModelError) as error:
            run.store_last()
            said = f"the step from t = {run.t:.4g} s found no solution: {error}"
            raise SimulationError(said, run.result()) from error
        if run.count % every == 0 or run.count == steps:
            run.store()
            if progress is not None:
                progress(run.t)
    warn_of_remains(run.unresolved, steps, run.residual, run.speed)
    return run.result()


class RigidWay:
    """Makes one step after the other; many at once where the solver is the chain.

    Attributes
    ----------
    count : int
        Steps made.
    unresolved, residual, speed : int, float, float
        As in `RigidRun`; the largest speed of any point of a body.
    """

    def __init__(self, contacts: RigidContacts, h: float, solver: Solver) -> None:
        self._contacts, self._h, self._patience = contacts, h, Patience(solver)
        self._state, self._work = contacts.bodies.start, 0.0
        self._key, self._p = np.zeros(0, dtype=np.int64), np.zeros(0)
        self._stored: list[tuple[float, RigidState, float, float, int]] = []
        self.count = self.unresolved = 0
        self.residual = self.speed = 0.0
        self._began = time.perf_counter()
        contacts.check_start(self._state)
        self._compiled: CompiledRigid | None = None
        if isinstance(solver, Chain):
            # here, because it loads Numba
            from ce_dynamics.contact.compiled_rigid import CompiledRigid

            self._compiled = CompiledRigid(contacts, h, solver.tolerance)
            self._compiled.take(self._state, self._key, self._p)

    @property
    def t(self) -> float:
        """The time reached [s]."""
        return self.count * self._h

    def advance(self, count: int) -> None:
        """So many steps, or fewer."""
        if self._compiled is None:
            self._one(self._patience.solver, (self._key, self._p))
            return
        made = self._compiled.advance(count)
        if made.steps:
            self._state, (self._key, self._p) = self._compiled.state, self._compiled.last
            self._work += made.work
            self.residual, self.speed = max(self.residual, made.residual), max(self.speed, made.speed)
            self.count += made.steps
        if made.stopped:
            solver = self._patience.solver
            if made.tried is None or not isinstance(solver, Chain):
                self._one(solver, (self._key, self._p))
            else:
                self._one(Thorough(solver), made.tried)
            self._compiled.take(self._state, self._key, self._p)

    def _one(self, solver: Solver, warm: tuple[Integers, Floats]) -> None:
        """One step in Python."""
        state, meetings, solution, gain = self._contacts.step(self._state, self._h, solver, warm)
        self._state, self._key, self._p = state, meetings.key, solution.p
        self._work += gain
        self.count += 1
        self.unresolved += not solution.converged
        self._patience.learn(solution.converged)
        self.residual = max(self.residual, solution.residual)
        self.speed = max(self.speed, float(np.max(np.abs(state.v[:, :3]), initial=0.0)))

    def store_last(self) -> None:
        """Store the state that was reached, where it lies behind the last stored instant."""
        if self.t > self._stored[-1][0]:
            self.store()

    def store(self) -> None:
        """Store an instant."""
        pushing = int(np.count_nonzero(self._p[:: self._contacts.per] > 0.0))
        energy = self._contacts.bodies.energy(self._state)
        self._stored.append((self.t, self._state, energy, self._work, pushing))

    def result(self) -> RigidRun:
        """Return the stored run."""
        t, states, energy, done, pushing = zip(*self._stored, strict=True)
        wall = time.perf_counter() - self._began
        arrays = (np.array(energy), np.array(done), np.array(pushing))
        return RigidRun(np.array(t), list(states), *arrays, self.unresolved, self.residual, wall)
