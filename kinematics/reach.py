"""The interval of an independent coordinate in which a linkage can be assembled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.arrays import array, zeros
from ce_dynamics.body import Body
from ce_dynamics.errors import AssemblyError
from ce_dynamics.hinges.base import Hinge
from ce_dynamics.linkage import Linkage
from ce_dynamics.motion import BodyMotion, SubgraphMotion, at_rest

if TYPE_CHECKING:
    from ce_dynamics.kinematics.base import Joint

STEPS_PER_TURN = 720


def admissible_interval(linkage: Linkage, joints: Sequence[Joint], independent: str) -> tuple[float, float]:
    """Interval of one hinge angle, around zero, in which a linkage can be assembled.

    Where a square root of the closed form gets a negative argument the linkage answers NaN, so the ends are
    found on the linkage itself: a scan in half-degree steps brackets each, bisection finds it to the last bit.
    A gap narrower than half a degree can be missed.

    Raises
    ------
    AssemblyError
        If the design pose itself cannot be assembled.
    """

    def assembles(theta: float) -> bool:
        return can_assemble(linkage, joints, independent, theta)

    if not assembles(0.0):
        raise AssemblyError(f"linkage of {independent!r} cannot be assembled in its own design pose")
    upper = end(assembles, 1.0)
    lower = end(assembles, -1.0)
    return lower, upper


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


def can_assemble(linkage: Linkage, joints: Sequence[Joint], independent: str, theta: float) -> bool:
    """Whether a linkage is finite at one angle of its independent hinge, everything outside it at rest."""
    bodies = placed_bodies(joints)
    inside = {body.name for body in bodies}
    outside = {body.carrier.name: body.carrier for body in bodies if body.carrier.name not in inside}
    parent, *others = outside.values()
    motion = SubgraphMotion(parent, bodies, zeros(1), Everywhere(parent, others, linkage))
    motion.independent(independent, array((theta,)), slice(0, 1))
    linkage.solve(motion)
    return all(np.all(np.isfinite(motion.body(name).R)) for name in linkage.determines)


def placed_bodies(joints: Sequence[Joint]) -> list[Body]:
    """Massless bodies on the given hinges, for questions of geometry."""
    bodies: dict[str, Body] = {}
    for joint in joints:
        carrier = bodies.get(joint.carrier) or fixed_body(joint.carrier)
        bodies[joint.body] = massless(joint.body, carrier, joint.hinge)
    return list(bodies.values())
