"""Runs that come near a dead centre of a loop's own coordinate, or are thrown over it.

Over a reach between two dead centres the motion is regular in φ = asin((θ − centre)/half width) while θ̇
vanishes and θ̈ grows without bound at its ends.  The true motion goes on there, to configurations that the
coordinate cannot tell from those it came from; an explicit step may land on this side of the end instead, and
everything after it is wrong.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.errors import SingularityWarning

NEAR = 0.03
"""Distance of φ from its ends, below which the dependent hinges move more than 30 times as fast as θ."""


class Watched(NamedTuple):
    """An independent coordinate that dead centres end.

    Attributes
    ----------
    S : Aggregate
    q, v : int
        Its places in the state.
    lower, upper : float
        Its reach.
    blur : float
        By how much the ends may move with what the loop attaches to, as part of half the reach.
    """

    S: Aggregate
    q: int
    v: int
    lower: float
    upper: float
    blur: float = 0.0

    @property
    def near(self) -> float:
        """Distance of φ from its ends that counts as near: sin φ is 1 − φ²/2 there."""
        return math.sqrt(NEAR**2 + 2.0 * self.blur)

    @property
    def name(self) -> str:
        """Owner of the hinge."""
        return self.S.independent[0].name

    def phase(self, Y: Floats) -> tuple[Floats, Floats]:
        """φ and its rate for states in rows; infinite rates at the ends."""
        half = 0.5 * (self.upper - self.lower)
        theta = Y[:, self.q]
        if self.S.independent[0].inboard.coordinate_units[0] == "rad":
            middle = 0.5 * (self.lower + self.upper)
            theta = middle + np.remainder(theta - middle + math.pi, 2.0 * math.pi) - math.pi
        x = np.clip((theta - 0.5 * (self.lower + self.upper)) / half, -1.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.arcsin(x), np.nan_to_num(Y[:, self.v] / (half * np.sqrt(1.0 - x * x)), nan=0.0)


def remedy_for(S: Aggregate) -> str:
    """Return the remedy for a loop at a configuration that ends its independent coordinates."""
    remedies = [linkage.monitor().remedy for linkage in S.linkages]
    if all(remedies):
        return remedies[0]
    if S.prescribed or S.siblings:
        return "choose another independent coordinate, or keep it from there with a stop or a spring"
    return (
        "keep it from there with a stop or a spring (a suspension with bump and droop stops), a lower speed "
        "or smaller forces; if it is to go on through, leave its closed form out and give its closure "
        "through_dead_centres=True, or choose another independent coordinate"
    )


def watched(model: Model) -> list[Watched]:
    """Coordinates of loops whose linkages know by which dead centres they end."""
    found = []
    n_q = len(model.layout.q)
    for S in model.embedding.aggregates:
        if S.N != 1 or S.prescribed or len(S.linkages) != 1:
            continue
        ends = S.linkages[0].monitor().ends
        if ends is not None:
            name = S.independent[0].name
            q, v = model.embedding.q_of[name].start, n_q + model.embedding.v_of[name].start
            found.append(Watched(S, q, v, *ends))
    return found


def first_jump(
    coordinates: Sequence[Watched],
    t: Floats,
    Y: Floats,
    reproduced: Callable[[int, int, Watched], bool],
    stopped: bool = False,
) -> tuple[int, Watched] | None:
    """The first step after which a run was thrown over a dead centre, and whose.

    Parameters
    ----------
    coordinates : sequence of Watched
    t, Y : arrays
        Times of steps and states in rows.
    reproduced : callable
        Whether what lies between two instants comes out the same with much smaller steps; asked only where
        the motion is near a dead centre or heads for one within a step.
    stopped : bool
        Whether the run failed, so that what lies near a dead centre at its end need not be sound.
    """
    passages = [(*passage, watch) for watch in coordinates for passage in near_passages(watch, t, Y)]
    for k, end, watch in sorted(passages, key=lambda passage: passage[:2]):
        last = end if end < len(t) else turned_by(watch, t, Y, k)
        if last > k and not (stopped and end == len(t)) and not reproduced(k, last, watch):
            return k, watch
    return None


def turned_by(watch: Watched, t: Floats, Y: Floats, k: int) -> int:
    """The instant by which a motion that goes through the dead centre ahead of instant k is away from it."""
    phi, rate = watch.phase(Y[k : k + 1])
    with np.errstate(divide="ignore"):
        time = 3.0 * float((0.5 * math.pi - np.abs(phi[0])) / np.abs(rate[0]))
    last = int(np.searchsorted(t, t[k] + time)) if math.isfinite(time) else len(t)
    return min(max(last, k + 1), len(t) - 1)


def near_passages(watch: Watched, t: Floats, Y: Floats) -> list[tuple[int, int]]:
    """First and last instants of what leads up to a dead centre and away from it.

    Those are single steps that would go beyond it at the rate they begin with, and whatever lies near it;
    where the run ends there, the last one is that after its end.
    """
    phi, rate = watch.phase(Y)
    ahead = phi[:-1] + rate[:-1] * np.diff(t)
    beyond = np.abs(ahead) > 0.5 * math.pi - watch.near + NEAR
    steps = [(int(k), int(k) + 1) for k in np.flatnonzero(beyond)]
    near = 0.5 * math.pi - np.abs(phi) < watch.near
    edges = np.flatnonzero(np.diff(np.concatenate(((False,), near, (False,)))))
    pairs = zip(edges[::2], edges[1::2], strict=True)
    passages = [(max(int(first) - 1, 0), int(end)) for first, end in pairs]
    alone = [step for step in steps if not any(k <= step[0] and step[1] <= end for k, end in passages)]
    return alone + passages


def bounces(watch: Watched, Y: Floats) -> bool:
    """Return True if φ turns back from one step to the next near its end, without having slowed down."""
    phi, rate = watch.phase(Y)
    near = 0.5 * math.pi - np.abs(phi) < 10.0 * NEAR
    fast = np.abs(rate) > 0.3 * np.max(np.abs(rate))
    turned = (np.sign(rate[:-1]) != np.sign(rate[1:])) & fast[:-1] & fast[1:]
    return bool(np.any(turned & (near[:-1] | near[1:])))


def where_it_stands(coordinates: Sequence[Watched], y: Floats) -> str:
    """Return a clause on the loop that stands at a dead centre in a state; empty if none does."""
    for watch in coordinates:
        phi, _ = watch.phase(y[np.newaxis])
        if 0.5 * math.pi - abs(float(phi[0])) < NEAR:
            return (
                f"; the loop of {watch.S.name!r} stands at a dead centre of {watch.name!r}, at "
                f"{y[watch.q]:.6g}: {remedy_for(watch.S)}"
            )
    return ""


def straight_path_text(S: Aggregate) -> str:
    """Why hinges may cease to lead a loop along a straight path, as a clause for messages."""
    limits = next((known for known in (link.monitor() for link in S.linkages) if known.led_by), None)
    if limits is None:
        return ""
    remedy = limits.remedy
    if any(not link.monitor().remedy for link in S.linkages):
        remedy = "leave its closed form out, so that all of it is followed at once"
    elif S.prescribed or S.siblings:
        remedy = "design the loop in a pose nearer to that"
    return (
        f"; it is led by {list(limits.led_by)} along a straight path from the design pose, which comes to or "
        f"too near a configuration that these do not lead: {remedy}"
    )


def warn_near(coordinates: Sequence[Watched], t: Floats, Y: Floats, stacklevel: int = 5) -> None:
    """Warn of the nearest approach to a dead centre of every coordinate, if that was near."""
    for watch in coordinates:
        phi, _ = watch.phase(Y)
        k = int(np.argmax(np.abs(phi)))
        gap = 0.5 * math.pi - abs(float(phi[k]))
        if gap < NEAR:
            warnings.warn(
                f"the loop of {watch.S.name!r} came near a dead centre of {watch.name!r} at "
                f"t = {t[k]:.4g} s, where the coordinate is {Y[k, watch.q]:.6g} and its reach ends at "
                f"{watch.upper if phi[k] > 0 else watch.lower:.6g}; digits are lost there: "
                f"{remedy_for(watch.S)}",
                SingularityWarning,
                stacklevel=stacklevel,
            )
