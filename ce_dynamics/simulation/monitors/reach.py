"""Reach of loops with one freedom: its limits, motions near them, and runs that jumped over one.

Over a reach between two dead centres the motion is regular in φ = asin((θ − centre)/half width) while θ̇
vanishes and θ̈ grows without bound at the ends.  The true motion goes on there, to configurations that the
coordinate θ cannot distinguish from those before; an explicit step may land on this side of the end
instead, and everything after it is wrong.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import last_that_holds
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import Binding
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.errors import SingularityWarning
from ce_dynamics.simulation.monitors.failure_location import remedy_for
from ce_dynamics.simulation.monitors.postconditions import all_finite

NEAR = 0.03
"""Distance of φ from its ends, below which the dependent hinges move more than 30 times as fast as θ."""

CLOSE = 10.0  # gearing above which the end of the reach may be close: some tenths of a radian of φ

MOVED = 0.02  # share of half the reach by which siblings of a loop may move its ends while it is near one

STEPS_PER_TURN = 720
FARTHEST = 10.0  # largest displacement that is followed [sizes of the loop]

InputsAt = Callable[[float, Floats], Floats]


@dataclass(frozen=True, eq=False)
class Reach:
    """A loop with one freedom, and the reach of its independent coordinate θ."""

    S: Aggregate
    q: int  # place of θ in the state
    v: int  # place of its rate
    which: int  # place of the loop among the model's geared loops
    observation: Callable[[], Binding]  # returns a binding of the model's observation
    lower: float = -math.inf  # ends; infinite while they are unknown
    upper: float = math.inf
    blur: float = 0.0  # displacement of the ends by siblings of the loop, as a share of half the reach

    @property
    def name(self) -> str:
        """Owner of the hinge."""
        return self.S.independent[0].name

    @property
    def turns(self) -> bool:
        """True if θ is an angle."""
        return self.S.independent[0].inboard.coordinate_units[0] == "rad"

    @property
    def near(self) -> float:
        """Distance of φ from its ends that counts as near: sin φ is 1 − φ²/2 there."""
        return math.sqrt(NEAR**2 + 2.0 * self.blur)

    def gearing(self, y: Floats, u: Floats, theta: float | None = None) -> float:
        """Return the gearing at a state, or at another θ there; infinite where it cannot be assembled."""
        observation = self.observation()
        state = observation.inputs["y"]
        state[:], observation.inputs["u"][:] = y, u
        if theta is not None:
            state[self.q] = theta
        observation.run()
        found = float(observation.outputs["gearing"][self.which])
        return found if math.isfinite(found) else math.inf

    def at(self, y: Floats, u: Floats) -> Reach | None:
        """Return the reach with its ends around a state, all else as it is there.

        None if the loop cannot be assembled at the state, or has no end.
        """
        if math.isinf(self.gearing(y, u)):
            return None
        here = float(y[self.q])
        if self.turns:
            stride, count = 2.0 * math.pi / STEPS_PER_TURN, STEPS_PER_TURN
        else:
            stride, count = self.S.loop.size / 100.0, round(100.0 * FARTHEST)

        def is_assembled(value: float) -> bool:
            return math.isfinite(self.gearing(y, u, value))

        def end(direction: float) -> float:
            for k in range(1, count + 1):
                outside = here + direction * k * stride
                if not is_assembled(outside):
                    return last_that_holds(is_assembled, outside - direction * stride, outside)
            return direction * math.inf

        lower, upper, span = end(-1.0), end(1.0), count * stride
        if math.isinf(lower) and math.isinf(upper):
            return None
        lower, upper = (
            upper - span if math.isinf(lower) else lower,
            lower + span if math.isinf(upper) else upper,
        )
        return replace(self, lower=lower, upper=upper, blur=MOVED if self.S.siblings else 0.0)

    def phase(self, Y: Floats) -> tuple[Floats, Floats]:
        """Return φ and its rate for states in rows; infinite rates at the ends."""
        half, middle, theta = 0.5 * (self.upper - self.lower), 0.5 * (self.lower + self.upper), Y[:, self.q]
        if self.turns:
            theta = middle + np.remainder(theta - middle + math.pi, 2.0 * math.pi) - math.pi
        x = np.clip((theta - middle) / half, -1.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.arcsin(x), np.nan_to_num(Y[:, self.v] / (half * np.sqrt(1.0 - x * x)), nan=0.0)

    def passages(self, t: Floats, Y: Floats) -> list[tuple[int, int]]:
        """Return first and last instants of what leads up to a dead centre and away from it.

        These are single steps that would go beyond it at the rate they begin with, and whatever lies near
        it; where the run ends there, the last one is the number of instants.
        """
        phi, rate = self.phase(Y)
        ahead = phi[:-1] + rate[:-1] * np.diff(t)
        beyond = np.abs(ahead) > 0.5 * math.pi - self.near + NEAR
        steps = [(int(k), int(k) + 1) for k in np.flatnonzero(beyond)]
        near = 0.5 * math.pi - np.abs(phi) < self.near
        edges = np.flatnonzero(np.diff(np.concatenate(((False,), near, (False,)))))
        pairs = zip(edges[::2], edges[1::2], strict=True)
        passages = [(max(int(first) - 1, 0), int(end)) for first, end in pairs]
        alone = [step for step in steps if not any(k <= step[0] and step[1] <= end for k, end in passages)]
        return alone + passages

    def instant_of_turn(self, t: Floats, Y: Floats, k: int) -> int:
        """Return the instant by which a motion through the dead centre ahead of instant k is away from it."""
        phi, rate = self.phase(Y[k : k + 1])
        with np.errstate(divide="ignore"):
            time = 3.0 * float((0.5 * math.pi - np.abs(phi[0])) / np.abs(rate[0]))
        last = int(np.searchsorted(t, t[k] + time)) if math.isfinite(time) else len(t)
        return min(max(last, k + 1), len(t) - 1)

    def turns_back(self, Y: Floats) -> bool:
        """Return True if φ turns back from one step to the next near its end, without having slowed down."""
        phi, rate = self.phase(Y)
        near = 0.5 * math.pi - np.abs(phi) < 10.0 * NEAR
        fast = np.abs(rate) > 0.3 * np.max(np.abs(rate))
        turned = (np.sign(rate[:-1]) != np.sign(rate[1:])) & fast[:-1] & fast[1:]
        return bool(np.any(turned & (near[:-1] | near[1:])))

    def warn_near(self, t: Floats, Y: Floats, stacklevel: int) -> None:
        """Warn of the nearest approach to a dead centre, if that was near."""
        phi, _ = self.phase(Y)
        k = int(np.argmax(np.abs(phi)))
        if 0.5 * math.pi - abs(float(phi[k])) < NEAR:
            end = self.upper if phi[k] > 0 else self.lower
            self.warn_at(
                float(t[k]), float(Y[k, self.q]), f" and its reach ends at {end:.6g}", stacklevel + 1
            )

    def warn_at(self, t: float, theta: float, end: str = "", stacklevel: int = 2) -> None:
        """Warn that a motion came near a dead centre."""
        warnings.warn(
            f"the loop of {self.S.name!r} came near a dead centre of {self.name!r} at t = {t:.6g} s, where "
            f"the coordinate is {theta:.6g}{end}; digits are lost there: {remedy_for(self.S)}",
            SingularityWarning,
            stacklevel=stacklevel,
        )

    def jump_after(self, t: float, theta: float) -> str:
        """Return the message on a run that jumped over a dead centre."""
        return (
            f"the integrator threw the loop of {self.S.name!r} over a dead centre of {self.name!r} after "
            f"t = {t:.6g} s, at {theta:.6g}: the coordinate turns back there and the loop goes on; "
            f"{remedy_for(self.S)}"
        )


class RunObservations(NamedTuple):
    """Observations of a run at its states."""

    U: Floats  # (instants, inputs)
    gearing: Floats  # (instants, loops), gearing of the model's geared loops


class Reaches:
    """Reaches of a model's loops with one freedom, for the runs of one thread."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.known: list[Reach] = []  # loops whose linkages state their ends
        self.others: list[Reach] = []
        bound, n_q = cache(lambda: model.observation.bind()), len(model.layout.q)
        for which, S in enumerate(model.geared_loops):
            if S.N != 1 or S.prescribed:
                continue
            name = S.independent[0].name
            q, v = model.embedding.q_of[name].start, n_q + model.embedding.v_of[name].start
            reach = Reach(S, q, v, which, bound)
            ends = S.linkages[0].monitor().ends if len(S.linkages) == 1 else None
            if ends is None:
                self.others.append(reach)
            else:
                self.known.append(replace(reach, lower=ends[0], upper=ends[1]))

    def near(
        self, t: Floats, Y: Floats, inputs_at: InputsAt, known: RunObservations | None = None
    ) -> list[Reach]:
        """Return the reaches with known ends, and those that a run comes near an end of.

        States Y, in rows, are finite; entries beyond the model's state are not used.
        """
        found = list(self.known)
        if self.others:
            Y = Y[:, : len(self._model.layout.y0)]
            for n, k in self._close(t, Y, inputs_at, known):
                reach = self.others[n].at(Y[k], inputs_at(float(t[k]), Y[k]).copy())
                if reach is not None:
                    found.append(reach)
        return found

    def _close(
        self, t: Floats, Y: Floats, inputs_at: InputsAt, known: RunObservations | None
    ) -> list[tuple[int, int]]:
        """Return the numbers of the others that come close to an end, with the row of the closest state."""
        which = [reach.which for reach in self.others]
        worst: dict[int, tuple[float, int]] = {}  # by the number: gearing, and the row
        if known is not None and not (known.gearing[:, which] <= CLOSE).all():
            seen = known.gearing[:, which]
            seen = np.where(np.isfinite(seen), seen, math.inf)
            rows = enumerate(seen.argmax(axis=0).tolist())
            worst = {n: (math.inf, k) for n, k in rows if seen[k, n] > CLOSE}
        probes = [
            (n, k, theta)
            for n, reach in enumerate(self.others)
            if n not in worst
            for k, theta in probes_of(reach, t, Y, known is None)
        ]
        if probes:
            at = [k for _, k, _ in probes]
            states = Y[at]
            if known is None:
                inputs = np.array([inputs_at(float(t[k]), Y[k]).copy() for k in at])
            else:
                inputs = known.U[at]
            for row, (n, _, theta) in enumerate(probes):
                states[row, self.others[n].q] = theta
            gearing = self._model.observation.at_rows(states, inputs)[2]
            for row, (n, k, _) in zip(gearing, probes, strict=True):
                there = float(row[which[n]])
                there = there if math.isfinite(there) else math.inf
                worst[n] = max(worst.get(n, (0.0, 0)), (there, k))
        return [(n, k) for n, (there, k) in sorted(worst.items()) if there > CLOSE]


def probes_of(reach: Reach, t: Floats, Y: Floats, extremes: bool) -> list[tuple[int, float]]:
    """Return rows, and values of θ there, at which a run may come close to an end of a reach.

    These are the largest and the smallest prediction θ + 2 θ̇ Δt that the run does not pass: on the way into a
    dead centre, the remaining distance is half the remaining time times the rate.  Where gearing was not
    observed, the extremes of θ are included.
    """
    theta = Y[:, reach.q]
    ends = [(k, float(theta[k])) for k in (int(theta.argmin()), int(theta.argmax()))]
    found = list(dict.fromkeys(ends)) if extremes else []
    if len(t) > 1:
        ahead = theta[:-1] + 2.0 * Y[:-1, reach.v] * np.diff(t)
        rows = int(ahead.argmin()), int(ahead.argmax())
        for k, value in dict.fromkeys((k, float(ahead[k])) for k in rows):
            if reach.S.siblings or not ends[0][1] <= value <= ends[1][1]:  # siblings move the ends
                found.append((k, value))
    return found


class Jump(NamedTuple):
    """Last instant [s] at which a run is sound, and why; no reason if it stopped at a dead centre."""

    t: float
    what: str


Soundness = Callable[[Reach, Floats, Floats], bool]
"""Check that rows of a run near an end of a reach, with their instants, are one true motion."""


def first_jump(
    near: Iterable[Reach], t: Floats, Y: Floats, is_sound: Soundness, stopped: bool = False
) -> Jump | None:
    """Return the first jump over a dead centre of some reaches; None if there is none.

    ``is_sound`` checks the motion between two instants where it is near a dead centre, or heads for one
    within a step.  Rows near a dead centre at the end of a run that was ``stopped`` need not be sound.
    """
    passages = [(*passage, reach) for reach in near for passage in reach.passages(t, Y)]
    for k, end, reach in sorted(passages, key=lambda passage: passage[:2]):
        last = end if end < len(t) else reach.instant_of_turn(t, Y, k)
        if last <= k or (stopped and end == len(t)):
            continue
        if not is_sound(reach, t[k : last + 1], Y[k : last + 1]):
            return Jump(float(t[k]), reach.jump_after(t[k], Y[k, reach.q]))
    last_ones = [k for k, end, _ in passages if end == len(t)] if stopped else []
    return Jump(float(t[min(last_ones)]), "") if last_ones else None


def judge_run(
    model: Model,
    rows: tuple[Floats, Floats],
    inputs_at: InputsAt,
    is_sound: Soundness,
    stopped: bool,
    known: RunObservations | None = None,
    stacklevel: int = 5,
) -> Jump | None:
    """Return the first jump of a finished run; warn of dead centres that were near in a run without one.

    ``rows`` are the instants [s], and the states in rows.
    """
    if not model.geared_loops:
        return None
    t, Y = rows
    if not all_finite(Y):
        finite = np.isfinite(Y).all(axis=1)
        t, Y = t[finite], Y[finite]
        known = None if known is None else RunObservations(*(part[finite] for part in known))
    near = Reaches(model).near(t, Y, inputs_at, known)
    jump = first_jump(near, t, Y, is_sound, stopped)
    for reach in near if jump is None and not stopped else ():
        reach.warn_near(t, Y, stacklevel)
    return jump


def explain_dead_centre(model: Model, t: float, y: Floats, inputs_at: InputsAt) -> str:
    """Return a clause on the loop that stands at a dead centre in a state; empty if none does."""
    rows = y[np.newaxis]
    for reach in Reaches(model).near(np.array((t,)), rows, inputs_at):
        phi, _ = reach.phase(rows)
        if 0.5 * math.pi - abs(float(phi[0])) < NEAR:
            return (
                f"; the loop of {reach.S.name!r} stands at a dead centre of {reach.name!r}, at "
                f"{y[reach.q]:.6g}: {remedy_for(reach.S)}"
            )
    return ""
