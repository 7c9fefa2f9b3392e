"""The reach of a loop with one freedom, found on the compiled model as it stands at an instant."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

from ce_dynamics.algebra.bisection import last_that_holds
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import Binding
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.gearing import size_of
from ce_dynamics.simulation.monitors.dead_centres import Watched

CLOSE = 10.0
"""Gearing from which the end of the reach may be close: some tenths of a radian of φ."""

MOVED = 0.02
"""Part of half the reach by which its ends may move with what a loop attaches to while it is near one."""

STEPS_PER_TURN = 720
FARTHEST = 10.0
"""How far a displacement is followed, in sizes of the loop."""


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
