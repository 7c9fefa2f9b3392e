"""Contacts between many plain rigid bodies: their rows, one time step, and runs in equal steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Conditions, InitialStateError, Integers
from ce_dynamics.contact.contact import ContactLaw, Friction
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.meetings import Meetings, RigidShape, RigidShapes
from ce_dynamics.contact.problem import Solution
from ce_dynamics.contact.rigid import RigidBodies, RigidState
from ce_dynamics.contact.rigid_step import RigidStep
from ce_dynamics.contact.simulation import StepOptions, warn_of_remains
from ce_dynamics.contact.solvers.chain import Patience
from ce_dynamics.contact.step import LARGEST, StepGiven
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.mechanism.checked import Number, number
from ce_dynamics.simulation.options import lists_options

ALLOWED_OVERLAP = 1e-6
"""Largest overlap of two shapes in an initial state [m]."""


@dataclass(eq=False, repr=False)
class RigidContacts(ContactLaw):
    """Plain rigid bodies that touch each other.

    Parameters
    ----------
    bodies : RigidBodies
    shapes : sequence of RigidShape
        Any number on a body; shapes of one body do not touch each other, nor do those at rest.
    mu : float
        Friction coefficient of all contacts.
    restitution : float
        e of all contacts, 0 … 1.
    rest_speed : float
        Impacts slower than this do not bounce [m/s].
    rolling, spinning : float
        Lengths that bound, times the normal impulse, the torques against rolling and spinning [m].

    Attributes
    ----------
    placed : RigidShapes
    per : int
        Rows of a contact: normal, two of friction, two of rolling, one of spinning.

    Raises
    ------
    ModelError
        If a body is unknown, a half-space is not at rest, or a number is out of range.
    """

    _owner: ClassVar[str] = "rigid contacts"

    bodies: RigidBodies
    shapes: Sequence[RigidShape]
    _: KW_ONLY
    friction: Friction = field(default="disc", init=False)  # no other is offered
    mu: Number = number(0.0, at_least=0.0)
    rest_speed: Number = number(1e-2, at_least=0.0)

    def __post_init__(self) -> None:
        checks.instance(f"{self._owner}: bodies", self.bodies, RigidBodies, "RigidBodies([...])")
        self.placed, self.kinds = RigidShapes(self.bodies, self.shapes), self.point_kinds()
        self.per = len(self.kinds)
        turning = [*[self.rolling] * (2 * (self.rolling > 0.0)), self.spinning]
        mus = [0.0, self.mu, self.mu, *turning][: self.per]
        self._own = Conditions.of([one.kind for one in self.kinds], [one.normal for one in self.kinds], mus)

    def meetings(self, state: RigidState, margin: float) -> Meetings:
        """Return the contact points with gaps below a margin [m]."""
        return self.placed.meetings(state, margin)

    def conditions(self, count: int) -> Conditions:
        """Return the conditions on the rows of `count` meetings."""
        return self._own.repeat(count)

    def stepper(self, h: float) -> RigidStep:
        """Return the stepper for steps of h [s]."""
        count = LARGEST // self.per
        e = np.tile([one.restitution for one in self.kinds], count)
        return RigidStep(self.placed, self.conditions(count), e, StepGiven(self.per, h, self.rest_speed))

    def step(
        self, state: RigidState, h: float, solver: Solver
    ) -> tuple[RigidState, Meetings, Solution, float]:
        """State after a step, where bodies met, the solution and the work of the contacts."""
        one = self.stepper(h)
        one.take(state, np.zeros(0, dtype=np.int64), np.zeros(0))
        solution, work = one.conclude(one.begin(solver), solver)
        return one.state, one.meetings(), solution, work

    def check_start(self, state: RigidState) -> None:
        """Refuse a state in which shapes overlap.

        Raises
        ------
        InitialStateError
            Naming the worst pair.
        """
        found = self.meetings(state, 0.0)
        if len(found.psi) and np.min(found.psi) < -ALLOWED_OVERLAP:
            k = int(np.argmin(found.psi))
            names = [
                "what is at rest" if b < 0 else repr(self.bodies.names[b])
                for b in (found.first[k], found.second[k])
            ]
            raise InitialStateError(
                f"rigid contacts: {names[0]} and {names[1]} overlap by {-found.psi[k]:.3g} m at the start;"
                " move them apart"
            )


AT_ONCE = 200
"""Steps between two looks at interruptions, at most."""


class ContactForces(NamedTuple):
    """Forces where bodies push, as means over a step.

    Attributes
    ----------
    first, second : (m,) int arrays
        Bodies, of which the first is pushed; -1 for what is at rest.
    C : (m, 3) array
        Where they push, in the world [m].
    force : (m, 3) array
        On the first [N].
    """

    first: Integers
    second: Integers
    C: Floats
    force: Floats

    @classmethod
    def of(cls, meetings: Meetings, along: Floats, p: Floats, h: float) -> ContactForces:
        """Return those of meetings whose rows act along (m, k, 3) with impulses (m, k) in a step of h."""
        pushing = p[:, 0] > 0.0
        first, second = meetings.first[pushing], meetings.second[pushing]
        rests = first < 0  # rows act on the second then
        force = np.einsum("k,kri,kr->ki", np.where(rests, -1.0, 1.0) / h, along[pushing], p[pushing])
        pushed = np.where(rests, second, first), np.where(rests, first, second)
        return cls(*pushed, meetings.C[pushing], force)


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
    touching : list of callables
        Each returns the forces of the step that ends at an instant, see `forces`.
    """

    t: Floats
    states: list[RigidState]
    energy: Floats
    contact_work: Floats
    contacts: Integers
    unresolved: int
    residual_max: float
    wall: float
    touching: list[Callable[[], ContactForces]]

    @property
    def forces(self) -> list[ContactForces]:
        """Forces of the steps that end at the instants."""
        return [find() for find in self.touching]


@lists_options(StepOptions)
def simulate_rigid(contacts: RigidContacts, **options: Any) -> RigidRun:
    """Advance plain rigid bodies with contacts.

    Parameters
    ----------
    contacts : RigidContacts
    **options
        Fields of `StepOptions`: ``duration`` [s], ``step``, ``solver``, ``interval``, ``progress``.

    Raises
    ------
    InitialStateError
        If shapes overlap at the start.
    SimulationError
        If a step finds no solution or the run is interrupted; ``partial`` holds the run up to there.
    """
    chosen = StepOptions(**options)
    checks.instance("simulate_rigid: contacts", contacts, RigidContacts, "RigidContacts(bodies, shapes)")
    steps, every = chosen.steps, chosen.every
    run = RigidWay(contacts, chosen.duration / steps, chosen.chosen_solver)
    run.store()
    while run.count < steps:
        try:
            run.advance(min(every - run.count % every, steps - run.count, AT_ONCE))
        except KeyboardInterrupt:
            run.store_last()
            raise SimulationError(f"interrupted at t = {run.t:.4g} s", run.result()) from None
        except (SimulationError, ModelError) as error:
            run.store_last()
            message = f"the step from t = {run.t:.4g} s found no solution: {error}"
            raise SimulationError(message, run.result()) from error
        if run.count % every == 0 or run.count == steps:
            run.store()
            if chosen.progress is not None:
                chosen.progress(run.t)
    warn_of_remains(run.unresolved, steps, run.residual, run.speed)
    return run.result()


class RigidWay:
    """Makes one step after the other, many at once where the solver is the chain, and stores instants."""

    def __init__(self, contacts: RigidContacts, h: float, solver: Solver) -> None:
        self._contacts, self._h, self._patience = contacts, h, Patience(solver)
        self._state, self._work = contacts.bodies.start, 0.0
        self._stored: list[tuple[float, RigidState, float, float, int, Callable[[], ContactForces]]] = []
        self.count = self.unresolved = 0
        self.residual = self.speed = 0.0
        self._began = time.perf_counter()
        contacts.check_start(self._state)
        self._step = contacts.stepper(h)

    @property
    def t(self) -> float:
        """The time reached [s]."""
        return self.count * self._h

    def advance(self, count: int) -> None:
        """Make a number of steps, or fewer."""
        try:
            made, last = self._step.advance(count, self._patience.solver)
        finally:
            self._state = self._step.state
        self._work += made.work
        self.residual, self.speed = max(self.residual, made.residual), max(self.speed, made.speed)
        self.count += made.steps
        if last is not None:
            self.unresolved += not last.converged
            self._patience.record_outcome(last.converged)

    def store_last(self) -> None:
        """Store the state that was reached, where it lies behind the last stored instant."""
        if self.t > self._stored[-1][0]:
            self.store()

    def store(self) -> None:
        """Store an instant."""
        meetings, per = self._step.meetings(), self._contacts.per
        p = self._step.last[1].reshape(-1, per)
        along = self._step.rows.J_a[: p.size, :3].copy().reshape(*p.shape, 3)
        forces = partial(ContactForces.of, meetings, along, p, self._h)
        energy, pushing = self._contacts.bodies.energy(self._state), int(np.count_nonzero(p[:, 0] > 0.0))
        self._stored.append((self.t, self._state, energy, self._work, pushing, forces))

    def result(self) -> RigidRun:
        """Return the stored run."""
        t, states, energy, work, pushing, forces = (list(part) for part in zip(*self._stored, strict=True))
        wall = time.perf_counter() - self._began
        of_steps = (self.unresolved, self.residual, wall)
        return RigidRun(
            np.array(t), states, np.array(energy), np.array(work), np.array(pushing), *of_steps, forces
        )
