"""The elements of a URDF+ file, read and checked one by one."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError
from ce_dynamics.readers.frames import KINDS, Pose, from_rpy
from ce_dynamics.readers.robot import (
    INERTIA,
    WITH_COORDINATE,
    CouplingOf,
    Inertial,
    JointRange,
    Mimic,
    Robot,
    RobotJoint,
    RobotLink,
    RobotLoop,
)
from ce_dynamics.readers.xml_file import Element

BALL = "drake:ball_constraint"
JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
POSITION, ROLLING = "position", "rolling"
WITH_AXIS = (*WITH_COORDINATE, "planar")


def read_robot(root: Element, right_angles: float) -> Robot:
    """Return all elements, each checked by itself, with names used once."""

    def reading(tag: str) -> dict[str, Element]:
        return unique(root.children(tag))

    closing, coupling = find_older_elements(root)
    links = {name: RobotLink(e, name, inertial(e, right_angles)) for name, e in reading("link").items()}
    robot = Robot(
        root,
        root.text("name"),
        links,
        {name: joint(e, name, right_angles) for name, e in reading("joint").items()},
        {name: loop(e, name, right_angles) for name, e in unique([*root.children("loop"), *closing]).items()},
        {name: coupling_of(e, name) for name, e in unique([*root.children("coupling"), *coupling]).items()},
    )
    balls = {name: ball(e, name) for name, e in number_elements(root.children(BALL), robot.loops).items()}
    return replace(robot, loops=robot.loops | balls)


def number_elements(elements: list[Element], taken: Collection[str]) -> dict[str, Element]:
    """Return elements, which need no name, by one: their own, or their tag with their number."""
    found: dict[str, Element] = {}
    for number, element in enumerate(elements, start=1):
        name = element.attributes.get("name", f"{element.tag.rpartition(':')[2]} {number}")
        if name in taken or name in found:
            raise element.error(f"the name {checks.show(name)} is taken; give every loop its own")
        found[name] = element
    return found


def ball(element: Element, name: str) -> RobotLoop:
    """Return a point that two links share, as Drake writes it."""
    ends = [element.find_required(f"{BALL}_body_{end}").text("name") for end in "AB"]
    zero = (0.0, 0.0, 0.0)
    points = [element.child(f"{BALL}_p_{point}") for point in ("AP", "BQ")]
    at = [Pose(np.eye(3), np.array(zero) if p is None else p.numbers("value", 3)) for p in points]
    return RobotLoop(element, name, "spherical", ends[0], at[0], ends[1], at[1], np.array((0.0, 0.0, 1.0)))


def unique(elements: list[Element]) -> dict[str, Element]:
    """Return elements by their names."""
    found: dict[str, Element] = {}
    for element in elements:
        name = checks.name_of(f"{element.place}: name", element.text("name"), DataError)
        if name in found:
            raise element.error(
                f"the name is taken by line {found[name].line}; give every <{element.tag}> its own"
            )
        found[name] = element
    return found


def origin(element: Element | None, right_angles: float, tag: str = "origin") -> Pose:
    """Return the frame that an element places by ``xyz`` and ``rpy``; without them that of the link."""
    given = None if element is None else element.child(tag)
    if given is None:
        return Pose(np.eye(3), np.zeros(3))
    zero = (0.0, 0.0, 0.0)
    return Pose(from_rpy(given.numbers("rpy", 3, zero), right_angles), given.numbers("xyz", 3, zero))


def unit(element: Element) -> Array:
    """Return the unit vector along the ``<axis>`` of an element; x if there is none."""
    given = element.child("axis")
    if given is None:
        return np.array((1.0, 0.0, 0.0))
    axis = given.numbers("xyz", 3)
    largest = float(np.max(np.abs(axis)))
    if largest == 0.0:
        raise given.error(
            f"xyz={checks.show(given.text('xyz'))} of {element.tag} {element.text('name')!r} is no direction"
        )
    scaled = axis / largest  # squares of very long or short ones would overflow or vanish
    return np.asarray(scaled / np.linalg.norm(scaled))


def inertial(link: Element, right_angles: float) -> Inertial | None:
    """Return mass and inertia of a link, both of which must be given if one is."""
    given = link.child("inertial")
    if given is None:
        return None
    mass = given.find_required("mass").number("value")
    if mass < 0.0:
        raise given.find_required("mass").error(
            f"value={mass!r} of link {link.text('name')!r} must be >= 0 kg"
        )
    element = given.find_required("inertia")
    xx, xy, xz, yy, yz, zz = (element.number(name) for name in INERTIA)
    return Inertial(origin(given, right_angles), mass, np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


def joint(element: Element, name: str, right_angles: float) -> RobotJoint:
    """Return a joint."""
    kind = read_choice(element, "type", JOINT_TYPES)
    damping, friction, armature = (
        dynamics(element, name, what) for what in ("damping", "friction", "armature")
    )
    return RobotJoint(
        element,
        name,
        kind,
        element.find_required("parent").text("link"),
        element.find_required("child").text("link"),
        origin(element, right_angles),
        unit(element) if kind in WITH_AXIS else np.array((1.0, 0.0, 0.0)),
        damping,
        friction,
        armature,
        mimic(element.child("mimic")),
        flag(element, "independent"),
        None if kind == "continuous" else limit(element.child("limit")),
    )


def dynamics(element: Element, name: str, what: str) -> float:
    """Return damping, dry friction or armature of a joint; onshape-to-robot writes `<joint_properties>`."""
    total = 0.0
    for tag in ("dynamics", "joint_properties"):
        given = element.child(tag)
        if given is not None:
            value = given.number(what, 0.0)
            if value < 0.0:
                raise given.error(f"{what}={value!r} of joint {name!r} must be >= 0")
            total += value
    return total


def limit(element: Element | None) -> JointRange | None:
    """Return limits of a joint; without ``lower`` and ``upper`` its coordinate has none.

    Zero for both, the default of the format, would hold the joint: many files mean by it that there is none.
    """
    if element is None:
        return None
    lower, upper = (read_bound(element, name, 0.0) for name in ("lower", "upper"))
    if lower > upper:
        raise element.error(f"lower={lower!r} is above upper={upper!r}")
    if lower == upper:
        lower, upper = -math.inf, math.inf
    effort, velocity = (read_bound(element, name, math.inf) for name in ("effort", "velocity"))
    return JointRange(element, lower, upper, effort, velocity)


def read_bound(element: Element, attribute: str, default: float) -> float:
    """Return a limit, which many files give as infinite."""
    word = element.text(attribute, "").strip().lower()
    if word.lstrip("+-") in ("inf", "infinity"):
        return -math.inf if word.startswith("-") else math.inf
    return element.number(attribute, default)


def mimic(element: Element | None) -> Mimic | None:
    """Return the coupling of a joint to another by ``<mimic>``, or None without that element."""
    if element is None:
        return None
    return Mimic(
        element, element.text("joint"), element.number("multiplier", 1.0), element.number("offset", 0.0)
    )


def loop(element: Element, name: str, right_angles: float) -> RobotLoop:
    """Return a joint that closes a loop; in older files a point that two links share."""
    axis = np.array((0.0, 0.0, 1.0))
    if element.tag == "loop_constraint":
        at = [origin(element, right_angles, f"{end}_origin") for end in ("parent", "child")]
        ends = [element.find_required(end).text("link") for end in ("parent", "child")]
        return RobotLoop(element, name, "spherical", ends[0], at[0], ends[1], at[1], axis)
    predecessor, successor = element.find_required("predecessor"), element.find_required("successor")
    if element.tag == "constraint":
        at = [origin(end, right_angles) for end in (predecessor, successor)]
        ends = [end.text("link") for end in (predecessor, successor)]
        return RobotLoop(element, name, "spherical", ends[0], at[0], ends[1], at[1], axis)
    return RobotLoop(
        element,
        name,
        read_choice(element, "type", KINDS),
        predecessor.text("link"),
        origin(predecessor, right_angles),
        successor.text("link"),
        origin(successor, right_angles),
        unit(element),
    )


def coupling_of(element: Element, name: str) -> CouplingOf:
    """Return a transmission between two joints."""
    if element.tag == "joint_constraint":
        ends, ratio = ("parent", "child"), element.child("gear_ratio")
    else:
        ends, ratio = ("predecessor", "successor"), element.child("ratio")
        if "type" in element.attributes:
            read_choice(element, "type", (ROLLING,))
    predecessor, successor = (element.find_required(end).text("link") for end in ends)
    return CouplingOf(element, name, predecessor, successor, 1.0 if ratio is None else ratio.number("value"))


def find_older_elements(root: Element) -> tuple[list[Element], list[Element]]:
    """Return the elements that close loops, and those that couple joints, of older URDF+ files.

    ``<constraint type="position">`` and ``<loop_constraint>`` are points that two links share;
    ``<constraint type="rolling">`` and ``<joint_constraint>`` are couplings.
    """
    constraints = root.children("constraint")
    for each in constraints:
        read_choice(each, "type", (POSITION, ROLLING))
    closing = [each for each in constraints if each.text("type") == POSITION]
    rolling = [each for each in constraints if each.text("type") == ROLLING]
    return [*closing, *root.children("loop_constraint")], [*rolling, *root.children("joint_constraint")]


def read_choice(element: Element, attribute: str, allowed: tuple[str, ...]) -> str:
    """Return an attribute that is one of some words."""
    value = element.text(attribute)
    if value not in allowed:
        raise element.error(
            f"{attribute}={checks.show(value)} is not known; it must be one of {', '.join(allowed)}"
        )
    return value


def flag(element: Element, attribute: str) -> bool | None:
    """Return true, false, or None if absent."""
    value = element.attributes.get(attribute)
    if value is None:
        return None
    if value.lower() not in ("true", "false"):
        raise element.error(f"{attribute}={checks.show(value)} must be true or false")
    return value.lower() == "true"
