"""Loop kinematics without a closed form: Newton on the closures, and (13), (14) for the rates.

Compiled code needs a fixed number of operations and the same branch for the same inputs.  A loop with one
parameter therefore gets a table of its branch, made once by continuation, from which two Newton steps lead to
rounding; a loop with several is led from the design pose to its parameters in fixed substeps.

So is a loop whose geometry depends on free parameters, whose table would be that of the nominal values only:
it is led from its own design pose or, where that is not closed at all values, from the nominal one while the
geometry is led from its nominal values.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, where, zeros
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.compiler.progress import at_work
from ce_dynamics.embedding.closures.assembly import assembled
from ce_dynamics.embedding.closures.closure_errors import numerical_rank
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel, largest
from ce_dynamics.embedding.closures.leading import counts_turns
from ce_dynamics.embedding.closures.loop import Loop, held_at_design, moving, split, stacked_neutral
from ce_dynamics.embedding.closures.nearby_pose import refuse_contradiction, regular_nearby
from ce_dynamics.embedding.closures.row_choice import RowChoice, smallest_singular
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion
from ce_dynamics.embedding.numeric.base_pose import Base, base_at
from ce_dynamics.embedding.numeric.basin import Basin
from ce_dynamics.embedding.numeric.branch import Branch, BranchEnd, follow
from ce_dynamics.embedding.numeric.branch_table import BranchTable, Reach, tabulate
from ce_dynamics.embedding.numeric.substeps import Linearised, Pose, closed, led_along, path
from ce_dynamics.embedding.numeric.whole_turns import displaced, likely_period, repeats, turns_after, within
from ce_dynamics.errors import IndependentCoordinatesError, SingularConfigurationError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.nominal import at_nominal, at_random, part_way

logger = logging.getLogger(__name__)

SUBSTEPS = 12
FINAL_STEPS = 2  # pairs of Newton steps at the end of a straight path
LONGEST_SLIDE = 10.0  # of a prismatic parameter, in sizes of the loop
MOST_TURNS = 4.0  # of a screw as the parameter, or of an angle whose turns couplings tell apart
TRIED = 3  # values of free parameters
PATH_TOLERANCE = 4e-13
"""Residual at the end of a straight path, relative to the size of the loop: of six rows the norm is 1e-12."""
REMEDY = "give its closure through_dead_centres=True, or choose another independent coordinate"
SINGULAR = 1e-9  # smallest singular value of Y₁ that counts as regular


class NumericLinkage(Linkage):
    """Dependent hinges of an aggregated body, found from its closures alone.

    Parameters
    ----------
    loop : Loop
        The sub-graph with its closures and dependent bodies.
    siblings : tuple of Body
        Bodies outside S with prescribed motion that closures attach to.
    limits : (float, float), optional
        Values of a single parameter beyond which its branch need not be followed.  By default a full turn for
        an angle, 4 turns for a screw and 10 sizes of the loop for a displacement, each way.
    substeps : int
        Substeps of the straight path of a loop with several parameters, each of which should stay below about
        half a radian.
    start : mapping of str to array, optional
        Coordinates of parameters by body name at the start, from where a loop with several is led; the design
        pose if not given, or if no way leads there.
    why : str
        Why there is no closed form, for people.

    Attributes
    ----------
    redundant : tuple of (str, int)
        Closure and row number of the rows that are dropped because the others imply them.

    Raises
    ------
    AssemblyError
        If the closures do not hold in the design pose and cannot be made to.
    SingularConfigurationError
        If Y₁ is singular in the design pose, though not close by.
    IndependentCoordinatesError
        If it is singular close by too, or a full turn of the coordinate does not lead back to the start.
    """

    def __init__(
        self,
        loop: Loop,
        siblings: tuple[Body, ...] = (),
        limits: tuple[float, float] | None = None,
        substeps: int = SUBSTEPS,
        start: Mapping[str, Array] | None = None,
        why: str = "",
    ) -> None:
        self.loop, self._why = loop, why
        self.siblings = siblings
        self.determines = tuple(body.name for body in loop.dependent)
        self.closes = tuple(closure.name for closure in loop.closures)
        self.substeps = substeps
        self._start = dict(start or {})
        self._given_limits = limits
        self._kernel = LoopKernel(*at_nominal((loop, siblings), loop.parent))
        self.q0 = assembled(self._kernel)
        self._check()
        refuse_contradiction(self._kernel, self.q0)

    # What is computed once

    def _check(self) -> None:
        """Refuse independent coordinates that do not determine the rest."""
        loop, kernel = self.loop, self._kernel
        _, Y = kernel(self.q0, kernel.p0)
        Y1 = kernel.scaled(Y)[:, : loop.m]
        largest = max(1.0, float(np.linalg.norm(Y1, 2)))
        if Y1.shape[0] >= loop.m and smallest_singular(Y1) > SINGULAR * largest:
            return
        given = [body.name for body in kernel.parameters]
        loose = loop.m - numerical_rank(Y1)
        still = blind(Y1, loop)
        trouble = (
            f"the loop of {loop.name!r} cannot be driven by {given}: Y1 is singular in the design pose"
            f"{{}}, so {still} may still move in {loose} way(s) that {given} do not determine; "
        )
        if regular_nearby(kernel, self.q0):
            raise SingularConfigurationError(
                trouble.format(" and regular close by")
                + "name other independent coordinates, or move the design pose away from this dead centre"
            )
        raise IndependentCoordinatesError(
            trouble.format(" and close by as well") + "name other independent coordinates"
        )

    @property
    def _single(self) -> Hinge | None:
        """The hinge of the only parameter, where there is just one."""
        parameters = self._kernel.parameters
        if len(parameters) == 1 and parameters[0].inboard.n_q == 1 and not self.siblings:
            return parameters[0].inboard
        return None

    @property
    def _centre(self) -> float:
        """The single parameter in the design pose."""
        return float(self._kernel.p0[0])

    @cached_property
    def _branch(self) -> tuple[Branch, Reach]:
        """The branch of a loop with one parameter and the reach of its table."""
        hinge = self._single
        assert hinge is not None
        kernel, centre = self._kernel, self._centre
        if not wraps(hinge):
            turns = hinge.coordinate_units[0] == "rad"
            farthest = 2.0 * math.pi * MOST_TURNS if turns else LONGEST_SLIDE * kernel.size
            branch = follow(kernel, self.q0, self._given_limits or around(centre, farthest))
            return branch, Reach(branch.lower.theta, branch.upper.theta, False)
        low, high = self._given_limits or around(centre, math.pi)
        branch = follow(kernel, self.q0, (low, high))
        if self._given_limits is None and branch.lower.singular != branch.upper.singular:
            # the other end may lie beyond half a turn
            low = branch.upper.theta - 2.0 * math.pi if branch.upper.singular else low
            high = branch.lower.theta + 2.0 * math.pi if branch.lower.singular else high
            if self._coupled:  # what lies beyond is not what was there a turn before
                low, high = around(centre, 2.0 * math.pi * MOST_TURNS)
            branch = follow(kernel, self.q0, (low, high))
        ends: tuple[BranchEnd, BranchEnd] = branch.lower, branch.upper
        if self._given_limits is None and not any(end.singular for end in ends):
            if self._coupled:
                return self._over_turns(branch)
            self._check_turning(branch)
            return branch, Reach(*around(centre, math.pi), True)
        return branch, Reach(ends[0].theta, ends[1].theta, False)

    def _over_turns(self, branch: Branch) -> tuple[Branch, Reach]:
        """The branch over as many turns as it takes to come back, else over a few, as a table can tell."""
        loop, kernel = self._kernel.loop, self._kernel
        parameter = kernel.parameters[0].name
        turns = likely_period(loop, branch)
        if turns is not None:
            half = turns * math.pi
            longer = branch if turns == 1 else follow(kernel, self.q0, around(self._centre, half))
            back = not longer.singular and displaced(loop, longer, turns) is None
            reach = Reach(*around(self._centre, half), True)
            if back and repeats(loop, longer, parameter, turns) and self._tabulated(longer, reach):
                return longer, reach
        half = 2.0 * math.pi * MOST_TURNS
        while half > 2.0 * math.pi:
            longer = follow(kernel, self.q0, around(self._centre, half))
            reach = Reach(longer.lower.theta, longer.upper.theta, False)
            if self._tabulated(longer, reach):
                return longer, reach
            half *= 0.5
        return branch, Reach(branch.lower.theta, branch.upper.theta, False)

    def _tabulated(self, branch: Branch, reach: Reach) -> bool:
        """Whether there is a table of a branch; it is kept if there is."""
        try:
            self.table = tabulate(branch, reach, self._basin(branch))
        except IndependentCoordinatesError:
            return False
        return True

    def _check_turning(self, branch: Branch) -> None:
        """A full turn must lead back to the start: cosine and sine of an angle do not tell turns apart."""
        found = displaced(self._kernel.loop, branch, 1)
        if found is not None:
            body, apart = found
            name = self._kernel.parameters[0].name
            raise IndependentCoordinatesError(
                f"the loop of {self.loop.name!r}: after a full turn of {name!r} the hinge of {body!r} is not "
                f"where it was (by {apart:.3g}), so the angle alone does not tell where it is; choose "
                f"{body!r} as the independent coordinate, or a path coordinate: through_dead_centres=True"
            )

    @cached_property
    def table(self) -> BranchTable:
        """Table of the branch; made when first needed."""
        branch, reach = self._branch
        with at_work(f"tabulating the loop {', '.join(self.closes)}"):
            return tabulate(branch, reach, self._basin(branch))

    def _basin(self, branch: Branch) -> Basin:
        """What the steps from a table of a branch are verified with, at nominal values."""
        loop, rows = self._kernel.loop, self._chosen(branch).rows
        return Basin(self._kernel, lambda q, given: polished(loop, rows, q, (given, {})))

    @cached_property
    def _rows(self) -> RowChoice:
        return self._chosen(None if self._single is None else self._branch[0], self._base)

    @cached_property
    def _base(self) -> Base | None:
        """The start of a loop with several parameters, where it is not the design pose."""
        kernel = self._kernel
        moved = [
            body.name
            for body in kernel.parameters
            if np.any(self._start.get(body.name, body.inboard.neutral) != body.inboard.neutral)
        ]
        if not moved or self._single is not None:
            return None
        with at_work(f"leading the loop {', '.join(self.closes)} to its start"):
            return base_at(kernel, self._chosen(None).rows, self.q0, self._start, wraps=not self._coupled)

    def _chosen(self, branch: Branch | None, base: Base | None = None) -> RowChoice:
        """Rows to keep for poses along a branch or, if there is none, around the base or the design pose."""
        choice = RowChoice([self._kernel.scaled(Y)[:, : self.loop.m] for Y in self._sampled(branch, base)])
        if choice.quality < 1e-3:
            logger.warning(
                "loop of %r: no fixed choice of rows is well conditioned (quality %.2g); cut it elsewhere",
                self.loop.name,
                choice.quality,
            )
        return choice

    def _sampled(self, branch: Branch | None, base: Base | None) -> list[Array]:
        """Y in the design pose, or the base, and in other poses."""
        kernel = self._kernel
        p0, q0 = Base(kernel.p0, self.q0) if base is None else base
        samples = [kernel(q0, p0)[1]]
        if branch is not None:
            stride = max(1, len(branch.points) // 40)
            return samples + [kernel(p.q, np.array((p.theta,)))[1] for p in branch.points[::stride]]
        for j in range(len(kernel.column_scales) - self.loop.m):
            for amount in (-0.2, -0.05, 0.05, 0.2):
                step = np.zeros(len(kernel.column_scales) - self.loop.m)
                step[j] = amount * kernel.column_scales[self.loop.m + j]
                p = kernel.moved_parameters(p0, step)
                found = kernel.newton(q0, p)
                if found.error <= kernel.tolerance:
                    samples.append(kernel(found.q, p)[1])
        return samples

    @cached_property
    def redundant(self) -> tuple[tuple[str, int], ...]:
        """Rows that the kept ones imply."""
        labels = [(loop.name, k) for loop in self.loop.closures for k in range(loop.rows)]
        dropped = tuple(label for i, label in enumerate(labels) if i not in self._rows.rows)
        if dropped:
            logger.info("loop of %r: redundant closure rows %s are dropped", self.loop.name, dropped)
        return dropped

    def reach(self) -> tuple[float, float] | None:
        """Interval of the single parameter, infinite for a full turn; None if there are several."""
        if self._single is None:
            return None
        _, reach = self._branch
        return (-math.inf, math.inf) if reach.turning else (reach.lower, reach.upper)

    @property
    def is_led_straight(self) -> bool:
        """Whether it is led to coordinates straight from its start, on which depends what it reaches."""
        return self._single is None and bool(self.loop.given)

    @property
    def parameter(self) -> str | None:
        return None if self._single is None else self._kernel.parameters[0].name

    def monitor(self) -> Limits:
        given = tuple(body.name for body in self.loop.given)
        led_by = given if len(given) > 1 else ()
        if self._single is None:
            return Limits(None, led_by, REMEDY)
        branch, reach = self._branch
        ends_there = not reach.turning and math.isfinite(reach.upper - reach.lower)
        dead = ends_there and (branch.lower.singular or branch.upper.singular)  # else a limit ends it
        return Limits((reach.lower, reach.upper) if dead else None, led_by, REMEDY)

    # What is evaluated, on floats or traced scalars

    @property
    def how(self) -> str:
        return "numerically"

    @property
    def why_numeric(self) -> str:
        return self._why

    def solve(self, motion: SubgraphMotion) -> None:
        given = self._within_reach(
            {body.name: motion.hinge_motions[body.name] for body in self._kernel.parameters}
        )
        siblings = {body.name: motion.body(body.name) for body in self.siblings}
        q = self._positions(given, siblings)
        # (13): Y₁ X + Y₂ = 0 and Y₁ η + drift = 0
        m, rows = self.loop.m, list(self._rows.rows)
        errors = self.loop.errors(q, zeros(m + motion.N), given, siblings)
        Y1 = PivotedLU(errors.Y[rows, :m])
        X = -Y1.solve_columns(errors.Y[rows, m:])
        eta = -Y1.solve(errors.drift[rows])
        # (14): Y₁ (Ẋ θ̇ + η̇) + δ̇ = 0
        rates = concatenate((X @ motion.theta_dot + eta, motion.theta_dot))
        bias = -Y1.solve(self.loop.errors(q, rates, given, siblings).delta_dot[rows])
        start = 0
        for body, coordinates in zip(self.loop.dependent, self.loop.split(q).values(), strict=True):
            part = slice(start, start + body.inboard.n_v)
            c = body.inboard.configuration(coordinates)
            turned = self._with_turns(body, coordinates, given, motion)
            motion.set(body.name, HingeMotion(c, X[part], eta[part], bias[part], q=turned))
            start = part.stop

    def _positions(self, given: Mapping[str, HingeMotion], siblings: Mapping[str, BodyMotion]) -> Array:
        """Dependent coordinates, NaN where the loop cannot be assembled."""
        if not given and not siblings and not self.has_free_geometry:
            return self.q0
        if self._single is not None and not self.has_free_geometry:
            return polished(self.loop, self._rows.rows, self._looked_up(given), (dict(given), {}))
        bodies = {body.name: body for body in self._kernel.parameters}
        reduced = self._single is not None
        base = self._base
        q0 = self.q0 if base is None else base.q
        known = {} if base is None else split(base.p, self._kernel.parameters)
        pose = path(given, siblings, bodies, self.loop.parent, self._coupled or reduced, known)

        def on_the_way(q: Array, s: float) -> Linearised:
            whole = self._closed_at_design and base is None  # the base is one of the nominal geometry
            loop = self.loop if whole else part_way(self.loop, s, self.loop.parent)
            return linearised(loop, self._rows.rows, q, pose(s))

        q, regular = led_along(on_the_way, self.loop.advanced, q0, self.substeps)
        for _ in range(FINAL_STEPS):
            q = polished(self.loop, self._rows.rows, q, pose(1.0))
        residual = self.loop.residual(q, *pose(1.0))
        tolerance = PATH_TOLERANCE * max(1.0, self._kernel.size) + self.loop.rounding
        fits = closed(residual, tolerance) & regular
        return array(where(fits, entry, math.nan) for entry in q)

    @cached_property
    def has_free_geometry(self) -> bool:
        return self.loop.has_free_geometry

    @cached_property
    def _closed_at_design(self) -> bool:
        """Whether the design pose is closed whatever the values of free parameters: some random ones."""
        given = moving(self.loop.given, stacked_neutral(self.loop.given))
        held = held_at_design(self.siblings, self.loop.parent)
        residual = self.loop.residual(self.loop.neutral(), given, held)
        return all(largest(r) <= self._kernel.tolerance for r in at_random(residual, TRIED))

    @cached_property
    def _coupled(self) -> bool:
        """Whether hinge coordinates themselves enter the closures, so that whole turns count."""
        return any(counts_turns(closure) for closure in self.loop.closures)

    def _within_reach(self, given: dict[str, HingeMotion]) -> dict[str, HingeMotion]:
        """Given hinges, the angle of a single one less the whole turns that its table does not know."""
        if self._single is None:
            return given
        (body,) = self._kernel.parameters
        theta = body.inboard.coordinates(given[body.name].c)[0]
        if wraps(body.inboard):
            theta = self._turned(theta, given[body.name].q)
        return {body.name: given[body.name]._replace(q=array((theta,)))}

    def _turned(self, theta: Scalar, known: Array | None) -> Scalar:
        """The angle that the table is made for, from one in (−π, π] and from what is known of its turns."""
        reach = self.table.reach
        turns = round(reach.half / math.pi)
        if self._coupled and not (reach.turning and turns == 1):
            if known is not None:
                return within(known[0], turns, self._centre) if reach.turning else known[0]
            if reach.half >= math.pi:
                name = self._kernel.parameters[0].name
                raise IndependentCoordinatesError(
                    f"the loop of {self.loop.name!r}: how often the hinge of {name!r} has turned is not "
                    f"known, on which its couplings depend; choose another independent coordinate"
                )
        return theta if reach.turning else turned_into(reach, theta, self._centre)

    def _looked_up(self, given: Mapping[str, HingeMotion]) -> Array:
        """Dependent coordinates of the table."""
        (body,) = self._kernel.parameters
        q = given[body.name].q
        assert q is not None, "set by `_within_reach`"
        return self.table.evaluate(q[0])

    def _with_turns(
        self, body: Body, q: Array, given: Mapping[str, HingeMotion], motion: SubgraphMotion
    ) -> Array | None:
        """Dependent coordinates with the whole turns they have made; None where that is not known."""
        if body.inboard.n_q != body.inboard.n_v:
            return None
        if self._single is None or not self.table.reach.turning:
            return q
        (parameter,) = self._kernel.parameters
        reduced, full = given[parameter.name].q, motion.hinge_motions[parameter.name].q
        if reduced is None or full is None:
            return None
        turned: Array = q + self._windings[body.name] * (full[0] - reduced[0])
        return turned

    @cached_property
    def _windings(self) -> dict[str, Array]:
        """How many turns each dependent coordinate makes while the parameter makes one."""
        branch, reach = self._branch
        turns = round(reach.half / math.pi)
        changes = turns_after(self._kernel.loop, branch, turns)
        return {name: np.round(change) / turns for name, change in changes.items()}


def polished(loop: Loop, rows: Sequence[int], q: Array, pose: Pose) -> Array:
    """Two Newton steps on the kept rows, the second with the Y₁ of the first."""
    residual, Y1 = linearised(loop, rows, q, pose)
    q = loop.advanced(q, -Y1.solve(residual))
    return loop.advanced(q, -Y1.solve(loop.residual(q, *pose)[list(rows)]))


def linearised(loop: Loop, rows: Sequence[int], q: Array, pose: Pose) -> Linearised:
    """The kept rows of the closures at a trial."""
    given, siblings = pose
    N = next((motion.X.shape[1] for motion in given.values()), 0)
    errors = loop.errors(q, zeros(loop.m + N), given, siblings)
    return Linearised(errors.residual[list(rows)], PivotedLU(errors.Y[list(rows), : loop.m]))


def wraps(hinge: Hinge) -> bool:
    """Whether a hinge's configuration is the same after a full turn."""
    turned = hinge.coordinates(hinge.configuration(hinge.neutral + 2.0 * math.pi))
    return abs(float(turned[0] - hinge.neutral[0])) < 1e-9


def around(centre: float, half: float) -> tuple[float, float]:
    """The interval so far to either side of its centre."""
    return centre - half, centre + half


def turned_into(reach: Reach, theta: Scalar, centre: float) -> Scalar:
    """An angle at most half a turn from a centre brought within half a turn of an interval's middle."""
    full = 2.0 * math.pi
    low, high = reach.centre - math.pi, reach.centre + math.pi
    if low < centre - math.pi:
        theta = where(theta > high, theta - full, theta)
    if high > centre + math.pi:
        theta = where(theta < low, theta + full, theta)
    return theta


def blind(Y1: Array, loop: Loop) -> list[str]:
    """Bodies whose hinges move in the null space of Y₁."""
    _, _, Vt = np.linalg.svd(Y1)
    null = Vt[numerical_rank(Y1) :]
    names = [body.name for body in loop.dependent for _ in range(body.inboard.n_v)]
    largest = np.max(np.abs(null), axis=0, initial=0.0)
    return list(dict.fromkeys(name for name, part in zip(names, largest, strict=True) if part > 1e-6))
