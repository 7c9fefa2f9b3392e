"""Coordinates that lead a loop without being one of its hinges, and what ties them to it (T34)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, cos, sin
from ce_dynamics.embedding.loop_coordinate import LoopNumber
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


class LeadingLength(LoopNumber):
    """A length."""

    coordinate_units = ("m",)
    velocity_units = ("m/s",)


class LeadingAngle(LoopNumber):
    """An angle, which comes round."""

    coordinate_units = ("rad",)
    velocity_units = ("rad/s",)

    def configuration(self, q: Array) -> Array:
        """c = (cos q, sin q)."""
        return array((cos(q[0]), sin(q[0])))

    def coordinates(self, c: Array) -> Array:
        return array((arctan2(c[1], c[0]),))


KINDS: dict[str, type[LoopNumber]] = {"m": LeadingLength, "rad": LeadingAngle, "1": LoopNumber}


@dataclass(frozen=True)
class LeadCondition:
    """f(positions) − f(design pose) − θ = 0; of angles, whose whole turns positions do not tell, the sine."""

    function: Callable[[Any], Any]
    start: Scalar
    coordinate: str
    turns: bool
    reads_angles: bool

    def __call__(self, see: ConstraintView) -> Scalar:
        off = residuals(self.function(see))[0] - self.start - see.coordinate(self.coordinate)
        return sin(off) if self.turns else off


def leading_condition(parent: Body, lead: FunctionCoordinate) -> Written:
    """The condition of a coordinate of the loop on p; the last of its bodies stands for the coordinate."""
    first = next((body for body in lead.seen if body is not parent and not body.is_ground), parent)
    stands = Body(
        name=lead.name,
        mass=0.0,
        com=parent.com,
        inertia=0.0 * first.inertia,
        parent=parent,
        hinge=KINDS[lead.unit](first.com if first is parent else first.inboard.at),
        index=first.index,
        depth=parent.depth + 1,
    )
    view = DesignView(lead.name, lead.seen)
    lead.function(view)
    angles = any("rad" in body.inboard.coordinate_units for body in view.hinged.values())
    own = isinstance(lead, HingeComponent)  # of a hinge that knows its displacement from its angle
    led = LeadCondition(lead.function, lead.start, lead.name, lead.unit == "rad", angles and not own)
    return Written(lead.name, (*lead.seen, stands), (stands,), led, 1, ())


def group_leads(leads: Iterable[Lead]) -> tuple[list[Body], list[FunctionCoordinate]]:
    """Whole hinges, and coordinates of the loop; all components of a hinge are the whole hinge."""
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
    """Return True if a closure tells how often hinges have turned, as couplings do and positions do not."""
    led = getattr(edge, "function", None)
    if isinstance(led, LeadCondition):
        return led.reads_angles and not led.turns
    return edge.counts_turns
