"""Coordinates of loops that are none of their hinges: their virtual bodies, and their conditions (T34)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, cos, sin, zeros
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import (
    ConstraintView,
    DesignView,
    FunctionCoordinate,
    HingeComponent,
    Lead,
    residuals,
)
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Condition


class LoopCoordinate(Hinge):
    """Coordinates that move nothing by themselves: linkages read them."""

    def __init__(self, at: Array) -> None:
        self.at = at

    def configuration(self, q: Array) -> Array:
        """Return c = q."""
        return array(q)

    def coordinates(self, c: Array) -> Array:
        return c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return IDENTITY, zeros(3)

    def H(self, c: Array) -> Array:
        return zeros(self.n_v, 6)

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return ()


class LoopNumber(LoopCoordinate):
    """A single coordinate without unit."""

    n_q = 1
    n_v = 1
    coordinate_names = ("",)
    velocity_names = ("",)
    coordinate_units = ("1",)
    velocity_units = ("1/s",)


class LeadingLength(LoopNumber):
    """A length."""

    coordinate_units = ("m",)
    velocity_units = ("m/s",)


class LeadingAngle(LoopNumber):
    """An angle, which comes round."""

    coordinate_units = ("rad",)
    velocity_units = ("rad/s",)

    def configuration(self, q: Array) -> Array:
        """Return c = (cos q, sin q)."""
        return array((cos(q[0]), sin(q[0])))

    def coordinates(self, c: Array) -> Array:
        return array((arctan2(c[1], c[0]),))


KINDS: dict[str, type[LoopNumber]] = {"m": LeadingLength, "rad": LeadingAngle, "1": LoopNumber}


@dataclass(frozen=True)
class LeadCondition:
    """f(positions) − f(design pose) − θ = 0; for angles its sine, as positions leave turns open."""

    function: Callable[[Any], Any]
    start: Scalar
    coordinate: str
    turns: bool
    reads_angles: bool

    def __call__(self, see: ConstraintView) -> Scalar:
        off = residuals(self.function(see))[0] - self.start - see.coordinate(self.coordinate)
        return sin(off) if self.turns else off


def leading_condition(parent: Body, lead: FunctionCoordinate) -> Written:
    """Return the condition of a coordinate of the loop on p; the last body represents the coordinate."""
    first = next((body for body in lead.seen if body is not parent and not body.is_ground), parent)
    at = first.com if first is parent else first.inboard.at
    stands = virtual_body(lead.name, parent, first, KINDS[lead.unit](at))
    view = DesignView(lead.name, lead.seen)
    lead.function(view)
    angles = any("rad" in body.inboard.coordinate_units for body in view.hinged.values())
    own = isinstance(lead, HingeComponent)  # of a hinge whose displacement follows from its angle
    led = LeadCondition(lead.function, lead.start, lead.name, lead.unit == "rad", angles and not own)
    return Written(lead.name, (*lead.seen, stands), (stands,), led, 1, ())


def group_leads(leads: Iterable[Lead]) -> tuple[list[Body], list[FunctionCoordinate]]:
    """Return whole hinges, and coordinates of the loop; all components of a hinge are the whole hinge."""
    leads = list(leads)
    whole = [lead for lead in leads if isinstance(lead, Body)]
    others = {lead.name: lead for lead in leads if not isinstance(lead, Body)}
    own = [lead for lead in others.values() if isinstance(lead, HingeComponent)]
    for body in dict.fromkeys(lead.owner for lead in own):
        mine = [lead for lead in own if lead.owner is body]
        if body.inboard.n_q == body.inboard.n_v == len(mine):
            whole.append(body)
            for lead in mine:
                del others[lead.name]
    return list(dict.fromkeys(whole)), list(others.values())


def counts_turns(edge: CutEdge) -> bool:
    """Return True if a closure counts the turns of hinges, as couplings do and positions do not."""
    led = getattr(edge, "function", None)
    if isinstance(led, LeadCondition):
        return led.reads_angles and not led.turns
    return edge.counts_turns


def virtual_body(name: str, parent: Body, first: Body, hinge: Hinge) -> Body:
    """Return a massless body for coordinates of the aggregated body that begins with ``first``."""
    nothing = np.zeros((3, 3))
    return Body(name, 0.0, parent.com, nothing, parent, hinge, index=first.index, depth=parent.depth + 1)


def coordinate_body(name: str, parent: Body, first: Body, kind: type[LoopCoordinate]) -> Body:
    """Return the virtual body of coordinates of a whole loop."""
    return virtual_body(f"{first.name}.{name}", parent, first, kind(parent.com))
