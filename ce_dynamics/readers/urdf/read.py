"""Reading URDF, with the loops and couplings of URDF+."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from pathlib import Path

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.survey import Finding, annotate, check_names, refuse, survey, where
from ce_dynamics.readers.urdf.model import GRAMMAR, WITH_COORDINATE, Robot, read_robot
from ce_dynamics.readers.urdf.system import build
from ce_dynamics.readers.xml_file import Element, parse

BASES = ("fixed", "floating")
MOST_OFF = 0.1
"""Angles that are taken as right ones may be off by so much at most [rad]."""
LOOKS_RIGHT = 1e-4
"""An angle as near as this to a right one may be one with few digits [rad]."""


def read_urdf(
    path: str | Path,
    *,
    base: str = "fixed",
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    ignore: Collection[str] = (),
    right_angles: float = 1e-11,
) -> System:
    """The robot of a URDF file, with loops and couplings as in URDF+.

    Every link becomes a body of its name, on the hinge that the file calls a joint; coordinates are those of
    the joints, zero in the zero pose, which is the design pose.  The root link's frame is the world's.

    Parameters
    ----------
    path : str or Path
    base : str
        ``"fixed"``: the root link is fixed on the ground; ``"floating"``: it moves freely.
    gravity : (3,) array_like
        Acceleration of free fall [m/s²]; the format has none.
    ignore : collection of str
        What to leave out although it acts on the motion: kinds as the error names them, such as ``"limit"``,
        ``"collision"`` or ``"dynamics@friction"``.
    right_angles : float
        Angles ``rpy`` as near as this to a multiple of a right angle are taken as such [rad]: π/2 with eleven
        digits is.  A loop whose axes are parallel but for 1e-8 rad cannot be closed; notes name angles that
        look meant to be right ones.

    Returns
    -------
    System
        ``system.notes`` lists what was skipped or left out.

    Raises
    ------
    DataError
        Naming file, line and element: for what cannot be represented and is not in ``ignore`` (all at once),
        missing or malformed values, names used twice, links that are not joined to a tree, moving links
        without mass.
    ModelError
        For another ``base``, a string as ``ignore``, or if lxml is not installed.
    """
    checks.choice("read_urdf: base", base, BASES)
    check_names("read_urdf: ignore", ignore)
    checks.number("read_urdf: right_angles", right_angles, at_least=0.0, at_most=MOST_OFF)
    root = parse(path, "robot")
    findings = list(survey([root], GRAMMAR))
    robot = read_robot(root, right_angles)
    notes = refuse(root.path.name, [*findings, *friction(robot)], ignore)
    system, more = build(robot, base, gravity)
    if robot.loops:
        more += nearly_right(root, right_angles)
    annotate(system, [*notes, *more])
    return system


def friction(robot: Robot) -> Iterator[Finding]:
    """Joints with dry friction, or with viscous friction and no single coordinate for it to act on."""
    for joint in robot.joints.values():
        if joint.friction != 0.0:
            yield Finding("dynamics@friction", where(joint.element))
        if joint.damping != 0.0 and joint.kind not in WITH_COORDINATE:
            yield Finding("dynamics@damping", where(joint.element))


def nearly_right(element: Element, right_angles: float) -> list[str]:
    """Notes on angles below an element that are not right ones but look meant to be."""
    notes: list[str] = []
    for child in element:
        if child.tag == "origin":
            for angle in child.numbers("rpy", 3, (0.0, 0.0, 0.0)).tolist():
                off = abs(math.remainder(angle, 0.5 * math.pi))
                if right_angles < off < LOOKS_RIGHT:
                    notes.append(
                        f"{child.place}: rpy has {angle!r}, {off:.1e} rad from a right angle; if it is meant "
                        f"to be one, read with right_angles={LOOKS_RIGHT:g}"
                    )
        notes += nearly_right(child, right_angles)
    return notes
