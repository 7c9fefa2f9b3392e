"""Gearboxes of SDF: two links that turn in proportion, as seen from a third.

With θ₁ the angle from the reference body to the parent about ``axis``, and θ₂ that to the child about
``axis2``, θ₂ = −ratio × θ₁.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.readers.pose import Pose
from ce_dynamics.readers.urdf.model import CouplingOf, Robot
from ce_dynamics.readers.xml_file import Element

GROUND = "ground"
PARALLEL = 1e-9
"""Sine of the angle between the axes of a gearbox and of its links' joints that counts as none."""


class TurningJoint(Protocol):
    """A joint of the tree."""

    @property
    def kind(self) -> str: ...
    @property
    def parent(self) -> str: ...
    @property
    def child(self) -> str: ...
    @property
    def at(self) -> Pose: ...
    @property
    def axis(self) -> Array: ...


def with_gearboxes(
    robot: Robot,
    gearboxes: Sequence[Element],
    tree: Sequence[TurningJoint],
    direction: Callable[[Element, str], Array],
) -> Robot:
    """The robot with couplings; ``direction`` gives an axis of a gearbox in the axes of the model.

    Raises
    ------
    DataError
        If a link does not turn on the reference body about the gearbox's axis.
    """
    couplings = dict(robot.couplings)
    for element in gearboxes:
        reference = element.find_required("gearbox_reference_body").content
        reference = GROUND if reference == "world" else reference
        ratio = float(element.find_required("gearbox_ratio").values(1)[0])
        parent, child = (element.find_required(tag).content for tag in ("parent", "child"))
        one = sense(element, parent, reference, tree, direction(element, "axis"))
        other = sense(element, child, reference, tree, direction(element, "axis2"))
        name = element.text("name")
        couplings[name] = CouplingOf(element, name, parent, child, -ratio * one * other)
    return replace(robot, couplings=couplings)


def sense(element: Element, link: str, reference: str, tree: Sequence[TurningJoint], axis: Array) -> float:
    """1 if a link's coordinate counts its turn on the reference body about an axis, −1 if the opposite."""
    for edge in tree:
        if {edge.parent, edge.child} == {link, reference} and edge.kind in ("revolute", "continuous"):
            own = edge.at.direction(edge.axis) * (1.0 if edge.child == link else -1.0)
            if float(np.linalg.norm(np.cross(own, axis))) < PARALLEL:
                return float(np.sign(own @ axis))
    raise element.error(
        f"link {checks.show(link)} does not turn on {checks.show(reference)}, its gearbox_reference_body, "
        f"about the gearbox's axis"
    )
