"""The contract of closed-form loop kinematics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from ce_dynamics.embedding.motion import SubgraphMotion


class Limits(NamedTuple):
    """Limits of a linkage, for the monitors of a run.

    Attributes
    ----------
    ends : (float, float), optional
        Interval of a single independent coordinate between dead centres [rad or m].  None where the run has
        to detect the ends from the speed of the dependent hinges.
    led_by : tuple of str
        Hinges that lead the loop along a straight path from the design pose; the path may end on the way.
    remedy : str
        Remedy that leads the loop through such a configuration, worded to complete "if you ..."; empty if
        there is none.
    """

    ends: tuple[float, float] | None = None
    led_by: tuple[str, ...] = ()
    remedy: str = ""


class Linkage(ABC):
    """Positions, X_S and Ẋ_S θ̇ (with η_S, η̇_S where something is prescribed) of one closed sub-graph.

    1. ``determines``: names of the bodies whose inboard hinges are dependent and found by this linkage.
    2. ``closes``: names of the closures that then hold.
    3. `solve` sets every hinge of ``determines``, from the inside out; independent and prescribed hinges
       whose carriers are known are set before it is called.
    4. The branch (the sign of every square root) is fixed at construction from the design geometry and stays
       continuous over the admissible range.
    5. Where the linkage cannot be assembled the configuration is NaN; nothing is clamped.
    6. `reach` returns where that is, and `monitor` the data that monitors of a run need of it.

    Attributes
    ----------
    stands_for : Linkage or None
        Another linkage, if this one solves the same in another way, and answers as that does.
    """

    determines: tuple[str, ...]
    closes: tuple[str, ...]
    stands_for: Linkage | None = None

    @abstractmethod
    def solve(self, motion: SubgraphMotion) -> None:
        """Set the motion of every dependent hinge."""

    @property
    def how(self) -> str:
        """Method that finds the dependent hinges, worded to complete "solved ..."."""
        return f"in closed form by {type(self).__name__}" if self.stands_for is None else self.stands_for.how

    @property
    def why_numeric(self) -> str:
        """Why it is not in closed form; empty if it is."""
        return "" if self.stands_for is None else self.stands_for.why_numeric

    def reach(self) -> tuple[float, float] | None:
        """Return the admissible interval of a single independent coordinate, None where it is not known.

        It is that of the nominal values of free parameters.
        """
        return None if self.stands_for is None else self.stands_for.reach()

    @property
    def parameter(self) -> str | None:
        """Name of the body whose hinge `reach` is about; None for the independent one of the sub-graph."""
        return None if self.stands_for is None else self.stands_for.parameter

    def monitor(self) -> Limits:
        """Return the limits to monitor in a run; by default no limits are known beforehand."""
        return Limits() if self.stands_for is None else self.stands_for.monitor()

    @property
    def has_free_geometry(self) -> bool:
        """True if hardpoints depend on free parameters, so that the reach does."""
        return False if self.stands_for is None else self.stands_for.has_free_geometry
