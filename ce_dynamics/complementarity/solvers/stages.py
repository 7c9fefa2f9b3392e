"""The order in which methods are tried on scaled rows, and with how much effort.

1. Newton from the start given: one to three steps where that is the solution of the step before.
2. Of many rows, 4: 60 to 100 sparse linear systems, where gradients need ten thousands of products.
3. A short block of projected gradients, followed by Newton and by proximal Newton.
4. The smoothed conditions followed to σ = 0; 3 with a longer block; 4 on two other paths.
5. Proximal points found in the space of the bodies, proximal Newton where one is ten times better.
6. Of up to 600 rows: the smoothed conditions followed by arc length, on several paths.  More of 5.
7. Proximal points found among the rows, which creep along what moves nothing.
8. Of 600 to three thousand rows, the paths of 6.
9. 4 on yet other paths; more of 7; long blocks of projected gradients, each followed by Newton.
10. Of yet more rows, the paths of 6; then more of 9.

Each stage ends as soon as the judge is satisfied.  The best point of all stages is kept.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.solvers.bodies import ROWS, Bodies
from ce_dynamics.complementarity.solvers.continuation import STARTS, by_arc_length, shrinking
from ce_dynamics.complementarity.solvers.gradient import largest_eigenvalue, projected_gradient
from ce_dynamics.complementarity.solvers.newton import Found, newton, proximal
from ce_dynamics.complementarity.solvers.proximal_points import Creeping
from ce_dynamics.complementarity.solvers.rows import Judge, Rows

FIRST_BLOCKS = (100, 400)
"""Products of the gradient blocks that Newton and proximal Newton follow."""
FIRST_STARTS, MORE_STARTS, LAST_STARTS = STARTS[:1], STARTS[1:3], STARTS[3:]
"""Paths after the first block, the second, and after those by arc length."""
LONG_BLOCK, LONG_BLOCKS, LAST_BLOCKS = 1000, 20, 100
"""Products of a later block; how many before and after the path is followed by arc length."""
TURNS = ((0.0, 0.0), (0.0, 1.0), (1e-3, 0.0), (0.0, 0.5), (1e-2, 0.0))
"""c and a of the paths that are followed by arc length, in turn."""
MODERATE = 3000
"""Rows up to which that comes before long blocks of gradients: its matrices are small."""
IN_BODIES = 100, 10_000
"""Linear systems of proximal points in the space of the bodies, before and after a few rows' paths of 6."""
FEW = 600
"""Rows up to which these come first."""
POLISH = 20
"""Linear systems of proximal Newton from one of them."""
CREEPS = 300, 6000
"""Linear systems of proximal points before and after the paths that are followed by arc length."""
LARGE = 6000
"""Rows from which the smoothed conditions go first."""
WITHIN = 1e-14
"""Largest |F| of scaled rows at which Newton stops."""


class Outcome(NamedTuple):
    """The best point.

    Attributes
    ----------
    x : (m,) array
    verdict : float
        Of the judge: at most one for a solution.
    steps, products : int
        Linear systems; products with A of the gradients.
    method : str
        That found it.
    """

    x: Floats
    verdict: float
    steps: int
    products: int
    method: str


class Search:
    """Keeps the best point of several stages."""

    def __init__(self, rows: Rows, judge: Judge, x: Floats, deadline: float) -> None:
        self.rows, self.judge, self.deadline = rows, judge, deadline
        self.x, self.verdict, self.method = x, judge(x), "start"
        self.steps = self.products = 0
        self._L = 0.0

    @property
    def over(self) -> bool:
        """Solved, or out of time."""
        return self.verdict <= 1.0 or time.thread_time() > self.deadline

    def offer(self, x: Floats, method: str) -> bool:
        """Keep a point if it is better; says whether it is a solution."""
        verdict = self.judge(x)
        if verdict < self.verdict:
            self.x, self.verdict, self.method = x, verdict, method
        return self.over

    def take(self, found: Found, method: str) -> bool:
        """Keep what a Newton iteration found."""
        self.steps += found.steps
        return self.offer(found.x, method)

    def gradients(self, x: Floats, products: int) -> Floats:
        """A block of projected gradients; returns where it got to."""
        if self._L == 0.0:
            self._L = largest_eigenvalue(self.rows)
        last, best, used = projected_gradient(self.rows, x, self.judge, self._L, products, self.deadline)
        self.products += used
        self.offer(best, "projected gradients")
        return last

    def sharp(self, x: Floats) -> bool:
        """Newton from a point."""
        found = newton(self.rows, x, steps=12, tolerance=WITHIN, deadline=self.deadline)
        return self.take(found, "Newton")

    def proximal(self, x: Floats, steps: int = 60) -> bool:
        """Proximal Newton from a point."""
        found = proximal(self.rows, x, steps=steps, tolerance=WITHIN, deadline=self.deadline)
        return self.take(found, "proximal Newton")

    def smoothed(self, starts: tuple[tuple[float, float, float, float], ...] = STARTS) -> bool:
        """The smoothed conditions followed to σ = 0, proximal Newton from where each path ends."""
        nothing = np.zeros(len(self.rows))
        for width, close, pull, grows in starts:
            found = shrinking(
                self.rows,
                nothing,
                tolerance=WITHIN,
                width=width,
                close=close,
                pull=pull,
                grows=grows,
                deadline=self.deadline,
            )
            if self.take(found, "smoothing") or self.proximal(found.x):
                return True
        return False

    def in_bodies(self, points: Bodies, steps: int) -> bool:
        """Proximal points in the space of the bodies, proximal Newton from each that is ten times better."""
        before, over = points.steps, False
        while not over:
            best, over = points.advance(self.judge, before + steps - points.steps, self.deadline)
            if self.offer(best, "proximal points of bodies") or self.proximal(best, POLISH):
                break
        self.steps += points.steps - before
        return self.over

    def creeping(self, points: Creeping, steps: int) -> bool:
        """Proximal points, from where they got to before."""
        before = points.steps
        best = points.advance(self.judge, steps, self.deadline)
        self.steps += points.steps - before
        return self.offer(best, "proximal points")

    def through_turns(self) -> bool:
        """The smoothed conditions followed by arc length, proximal Newton from where each path ends."""
        nothing = np.zeros(len(self.rows))
        for pull, grows in TURNS:
            found = by_arc_length(
                self.rows, nothing, tolerance=WITHIN, pull=pull, grows=grows, deadline=self.deadline
            )
            if self.take(found, "smoothing by arc length") or self.proximal(found.x):
                return True
        return False

    def long_gradients(self, x: Floats, blocks: int) -> Floats:
        """Long blocks of gradients, Newton after each."""
        for _ in range(blocks):
            x = self.gradients(x, LONG_BLOCK)
            if self.over or self.sharp(x):
                break
        return x

    def outcome(self) -> Outcome:
        """Return the present outcome."""
        return Outcome(self.x, self.verdict, self.steps, self.products, self.method)


def solve_rows(rows: Rows, x: Floats, judge: Judge, time_limit: float = math.inf) -> Outcome:
    """Try all stages.

    Parameters
    ----------
    rows : Rows
    x : (m,) array
        Start.
    judge : callable
        Residual of a point, at most one for a solution.
    time_limit : float
        Of the processor, after which no stage begins and none goes on [s].
    """
    search = Search(rows, judge, x, time.thread_time() + time_limit)
    if search.over or len(rows) == 0:
        return search.outcome()
    if rows.matrix_free:
        search.gradients(x, (LONG_BLOCKS + LAST_BLOCKS) * LONG_BLOCK)
    else:
        with_matrix(search, x)
    return search.outcome()


def with_matrix(search: Search, x: Floats) -> None:
    """The stages for which A is known."""
    if np.any(x) and search.sharp(x):
        return
    if len(search.rows) > LARGE and search.smoothed():
        return
    on_gradients, moderate = x, len(search.rows) <= MODERATE
    for products, starts in zip(FIRST_BLOCKS, (FIRST_STARTS, MORE_STARTS), strict=True):
        on_gradients = search.gradients(on_gradients, products)
        if search.over or search.sharp(on_gradients) or search.proximal(on_gradients):
            return
        if len(search.rows) <= LARGE and search.smoothed(starts):
            return
    few = len(search.rows) <= FEW
    if len(search.rows) <= ROWS:
        bodies = Bodies(search.rows, np.zeros(len(x)))
        if search.in_bodies(bodies, IN_BODIES[0]) or (few and search.through_turns()):
            return
        if search.in_bodies(bodies, IN_BODIES[1]):
            return
    points = Creeping(search.rows, on_gradients)
    if search.creeping(points, CREEPS[0]) or (moderate and not few and search.through_turns()):
        return
    if len(search.rows) <= LARGE and search.smoothed(LAST_STARTS):
        return
    if search.creeping(points, CREEPS[1]):
        return
    on_gradients = search.long_gradients(on_gradients, LONG_BLOCKS)
    if search.over or (not moderate and search.through_turns()):
        return
    search.long_gradients(on_gradients, LAST_BLOCKS)
