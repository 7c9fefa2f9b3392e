"""The interval of an independent coordinate in which a linkage can be assembled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from ce_dynamics.algebra.arrays import array, zeros
from ce_dynamics.algebra.bisection import last_that_holds
from ce_dynamics.embedding.motion import SubgraphMotion, at_rest
from ce_dynamics.errors import AssemblyError
from ce_dynamics.kinematics.edges import Cut, Joint
from ce_dynamics.kinematics.hardpoints import DEAD_POINT
from ce_dynamics.mechanism.body import Body

STEPS_PER_TURN = 720


class Posable(Protocol):
    """Interface of a linkage that the search needs (`ce_dynamics.kinematics.base.ClosedForm`)."""

    determines: tuple[str, ...]

    def joints(self) -> tuple[Joint, ...]: ...
    def cuts(self) -> tuple[Cut, ...]: ...
    def margin(self, motion: SubgraphMotion) -> float: ...
    def solve(self, motion: SubgraphMotion) -> None: ...


def admissible_interval(linkage: Posable, independent: str) -> tuple[float, float]:
    """Interval of one hinge angle, around zero, in which a linkage can be assembled.

    It ends where a square root of the closed form gets a negative argument and the linkage answers NaN, or
    where that argument touches zero (a change point: two branches meet and none can be told from the other).
    Both are found on the linkage itself: a scan in half-degree steps brackets them, bisection or minimisation
    refines them.  A gap narrower than half a degree can be missed.

    Raises
    ------
    AssemblyError
        If the design pose itself cannot be assembled.
    """
    bodies = placed_bodies(linkage.joints())

    def margin(theta: float) -> float:
        with np.errstate(all="ignore"):  # dead points are what is looked for
            motion = pose(linkage, bodies, independent, theta)
            finite = all(bool(np.all(np.isfinite(motion.body(name).R))) for name in linkage.determines)
            return linkage.margin(motion) if finite else math.nan

    if math.isnan(margin(0.0)):
        raise AssemblyError(f"linkage of {independent!r} cannot be assembled in its own design pose")
    return end(margin, -1.0), end(margin, 1.0)


def end(margin: Callable[[float], float], direction: float) -> float:
    """The last angle from zero in one direction that can be assembled; infinite if a full turn can."""
    step = direction * 2.0 * math.pi / STEPS_PER_TURN
    before, here = math.inf, margin(0.0)
    for k in range(1, STEPS_PER_TURN + 1):
        after = margin(k * step)
        if math.isnan(after):
            return last_that_holds(lambda x: not math.isnan(margin(x)), (k - 1) * step, k * step)
        if here <= min(before, after):
            touching = change_point(margin, (k - 2) * step, k * step)
            if touching is not None:
                return touching
        before, here = here, after
    return direction * math.inf


def change_point(margin: Callable[[float], float], start: float, finish: float) -> float | None:
    """Return the angle [rad] between two angles at which the margin vanishes; None if there is none."""
    from scipy.optimize import minimize_scalar  # here, because most runs never ask for the reach

    found = minimize_scalar(
        lambda theta: np.nan_to_num(margin(theta), nan=0.0),
        bounds=(min(start, finish), max(start, finish)),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return float(found.x) if found.fun <= DEAD_POINT else None


def pose(linkage: Posable, bodies: Sequence[Body], independent: str, theta: float) -> SubgraphMotion:
    """A linkage at rest at one angle of its independent hinge, all outside it in the design pose."""
    inside = {body.name: body for body in bodies}
    parent = inside[independent].carrier
    ends = {name for cut in linkage.cuts() for name in (cut.body_a, cut.body_b)}
    carriers = {body.carrier.name for body in bodies}
    outside = (ends | carriers) - set(inside) - {parent.name}
    motion = SubgraphMotion(parent, bodies, zeros(1), dict.fromkeys(outside, at_rest(parent.com, 1)))
    motion.independent(independent, array((theta,)), slice(0, 1))
    linkage.solve(motion)
    return motion


def placed_bodies(joints: Sequence[Joint]) -> list[Body]:
    """Massless bodies on the given hinges, for questions of geometry; what carries them is at the origin."""
    nothing, origin = zeros(3, 3), zeros(3)
    inside: dict[str, Body] = {}
    outside: dict[str, Body] = {}
    for joint in joints:
        if joint.carrier not in inside and joint.carrier not in outside:
            outside[joint.carrier] = Body(joint.carrier, 0.0, origin, nothing, None, None)
        carrier = inside.get(joint.carrier) or outside[joint.carrier]
        inside[joint.body] = Body(joint.body, 0.0, joint.hinge.at, nothing, carrier, joint.hinge)
    return list(inside.values())
