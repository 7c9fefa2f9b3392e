"""Episodes of one task: begin, observations and end; for many copies of a vehicle."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import ModelError
from ce_dynamics.models.environments.task import Sensors, Task
from ce_dynamics.models.environments.tasks import Ranges, check_ranges

Flags = NDArray[np.bool_]
LEFT_BOUNDS = "an observation left its bounds"


class StepOutcome(NamedTuple):
    """Outcome of a step; arrays with one entry for each copy."""

    reward: Floats
    terminated: Flags
    truncated: Flags
    success: Flags
    beyond: Flags
    """An observation has left its bounds."""


class Episodes:
    """Bookkeeping of episodes of some copies, in steps of dt [s].

    Each copy has its generator ``random`` and its goal ``given`` (number, g).
    """

    def __init__(self, task: Task, number: int, dt: float, randomise: Ranges | None) -> None:
        self.task, self.number = task, number
        self.dt = checks.number("dt", dt, above=0.0)
        self.last = math.ceil(task.duration / dt * (1.0 - 1e-9))
        self.random = [np.random.default_rng() for _ in range(number)]
        self._ranges = check_ranges(task.vehicle, randomise)
        model = task.vehicle.model
        self._u = model.inputs_with()
        self._place = {entry.name: k for k, entry in enumerate(model.layout.u)}
        self._scale = np.array([feature.scale for feature in task.features])
        self._bound = np.array([feature.bound for feature in task.features])
        self.high = (self._bound / self._scale).astype(np.float32)
        self.given = np.zeros((number, len(task.goal)))
        self.steps = np.zeros(number, dtype=np.int64)
        self.previous = np.zeros((number, len(task.actions)))
        self.before = np.zeros((number, len(task.names)))

    def look(self, sensors: Sensors, given: Array) -> Sequence[Scalar]:
        """Return the features, then the facts, of one copy; to be traced."""
        seen = self.task.observe(sensors, given)
        return [seen[name] for name in self.task.names]

    def draw(self, member: int, options: Mapping[str, Any] | None = None) -> tuple[Floats, Floats]:
        """Return inputs with free parameters, and the goal, of the next episode of a copy."""
        random = self.random[member]
        given = dict(options or {})
        values = {name: float(random.uniform(low, high)) for name, low, high in self._ranges}
        values |= checks.mapping("options: parameters", given.pop("parameters", {}))
        goal = self.task.drawn(random)
        if "goal" in given:
            goal = checks.numbers("options: goal", given.pop("goal"))
            if goal.shape != (len(self.task.goal),) or not np.isfinite(goal).all():
                raise ModelError(f"options: goal must be {', '.join(self.task.goal)}, not {goal!r}")
        if given:
            raise ModelError(f"reset: unknown options {sorted(given)}; known are 'parameters' and 'goal'")
        u = self.task.vehicle.model.inputs_with(values) if values else self._u.copy()
        return u, goal

    def begin(self, member: int, given: Floats, seen: Floats) -> None:
        self.given[member], self.before[member] = given, seen
        self.steps[member], self.previous[member] = 0, 0.0

    def encode(self, seen: Floats) -> NDArray[np.float32]:
        """Encode values seen (n, names) as observations (n, features)."""
        features = seen[:, : len(self._scale)]
        clipped: Floats = np.clip(features / self._scale, -self.high, self.high)
        return clipped.astype(np.float32)

    def judge(self, seen: Floats, actions: Floats, failed: Flags) -> StepOutcome:
        """Judge all copies after a step."""
        task = self.task
        self.steps += 1
        before, now = (dict(zip(task.names, rows.T, strict=True)) for rows in (self.before, seen))
        reward, ended, success = task.judge(before, now, actions, self.previous)
        beyond = (np.abs(seen[:, : len(self._bound)]) > self._bound).any(axis=1) & ~failed
        lost = (failed | beyond) & ~(ended & ~failed)
        reward = np.where(failed, 0.0, reward) - task.failure * lost
        self.before, self.previous = seen.copy(), actions.copy()
        terminated = ended | lost
        return StepOutcome(
            reward, terminated, (self.steps >= self.last) & ~terminated, success & ~lost, beyond & ~ended
        )

    @property
    def drawn_names(self) -> list[str]:
        """Names of the free parameters that are drawn."""
        return [name for name, _, _ in self._ranges]

    def parameters(self, u: Floats) -> dict[str, Floats]:
        """Return the drawn free parameters by name, of inputs (n, m)."""
        return {name: u[:, self._place[name]] for name, _, _ in self._ranges}

    def save(self) -> dict[str, Any]:
        """Return all that the next steps depend on besides the vehicles."""
        return {
            "task": task_key(self.task),
            "random": [copy.deepcopy(random.bit_generator.state) for random in self.random],
            **{name: getattr(self, name).copy() for name in ("given", "steps", "previous", "before")},
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned for the same task and number of copies."""
        if saved.get("task") != task_key(self.task) or len(saved.get("random", ())) != self.number:
            raise ModelError("this was saved by an environment of another task, or another number of them")
        for random, state in zip(self.random, saved["random"], strict=True):
            random.bit_generator.state = copy.deepcopy(state)
        for name in ("given", "steps", "previous", "before"):
            setattr(self, name, saved[name].copy())


def task_key(task: Task) -> tuple[str, str, tuple[str, ...]]:
    """Return the key of an environment's saved state."""
    return task.name, str(task.vehicle.model.dynamics.signature.digest), task.names
