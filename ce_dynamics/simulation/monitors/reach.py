"""The reach of a loop with one freedom, found on the compiled model as it stands at an instant."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.bisection import last_that_holds
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import Binding
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.gearing import size_of
from ce_dynamics.simulation.monitors.dead_centres import Watched, watched
from ce_dynamics.simulation.monitors.stored_rows import Bounds, Extremes, extremes_of

CLOSE = 10.0
"""Gearing from which the end of the reach may be close: some tenths of a radian of φ."""

MOVED = 0.02
"""Part of half the reach by which its ends may move with what a loop attaches to while it is near one."""

STEPS_PER_TURN = 720
FARTHEST = 10.0
"""Largest displacement that is followed [sizes of the loop]."""


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
        """True if it is an angle."""
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
        """Return the coordinate with its reach at a state, or None without an end or assembly."""
        if math.isinf(self.gearing(y, u)):
            return None
        reach = self.reach(y, u)
        blur = MOVED if self.S.siblings else 0.0
        return None if reach is None else Watched(self.S, self.q, self.v, *reach, blur)


InputsAt = Callable[[float, Floats], Floats]


class Known(NamedTuple):
    """Observations of a run at its states.

    Attributes
    ----------
    U : (instants, inputs) array
    gearing : (instants, loops) array
        Gearing of the model's geared loops.
    """

    U: Floats
    gearing: Floats


class Ended:
    """Loops with one freedom of a model, by what is known of the ends of their reach; made once.

    Attributes
    ----------
    known : list of Watched
        Those whose reach is known beforehand.
    others : list of Aggregate
    places : list of (int, int)
        Of each of the others, those of its coordinate and its rate in the state.
    q, which : list of int
        The place of its coordinate, and its own among the geared loops.
    calm : Bounds
        Gearing with which the end of the reach of none is close.
    """

    def __init__(self, model: Model) -> None:
        self.known = watched(model)
        names = {watch.S.name for watch in self.known}
        self.others = [S for S in model.geared_loops if S.N == 1 and not S.prescribed and S.name not in names]
        coordinates = [Coordinate(model, S) for S in self.others]
        self.places = [(one.q, one.v) for one in coordinates]
        self.q, self.which = [one.q for one in coordinates], [one.which for one in coordinates]
        self.calm = Bounds.of(self.which, [-math.inf] * len(coordinates), [CLOSE] * len(coordinates))


class Approaches:
    """Loops with one freedom of a model, and which of them runs bring near an end of their reach.

    It is made for many runs of one thread.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._ended = ended_of(model)

    @cached_property
    def _others(self) -> list[Coordinate]:
        observation = cache(lambda: self._model.observation.bind())
        return [Coordinate(self._model, S, observation) for S in self._ended.others]

    def of(self, t: Floats, Y: Floats, inputs_at: InputsAt, known: Known | None = None) -> list[Watched]:
        """Return the coordinates to watch: those with known ends, and those that come near their ends."""
        found = list(self._ended.known)
        if not self._ended.others:
            return found
        for n, k in self._close(t, Y, inputs_at, known):
            watch = self._others[n].watch(Y[k], inputs_at(float(t[k]), Y[k]).copy())
            if watch is not None:
                found.append(watch)
        return found

    def _close(self, t: Floats, Y: Floats, inputs_at: InputsAt, known: Known | None) -> list[tuple[int, int]]:
        """Numbers of coordinates that come close to an end of their reach, and the rows of the closest."""
        ended = self._ended
        worst: dict[int, tuple[float, int]] = {}  # by the coordinate's number: its gearing, and the row
        if known is not None:
            worst = {} if ended.calm.hold(known.gearing) else self._steepest(known.gearing)
        probes = [
            (n, *probe)
            for n, (S, extremes) in enumerate(zip(ended.others, extremes_of(t, Y, ended.places), strict=True))
            if n not in worst
            for probe in probes_of(S, extremes, known is None, len(t) > 1)
        ]
        if probes:
            at = [k for _, k, _ in probes]
            states = Y[at]
            if known is None:
                inputs = np.array([inputs_at(float(t[k]), Y[k]).copy() for k in at])
            else:
                inputs = known.U[at]
            for row, (n, _, value) in enumerate(probes):
                states[row, ended.q[n]] = value
            gearing = self._model.observation.at_rows(states, inputs)[2]
            for row, (n, k, _) in zip(gearing, probes, strict=True):
                there = float(row[ended.which[n]])
                there = there if math.isfinite(there) else math.inf
                worst[n] = max(worst.get(n, (0.0, 0)), (there, k))
        return [(n, k) for n, (there, k) in sorted(worst.items()) if there > CLOSE]

    def _steepest(self, gearing: Floats) -> dict[int, tuple[float, int]]:
        """By the number of a coordinate that is close to an end: infinity, and its row of largest gearing."""
        found = gearing[:, self._ended.which]
        found = np.where(np.isfinite(found), found, math.inf)
        rows = found.argmax(axis=0).tolist()
        return {n: (math.inf, k) for n, k in enumerate(rows) if found[k, n] > CLOSE}


def ended_of(model: Model) -> Ended:
    """Loops of a model with an end of reach."""
    return model.once("loops with an end of reach", partial(Ended, model))


def probes_of(S: Aggregate, extremes: Extremes, ends: bool, goes_on: bool) -> list[tuple[int, float]]:
    """Rows, and values of a coordinate there, at which a run may come close to an end of its reach.

    Parameters
    ----------
    S : Aggregate
    extremes : Extremes
    ends : bool
        Whether the extremes themselves are to be asked, where gearing was not observed.
    goes_on : bool
        Whether it heads for anything: not in a single state.
    """
    lowest, highest, *rows = extremes.rows
    low, high, *ahead = extremes.values
    found = list(dict.fromkeys(((lowest, low), (highest, high)))) if ends else []
    for k, value in dict.fromkeys(zip(rows, ahead, strict=True)) if goes_on else ():
        passed = low <= value <= high and not S.siblings  # these move the ends
        if not passed:
            found.append((k, value))
    return found


def approached(model: Model, t: Floats, Y: Floats, inputs_at: InputsAt) -> list[Watched]:
    """Return the coordinates of a run to watch; see `Approaches.of`."""
    return Approaches(model).of(t, Y, inputs_at)


def standing_at_an_end(model: Model, t: float, y: Floats, inputs_at: InputsAt) -> list[Watched]:
    """Loops that come near an end of their reach in one state."""
    return approached(model, np.array((t,)), y[np.newaxis, : len(model.layout.y0)], inputs_at)
