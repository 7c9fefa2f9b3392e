"""Poses of an axle for given wheel travels, by Newton's method in steps; causes that end travel."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import compile_function
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.parameters import values_at
from ce_dynamics.models.kc.figures import AxleFigures
from ce_dynamics.models.kc.poses import AxlePoses

AT_ITS_END = 1e3
"""Growth of dq/dz since the design pose above which a wheel goes no further."""
AHEAD = np.geomspace(1e-9, 1e-2, 8)
"""Distances beyond the end at which a loop that cannot be assembled is looked for [rad], [m]."""


def stuck_wheels(sides: tuple[str, str], growth: Floats, dz: Floats) -> str:
    """Return the wheels that links stop, as a clause for messages; empty if there are none.

    ``growth`` is that of dq/dz by the travel of each wheel since the design pose, ``dz`` their direction.
    """
    parts: list[str] = []
    for k in (0, 1):
        if growth[k] > AT_ITS_END:
            how = "further" if dz[k] == 0.0 else "higher" if dz[k] > 0.0 else "lower"
            parts.append(f"the {sides[k]} wheel {'' if parts else 'come '}no {how}")
    return f"the links let {' and '.join(parts)}" if parts else ""


def broken_part(poses: AxlePoses, here: Floats, ahead: Floats) -> str:
    """Return the loop or bar that cannot be assembled from a pose on, as a clause; empty if none is found."""
    length = float(np.linalg.norm(ahead))
    for step in AHEAD if 0.0 < length < np.inf else ():
        y, u = (np.asarray(x, dtype=float) for x in poses.state(here + step / length * ahead))
        instant = poses.model.instant(y, u)
        broken = poses.model.find_unassembled_in(instant)
        if broken is not None:
            p = u[poses.model.layout.n_inputs :]
            found = instant.outward.motions[broken.name].hinge_motions
            lost = (
                name
                for name, motion in found.items()
                if not np.all(np.isfinite(values_at(list(motion.c), poses.model.layout.parameters, p)))
            )
            first = next(lost, broken.name)
            loop = f"the loop of {broken.name!r}"
            if any(isinstance(one, NumericLinkage) and one.is_led_straight for one in broken.linkages):
                return (
                    f"{loop} is followed no further: numerically it is led straight from its design pose, "
                    "and its dead centre is there or not far"
                )
            return f"{loop} is at its dead centre: there is no place for {first!r} beyond"
        element = poses.model.broken_force(y, u)
        if element:
            return f"{element} beyond"
    return ""


CLOSED = 1e-13
"""[m] between the travel that is wanted and that of a pose, where rounding of coordinates allows it."""
ITERATIONS = 8
"""Most iterations of Newton's method from one pose to the next; where it needs more, the way is halved."""
SHORTEST = 1e-4
"""Part of the way to the next pose that is tried at last."""
NOISE = 1e-16
"""Square of a step [rad], [m] that is left to rounding."""
ROUNDING = 4.0 * np.finfo(float).eps
EXACT = 1e-10
"""Part of the way to which its end is found."""
STRIDE = 0.05
"""[m] of travel at most from one pose to the next: no pose beyond a dead centre is to be met."""
LONGEST = 0.02
"""Part of the way at most from one pose to the next in the search for its end."""


class UnreachedError(AssemblyError):
    """Raised if a travel cannot be reached; `explain` finds the cause, which takes a while."""

    def __init__(self, way: PosePath, done: float, here: Floats) -> None:
        super().__init__(way.goal_text + " cannot be reached")
        self.way, self.done, self.here = way, done, here

    def explain(self) -> AssemblyError:
        """Return the error with the end of the travel and its cause."""
        way = self.way
        _, here = way.end(self.done, self.here)
        there = f"{way.place_text(here)}, where {way.obstacle(here)}"
        return AssemblyError(f"{self}; on the way there it comes to {there}")


class PoseSearch:
    """Finds poses c (see `AxlePoses`) by the travel of the wheels."""

    def __init__(self, figures: AxleFigures) -> None:
        self.axle, self.poses = figures.axle, figures.poses
        self._newton = compile_function(figures.newton).bind()

    def travel_of(self, c: Floats) -> Floats:
        bound = self._newton
        bound.inputs["c"][:], bound.inputs["goal"][:] = c, 0.0
        bound.run()
        return bound.outputs["travel"].copy()

    def coordinates_by_travel(self, c: Floats) -> Floats:
        """Return D (n_q, 2): what steps of Newton's method change by for goals that are a metre away."""
        bound, n = self._newton, self.poses.moved
        travel = self.travel_of(c)
        steps = np.empty((3, n))
        for step, away in zip(steps, ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), strict=True):
            bound.inputs["goal"][:] = travel + away
            bound.run()
            step[:] = bound.outputs["c"][:n]
        found: Floats = (steps[1:] - steps[0]).T
        return found

    def near(self, c: Floats, goal: Floats) -> Floats | None:
        """Find a pose by Newton's method from one nearby; None where it does not converge at once."""
        bound = self._newton
        given, gap, ahead = bound.inputs["c"], bound.outputs["gap"], bound.outputs["c"]
        bound.inputs["goal"][:] = goal
        given[:] = c
        before, first, start = np.inf, c, True
        for _ in range(ITERATIONS):
            bound.run()
            size = largest_or_nan(gap)
            closed = size < CLOSED
            if not closed and not size < max(0.5 * before, 1e-11):  # NaN too
                closed = is_finest(given, ahead)
                if not closed:
                    return None
            if closed:
                return self._polish(given, ahead) if start or same_branch(first - c, ahead - c) else None
            if start:
                first, start = ahead.copy(), False
            before = size
            given[:] = ahead
        bound.run()
        if is_finest(given, ahead) and same_branch(first - c, ahead - c):
            return self._polish(given, ahead)
        return None

    def _polish(self, given: Floats, ahead: Floats) -> Floats:
        """Return the pose after a last Newton step; before it, where rounding leads beyond the end."""
        before = given.copy()
        given[:] = ahead
        self._newton.run()
        whole = math.isfinite(self._newton.outputs["gap"].sum())
        return given.copy() if whole else before

    def follow_to(self, c: Floats, goal: Floats, lock: float, before: Floats) -> Floats:
        """Follow from c, at the travel ``before``, to a travel [m] and part of full lock.

        The parts of the way are within reach of Newton's method; `UnreachedError` if it ends.
        """
        way = PosePath(self, c, goal, lock, before)
        done, here = 0.0, c
        part = longest = min(1.0, STRIDE / max(float(np.max(np.abs(goal - before))), STRIDE))
        while True:
            there = min(1.0, done + part)
            found = way.to(there, here)
            if found is not None:
                if there == 1.0:
                    return found
                done, here, part = there, found, min(longest, 2.0 * part)
                continue
            part *= 0.5
            if part < SHORTEST * longest:
                raise UnreachedError(way, done, here)


def largest_or_nan(gap: Floats) -> float:
    """Return the largest size of a few numbers, NaN if one is."""
    found = 0.0
    for x in gap.tolist():
        size = abs(x)
        if not size <= found:
            found = size
    return found


def is_finest(given: Floats, ahead: Floats) -> bool:
    """Return True if a step is as small as rounding, as near the dead centre of a loop."""
    return bool(np.max(np.abs(ahead - given)) < ROUNDING * (1.0 + np.max(np.abs(given))))


def same_branch(first: Floats, whole: Floats) -> bool:
    """Return True if a first step of Newton's method and its result are on one branch.

    Before a fold z = z_e − b x², from x₀ > 0, the first step to x₁ is (x₀² − x₁²)/2x₀, and the whole one less
    than twice as long; to −x₁, beyond the fold, it is longer.
    """
    off = whole - first
    return float(off @ off) <= float(first @ first) + NOISE


class PosePath:
    """The straight way from a pose to a travel of the wheels [m] and a part of full lock.

    ``before`` is the travel in the pose c, if that is known; ``allowed`` decides which poses may be on the
    way.
    """

    def __init__(
        self,
        search: PoseSearch,
        c: Floats,
        goal: Floats,
        lock: float,
        before: Floats | None = None,
        allowed: Callable[[Floats], bool] | None = None,
    ) -> None:
        self.search, self.start, self.goal, self.lock = search, c, goal, lock
        self.poses, self.allowed = search.poses, allowed
        self.steered = bool(self.poses.places.s)
        n = self.poses.moved
        self.s = (float(c[n]), lock * search.axle.full_lock) if self.steered else (0.0, 0.0)
        self.z_0 = search.travel_of(c) if before is None else before

    def to(self, part: float, here: Floats) -> Floats | None:
        """Return the pose at a part of the way, from one nearby; None where Newton's method fails."""
        ahead = here.copy()
        if self.steered:
            ahead[self.poses.moved] = self.s[0] + part * (self.s[1] - self.s[0])
        wanted = self.goal if part == 1.0 else self.z_0 + part * (self.goal - self.z_0)
        found = self.search.near(ahead, wanted)
        return None if found is None or not (self.allowed is None or self.allowed(found)) else found

    def end(self, done: float = 0.0, here: Floats | None = None) -> tuple[float, Floats]:
        """Return the part of the way that can be reached, to `EXACT`, and the pose there.

        Near a fold, where what is left goes with the square of a coordinate, a step of Newton's method takes
        three quarters of it at most, so that steps shrink with what is left.  It continues from the part
        ``done`` and the pose ``here``, the start of the way if not given.
        """
        here, part = self.start if here is None else here, LONGEST
        while part >= EXACT and done < 1.0:
            there = min(1.0, done + part)
            found = self.to(there, here)
            if found is None:
                part *= 0.5
            else:
                done, here, part = there, found, min(LONGEST, 2.0 * part)
        return done, here

    @property
    def goal_text(self) -> str:
        """Goal of the way, for messages."""
        left, right = 1e3 * self.goal + 0.0  # no -0
        steered = f" with {100.0 * self.lock + 0.0:.4g} % of full lock" if self.steered else ""
        return (
            f"axle {self.search.axle.name!r}: travel of {left:.5g} mm left and {right:.5g} mm right{steered}"
        )

    def place_text(self, here: Floats) -> str:
        """Return the travel of the wheels in a pose, and how far it is steered."""
        left, right = (f"{1e3 * x:.7g} mm" for x in np.round(self.search.travel_of(here), 10) + 0.0)
        if self.s[0] == self.s[1]:
            return f"{left} and {right}"
        lock = here[self.poses.moved] / self.search.axle.full_lock
        return f"{left}, {right} and {100.0 * lock:.5g} % of full lock"

    def obstacle(self, here: Floats) -> str:
        """Return the obstacle at the end of the way, as a clause for messages."""
        search, dz, ds = self.search, self.goal - self.z_0, self.s[1] - self.s[0]
        D, before = (search.coordinates_by_travel(c) for c in (here, self.start))
        growth = np.linalg.norm(D, axis=0) / np.linalg.norm(before, axis=0)
        stuck = stuck_wheels(search.axle.sides, growth, dz)
        if stuck:
            return stuck
        ahead = np.zeros(len(here))
        ahead[: self.poses.moved] = D @ (dz - self._by_steering(here, ds))
        if self.steered:
            ahead[self.poses.moved] = ds
        return broken_part(self.poses, here, ahead) or "the suspension or the steering is at its dead centre"

    def _by_steering(self, here: Floats, ds: float) -> Floats:
        """Change of the travel by a change of the steering alone, backwards from here."""
        if ds == 0.0:
            return np.zeros(2)
        before = here.copy()
        before[self.poses.moved] -= 1e-6 * ds
        found: Floats = 1e6 * (self.search.travel_of(here) - self.search.travel_of(before))
        return found
