"""The contract of what takes the steps of a method: for whole runs, and one stretch after another."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.wiring import Wiring

UNGUARDED = np.zeros((0, 5))
"""Guards of nothing; see `kernels.leaves`."""

STEPS_PER_CHUNK = 16
"""Steps before the first look at progress and interrupts; of no influence on the results."""

MOST_PER_CHUNK = 2**20

STEPS_AT_ONCE = 10
"""How many steps are made at most between two looks at charts, which results do depend on: what is worn by
a hundredth less than all then has not been left."""

AT_ONCE = 32
"""Steps that are made without a look at interrupts."""

LOOKS_EVERY = 0.02, 0.06
"""Shortest and longest time between two looks that changes the number of steps between them [s]."""


class Progress(NamedTuple):
    """Time, instants stored, evaluations so far, what ended the run; the state between stored instants."""

    t: float
    stored: int
    evaluations: int
    trouble: str
    y: Floats | None = None


class Stepper(ABC):
    """A method at work on one model.

    1. ``y`` is the state it has reached, written in place; ``steps`` the steps made.
    2. `run` goes through a whole run and stores states.
    3. `advance` goes on by one stretch of a run that is led from outside, `go` by what is left of it; they
       answer one of the codes of the kernels: DONE, RUNNING, GUARDED before a step that would leave the
       guards, else what went wrong.  ``t`` is the time reached in it, ``ahead`` the length of the next step.
    4. ``memory`` is what the next step depends on besides the state; `remembers` says whether numbers can be
       that, `restart` is told that the state or parameters were changed from outside, `forget` starts afresh.
    """

    wiring: Wiring
    y: Floats

    @property
    @abstractmethod
    def steps(self) -> int:
        """Steps made in a run."""

    @abstractmethod
    def run(self, t_store: Floats, Y: Floats, chunk: Chunk) -> Iterator[Progress]:
        """Go from the first to the last instant to store, a chunk of steps at a time; states go into Y."""

    @abstractmethod
    def advance(self, t: float, t_end: float, n: int, h: float, guards: Floats) -> int:
        """Go from t to t_end, in n steps of h where steps are fixed; inputs may have changed."""

    @abstractmethod
    def go(self, most: int, guards: Floats = UNGUARDED) -> int:
        """Go on with what `advance` has left, by so many steps at most."""

    @property
    @abstractmethod
    def t(self) -> float:
        """Time reached in the stretch."""

    @property
    @abstractmethod
    def ahead(self) -> float:
        """Length of the next step."""

    @property
    @abstractmethod
    def memory(self) -> Floats:
        """What the next step depends on besides the state."""

    @memory.setter
    @abstractmethod
    def memory(self, saved: Floats) -> None: ...

    @abstractmethod
    def remembers(self, saved: Floats) -> bool:
        """Whether numbers are what `memory` can be."""

    def slopes_broke(self, rates: Floats) -> bool:
        """Whether, where a step could not be made, the Jacobian is not finite though the rates are."""
        return bool(np.all(np.isfinite(rates)) and not np.all(np.isfinite(self.wiring.entries)))

    @abstractmethod
    def restart(self) -> None:
        """Go on from a state that was changed from outside."""

    @abstractmethod
    def forget(self) -> None:
        """Start afresh."""


class Chunk:
    """How many steps are made between two looks at progress and interrupts.

    Parameters
    ----------
    fixed : int, optional
        So many; by default as many as take some hundredths of a second.

    Attributes
    ----------
    steps : int
    """

    def __init__(self, fixed: int | None = None) -> None:
        self.steps = STEPS_PER_CHUNK if fixed is None else fixed
        self.pieces = self.steps if fixed is None else STEPS_AT_ONCE
        self._fixed = fixed is not None
        self._began = time.perf_counter()

    def begin(self) -> None:
        """Steps are about to be made."""
        self._began = time.perf_counter()

    def end(self) -> None:
        """They have been made."""
        if self._fixed:
            return
        took = time.perf_counter() - self._began
        if took < LOOKS_EVERY[0]:
            self.steps = min(2 * self.steps, MOST_PER_CHUNK)
        elif took > LOOKS_EVERY[1] and self.steps > 1:
            self.steps //= 2
        self.pieces = self.steps
