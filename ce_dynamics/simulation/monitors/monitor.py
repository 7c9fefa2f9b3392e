"""The contract of monitors of runs, and a run as they see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import Observed, observe_run
from ce_dynamics.simulation.right_hand_side import RightHandSide

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.stepper import Stepper


Cause = Literal["", "interrupted", "by itself", "thrown", "broken promise"]
"""Cause of an early end of a run: user, integrator, loop thrown over a dead centre, results."""


@dataclass(eq=False)
class FinishedRun:
    """A run that is over; monitors remove its unsound end."""

    rhs: RightHandSide
    options: RunOptions
    t: Floats  # stored instants
    Y: Floats  # states in rows (with the work, if it is audited)
    steps_t: Floats  # all steps where the method reports them, else the stored instants
    steps_Y: Floats
    trouble: str = ""  # why it ended before its time; empty if it did not
    cause: Cause = ""  # the same in a word
    stepper: Stepper | None = None  # what made the steps of a native method

    def __post_init__(self) -> None:
        self.last = float(self.t[-1]), self.Y[-1]
        self._seen: tuple[Floats, Observed] | None = None

    @property
    def model(self) -> Model:
        """Model of the run."""
        return self.rhs.model

    @property
    def states(self) -> Floats:
        """States in rows, without the work."""
        return self.Y[:, : len(self.model.layout.y0)]

    @property
    def U(self) -> Floats:
        """Inputs at the stored instants."""
        return self._observe()[0]

    @property
    def seen(self) -> Observed:
        """Observations at the stored instants."""
        return self._observe()[1]

    def _observe(self) -> tuple[Floats, Observed]:
        if self._seen is None:
            U = self.rhs.inputs_over(self.t, self.Y)
            self._seen = U, observe_run(self.model, self.states, U)
        return self._seen

    def cut(self, n: int) -> None:
        """Keep the first n instants."""
        self.t, self.Y = self.t[:n], self.Y[:n]
        if self._seen is not None:
            U, seen = self._seen
            self._seen = U[:n], seen.take_first(n)

    def end(self, trouble: str, cause: Cause) -> None:
        """Record why the run ended early."""
        self.trouble, self.cause = trouble, cause


class Monitor:
    """Monitor of the runs of a model.

    1. `look` is called between steps, and ends a run by raising
       `ce_dynamics.simulation.monitors.monitor.StalledError`.
    2. `check_run` is called after a run.  It warns, or cuts off unsound results and records the reason.
    3. `explain` returns the place at which a run broke, as a clause for messages.
    4. `ce_dynamics.simulation.simulate.monitors_of` lists the monitor.
    """

    order: ClassVar[int] = 9  # position among the monitors that explain where a run broke
    says_all: ClassVar[bool] = True  # true if an explanation of this monitor ends the search for others

    def look(self, t: float, y: Floats, evaluations: int) -> None:
        """Check a state during the run."""

    def check_run(self, run: FinishedRun) -> None:
        """Check a finished run."""

    def explain(self, run: FinishedRun) -> str:
        """Return why and where a run broke, if this monitor has found it; else empty."""
        return ""


class StalledError(Exception):
    """The integrator creeps: at the edge of a loop's range ever smaller steps make no progress."""


PATIENCE = 20000  # most evaluations without progress


def least_progress(duration: float) -> float:
    """Return the least progress [s] of a run: 1e-3 of the duration [s], at most 1e-3 s."""
    return 1e-3 * min(duration, 1.0)


class StallWatch(Monitor):
    """Raises `StalledError` when so many evaluations have made next to no progress."""

    def __init__(self, duration: float, evaluations: int = PATIENCE) -> None:
        self._progress = least_progress(duration)
        self._patience = evaluations
        self._since = (0.0, 0)

    def look(self, t: float, y: Floats, evaluations: int) -> None:
        """Record the time reached."""
        if t - self._since[0] >= self._progress:
            self._since = (t, evaluations)
        elif evaluations - self._since[1] > self._patience:
            raise StalledError(
                f"{self._patience} evaluations advanced it by less than {self._progress:.3g} s: a loop is at "
                "its end, something in it is very stiff (method rosenbrock takes that), or max_step or the "
                "tolerances are too small"
            )
