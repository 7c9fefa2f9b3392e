"""Two bodies in a plane whose ends meet in a joint: which of the closed forms they have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.blocks import Block, chain
from ce_dynamics.embedding.closed_forms.planar_bars import PlanarBars
from ce_dynamics.embedding.closed_forms.planar_pair import End, PlanarPair
from ce_dynamics.embedding.closed_forms.planar_slides import BarOnSlide, BarWithSlide, TwoSlides
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.loop_closure import LoopClosure
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.planar import Planar
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical

PARALLEL = 1e-12
"""Sine between directions that count as parallel."""


def planar_dyad(block: Block) -> PlanarPair | None:
    """The closed form of a part of the closures that is one joint and two bodies in a plane."""
    moving = [body for body in block.dependent if body.inboard.n_v]
    if len(block.closures) != 1 or len(moving) != 2:
        return None
    (edge,) = block.closures
    if not isinstance(edge, LoopClosure) or type(edge.closure) not in (Revolute, Spherical):
        return None
    n = normal(moving, edge.closure)
    if n is None or (isinstance(edge.closure, Revolute) and not parallel(edge.closure.axis, n)):
        return None
    ends = End(edge.body_a, edge.closure.at_parent), End(edge.body_b, edge.closure.at_child)
    if not all(keeps_plane(body.inboard, n) for end in ends for body in way(end.body, block.parent)):
        return None
    welded = tuple(body for body in block.dependent if body not in moving)
    for end, other in (ends, ends[::-1]):
        for x, y in ((moving[0], moving[1]), (moving[1], moving[0])):
            serial = y in chain(end.body) and x in chain(y) and x not in chain(other.body)
            beside = x in chain(end.body) and y in chain(other.body)
            apart = not {x, y} <= {*chain(end.body)} and not {x, y} <= {*chain(other.body)}
            if not (serial or (beside and apart)):
                continue
            turns = [isinstance(body.inboard, Revolute) for body in (x, y)]
            given = x, y, edge.name, end, other, welded
            found: PlanarPair
            if not any(turns):
                found = TwoSlides(*given, n)
            elif all(turns):
                found = PlanarBars(*given)
            elif turns == [True, False] and serial:
                found = BarWithSlide(*given)
            elif turns == [True, False] or serial:
                found = BarOnSlide(*given)
            else:
                continue  # x and y change places
            return found if found.regular else None
    return None


def normal(moving: Sequence[Body], joint: Closure) -> Array | None:
    """The direction of the axes of revolute hinges, or across slides; None where others are among them."""
    hinges = [body.inboard for body in moving]
    if not all(isinstance(hinge, Revolute | Prismatic) for hinge in hinges):
        return None
    turning = [hinge.axis for hinge in (*hinges, joint) if isinstance(hinge, Revolute)]
    if turning:
        return turning[0]
    one, other = (hinge.axis for hinge in hinges if isinstance(hinge, Prismatic))
    across: Array = np.cross(one, other)
    length = float(np.linalg.norm(across))
    return across / length if length > PARALLEL else None


def way(body: Body, root: Body) -> list[Body]:
    """Bodies from one to what carries it, which is left out."""
    bodies = chain(body)
    return bodies[: bodies.index(root)] if root in bodies else bodies[:-1]


def keeps_plane(hinge: Hinge, n: Array) -> bool:
    """Return True if a hinge keeps the direction n, and all that moves perpendicular to it."""
    if isinstance(hinge, Fixed):
        return True
    if isinstance(hinge, Revolute):
        return parallel(hinge.axis, n)
    if isinstance(hinge, Planar):
        return parallel(hinge.normal, n)
    return isinstance(hinge, Prismatic) and abs(float(hinge.axis @ n)) < PARALLEL


def parallel(a: Array, b: Array) -> bool:
    """Return True if two unit vectors are along one line."""
    return float(np.linalg.norm(np.cross(a, b))) < PARALLEL
