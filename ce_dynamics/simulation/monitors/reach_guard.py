"""Keeps a stepped model from being thrown against the end of a loop's reach without a word.

The compiled loops compare every step with an interval in which the loop is known to be far from its ends
(`kernels.leaves`).  Outside it the loop is looked at here, and a step that comes near an end is made again,
closely.
"""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.gearing import size_of
from ce_dynamics.errors import SingularityWarning
from ce_dynamics.simulation.monitors.dead_centres import NEAR, remedy_for
from ce_dynamics.simulation.monitors.jumps import AuditedRates, comes_out_the_same
from ce_dynamics.simulation.monitors.reach import CLOSE, Coordinate

STRIDES_PER_TURN = 360
STRIDES = 8, 45
"""By how many strides the known interval grows at least and at most to each side: as many as it has."""

SUDDEN = 0.2
"""Part of the rate that a step near an end may change without being looked at."""


class Step(NamedTuple):
    """A step that was made: times and states at its beginning and end."""

    t: Floats
    Y: Floats


class ReachGuard:
    """The loops of a model with one freedom, and where they are known to be far from their ends.

    Attributes
    ----------
    bounds : (loops, 5) array
        See `kernels.leaves`.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._coordinates = [
            Coordinate(model, S) for S in model.geared_loops if S.N == 1 and not S.prescribed
        ]
        self.bounds = np.zeros((len(self._coordinates), 5))
        self._warned: set[str] = set()
        self.forget()

    def restart(self) -> None:
        """Another motion begins; the reach of loops that depend on their coordinate alone is still known."""
        changed = bool(self._model.layout.parameters)
        for row, coordinate in zip(self.bounds, self._coordinates, strict=True):
            if changed or coordinate.S.siblings:
                begin(row, coordinate)

    def forget(self) -> None:
        """Discard the known intervals of all coordinates, as after a change of geometry."""
        for row, coordinate in zip(self.bounds, self._coordinates, strict=True):
            begin(row, coordinate)

    def near(self, t: float, y: Floats, u: Floats, h: float) -> list[Coordinate]:
        """Coordinates near an end, or that head for it within a step.

        Warns, once for each; of those that are not near one more is known afterwards.
        """
        found = []
        for row, coordinate in zip(self.bounds, self._coordinates, strict=True):
            theta = float(y[coordinate.q])
            ahead = theta + 2.0 * h * float(y[coordinate.v])
            if is_within(row, theta) and is_within(row, ahead):
                continue
            here, there = coordinate.gearing(y, u), coordinate.gearing(y, u, ahead)
            if max(here, there) <= CLOSE:
                self._learn(row, coordinate, y, u)
            elif here > 1.0 / NEAR or math.isinf(there):
                found.append(coordinate)
                self._warn(t, theta, coordinate)
        return found

    def _learn(self, row: Floats, coordinate: Coordinate, y: Floats, u: Floats) -> None:
        """Extend what is known around a coordinate, or begin there; what it attaches to moves the ends."""
        stride = 2.0 * math.pi / STRIDES_PER_TURN if coordinate.turns else size_of(coordinate.S) / 50.0
        theta = float(y[coordinate.q])
        if coordinate.S.siblings or not is_within(row, theta):
            row[2:4] = theta, theta
        fewest, most = STRIDES
        strides = min(max(round((row[3] - row[2]) / stride), fewest), most)
        for column, direction in ((2, -1.0), (3, 1.0)):
            start = row[column]
            for k in range(1, strides + 1):
                value = start + direction * k * stride
                if coordinate.gearing(y, u, value) > CLOSE:
                    break
                row[column] = value
        if 0.0 < row[4] <= row[3] - row[2]:  # all round: nothing is left to be looked at
            row[2:] = -math.inf, math.inf, 0.0

    def _warn(self, t: float, theta: float, coordinate: Coordinate) -> None:
        S = coordinate.S
        if S.name not in self._warned:
            self._warned.add(S.name)
            warnings.warn(
                f"the loop of {S.name!r} came near a dead centre of {S.independent[0].name!r} at "
                f"t = {t:.6g} s, where the coordinate is {theta:.6g}; digits are lost there: {remedy_for(S)}",
                SingularityWarning,
                stacklevel=5,
            )

    def thrown(self, coordinates: list[Coordinate], step: Step, u: Floats, audited: AuditedRates) -> str:
        """Why a step near an end is not the motion; empty if it is."""
        for coordinate in coordinates:
            before, after = step.Y[:, coordinate.v]
            turned = abs(after - before) > SUDDEN * abs(before)
            watch = coordinate.watch(step.Y[0], u) if turned else None
            if watch is not None and not comes_out_the_same(self._model, watch, audited, step.t, step.Y):
                name = coordinate.S.independent[0].name
                return (
                    f"the integrator threw the loop of {coordinate.S.name!r} over a dead centre of {name!r} "
                    f"after t = {step.t[0]:.6g} s, at {step.Y[0, coordinate.q]:.6g}: the coordinate turns "
                    f"back there and the loop goes on; {remedy_for(coordinate.S)}"
                )
        return ""


def begin(row: Floats, coordinate: Coordinate) -> None:
    """An interval of which nothing is known."""
    period = 2.0 * math.pi if coordinate.turns else 0.0
    row[:] = coordinate.q, coordinate.v, math.inf, -math.inf, period


def is_within(row: Floats, theta: float) -> bool:
    """Return True if a value is in the interval that is known, whole turns left out."""
    lower, upper, period = row[2], row[3], row[4]
    if not lower <= upper:
        return False
    if period > 0.0:
        theta -= period * math.floor((theta - 0.5 * (lower + upper)) / period + 0.5)
    return bool(lower <= theta <= upper)
