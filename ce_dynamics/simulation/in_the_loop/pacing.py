"""Runs in real time: each step waits for the wall clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class PaceReport(NamedTuple):
    """Punctuality of a run.

    Attributes
    ----------
    steps : int
        Number of steps.
    overruns : int
        Number of steps that were ready only after their time.
    worst_lateness : float
        Largest delay of a step [s]; 0 if no step was late.
    load : float
        Share of the time that was not spent asleep.
    wall_time : float
        Wall time of the whole run [s].
    """

    steps: int
    overruns: int
    worst_lateness: float
    load: float
    wall_time: float


class Pace:
    """A schedule of equal periods [s] from now on."""

    def __init__(self, period: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._period, self._clock, self._sleep = period, clock, sleep
        self._start = clock()
        self._steps = self._overruns = 0
        self._worst = self._slept = 0.0

    def wait(self) -> None:
        """Sleep until the period is over, after its work is done."""
        self._steps += 1
        now = self._clock()
        early = self._start + self._steps * self._period - now
        if early < 0.0:
            self._overruns += 1
            self._worst = max(self._worst, -early)
        else:
            self._sleep(early)
            self._slept += self._clock() - now

    def report(self) -> PaceReport:
        """Return the report up to the present."""
        wall = self._clock() - self._start
        load = 1.0 - self._slept / wall if wall > 0.0 else 0.0
        return PaceReport(self._steps, self._overruns, self._worst, load, wall)
