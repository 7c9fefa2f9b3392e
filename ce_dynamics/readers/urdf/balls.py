"""Ball and cardan joints in loops, written as hinges one behind the other.

Loops are recognised, led and put together by hinges of one coordinate each: a rod between two balls, which
turns about itself as nobody asks, is led by the hinge along it and solved by formulas.  The three hinges of a
ball are perpendicular to each other in the zero pose and the outer one lies along the rod, so that they are
dependent only where the rod stands square to where it stood; those of a cardan joint are its own axes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.readers.pose import WORLD, Pose
from ce_dynamics.readers.urdf.model import Robot, UrdfJoint, UrdfLink, UrdfLoop

SHORT = 1e-9
"""Distance of two points that counts as none [m]."""


def with_single_hinges(robot: Robot, whole: Collection[str] = ()) -> Robot:
    """The robot with balls and cardan joints in its loops as hinges of one coordinate each, but for some.

    All but the last stand before links without mass, named after the joint's link: ``link/1``, ``link/2``.
    """
    inside = looped(robot) - set(whole)
    joints: dict[str, UrdfJoint] = {}
    links = dict(robot.links)
    for name, joint in robot.joints.items():
        if name not in inside or joint.kind not in ("spherical", "cardan") or joint.loads:
            joints[name] = joint
            continue
        axes = joint.axes if joint.kind == "cardan" else across(direction_of(robot, joint))
        parent, frame = joint.parent, joint.frame
        for k, axis in enumerate(axes[:-1], start=1):
            link, hinge = (
                unused(f"{each}/{k}", (*links, *joints, *robot.joints)) for each in (joint.child, name)
            )
            links[link] = UrdfLink(robot.links[joint.child].element, link, None)
            joints[hinge] = replace(
                joint, name=hinge, kind="continuous", parent=parent, child=link, frame=frame, axis=axis
            )
            parent, frame = link, WORLD
        joints[name] = replace(joint, kind="continuous", parent=parent, frame=frame, axis=axes[-1])
    return replace(robot, joints=joints, links=links)


def looped(robot: Robot) -> set[str]:
    """Joints between the ends of loops."""
    carrier = {joint.child: joint for joint in robot.joints.values()}

    def way(link: str) -> set[str]:
        found = set[str]()
        while link in carrier and carrier[link].name not in found:
            found.add(carrier[link].name)
            link = carrier[link].parent
        return found

    return {name for loop in robot.loops.values() for name in way(loop.predecessor) ^ way(loop.successor)}


def unused(name: str, taken: tuple[str, ...]) -> str:
    """A name that nothing has yet."""
    while name in taken:
        name += "'"
    return name


def across(direction: Array) -> tuple[Array, Array, Array]:
    """Three perpendicular axes, the last along a direction."""
    first = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    first = first / np.linalg.norm(first)
    return first, np.cross(direction, first), direction


def direction_of(robot: Robot, joint: UrdfJoint) -> Array:
    """Along the rod behind or before a ball, in the frame of what the ball carries; z if it is no rod's."""
    along = rod_from(robot, joint.child)
    if along is None:
        for loop in robot.loops.values():
            for end, at, other, at_other in ends_of(loop):
                if end == joint.child and np.linalg.norm(at.r) <= SHORT and loop.kind == "fixed":
                    reached = rod_through(robot, other, at_other)
                    along = None if reached is None else at.R @ at_other.R.T @ reached
    return np.array((0.0, 0.0, 1.0)) if along is None else along


def rod_from(robot: Robot, link: str) -> Array | None:
    """From a link's origin to the one other point that anything holds; along a slide that it carries."""
    points: list[Array] = []
    for name, at in rigid(robot, link):
        points += [
            (at @ own).r for loop in robot.loops.values() for end, own, _, _ in ends_of(loop) if end == name
        ]
        for joint in robot.joints.values():
            if joint.parent == name and joint.kind == "prismatic":
                return (at @ joint.frame).direction(joint.axis)
            if joint.parent == name and joint.kind != "fixed":
                points.append((at @ joint.frame).r)
    far = [point for point in points if np.linalg.norm(point) > SHORT]
    if not far or any(np.linalg.norm(point - far[0]) > SHORT for point in far):
        return None
    return np.asarray(far[0] / np.linalg.norm(far[0]))


def rod_through(robot: Robot, link: str, at: Pose) -> Array | None:
    """Along the rod that a frame of a link ends, in the link's axes."""
    for joint in robot.joints.values():
        for name, where in rigid(robot, joint.child):
            if name == link and joint.kind in ("spherical", "cardan"):
                apart = where.r + where.R @ at.r
                if np.linalg.norm(apart) > SHORT:
                    return np.asarray(where.R.T @ apart / np.linalg.norm(apart))
    return None


def rigid(robot: Robot, link: str) -> Iterator[tuple[str, Pose]]:
    """A link and all that is fixed to it outward, with their frames in its own."""
    waiting = [(link, WORLD)]
    while waiting:
        name, at = waiting.pop()
        yield name, at
        waiting += [
            (joint.child, at @ joint.frame)
            for joint in robot.joints.values()
            if joint.parent == name and joint.kind == "fixed"
        ]


def ends_of(loop: UrdfLoop) -> tuple[tuple[str, Pose, str, Pose], ...]:
    """Both ends of a loop, each with the other."""
    a, b = (loop.predecessor, loop.at_predecessor), (loop.successor, loop.at_successor)
    return (*a, *b), (*b, *a)
