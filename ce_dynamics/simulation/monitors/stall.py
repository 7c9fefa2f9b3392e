"""Ends runs that creep: at the edge of a loop's range ever smaller steps lead nowhere."""

from __future__ import annotations

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.monitors.monitor import Monitor


class StalledError(Exception):
    """The integrator creeps: at the edge of a loop's range ever smaller steps lead nowhere."""


PATIENCE = 20000
"""Evaluations that may pass without progress."""


def least_progress(duration: float) -> float:
    """Return the least progress [s] of a run: 1e-3 of the duration [s], at most 1e-3 s."""
    return 1e-3 * min(duration, 1.0)


class StallWatch(Monitor):
    """Raises `StalledError` when many evaluations have brought next to no progress.

    Parameters
    ----------
    duration : float
        Length of the run [s].
    evaluations : int
        How many may pass without progress.
    """

    def __init__(self, duration: float, evaluations: int = PATIENCE) -> None:
        self._progress = least_progress(duration)
        self._patience = evaluations
        self._since = (0.0, 0)

    def look(self, t: float, y: Floats, evaluations: int) -> bool:
        """Take note of the time reached."""
        if t - self._since[0] >= self._progress:
            self._since = (t, evaluations)
        elif evaluations - self._since[1] > self._patience:
            raise StalledError(
                f"{self._patience} evaluations advanced it by less than {self._progress:.3g} s: a loop is at "
                "its end, something in it is very stiff (method rosenbrock takes that), or max_step or the "
                "tolerances are too small"
            )
        return False
