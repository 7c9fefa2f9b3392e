"""The interval of an independent coordinate in which a linkage can be assembled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.arrays import array, zeros
from ce_dynamics.body import Body
from ce_dynamics.errors import AssemblyError
from ce_dynamics.motion import SubgraphMotion, at_rest

if TYPE_CHECKING:
    from ce_dynamics.kinematics.base import ClosedForm, Joint

STEPS_PER_TURN = 720


def admissible_interval(linkage: ClosedForm, independent: str) -> tuple[float, float]:
    """Interval of one hinge angle, around zero, in which a linkage can be assembled.

    Where a square root of the closed form gets a negative argument the linkage answers NaN, so the ends
    are found on the linkage itself: a scan in half-degree steps brackets each, bisection finds its last bit.
    A gap narrower than half a degree can be missed.

    Raises
    ------
    AssemblyError
        If the design pose itself cannot be assembled.
    """
    bodies = placed_bodies(linkage.joints())

    def assembles(theta: float) -> bool:
        motion = pose(linkage, bodies, independent, theta)
        return all(bool(np.all(np.isfinite(motion.body(name).R))) for name in linkage.determines)

    if not assembles(0.0):
        raise AssemblyError(f"linkage of {independent!r} cannot be assembled in its own design pose")
    return end(assembles, -1.0), end(assembles, 1.0)


def end(assembles: Callable[[float], bool], direction: float) -> float:
    """The last angle from zero in one direction that can be assembled; infinite if a full turn can."""
    step = direction * 2.0 * math.pi / STEPS_PER_TURN
    for k in range(1, STEPS_PER_TURN + 1):
        if not assembles(k * step):
            return bisected(assembles, (k - 1) * step, k * step)
    return direction * math.inf


def bisected(assembles: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last number that assembles between one that does and one that does not."""
    while True:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            return inside
        inside, outside = (middle, outside) if assembles(middle) else (inside, middle)


def pose(linkage: ClosedForm, bodies: Sequence[Body], independent: str, theta: float) -> SubgraphMotion:
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
