"""Loops with closed forms, and others whose reach nobody tells, that a run brought near the end of it.

The reach of a closed form takes seconds to find, and moves with what the linkage attaches to (a steering
mechanism) and with free hardpoints.  So the states of a run are asked first: only where the gearing is large,
or a step heads for where the loop cannot be assembled, is the reach looked for, on the compiled model as it
stands at that instant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.bisection import last_that_holds
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import Binding
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.gearing import size_of
from ce_dynamics.simulation.monitors.dead_centres import Watched, watched

CLOSE = 10.0
"""Gearing from which the end of the reach may be close: some tenths of a radian of φ."""

MOVED = 0.02
"""Part of half the reach by which its ends may move with what a loop attaches to while it is near one."""

STEPS_PER_TURN = 720
FARTHEST = 10.0
"""How far a displacement is followed, in sizes of the loop."""

InputsAt = Callable[[float, Floats], Floats]
GearingAt = Callable[[NDArray[np.int64], Floats], Floats]


class Known(NamedTuple):
    """What was observed of a run at its states.

    Attributes
    ----------
    U : (instants, inputs) array
    gearing : (instants, loops) array
        Of the model's geared loops.
    """

    U: Floats
    gearing: Floats


class Extremes(NamedTuple):
    """Where a coordinate of a run goes farthest.

    Attributes
    ----------
    lowest, highest : int
        Rows of its extremes.
    ahead : set of (int, float)
        Rows from which it heads farthest either way, and where it would come to.
    steepest : (int, float) or None
        Row of the largest gearing, and that; None where it was not observed.
    """

    lowest: int
    highest: int
    ahead: set[tuple[int, float]]
    steepest: tuple[int, float] | None


def extremes_of(
    coordinates: Sequence[Coordinate], t: Floats, Y: Floats, gearing: Floats | None
) -> list[Extremes]:
    """Of several coordinates at a time; ``gearing`` (instants, loops) is that of the model's geared loops."""
    positions, rates, places = np.array([(one.q, one.v, one.which) for one in coordinates]).T
    theta = Y[:, positions]
    lowest, highest = theta.argmin(axis=0).tolist(), theta.argmax(axis=0).tolist()
    ahead: list[set[tuple[int, float]]] = [set() for _ in coordinates]
    if len(t) > 1:
        # On the way into a dead centre the distance that is left is half the time left times the rate.
        there = theta[:-1] + 2.0 * Y[:-1, rates] * (t[1:] - t[:-1])[:, np.newaxis]
        for rows in (there.argmin(axis=0).tolist(), there.argmax(axis=0).tolist()):
            for k, row in enumerate(rows):
                ahead[k].add((row, float(there[row, k])))
    steepest: list[tuple[int, float] | None] = [None] * len(coordinates)
    if gearing is not None:
        known = gearing[:, places]
        if not math.isfinite(known.sum()):
            known = np.where(np.isfinite(known), known, math.inf)
        steepest = [(row, float(known[row, k])) for k, row in enumerate(known.argmax(axis=0).tolist())]
    return [Extremes(*each) for each in zip(lowest, highest, ahead, steepest, strict=True)]


class Coordinate:
    """The independent coordinate of a loop with one freedom.

    Parameters
    ----------
    model : Model
    S : Aggregate
    observation : callable, optional
        Makes a binding of the model's observation when first needed; coordinates not asked at the same
        time may share one.

    Attributes
    ----------
    S : Aggregate
    q, v : int
        Its places in the state.
    which : int
        Its place among the model's geared loops.
    """

    def __init__(self, model: Model, S: Aggregate, observation: Callable[[], Binding] | None = None) -> None:
        self.S = S
        name = S.independent[0].name
        self.q = model.embedding.q_of[name].start
        self.v = len(model.layout.q) + model.embedding.v_of[name].start
        self.which = model.geared_loops.index(S)
        self._made = observation or model.observation.bind

    @cached_property
    def _observation(self) -> Binding:
        return self._made()

    @property
    def turns(self) -> bool:
        """Whether it is an angle."""
        return self.S.independent[0].inboard.coordinate_units[0] == "rad"

    def gearing(self, y: Floats, u: Floats, theta: float | None = None) -> float:
        """At a state, or at another value of the coordinate there; infinite where it cannot be assembled."""
        observation = self._observation
        state = observation.inputs["y"]
        state[:], observation.inputs["u"][:] = y, u
        if theta is not None:
            state[self.q] = theta
        observation.run()
        found = float(observation.outputs["gearing"][self.which])
        return found if math.isfinite(found) else math.inf

    def probes(self, way: Extremes, Y: Floats) -> list[tuple[int, float]]:
        """Rows, and values of the coordinate there, at which a run may come close to an end of the reach."""
        found: list[tuple[int, float]] = []
        if way.steepest is None:
            found += [(k, float(Y[k, self.q])) for k in {way.lowest, way.highest}]
        low, high = Y[way.lowest, self.q], Y[way.highest, self.q]
        for k, ahead in way.ahead:
            passed = low <= ahead <= high and not self.S.siblings  # these move the ends
            found += [] if passed else [(k, ahead)]
        return found

    def reach(self, y: Floats, u: Floats) -> tuple[float, float] | None:
        """Its values around that of a state at which the loop can be assembled, all else as it is there."""
        here = float(y[self.q])
        if self.turns:
            stride, count = 2.0 * math.pi / STEPS_PER_TURN, STEPS_PER_TURN
        else:
            stride, count = size_of(self.S) / 100.0, round(100.0 * FARTHEST)

        def assembles(value: float) -> bool:
            return math.isfinite(self.gearing(y, u, value))

        def end(direction: float) -> float:
            for k in range(1, count + 1):
                outside = here + direction * k * stride
                if not assembles(outside):
                    return last_that_holds(assembles, outside - direction * stride, outside)
            return direction * math.inf

        lower, upper = end(-1.0), end(1.0)
        span = count * stride
        if math.isinf(lower) and math.isinf(upper):
            return None
        return (upper - span if math.isinf(lower) else lower), (lower + span if math.isinf(upper) else upper)

    def watch(self, y: Floats, u: Floats) -> Watched | None:
        """What is watched of it, by its reach at a state."""
        if math.isinf(self.gearing(y, u)):
            return None
        reach = self.reach(y, u)
        blur = MOVED if self.S.siblings else 0.0
        return None if reach is None else Watched(self.S, self.q, self.v, *reach, blur)


class Approaches:
    """Loops with one freedom of a model, and which of them runs bring near an end of their reach.

    It is made once for many runs of one thread.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known, others = model.once("loops with an end of reach", partial(loops_with_ends, model))
        observation = cache(lambda: model.observation.bind())
        self._others = [Coordinate(model, S, observation) for S in others]

    def suspects(self, t: Floats, Y: Floats, gearing: Floats, gearing_at: GearingAt) -> NDArray[np.bool_]:
        """Which of some runs side by side must be looked at by `of`: all others have nothing to be watched.

        The same questions as those of `of`, asked for all runs together.

        Parameters
        ----------
        t, Y, gearing : (instants,), (instants, states, runs), (instants, loops, runs) arrays
            All finite.
        gearing_at : callable
            Of the loops, (loops, runs), at states (states, runs) that are at these rows of the runs.
        """
        lanes = np.arange(Y.shape[2])
        found = np.full(len(lanes), bool(self._known))
        for coordinate in self._others:
            known, theta = gearing[:, coordinate.which], Y[:, coordinate.q]
            found |= (np.where(np.isfinite(known), known, math.inf) > CLOSE).any(axis=0)
            if len(t) < 2:
                continue
            ahead = theta[:-1] + 2.0 * Y[:-1, coordinate.v] * np.diff(t)[:, np.newaxis]
            low, high = theta.min(axis=0), theta.max(axis=0)
            for rows in (ahead.argmin(axis=0), ahead.argmax(axis=0)):
                value = ahead[rows, lanes]
                passed = (low <= value) & (value <= high) & (not coordinate.S.siblings)
                if passed.all():
                    continue
                states = np.ascontiguousarray(Y[rows, :, lanes].T)
                states[coordinate.q] = value
                there = gearing_at(rows, states)[coordinate.which]
                found |= ~passed & (np.where(np.isfinite(there), there, math.inf) > CLOSE)
        return found

    def of(self, t: Floats, Y: Floats, inputs_at: InputsAt, known: Known | None = None) -> list[Watched]:
        """What is to be watched of a run: loops without closed form, and those that come near their ends."""
        found = list(self._known)
        if not self._others:
            return found
        for coordinate, k in self._close(t, Y, inputs_at, known):
            watch = coordinate.watch(Y[k], inputs_at(float(t[k]), Y[k]).copy())
            if watch is not None:
                found.append(watch)
        return found

    def _close(
        self, t: Floats, Y: Floats, inputs_at: InputsAt, known: Known | None
    ) -> list[tuple[Coordinate, int]]:
        """Coordinates that come close to an end of their reach, and the rows where they come closest."""
        worst: dict[int, tuple[float, int]] = {}  # by the coordinate's number: its gearing, and the row
        probes: list[tuple[int, int, float]] = []
        for n, way in enumerate(extremes_of(self._others, t, Y, None if known is None else known.gearing)):
            if way.steepest is not None and way.steepest[1] > CLOSE:
                worst[n] = math.inf, way.steepest[0]
            else:
                probes += [(n, *probe) for probe in self._others[n].probes(way, Y)]
        if probes:
            at = [k for _, k, _ in probes]
            states = Y[at]
            if known is None:
                inputs = np.array([inputs_at(float(t[k]), Y[k]).copy() for k in at])
            else:
                inputs = known.U[at]
            for row, (n, _, value) in enumerate(probes):
                states[row, self._others[n].q] = value
            gearing = self._model.observation.at_rows(states, inputs)[2]
            for row, (n, k, _) in zip(gearing, probes, strict=True):
                there = float(row[self._others[n].which])
                there = there if math.isfinite(there) else math.inf
                worst[n] = max(worst.get(n, (0.0, 0)), (there, k))
        return [(self._others[n], k) for n, (there, k) in sorted(worst.items()) if there > CLOSE]


def loops_with_ends(model: Model) -> tuple[list[Watched], list[Aggregate]]:
    """Loops with one freedom whose reach is known beforehand, and the others."""
    known = watched(model)
    names = {watch.S.name for watch in known}
    return known, [S for S in model.geared_loops if S.N == 1 and not S.prescribed and S.name not in names]


def approached(model: Model, t: Floats, Y: Floats, inputs_at: InputsAt) -> list[Watched]:
    """What is to be watched of a run."""
    return Approaches(model).of(t, Y, inputs_at)


def standing_at_an_end(model: Model, t: float, y: Floats, inputs_at: InputsAt) -> list[Watched]:
    """Loops that come near an end of their reach in one state."""
    return approached(model, np.array((t,)), y[np.newaxis, : len(model.layout.y0)], inputs_at)
