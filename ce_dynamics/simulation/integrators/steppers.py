"""The integrators as objects: a wiring, work space and the state they have reached."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators import kernels
from ce_dynamics.simulation.integrators.methods import SCHEMES
from ce_dynamics.simulation.integrators.wiring import Wiring

UNGUARDED = np.zeros((0, 5))
"""Guards of nothing; see `kernels.leaves`."""


class FixedStep:
    """A method of fixed steps.

    Parameters
    ----------
    method : str
    wiring : Wiring
    y0 : array
    jacobian_every : int
        Steps that an implicit method makes with one Jacobian.

    Attributes
    ----------
    y : array
        The state it has reached; written in place.
    steps : int
        Steps made; counted by whoever makes them.
    """

    def __init__(self, method: str, wiring: Wiring, y0: Floats, jacobian_every: int = 1) -> None:
        n = wiring.n
        self.wiring = wiring
        self.y = np.array(y0, dtype=float)
        scheme = SCHEMES[method]
        self.evaluations_per_step, self._implicit = scheme.evaluations, scheme.implicit
        self._code = kernels.ROSENBROCK if method == "rosenbrock" else kernels.IMPLICIT_EULER
        self._work = np.zeros((3, n))
        self._matrix = np.zeros((n, n) if self._implicit else (1, 1))
        self._pivots = np.zeros(n, dtype=np.int64)
        self._every = jacobian_every
        self.steps = 0
        self._age, self._kept = np.zeros(1, dtype=np.int64), np.zeros(1)

    def march(
        self, t: Floats, n: int, h: float, out: Floats, first: int = 0, guards: Floats = UNGUARDED
    ) -> int:
        """From each t[k] + first·h make n steps of h and leave the state in out[k].

        Returns
        -------
        int
            Steps that led to finite states; fewer than all if the next one did not, or left the guards.
        """
        w = self.wiring
        if self._implicit:
            done = kernels.march_implicit(
                self._code,
                w.calls,
                w.time,
                w.state,
                w.rate,
                (w.entries, w.rows, w.columns),
                (self._matrix, self._pivots),
                (self._every, self._age, self._kept),
                self._work,
                self.y,
                t,
                first,
                n,
                h,
                guards,
                out,
            )
        else:
            done = kernels.march_explicit(
                w.calls, w.time, w.state, w.rate, self._work, self.y, t, first, n, h, guards, out
            )
        return int(done)

    def remembers(self, saved: Floats) -> bool:
        """Whether numbers are what `memory` can be."""
        if not len(saved):
            return len(self.memory) == 0
        n = len(self.y)
        kept, age, pivots = saved[0], saved[1], saved[2 : 2 + n]
        whole = np.all(pivots == np.floor(pivots)) and age == np.floor(age)
        within = np.all((pivots >= 0) & (pivots < n)) and 0 <= age <= self._every
        return bool(math.isfinite(kept) and whole and within)

    @property
    def memory(self) -> Floats:
        """What the next step depends on besides the state: the factors it may go on with."""
        if not self._implicit or self._every == 1:
            return np.empty(0)
        parts = (self._kept, self._age, self._pivots, self._matrix.reshape(-1))
        return np.concatenate([np.asarray(part, dtype=float) for part in parts])

    @memory.setter
    def memory(self, saved: Floats) -> None:
        if len(saved):
            n = len(self.y)
            self._kept[0], self._age[0] = saved[0], int(saved[1])
            self._pivots[:] = saved[2 : 2 + n].astype(np.int64)
            self._matrix[:] = saved[2 + n :].reshape(n, n)

    def restart(self) -> None:
        """Go on from a state that was changed from outside."""
        self._kept[0] = 0.0

    def forget(self) -> None:
        """Start afresh."""
        self._kept[0] = 0.0  # no step has this size: the Jacobian is renewed


class Adaptive:
    """Dormand–Prince 5(4).

    Attributes
    ----------
    y : array
        The state it has reached; written in place.
    clock : (3,) array
        Time, size of the next step (0 before the first), error of the last one.
    counts : (4,) int array
        Instants stored, evaluations, steps accepted and rejected.
    """

    def __init__(self, wiring: Wiring, y0: Floats, rtol: float, atol: float, max_step: float) -> None:
        self.wiring = wiring
        self.y = np.array(y0, dtype=float)
        self.clock = np.zeros(3)
        self.counts = np.zeros(4, dtype=np.int64)
        self._tolerances = float(rtol), float(atol), float(max_step)
        self._K, self._work = np.zeros((7, wiring.n)), np.zeros((1, wiring.n))
        self.forget()

    @property
    def memory(self) -> Floats:
        """What the next step depends on besides the state."""
        return self.clock.copy()

    @memory.setter
    def memory(self, saved: Floats) -> None:
        self.clock[:] = saved

    def remembers(self, saved: Floats) -> bool:
        """Whether numbers are what `memory` can be."""
        return bool(np.isfinite(saved).all() and (saved[1:] >= 0.0).all())

    def forget(self) -> None:
        """Start afresh."""
        self.clock[:] = (0.0, 0.0, 1e-4)

    def restart(self) -> None:
        """Go on from a state that was changed from outside."""
        self.begin()

    @property
    def steps(self) -> int:
        """Steps accepted."""
        return int(self.counts[2])

    def begin(self) -> None:
        """Take the present rate as that of the first stage: at the start and when inputs have changed."""
        w = self.wiring
        kernels.evaluate(w.calls, w.time, w.state, self.clock[0], self.y)
        self._K[0] = w.rate
        self.counts[1] += 1

    def march(self, t_store: Floats, budget: int, out: Floats, guards: Floats = UNGUARDED) -> int:
        """Go on towards the last of t_store by at most `budget` steps; one of the codes of the kernels."""
        w = self.wiring
        return int(
            kernels.dopri5(
                w.calls,
                w.time,
                w.state,
                w.rate,
                self._K,
                self._work,
                self.y,
                self.clock,
                self.counts,
                t_store,
                *self._tolerances,
                budget,
                guards,
                out,
            )
        )
