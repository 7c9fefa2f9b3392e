"""A loop with one parameter: its branch, how far that reaches and whether it turns, and its table."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, singledispatch

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, floor, where
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.embedding.closures.choices import rows_along
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel, comes_round
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.motion import HingeMotion
from ce_dynamics.embedding.numeric.branch import Branch, BranchEnd, follow
from ce_dynamics.embedding.numeric.branch_table import Basin, BranchTable, TableRange, tabulate
from ce_dynamics.embedding.numeric.substeps import polish
from ce_dynamics.errors import IndependentCoordinatesError
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written

logger = logging.getLogger(__name__)

LONGEST_SLIDE = 10.0  # of a prismatic parameter, in sizes of the loop
REMEDY = "give its closure through_dead_centres=True, or choose another independent coordinate"
MOST_TURNS = 4.0  # of a screw as the parameter, or of an angle whose turns couplings distinguish


class SingleParameter:
    """The one parameter of a loop, of one coordinate; that of equal loops, too.

    ``turns_count``: hinge coordinates themselves enter the closures, so that whole turns count.
    """

    def __init__(self, kernel: LoopKernel, q0: Array, turns_count: bool) -> None:
        self._kernel, self._q0, self._turns_count = kernel, q0, turns_count
        (self.body,) = kernel.loop.given
        self._centre = float(kernel.p0[0])
        self._found: BranchTable | None = None  # while the branch was followed

    @property
    def branch(self) -> Branch:
        """The branch that is tabulated."""
        return self._followed[0]

    @property
    def reach(self) -> TableRange:
        """Interval of the parameter that the table covers."""
        return self._followed[1]

    @property
    def ends_dead(self) -> bool:
        """True if a dead centre ends it, at one end at least."""
        ends_there = not self.reach.turning and math.isfinite(self.reach.upper - self.reach.lower)
        return ends_there and self.branch.singular

    @property
    def remedy(self) -> str:
        """Remedy for the ends of the branch, in words."""
        ends = self.branch.lower, self.branch.upper
        far = [f"{end.theta:.6g}, where {end.slide!r} runs to infinity" for end in ends if end.slide]
        stopped = f"keep it from {', and '.join(far)}, with a stop or a spring" if far else ""
        dead = any(end.singular and not end.slide for end in ends)
        return f"{stopped}; elsewhere {REMEDY}" if far and dead else stopped or REMEDY

    @cached_property
    def _followed(self) -> tuple[Branch, TableRange]:
        """The branch of a loop with one parameter and the reach of its table."""
        hinge, centre = self.body.inboard, self._centre
        if not comes_round(hinge):
            turns = hinge.coordinate_units[0] == "rad"
            farthest = 2.0 * math.pi * MOST_TURNS if turns else LONGEST_SLIDE * self._kernel.size
            branch = self._follow(*surround_centre(centre, farthest))
            return branch, TableRange(branch.lower.theta, branch.upper.theta, False)
        low, high = surround_centre(centre, math.pi)
        branch = self._follow(low, high)
        if branch.lower.singular != branch.upper.singular:
            # the other end may lie beyond half a turn
            low = branch.upper.theta - 2.0 * math.pi if branch.upper.singular else low
            high = branch.lower.theta + 2.0 * math.pi if branch.lower.singular else high
            if self._turns_count:  # what lies beyond is not what was there a turn before
                low, high = surround_centre(centre, 2.0 * math.pi * MOST_TURNS)
            branch = self._follow(low, high)
        ends: tuple[BranchEnd, BranchEnd] = branch.lower, branch.upper
        if not any(end.singular for end in ends):
            return self._extend_over_turns(branch) if self._turns_count else self._extend_until_closed(branch)
        return branch, TableRange(ends[0].theta, ends[1].theta, False)

    def _follow(self, low: float, high: float) -> Branch:
        return follow(self._kernel, self._q0, (low, high))

    def _extend_over_turns(self, branch: Branch) -> tuple[Branch, TableRange]:
        """Return the branch over the turns after which it closes, else over the few that a table can hold."""
        loop, parameter = self._kernel.loop, self.body.name
        turns = likely_period(loop, branch)
        if turns is not None:
            half = turns * math.pi
            longer = branch if turns == 1 else self._follow(*surround_centre(self._centre, half))
            back = not longer.singular and find_displaced_body(loop, longer, turns) is None
            reach = TableRange(*surround_centre(self._centre, half), True)
            if back and is_repeated(loop, longer, parameter, turns) and self._tabulate(longer, reach):
                return longer, reach
        half = 2.0 * math.pi * MOST_TURNS
        while half > 2.0 * math.pi:
            longer = self._follow(*surround_centre(self._centre, half))
            reach = TableRange(longer.lower.theta, longer.upper.theta, False)
            if self._tabulate(longer, reach):
                return longer, reach
            half *= 0.5
        return branch, TableRange(branch.lower.theta, branch.upper.theta, False)

    def _tabulate(self, branch: Branch, reach: TableRange) -> bool:
        """Return True if there is a table of a branch; it is kept if there is."""
        try:
            self._found = tabulate(branch, reach, self._basin(branch))
        except IndependentCoordinatesError:
            return False
        return True

    def _extend_until_closed(self, branch: Branch) -> tuple[Branch, TableRange]:
        """Return the branch over as many turns as lead back to the start, for loops without couplings."""
        loop = self._kernel.loop
        found = find_displaced_body(loop, branch, 1)
        if found is None:
            return branch, TableRange(*surround_centre(self._centre, math.pi), True)
        longest = self._follow(*surround_centre(self._centre, LONGEST_PERIOD * math.pi))
        periods = () if longest.singular else range(2, LONGEST_PERIOD + 1)
        turns = next((k for k in periods if find_displaced_body(loop, longest, k) is None), None)
        if turns is None:
            body, apart = found
            raise IndependentCoordinatesError(
                f"the loop of {loop.name!r}: after a full turn of {self.body.name!r} the hinge of {body!r} "
                f"is not where it was (by {apart:.3g}), nor after up to {LONGEST_PERIOD} turns, so "
                f"the angle alone leaves its place open; choose {body!r} as the independent coordinate, "
                "or a path coordinate: through_dead_centres=True"
            )
        logger.info("loop of %r: it takes %d turns of %r to come back", loop.name, turns, self.body.name)
        reach = TableRange(*surround_centre(self._centre, turns * math.pi), True)
        return self._follow(reach.lower, reach.upper), reach

    @cached_property
    def table(self) -> BranchTable:
        """Table of the branch; made when first needed."""
        branch, reach = self._followed
        if self._found is not None:
            return self._found
        names = ", ".join(closure.name for closure in self._kernel.loop.closures)
        with log_work(f"tabulating the loop {names}"):
            return tabulate(branch, reach, self._basin(branch))

    def _basin(self, branch: Branch) -> Basin:
        """Return the basin that verifies the steps from a table of a branch, at nominal values."""
        loop, rows = self._kernel.loop, rows_along(self._kernel, self._q0, branch.poses).rows
        return Basin(self._kernel, lambda q, given: polish(loop, rows, q, (given, {})))

    # Evaluation, on floats or traced scalars

    def reduce_to_table(self, name: str, given: HingeMotion) -> HingeMotion:
        """Return the given hinge of a body, its angle less the whole turns that the table does not have."""
        theta = self.body.inboard.coordinates(given.c)[0]
        if comes_round(self.body.inboard):
            theta = self._add_turns(name, theta, given.q)
        return given._replace(q=array((theta,)))

    def _add_turns(self, name: str, theta: Scalar, known: Array | None) -> Scalar:
        """Return the table's angle for one in (−π, π], given the known number of its turns."""
        reach = self.reach
        turns = round(reach.half / math.pi)
        if (self._turns_count or reach.turning) and not (reach.turning and turns == 1):
            if known is not None:
                return wrap_angle(known[0], turns, self._centre) if reach.turning else known[0]
            if reach.half >= math.pi:
                raise IndependentCoordinatesError(
                    f"the loop of {self._kernel.loop.name!r}: how often the hinge of {name!r} "
                    "has turned is not known, on which the others depend; choose another independent "
                    "coordinate"
                )
        return theta if reach.turning else wrap_into(reach, theta, self._centre)

    @property
    def may_go_round(self) -> bool:
        """True if an angle and the same a turn back are the same pose of the loop."""
        if not comes_round(self.body.inboard) or self._turns_count:
            return False
        return not self.reach.turning or round(self.reach.half / math.pi) == 1

    def other_way_round(self, given: HingeMotion) -> HingeMotion:
        """Return the given hinge, a whole turn back."""
        assert given.q is not None, "set by `reduce_to_table`"
        (theta,) = given.q
        full = 2.0 * math.pi
        return given._replace(q=array((where(theta > self._centre, theta - full, theta + full),)))

    def look_up(self, given: HingeMotion) -> Array:
        """Return dependent coordinates of the table, the given hinge within reach."""
        assert given.q is not None, "set by `reduce_to_table`"
        return self.table.evaluate(given.q[0])

    def with_turns(self, k: int, q: Array, reduced: Array | None, full: Array | None) -> Array | None:
        """Return coordinates of dependent hinge k with the whole turns they have made; None where not known.

        ``reduced`` and ``full`` are the parameter's, without and with its whole turns.
        """
        if not self.reach.turning:
            return q
        if reduced is None or full is None:
            return None
        turned: Array = q + self._windings[k] * (full[0] - reduced[0])
        return turned

    @cached_property
    def _windings(self) -> list[Array]:
        """Turns of the coordinates of each dependent hinge per turn of the parameter."""
        turns = round(self.reach.half / math.pi)
        changes = turns_after(self._kernel.loop, self.branch, turns).values()
        return [np.round(change) / turns for change in changes]


def surround_centre(centre: float, half: float) -> tuple[float, float]:
    """Return the interval so far to either side of its centre."""
    return centre - half, centre + half


def wrap_into(reach: TableRange, theta: Scalar, centre: float) -> Scalar:
    """Return an angle, within half a turn of a centre, moved within half a turn of an interval's middle."""
    full = 2.0 * math.pi
    low, high = reach.centre - math.pi, reach.centre + math.pi
    if low < centre - math.pi:
        theta = where(theta > high, theta - full, theta)
    if high > centre + math.pi:
        theta = where(theta < low, theta + full, theta)
    return theta


FULL = 2.0 * math.pi
LONGEST_PERIOD = 12  # longest period that is looked for

TRIED = 5  # random places at which a coupling is tested for its period


def turns_after(loop: Loop, branch: Branch, turns: int) -> dict[str, Array]:
    """Return changes of dependent coordinates over the middle turns of a branch, by body, in full turns."""
    low, high = (loop.split(branch.at(branch.centre + sign * turns * math.pi)) for sign in (-1.0, 1.0))
    return {name: (high[name] - low[name]) / FULL for name in low}


def find_displaced_body(loop: Loop, branch: Branch, turns: int) -> tuple[str, float] | None:
    """Find the first body displaced after some turns, and its displacement; None if there is none."""
    low, high = (loop.split(branch.at(branch.centre + sign * turns * math.pi)) for sign in (-1.0, 1.0))
    for body in loop.dependent:
        hinge = body.inboard
        poses = [hinge.pose(hinge.configuration(end[body.name])) for end in (low, high)]
        apart = max(float(np.max(np.abs(a - b))) for a, b in zip(*poses, strict=True))
        if apart > 1e-6 * max(1.0, branch.kernel.size):
            return body.name, apart
    return None


def likely_period(loop: Loop, branch: Branch) -> int | None:
    """Return turns after which geared angles have made whole turns; None if that takes too many."""
    period = 1
    for body in loop.dependent:
        changes = turns_after(loop, branch, 1)[body.name]
        for change, unit in zip(changes, body.inboard.coordinate_units, strict=True):
            fraction = Fraction(float(change)).limit_denominator(LONGEST_PERIOD)
            # bars make no fraction of a turn: they come back with the gears, or not at all
            if unit == "rad" and abs(float(fraction) - float(change)) <= 1e-9:
                period = math.lcm(period, fraction.denominator)
    return period if period <= LONGEST_PERIOD else None


def is_repeated(loop: Loop, branch: Branch, parameter: str, turns: int) -> bool:
    """Return True if couplings are the same functions after some turns of the parameter."""
    changes = turns_after(loop, branch, turns)
    shifts = {name: FULL * np.round(change) for name, change in changes.items()}
    shifts[parameter] = np.array((FULL * turns,))
    return all(is_periodic(edge, shifts) for edge in loop.closures)


@singledispatch
def is_periodic(edge: CutEdge, shifts: Mapping[str, Array]) -> bool:
    """Return True if a closure has the same residual everywhere after coordinates are shifted."""
    return True


@is_periodic.register
def _(edge: Written, shifts: Mapping[str, Array]) -> bool:
    return not edge.hinged


@is_periodic.register
def _(edge: Coupled, shifts: Mapping[str, Array]) -> bool:
    random = np.random.default_rng(0)
    for q in random.uniform(-math.pi, math.pi, (TRIED, len(edge.coordinates))):
        shift = [float(shifts[body.name][k]) if body.name in shifts else 0.0 for body, k in edge.coordinates]
        before, after = edge.coupling.residual(q), edge.coupling.residual(q + shift)
        size = 1.0 + abs(float(before)) + float(np.max(np.abs(shift)))
        if not abs(float(after) - float(before)) <= 1e-9 * size:
            return False
    return True


def wrap_angle(theta: Scalar, turns: int, centre: float = 0.0) -> Scalar:
    """Return an angle less whole periods of some turns, at most half a period from the centre."""
    period = FULL * turns
    if centre:
        return wrap_angle(theta - centre, turns) + centre
    return theta - period * floor((theta + 0.5 * period) / period)
