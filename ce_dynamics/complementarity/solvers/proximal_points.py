"""Proximal points for as long as it takes: impulses of jammed contacts creep towards their solution.

Where more contacts than needed hold the bodies and do not fit each other, impulses are not unique and the
solution lies far from where a search begins, along directions that move nothing.  The points

    w = (A + ε) x + b − ε x_k,   x_{k+1} = x,

creep there, each by a share of 1/ε [1]_.  ε is made smaller where Newton's method finds a point quickly,
larger where it does not find it; a point that is not found is not taken.

References
----------
.. [1] R. T. Rockafellar: Monotone operators and the proximal point algorithm, SIAM Journal on Control and
   Optimization 14 (1976) 877-898.
"""

from __future__ import annotations

import math
import time

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.solvers.newton import newton
from ce_dynamics.complementarity.solvers.rows import Judge, Rows

FIRST, LEAST, MOST = 1e-2, 1e-9, 1.0
"""ε to begin with, its smallest value, and that at which the search is given up."""
STEPS, QUICK = 15, 8
"""Newton steps to a point at most, and those after which ε shrinks."""
ROUNDING = 1e-14
"""|F| of the proximal conditions that is rounding."""


class Creeping:
    """Proximal points one after the other.

    Attributes
    ----------
    x : (m,) array
        Where it got to.
    epsilon : float
        ε of the next point.
    steps : int
        Linear systems so far.
    """

    def __init__(self, rows: Rows, x: Floats) -> None:
        self.rows, self.x, self.epsilon, self.steps = rows, x, FIRST, 0

    def advance(self, judge: Judge, steps: int, deadline: float = math.inf) -> Floats:
        """Go on for so many linear systems; the point that the judge liked most."""
        best, smallest = self.x, judge(self.x)
        until = self.steps + steps
        while smallest > 1.0 and self.steps < until and self.epsilon < MOST and time.thread_time() < deadline:
            found = newton(
                self.rows,
                self.x,
                steps=STEPS,
                tolerance=0.1 * ROUNDING,
                epsilon=self.epsilon,
                centre=self.x,
                deadline=deadline,
            )
            self.steps += max(1, found.steps)
            verdict = judge(found.x)
            if verdict < smallest:
                best, smallest = found.x, verdict
            if found.gap > max(ROUNDING, 1e-6 * self.epsilon):
                self.epsilon *= 2.0
                continue
            self.x = found.x
            if found.steps <= QUICK:
                self.epsilon = max(self.epsilon / 3.0, LEAST)
        return best
