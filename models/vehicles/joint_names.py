"""Joints of a corner by the names that data files give them."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra import checks
from ce_dynamics.augmented.rows import JoinedPoints, joints_of
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.couplings.loop_closure import joints_in
from ce_dynamics.mechanism.elastic_joints import HINGE_OF
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.hinges.distance import Distance
from ce_dynamics.mechanism.system import System

STRUT = " strut"
"""What the name of the closure ends with that holds a strut's line."""


@dataclass(frozen=True)
class JointName:
    """Name of a joint of an axle in a data file.

    Attributes
    ----------
    words : tuple of str
        The joint by one word, or the two bodies that it joins.
    where : str
        Start of messages.
    axle, unit, mechanism : str
        Axle, its sprung body, and the steering mechanism.
    mount : bool
        True if the closures of a strut's line may be named.
    """

    words: tuple[str, ...]
    where: str
    axle: str
    unit: str
    mechanism: str
    mount: bool

    def found(self, system: System, corner: str) -> JoinedPoints:
        """The joint at a corner.

        Raises
        ------
        DataError
            If there is none, or there are several.
        """
        found = [joint for joint in joints_of(system) if self._is(system, joint, corner)]
        if len(found) > 1:  # a link by its name is what closes the loop, not the body that shows it
            found = [joint for joint in found if not joint.name.startswith(HINGE_OF)] or found
        if not found:
            raise DataError(
                f"{self.where}: no joint {checks.shown(' '.join(self.words))}; there are "
                f"{self.known(system, corner)}"
            )
        if len(found) > 1:
            raise DataError(
                f"{self.where}: {checks.shown(' '.join(self.words))} are joined by "
                f"{', '.join(joint.name for joint in found)}; name one of them by its last word"
            )
        return found[0]

    def known(self, system: System, corner: str) -> str:
        """Joints of the corner as files may name them."""
        owners = f"{corner}.", f"{self.axle}."
        found: dict[str, None] = {}
        for joint in joints_of(system):
            if not joint.name.removeprefix(HINGE_OF).startswith(owners) or joint.child.name.endswith(
                ".wheel"
            ):
                continue
            mount = self.mount and joint.name.endswith(STRUT)
            if not mount and not isinstance(closure_of(system, joint), (Hinge, Distance)):
                continue
            last = "_".join(joint.name.split()[1:])
            ends = " ".join(
                "steering" if body.name.startswith("steering.") else body.name.rpartition(".")[2]
                for body in (joint.parent, joint.child)
            )
            hinge = joint.name.startswith(HINGE_OF)
            found[joint.child.name.rpartition(".")[2] if hinge else last or ends] = None
        return ", ".join(map(repr, found)) or "none"

    def _is(self, system: System, joint: JoinedPoints, corner: str) -> bool:
        owners = f"{corner}.", f"{self.axle}."
        if len(self.words) == 2:
            one, other = (self._bodies(system, word, corner) for word in self.words)
            a, b = joint.parent.name, joint.child.name
            return (a in one and b in other) or (a in other and b in one)
        (word,) = self.words
        if joint.name.startswith(HINGE_OF):
            return joint.child.name in (f"{owner}{word}" for owner in owners)
        last = "_".join(joint.name.split()[1:])
        return joint.name in (f"{owner}{word}" for owner in owners) or (
            last in (word, f"{corner}.{word}") and joint.name.startswith(owners)
        )

    def _bodies(self, system: System, word: str, corner: str) -> set[str]:
        if word == "chassis":
            return {self.unit}
        if word == "steering":
            return {body.name for body in system.bodies if body.name.startswith(f"{self.mechanism}.")}
        return {f"{corner}.{word}", f"{self.axle}.{word}"}


def closure_of(system: System, joint: JoinedPoints) -> Closure:
    """The hinge or closure of a joint."""
    if joint.name.startswith(HINGE_OF):
        return joint.child.inboard
    return next(edge.closure for edge in joints_in(system.closures) if edge.name == joint.name)
