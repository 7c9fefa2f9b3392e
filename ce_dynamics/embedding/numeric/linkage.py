"""Loop kinematics without a closed form: Newton on the closures, and (13), (14) for the rates.

Compiled code needs a fixed number of operations and the same branch for the same inputs.  A loop with one
parameter therefore gets a table of its branch, made once by continuation, from which two Newton steps lead to
rounding; a loop with several is led from the design pose to its parameters in fixed substeps.

So is a loop whose geometry depends on free parameters, whose table would be that of the nominal values only:
it is led from its own design pose or, where that is not closed at all values, from the nominal one while the
geometry is led from its nominal values.
"""

from __future__ import annotations

import copy
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, where, zeros
from ce_dynamics.algebra.newton import largest_residual
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.embedding.closures.assembly import assemble, refuse_contradiction, refuse_undetermined
from ce_dynamics.embedding.closures.choices import RowChoice, rows_along, rows_around
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.leading import counts_turns
from ce_dynamics.embedding.closures.loop import Loop, held_at_design, moving, parts_of, split, stack_neutral
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion
from ce_dynamics.embedding.numeric.branch_table import BranchTable
from ce_dynamics.embedding.numeric.single_parameter import REMEDY, SingleParameter
from ce_dynamics.embedding.numeric.substeps import (
    Base,
    Linearised,
    Pose,
    base_at,
    continue_along,
    is_closed,
    linearise_closures,
    path,
    polish,
)
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.parameters import interpolate_parameters, sample_values, to_nominal

logger = logging.getLogger(__name__)

SUBSTEPS = 12
SUBSTEPS_ROUND = 24
"""Steps of an angle that may turn either way: a quarter of a radian each over a whole turn."""
FINAL_STEPS = 2  # pairs of Newton steps at the end of a straight path
TRIED = 3  # values of free parameters
PATH_TOLERANCE = 4e-13
"""Residual at the end of a straight path, relative to the size of the loop: of six rows the norm is 1e-12."""


class NumericLinkage(Linkage):
    """Dependent hinges of an aggregated body, found from its closures alone.

    ``substeps`` of the straight path of a loop with several parameters, or with free geometry, should each
    stay below about half a radian.  By default they are `SUBSTEPS`, or `SUBSTEPS_ROUND` where one angle leads
    free geometry: it is then led both ways round, for other hardpoints may have a dead centre on either.
    Fewer than these are for hinges that never go so far, and are led one way only.

    What an ``equal`` linkage has found holds for this one, too.  If a rotation lies between the two loops
    (``turned``), they keep other rows.
    """

    def __init__(
        self,
        loop: Loop,
        siblings: tuple[Body, ...] = (),
        substeps: int | None = None,
        why: str = "",
        equal: NumericLinkage | None = None,
        turned: bool = False,
    ) -> None:
        self.loop, self._why = loop, why
        self.siblings = siblings
        self.equal, self._turned = equal, turned
        self.on_branch: Linkage | None = None  # formulas that stand for it on its branch
        self.determines = tuple(body.name for body in loop.dependent)
        self.closes = tuple(closure.name for closure in loop.closures)
        self._substeps = substeps
        self._start: Mapping[str, Array] = {}
        self.kernel: LoopKernel
        self.q0: Array
        if equal is not None:
            self.kernel, self.q0, self.parameters = equal.kernel, equal.q0, loop.given
            return
        self.kernel = LoopKernel(*to_nominal((loop, siblings), loop.parent))
        self.parameters = self.kernel.parameters
        self.q0 = assemble(self.kernel)
        refuse_undetermined(self.kernel, self.q0)
        refuse_contradiction(self.kernel, self.q0)

    # Computed once

    @cached_property
    def single(self) -> SingleParameter | None:
        """The only parameter, where there is just one."""
        if self.equal is not None:
            return self.equal.single
        parameters = self.parameters
        if len(parameters) != 1 or parameters[0].inboard.n_q != 1 or self.siblings:
            return None
        return SingleParameter(self.kernel, self.q0, self._turns_count)

    @property
    def table(self) -> BranchTable:
        """Table of the branch of a loop with one parameter."""
        assert self.single is not None
        return self.single.table

    @cached_property
    def _rows(self) -> RowChoice:
        if self.equal is not None and not self._turned and self._base is None:
            return self.equal._rows
        kernel = LoopKernel(self.loop, ()) if self._turned else self.kernel
        if self.single is not None:
            return rows_along(kernel, self.q0, self.single.branch.poses)
        start = self._base or self._design
        return rows_around(kernel, start.q, start.p)

    @property
    def _design(self) -> Base:
        return Base(self.kernel.p0, self.q0)

    @cached_property
    def _base(self) -> Base | None:
        """The start of a loop with several parameters, where it is not the design pose."""
        if self.single is not None or not is_moved(self.parameters, self._start):
            return None
        with log_work(f"leading the loop {', '.join(self.closes)} to its start"):
            return self._lead_to(self._start)

    def _lead_to(self, start: Mapping[str, Array]) -> Base | None:
        """Return the pose at other parameters, on the branch of the design pose; None if no way was found."""
        if not all(np.isfinite(q).all() for q in start.values()):
            return None
        rows = rows_around(self.kernel, self.q0, self.kernel.p0).rows
        pairs = zip(self.kernel.parameters, self.parameters, strict=True)
        known = {there.name: start[here.name] for there, here in pairs if here.name in start}
        return base_at(self.kernel, rows, self.q0, known, wraps=not self._turns_count)

    @property
    def start(self) -> Base | None:
        """Pose at which a loop with several parameters starts; None if no path leads to the pose."""
        return self._base if is_moved(self.parameters, self._start) else self._design

    def starting_at(self, start: Mapping[str, Array]) -> NumericLinkage:
        """Return the same led from other parameters, or from the design pose if no way leads to them."""
        other = copy.copy(self)
        other._start = dict(start)
        for known in ("_base", "_rows"):
            other.__dict__.pop(known, None)
        return other

    @cached_property
    def redundant(self) -> tuple[tuple[str, int], ...]:
        """Rows that the kept ones imply."""
        labels = [(loop.name, k) for loop in self.loop.closures for k in range(loop.rows)]
        dropped = tuple(label for i, label in enumerate(labels) if i not in self._rows.rows)
        if dropped:
            logger.info("loop of %r: redundant closure rows %s are dropped", self.loop.name, dropped)
        return dropped

    def reach(self) -> tuple[float, float] | None:
        """Return interval of the single parameter, infinite for a full turn; None if there are several."""
        if self.single is None:
            return None
        reach = self.single.reach
        return (-math.inf, math.inf) if reach.turning else (reach.lower, reach.upper)

    @property
    def is_led_straight(self) -> bool:
        """True if it is led to coordinates straight from its start, on which depends what it reaches."""
        return self.single is None and bool(self.loop.given)

    @property
    def parameter(self) -> str | None:
        return None if self.single is None else self.parameters[0].name

    def monitor(self) -> Limits:
        given = tuple(body.name for body in self.loop.given)
        led_by = given if len(given) > 1 else ()
        if self.single is None or not self.single.ends_dead:  # else a limit ends it
            return Limits(None, led_by, REMEDY)
        reach = self.single.reach
        return Limits((reach.lower, reach.upper), led_by, self.single.remedy)

    # Evaluation, on floats or traced scalars

    @property
    def how(self) -> str:
        return "numerically"

    @property
    def why_numeric(self) -> str:
        return self._why

    def solve(self, motion: SubgraphMotion) -> None:
        given = {body.name: motion.hinge_motions[body.name] for body in self.parameters}
        if self.loop.parent is not motion.parent:  # whose axes directions are in
            given = {name: hinge._replace(directions=None) for name, hinge in given.items()}
        if self.single is not None:
            given = {name: self.single.reduce_to_table(name, hinge) for name, hinge in given.items()}
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
        for k, (body, at, part) in enumerate(parts_of(self.loop.dependent)):
            c = body.inboard.configuration(q[at])
            turned = self._with_turns(k, body, q[at], given, motion)
            motion.set(body.name, HingeMotion(c, X[part], eta[part], bias[part], q=turned))

    def _with_turns(
        self, k: int, body: Body, q: Array, given: Mapping[str, HingeMotion], motion: SubgraphMotion
    ) -> Array | None:
        """Return coordinates of dependent hinge k with their whole turns; None where these are not known."""
        if body.inboard.n_q != body.inboard.n_v:
            return None
        single = self.single
        if single is None:
            return q
        name = self.parameters[0].name
        return single.with_turns(k, q, given[name].q, motion.hinge_motions[name].q)

    def _positions(self, given: Mapping[str, HingeMotion], siblings: Mapping[str, BodyMotion]) -> Array:
        """Return dependent coordinates, NaN where the loop cannot be assembled."""
        if not given and not siblings and not self.has_free_geometry:
            return self.q0
        if self.single is not None and not self.has_free_geometry:
            return polish(self.loop, self._rows.rows, self.single.look_up(*given.values()), (dict(given), {}))
        q, regular = self._lead_in_substeps(given, siblings)
        if self.single is not None and self._goes_round:
            turned = {name: self.single.other_way_round(hinge) for name, hinge in given.items()}
            other, fits = self._lead_in_substeps(turned, siblings)
            q = array(where(regular, a, b) for a, b in zip(q, other, strict=True))
            regular = regular | fits
        end = self._way(given, siblings)(1.0)
        for _ in range(FINAL_STEPS):
            q = polish(self.loop, self._rows.rows, q, end)
        residual = self.loop.residual(q, *end)
        tolerance = PATH_TOLERANCE * max(1.0, self.kernel.size) + self.loop.rounding
        fits = is_closed(residual, tolerance) & regular
        return array(where(fits, entry, math.nan) for entry in q)

    def _way(
        self, given: Mapping[str, HingeMotion], siblings: Mapping[str, BodyMotion]
    ) -> Callable[[float], Pose]:
        """Return the straight way to given hinges and siblings."""
        bodies = {body.name: body for body in self.parameters}
        base = self._base
        known = {} if base is None else split(base.p, self.parameters)
        turns = self._turns_count or self.single is not None
        return path(given, siblings, bodies, self.loop.parent, turns, known)

    def _lead_in_substeps(
        self, given: Mapping[str, HingeMotion], siblings: Mapping[str, BodyMotion]
    ) -> tuple[Array, Scalar]:
        """Return dependent coordinates two Newton steps before the end, and True if the path is regular."""
        pose, base = self._way(given, siblings), self._base
        whole = self._closed_at_design and base is None  # the base is one of the nominal geometry

        def substep_coordinates(q: Array, s: float) -> Linearised:
            loop = self.loop if whole else interpolate_parameters(self.loop, s, self.loop.parent)
            return linearise_closures(loop, self._rows.rows, q, pose(s))

        q0 = self.q0 if base is None else base.q
        return continue_along(substep_coordinates, self.loop.advance, q0, self.substeps)

    @property
    def substeps(self) -> int:
        """Number of substeps of a straight path."""
        if self._substeps is not None:
            return self._substeps
        return SUBSTEPS_ROUND if self._goes_round else SUBSTEPS

    @property
    def _goes_round(self) -> bool:
        """True if its only angle is led to both ways round, as dead centres depend on the geometry."""
        few = self._substeps is not None and self._substeps < SUBSTEPS_ROUND
        return self.has_free_geometry and self.single is not None and self.single.may_go_round and not few

    @cached_property
    def has_free_geometry(self) -> bool:
        return self.loop.has_free_geometry

    @cached_property
    def _closed_at_design(self) -> bool:
        """True if the design pose is closed whatever the values of free parameters: some random ones."""
        given = moving(self.loop.given, stack_neutral(self.loop.given))
        held = held_at_design(self.siblings, self.loop.parent)
        residual = self.loop.residual(self.loop.neutral(), given, held)
        return all(largest_residual(r) <= self.kernel.tolerance for r in sample_values(residual, TRIED))

    @cached_property
    def _turns_count(self) -> bool:
        """True if hinge coordinates themselves enter the closures, so that whole turns count."""
        return any(counts_turns(closure) for closure in self.loop.closures)


def find_continued_linkages(linkages: Iterable[Linkage]) -> list[NumericLinkage]:
    """Return the linkages that are led straight from a start."""
    return [one for one in linkages if isinstance(one, NumericLinkage) and one.is_led_straight]


def is_moved(bodies: Iterable[Body], start: Mapping[str, Array]) -> bool:
    """Return True if some of these start elsewhere than in the design pose."""
    return any(np.any(start.get(b.name, b.inboard.neutral) != b.inboard.neutral) for b in bodies)
