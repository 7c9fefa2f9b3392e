"""Following the smoothed conditions from a wide width σ to σ = 0.

For wide σ the natural map is almost linear and Newton's method converges from anywhere; the solution is
then followed as σ shrinks [1]_.  Where Coulomb's law is not monotone the path may turn back in σ.  Other
paths to the same conditions may not: those from other widths, and those of w = (A + c σ) x + b, which bound
impulses where more contacts than needed hold the bodies, and those of friction that grows from nothing,
(1 − a σ) μ; c σ and a σ vanish with σ.  At last the path is
followed by its arc length, with log σ as one more unknown, through as many turns as it has.

References
----------
.. [1] B. Chen, P. T. Harker: A non-interior-point continuation method for linear complementarity problems,
   SIAM Journal on Matrix Analysis and Applications 14 (1993) 1168-1190.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.solvers.newton import REGULAR, Found, newton, newton_matrix, proximal, solved
from ce_dynamics.complementarity.solvers.rows import Rows

NEAR = 0.05
"""Largest |F| on the path, as a share of σ."""
STARTS = (
    (1.0, NEAR, 0.0, 0.0),
    (1.0, NEAR, 1e-3, 0.0),
    (1.0, NEAR, 0.0, 1.0),
    (10.0, NEAR, 0.0, 0.0),
    (100.0, 0.2, 0.0, 0.0),
    (10.0, NEAR, 0.0, 0.5),
    (1.0, NEAR, 1e-2, 0.0),
    (10.0, NEAR, 1e-4, 0.0),
)
"""Widths to start from, in turn, how near the path to stay, c (impulses in a pile are large) and a."""
LAST = 1e-15
"""Smallest σ."""
ON_PATH = 1e-3
"""Largest |F| of a point of the path followed by arc length, as a share of σ: of a point further away the
tangent does not know that the path has turned."""
FINE = 1e-8
"""|F| from which a larger share will do: rounding is not far."""
CLOSE = 1e-6
"""|F| at which proximal Newton looks for the end of the path."""
CORRECTIONS, SHORTEST = 6, 1e-9
"""Newton steps back onto the path, and the shortest way along it."""


def share(grows: float, sigma: float) -> float:
    """Return the share of friction at a width: max(0, 1 − a σ)."""
    return max(0.0, 1.0 - grows * sigma)


def shrinking(
    rows: Rows,
    x: Floats,
    *,
    tolerance: float,
    width: float = 1.0,
    close: float = NEAR,
    pull: float = 0.0,
    grows: float = 0.0,
    steps: int = 200,
    deadline: float = math.inf,
) -> Found:
    """Follow the path with σ as parameter; ends where it turns back.

    Parameters
    ----------
    rows : Rows
    x : (m,) array
        Start; that for the first σ is found from it.
    tolerance : float
        Of the largest entry of |F| at σ = 0.
    width : float
        The first σ.
    close : float
        Largest |F| on the path, as a share of σ.
    pull, grows : float
        c and a.
    steps : int
        Linear systems, about.
    deadline : float
        `time.thread_time` at which to stop.
    """
    origin = np.zeros(len(rows)) if pull > 0.0 else None
    sigma = reached = width
    factor, count = 0.2, 0
    on_path = x
    best, smallest = x, float(np.max(np.abs(rows.gap(x)), initial=0.0))
    while count < steps and time.thread_time() < deadline:
        near = newton(
            rows.with_friction(share(grows, sigma)),
            x,
            steps=8 if count else 30,
            tolerance=max(close * sigma, 0.1 * tolerance),
            sigma=sigma,
            epsilon=max(pull * sigma, REGULAR),
            centre=origin,
            deadline=deadline,
        )
        count += near.steps
        gap = float(np.max(np.abs(rows.gap(near.x))))
        if gap < smallest:
            best, smallest = near.x, gap
        if smallest <= tolerance or sigma < LAST:
            break
        if near.gap <= max(close * sigma, 0.1 * tolerance):
            on_path = x = near.x
            reached = sigma
            if near.steps <= 3:
                factor = max(0.5 * factor, 0.03)
        else:
            if factor > 0.9:
                break  # the path turns back
            factor, x = math.sqrt(factor), on_path
        sigma = factor * reached
    return Found(best, smallest, count)


def bordered(J: Any, column: Floats, row: Floats, corner: float, right: Floats) -> Floats | None:
    """Solution of [J column; row corner] z = right."""
    m = len(column)
    if isinstance(J, np.ndarray):
        B = np.empty((m + 1, m + 1))
        B[:m, :m], B[:m, m], B[m, :m], B[m, m] = J, column, row, corner
        return solved(B, right)
    last = sp.csr_matrix(np.append(row, corner)[None, :])
    return solved(sp.vstack((sp.hstack((J, sp.csr_matrix(column[:, None]))), last)), right)


class Path:
    """F(x, σ) = 0 in x and τ = log σ, with w = (A + c σ) x + b."""

    def __init__(self, rows: Rows, pull: float = 0.0, grows: float = 0.0) -> None:
        self.rows, self.weight, self.pull, self.grows = rows, 1.0 / max(1, len(rows)), pull, grows

    def y(self, x: Floats, sigma: float) -> Floats:
        """x − w."""
        return np.asarray((1.0 - self.pull * sigma) * x - self.rows.w(x))

    def F(self, x: Floats, tau: float) -> Floats:
        """F(x, σ)."""
        sigma = math.exp(tau)
        rows = self.rows.with_friction(share(self.grows, sigma))
        return np.asarray(x - rows.map(self.y(x, sigma), sigma)[0])

    def linear(self, x: Floats, tau: float) -> tuple[Floats, Any, Floats]:
        """F, ∂F/∂x and ∂F/∂τ (by central differences, good to 1e-10)."""
        change = 1e-5
        by_tau = (self.F(x, tau + change) - self.F(x, tau - change)) / (2.0 * change)
        sigma = math.exp(tau)
        P, *D = self.rows.with_friction(share(self.grows, sigma)).map(self.y(x, sigma), sigma)
        epsilon = max(self.pull * sigma, REGULAR)
        return x - P, newton_matrix(self.rows, (D[0], D[1], D[2]), epsilon), by_tau

    def tangent(self, x: Floats, tau: float, before: Floats) -> Floats | None:
        """Unit tangent, onwards from the one before."""
        m = len(x)
        _, J, by_tau = self.linear(x, tau)
        right = np.zeros(m + 1)
        right[m] = 1.0
        t = bordered(J, by_tau, self.weight * before[:m], float(before[m]), right)
        if t is None:
            return None
        return t / math.sqrt(self.weight * float(t[:m] @ t[:m]) + float(t[m]) ** 2)

    def corrected(
        self, x: Floats, tau: float, t: Floats, ds: float
    ) -> tuple[Floats, float, int] | tuple[None, float, int]:
        """The point of the path at distance ds along the tangent, and the steps it took."""
        m = len(x)
        z, at = x + ds * t[:m], tau + ds * float(t[m])
        for k in range(CORRECTIONS):
            F, J, by_tau = self.linear(z, at)
            off = self.weight * float(t[:m] @ (z - x)) + float(t[m]) * (at - tau) - ds
            sigma = math.exp(at)
            enough = max(ON_PATH * sigma, min(0.4 * NEAR * sigma, FINE))
            if np.max(np.abs(F)) < enough and abs(off) < 1e-3 * ds:
                return z, at, k
            step = bordered(J, by_tau, self.weight * t[:m], float(t[m]), np.append(-F, -off))
            if step is None:
                return None, at, k + 1
            z, at = z + step[:m], at + float(step[m])
            if abs(at - tau) > 4.0 * ds + 1.0:
                return None, at, k + 1
        return None, at, CORRECTIONS


def by_arc_length(
    rows: Rows,
    x: Floats,
    *,
    tolerance: float,
    pull: float = 0.0,
    grows: float = 0.0,
    steps: int = 1000,
    deadline: float = math.inf,
) -> Found:
    """Follow the path by its arc length, with sharp Newton steps whenever a solution seems near.

    Parameters are those of `shrinking`.
    """
    m, path = len(rows), Path(rows, pull, grows)
    tau = 0.0
    origin = np.zeros(m) if pull > 0.0 else None
    first = rows.with_friction(share(grows, 1.0))
    start = newton(first, x, steps=30, tolerance=1e-3, sigma=1.0, epsilon=max(pull, REGULAR), centre=origin)
    x, count = start.x, start.steps
    best, smallest = x, float(np.max(np.abs(rows.gap(x)), initial=0.0))
    t = np.append(np.zeros(m), -1.0)
    ds, tried = 0.5, math.inf
    while count < steps and time.thread_time() < deadline:
        onwards = path.tangent(x, tau, t)
        count += 1
        if onwards is None:
            break
        t = onwards
        while True:
            z, at, used = path.corrected(x, tau, t, ds)
            count += used
            if z is not None or ds < SHORTEST:
                break
            ds *= 0.4
        if z is None or not math.log(LAST) < at < math.log(100.0):
            break
        x, tau = z, at
        ds = min(ds * (2.0 if used <= 2 else 1.3 if used == 3 else 0.8), 6.0)
        gap = float(np.max(np.abs(rows.gap(x))))
        if gap < 1e-3 and gap < 0.3 * tried:
            tried = gap
            sharp = newton(rows, x, steps=6, tolerance=tolerance)
            if gap < CLOSE and sharp.gap > tolerance:  # rows that depend on each other
                count += sharp.steps
                sharp = proximal(rows, x, steps=30, tolerance=tolerance)
            count += sharp.steps
            if sharp.gap < smallest:
                best, smallest = sharp.x, sharp.gap
        if gap < smallest:
            best, smallest = x, gap
        if smallest <= tolerance:
            break
    return Found(best, smallest, count)
