"""Runs of plain rigid bodies in contact, in equal steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.explanations import warn_of_remains
from ce_dynamics.complementarity.gauss_seidel import Solver
from ce_dynamics.complementarity.problem import Integers
from ce_dynamics.complementarity.rigid import RigidState
from ce_dynamics.complementarity.rigid_contacts import RigidContacts
from ce_dynamics.complementarity.solvers.chain import Chain
from ce_dynamics.errors import ModelError, SimulationError


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
        checks.number(f"simulate_rigid: {name}", value, above=0.0)
    steps = max(1, math.ceil(duration / step * (1.0 - 1e-12)))
    h, every = duration / steps, max(1, round(interval * steps / duration))
    chosen = Chain() if solver is None else solver
    state, work, warm = contacts.bodies.start, 0.0, None
    contacts.check_start(state)
    stored: list[tuple[float, RigidState, float, float, int]] = []
    unresolved, residual, speed, began = 0, 0.0, 0.0, time.perf_counter()

    def run() -> RigidRun:
        t, states, energy, done, pushing = zip(*stored, strict=True)
        wall = time.perf_counter() - began
        arrays = (np.array(energy), np.array(done), np.array(pushing))
        return RigidRun(np.array(t), list(states), *arrays, unresolved, residual, wall)

    stored.append((0.0, state, contacts.bodies.energy(state), 0.0, 0))
    for k in range(steps):
        try:
            state, meetings, solution, gain = contacts.step(state, h, chosen, warm)
        except KeyboardInterrupt:
            raise SimulationError(f"interrupted at t = {k * h:.4g} s", run()) from None
        except (SimulationError, ModelError) as error:
            said = f"the step from t = {k * h:.4g} s found no solution: {error}"
            raise SimulationError(said, run()) from error
        warm, work = (meetings.key, solution.p), work + gain
        unresolved += not solution.converged
        residual = max(residual, solution.residual)
        speed = max(speed, float(np.max(np.abs(state.v[:, :3]), initial=0.0)))
        if (k + 1) % every == 0 or k + 1 == steps:
            pushing = int(np.count_nonzero(solution.p[:: contacts.per] > 0.0))
            stored.append(((k + 1) * h, state, contacts.bodies.energy(state), work, pushing))
            if progress is not None:
                progress((k + 1) * h)
    warn_of_remains(unresolved, steps, residual, speed)
    return run()
