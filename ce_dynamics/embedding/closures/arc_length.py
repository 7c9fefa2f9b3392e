"""Pseudo-arclength continuation in floats: what the branch of a coordinate and the path of a loop share.

A point u of a curve that closes the loop has the unit tangent t, the null vector of Y in scaled velocities.
The next one is guessed along the tangent and closed in the plane across it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Protocol, TypeVar

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.newton import polish
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.errors import AssemblyError

FIRST_STEP = 0.02  # of arc length, in radians and sizes of the loop
LARGEST_STEP = 0.1
SMALLEST_STEP = 1e-9
GROWTH = 1.4  # of the next step
LARGEST_TURN = math.cos(0.1)  # of the tangent within one step
MOST_POINTS = 20000
ITERATIONS = 8
RANK_TOLERANCE = 1e-12


class OnCurve(Protocol):
    """A point with a tangent."""

    @property
    def t(self) -> Array: ...


P = TypeVar("P", bound=OnCurve)
E = TypeVar("E")


class March(ABC, Generic[P, E]):
    """Follows a curve by steps that are as long as it lets them be.

    Attributes
    ----------
    shorter : float
        Factor on a step that was too long.
    remedy : str
        What to do about a curve that does not end.
    """

    shorter: ClassVar[float] = 0.5
    remedy: ClassVar[str]

    def __init__(self, kernel: LoopKernel, start: P, direction: float) -> None:
        self.kernel = kernel
        self.start = start
        self.direction = direction
        self.points: list[P] = []

    @abstractmethod
    def ahead(self, before: P, here: P, h: float) -> P | None:
        """The next point, at about arc length h from here; None if the step is too long."""

    @abstractmethod
    def stuck(self, here: P, h: float) -> E | None:
        """The end if the next step, h, would be too short to go on with; else None."""

    @abstractmethod
    def find_end(self, there: P) -> E | None:
        """The end if the curve need not be followed beyond a point; else None."""

    def run(self) -> tuple[list[P], E]:
        """Points after the start, and how they end."""
        before, here, h = self.start, self.start, FIRST_STEP
        while len(self.points) < MOST_POINTS:
            there = self.ahead(before, here, self.direction * h)
            if there is None:
                h *= self.shorter
                end = self.stuck(here, h)
            else:
                self.points.append(there)
                before, here, h = here, there, min(GROWTH * h, LARGEST_STEP)
                end = self.find_end(there)
            if end is not None:
                return self.points, end
        raise AssemblyError(
            f"the loop of {self.kernel.loop.name!r} was followed over {MOST_POINTS} points without reaching "
            f"its end; {self.remedy}"
        )


def has_turned(here: OnCurve, there: OnCurve) -> bool:
    """Return True if the tangent has turned too far from one point to the next."""
    return float(there.t @ here.t) < LARGEST_TURN


def close_across(kernel: LoopKernel, q: Array, p: Array, t: Array) -> tuple[Array, Array] | None:
    """Dependent coordinates and parameters that close, in the plane through (q, p) across t.

    t is one direction, or several in rows.  None if Newton does not find the point.
    """
    across, m, n = np.atleast_2d(t), kernel.loop.m, len(q)

    def equations(u: Array) -> tuple[Array, Array]:
        r, Y = kernel(u[:n], u[n:])
        live = kernel.live
        return np.append(r[live], np.zeros(len(across))), np.vstack((kernel.scale_columns(Y)[live], across))

    def move(u: Array, step: Array) -> Array:
        correction = step * kernel.column_scales
        return np.concatenate((kernel.advance(u[:n], correction[:m]), u[n:] + correction[m:]))

    start, limit = np.concatenate((q, p)), kernel.tolerance
    u, error = polish(equations, move, start, limit, iterations=ITERATIONS, rcond=RANK_TOLERANCE)
    return (u[:n], u[n:]) if error <= kernel.tolerance else None
