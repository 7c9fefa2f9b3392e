"""Adds a suspension to a system: bodies on hinges from hardpoints, and the closures of their loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.kinematics.rod import Rod
from ce_dynamics.kinematics.universal_link import UniversalLink
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.closures import Distance
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector, add_rigid_body
from ce_dynamics.models.vehicles.suspensions.points import check_apart

CHASSIS, STEERING = "chassis", "steering"
"""Names of the surroundings: what carries the suspension, and what carries the inner ends of tie rods."""

SUBSTEPS = 3
"""Steps from the design position to any other one of loops without a closed form: suspensions turn by less
than half a radian each (`System.close_loop`)."""


def free_hinges(system: System, steering: Body, chassis: Body) -> list[str]:
    """Hinges of a steering that nothing moves or closes: a column's, or that of a link which tilts.

    Loops with the steering in them, whose independent coordinates are named, name them too.
    """
    held = {name for linkage in system.linkages for name in linkage.determines} | set(system.prescribed)
    found = []
    while steering is not chassis and steering.parent is not None:
        if steering.inboard.n_v and steering.name not in held:
            found.append(steering.name)
        steering = steering.parent
    return found


class SuspensionGraph:
    """Adds the parts of one suspension to a system.

    Bodies are called by their short names, ``upright`` for ``front_left.upright``; names with a dot are taken
    as they are.  A body without parameters has no mass.

    Parameters
    ----------
    system : System
    owner : str
        Corner or axle.
    parts : mapping of str to BodyParameters
        By full name.
    chassis : Body
    steering : Body or None
        What carries the inner ends of tie rods; the chassis if None.
    independent : sequence of str or Component
        Short names of bodies whose hinges lead loops without a closed form, or components of hinges.
    """

    def __init__(
        self,
        system: System,
        owner: str,
        parts: Mapping[str, BodyParameters],
        chassis: Body,
        steering: Body | None,
        independent: Sequence[str | Component] = (),
    ) -> None:
        self.system, self.owner, self.parts = system, owner, parts
        self.chassis, self.steering = chassis, chassis if steering is None else steering
        self.independent = independent

    def name(self, short: str) -> str:
        """Full name of a body."""
        if short == CHASSIS:
            return self.chassis.name
        if short == STEERING:
            return self.steering.name
        return short if "." in short else f"{self.owner}.{short}"

    def body(self, short: str) -> Body:
        """A body that is there."""
        return self.system.find(self.name(short))

    def add(self, short: str, carrier: str, hinge: Hinge) -> Body:
        """A body on a hinge."""
        massless = BodyParameters(0.0, hinge.at, np.zeros((3, 3)))
        parameters = self.parts.get(self.name(short), massless)
        return add_rigid_body(self.system, self.name(short), parameters, self.name(carrier), hinge)

    def turning(self, short: str, carrier: str, a: Vector, b: Vector) -> Body:
        """A body that turns about the line through two points."""
        return self.add(short, carrier, Revolute((b - a).tolist(), at=(0.5 * (a + b)).tolist()))

    def close(self, one: str, other: str, closure: Closure, what: str = "") -> None:
        """Close a loop between two bodies; one that no closed form holds."""
        leads = [
            self.name(lead) if isinstance(lead, str) else Component(self.name(str(lead.body)), lead.which)
            for lead in self.independent
        ]
        if leads and STEERING in (one, other):
            leads += free_hinges(self.system, self.steering, self.chassis)
        name = f"{self.name(one)}/{self.name(other)}" + (f" {what}" if what else "")
        self.system.close_loop(
            name, self.name(one), self.name(other), closure, independent=leads, substeps=SUBSTEPS
        )

    def link(
        self, short: str, outer: str, U: Vector, inner: str, C: Vector, joint: Universal | None = None
    ) -> None:
        """A rod with ball joints at U on one body and C on another; a body on the first if it has mass.

        With a universal joint at C its body is on the second.
        """
        check_apart(self.name(short), [(f"its end on {outer}", tuple(U), f"that on {inner}", tuple(C))])
        self.close(outer, inner, Distance(U.tolist(), C.tolist()), short)
        if joint is not None:
            self.use(UniversalLink(joint, U, self.name(short), self.name(inner), self.name(outer)))
            return
        self.rod(short, outer, U, inner, C)

    def rod(
        self, short: str, carrier: str, P: Vector, anchor: str, Q: Vector, fixed_length: bool = True
    ) -> None:
        """The body of a rod, where it has mass: from P on one body it points at Q on the other."""
        if self.name(short) in self.parts:
            names = self.name(short), self.name(carrier), self.name(anchor)
            self.use(Rod(P, Q, *names, fixed_length=fixed_length))

    def use(self, linkage: ClosedForm) -> None:
        """Add the bodies of a closed form, and let it close its loops.

        Its bodies are named in full; those that are there already are left as they are.
        """
        there = {body.name for body in self.system.bodies}
        for joint in linkage.joints():
            if joint.body not in there:
                self.add(joint.body, joint.carrier, joint.hinge)
        linkage.close(self.system)
