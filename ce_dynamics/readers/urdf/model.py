"""A URDF+ file as plain data: links, joints, loops and couplings.

The elements are those of URDF with the extensions of URDF+ (Chignoli, Slotine, Wensing and Kim: URDF+: An
Enhanced URDF for Robots with Kinematic Loops, 2024): `<loop>` joins a predecessor and a successor link by a
further joint, `<coupling>` ties the motion of one joint to that of another, and ``independent`` says which
joints' coordinates are to describe a loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError
from ce_dynamics.readers.pose import Pose
from ce_dynamics.readers.xml_file import Element

WITH_COORDINATE = ("revolute", "continuous", "prismatic")
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass [kg], and the inertia [kg m²] about the origin and in the axes of a frame of the link."""

    frame: Pose
    mass: float
    inertia: Array


@dataclass(frozen=True, eq=False)
class UrdfLink:
    """A rigid body; ``inertial`` is None where the file gives it no mass."""

    element: Element
    name: str
    inertial: Inertial | None


@dataclass(frozen=True, eq=False)
class Mimic:
    """q = multiplier × (coordinate of ``joint``) + offset."""

    element: Element
    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class AxisLoad:
    """Damper, dry friction and spring of one coordinate of a joint."""

    component: int = 0
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint of the tree.

    Attributes
    ----------
    independent : bool or None
        What the file says of the joint's coordinate; None if it says nothing.
    limit : Range or None
    second_axis : (3,) array, optional
        Of a cardan joint.
    pitch : float
        Of a screw joint [m/rad].
    loads : tuple of AxisLoad
        What else acts on its coordinates.
    """

    element: Element
    name: str
    kind: str
    parent: str
    child: str
    frame: Pose
    axis: Array
    damping: float
    friction: float
    armature: float
    mimic: Mimic | None
    independent: bool | None
    limit: JointRange | None
    second_axis: Array | None = None
    pitch: float = 0.0
    loads: tuple[AxisLoad, ...] = ()

    @property
    def axes(self) -> tuple[Array, Array]:
        """Both axes of a cardan joint, x and y of its frame if nothing else is said."""
        x, y, _ = np.eye(3)
        return (x, y) if self.second_axis is None else (self.axis, self.second_axis)


@dataclass(frozen=True, eq=False)
class JointRange:
    """Limits of a joint: of its coordinate, which may be infinite, of its load, and of its rate."""

    element: Element
    lower: float
    upper: float
    effort: float
    velocity: float

    @property
    def is_bounded(self) -> bool:
        """True if the coordinate has a range."""
        return math.isfinite(self.lower) or math.isfinite(self.upper)

    @property
    def drives(self) -> bool:
        """True if the load has a limit; many files print zero where they know none."""
        return 0.0 < self.effort < math.inf

    def stoppable(self, kind: str) -> bool:
        """Return True if a stop can keep a joint in it: turns are not counted."""
        return self.is_bounded and (kind == "prismatic" or self.upper - self.lower < 2.0 * math.pi)


@dataclass(frozen=True)
class Beside:
    """A place beside the file, which can be blamed as an element is."""

    place: str

    def error(self, problem: str) -> DataError:
        """An error about what stands there."""
        return DataError(f"{self.place}: {problem}")


@dataclass(frozen=True, eq=False)
class UrdfLoop:
    """A joint that closes a loop, between a frame on the predecessor and one on the successor."""

    element: Element | Beside
    name: str
    kind: str
    predecessor: str
    at_predecessor: Pose
    successor: str
    at_successor: Pose
    axis: Array


@dataclass(frozen=True, eq=False)
class CouplingOf:
    """Turn of the successor = ratio × turn of the predecessor, both counted from what carries both."""

    element: Element
    name: str
    predecessor: str
    successor: str
    ratio: float


@dataclass(frozen=True, eq=False)
class Robot:
    """Everything of a file that moves something."""

    element: Element
    name: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    loops: dict[str, UrdfLoop]
    couplings: dict[str, CouplingOf]
