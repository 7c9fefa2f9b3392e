"""Reading URDF, with the loops and couplings of URDF+."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.build import BASES, build, limits, losses, without
from ce_dynamics.readers.design_frames import RIGHT_ANGLES, PoseOptions, ReadingOptions
from ce_dynamics.readers.robot import INERTIA, Robot
from ce_dynamics.readers.survey import (
    EVERYTHING,
    LOOKS,
    NOTED,
    Grammar,
    annotate,
    check_ignored,
    make_rule,
    refuse,
    survey,
)
from ce_dynamics.readers.urdf.companion_files import Additions, Loops, additions, find_motors, with_loops
from ce_dynamics.readers.urdf.elements import BALL, read_robot
from ce_dynamics.readers.xml_file import Element, parse
from ce_dynamics.simulation.options import lists_options

ORIGIN = make_rule("xyz", "rpy")
AXIS = make_rule("xyz")
END = make_rule("link", children="end")

GRAMMAR: Grammar = {
    "file": {"robot": make_rule("name", "version", children="robot")},
    "robot": {
        "link": make_rule("name", children="link"),
        "joint": make_rule("name", "type", "independent", children="joint"),
        "loop": make_rule("name", "type", children="loop"),
        "coupling": make_rule("name", "type", children="coupling"),
        "constraint": make_rule("name", "type", children="constraint"),
        "loop_constraint": make_rule("name", children="loop_constraint"),
        "joint_constraint": make_rule("name", children="joint_constraint"),
        "material": LOOKS,
        "sensor": LOOKS,
        **dict.fromkeys(
            ("transmission", "gazebo", "mujoco", "ros2_control", "group", "disable_collisions"), NOTED
        ),
        **dict.fromkeys(("drake:proximity_properties", "drake:collision_filter_group"), NOTED),
        BALL: make_rule("name", children=BALL),
    },
    BALL: {
        **dict.fromkeys((f"{BALL}_body_A", f"{BALL}_body_B"), make_rule("name")),
        **dict.fromkeys((f"{BALL}_p_AP", f"{BALL}_p_BQ"), make_rule("value")),
    },
    "link": {
        "inertial": make_rule(children="inertial"),
        "visual": LOOKS,
        "collision": NOTED,
        "contact": NOTED,
        "self_collision_checking": NOTED,
        "drake:proximity_properties": NOTED,
    },
    "inertial": {"origin": ORIGIN, "mass": make_rule("value"), "inertia": make_rule(*INERTIA)},
    "joint": {
        "origin": ORIGIN,
        "parent": make_rule("link"),
        "child": make_rule("link"),
        "axis": AXIS,
        "dynamics": make_rule("damping", "friction", "armature"),
        "joint_properties": make_rule("damping", "friction", "armature"),
        "limit": make_rule("lower", "upper", "effort", "velocity"),
        "mimic": make_rule("joint", "multiplier", "offset"),
        "calibration": LOOKS,
        "safety_controller": LOOKS,
    },
    "loop": {"predecessor": END, "successor": END, "axis": AXIS},
    "end": {"origin": ORIGIN},
    "coupling": {
        "predecessor": make_rule("link"),
        "successor": make_rule("link"),
        "ratio": make_rule("value"),
    },
    "constraint": {"predecessor": END, "successor": END, "ratio": make_rule("value"), "axis": AXIS},
    "loop_constraint": {
        "parent": make_rule("link"),
        "parent_origin": ORIGIN,
        "child": make_rule("link"),
        "child_origin": ORIGIN,
    },
    "joint_constraint": {
        "parent": make_rule("link"),
        "child": make_rule("link"),
        "gear_ratio": make_rule("value"),
    },
    "nothing": {},
}
MACROS = "xacro:"
LOOKS_RIGHT = 1e-4
"""An angle as near as this to a right one may be one with few digits [rad]."""


@lists_options(ReadingOptions)
def read_urdf(
    path: str | Path,
    *,
    base: str = "fixed",
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    loops: Loops | None = None,
    **options: Any,
) -> System:
    """Return the robot of a URDF file, with loops and couplings as in URDF+.

    Every link becomes a body of its name, on the hinge that the file calls a joint; coordinates are those of
    the joints.  The root link's frame is the world's.

    In the design pose all joints are at zero unless ``pose`` is given.  If
    loops are open or singular there, an assembled pose is searched for as `ce_dynamics.readers.design_pose`
    describes, and a note names it.

    Parameters
    ----------
    path : str or Path
    base : str
        ``"fixed"``: the root link is fixed on the ground; ``"floating"``: it moves freely.
    gravity : (3,) array_like
        Acceleration of free fall [m/s²]; the format has none.
    loops : str, path, or list of (str, str) or (str, str, str), optional
        Loops in addition to the file: pairs of frames, named after joints or links, and their constraint:
        ``"6d"`` (all; the default), ``"3d"`` (displacements), or a type of `<loop>` about the frames' z-axes.
        A text or path names a YAML file with ``closed_loop``, ``type`` and ``name_mot``, whose joints lead
        their loops and get actuators, with inputs of their names.
    pose : mapping of str to float, optional
        Coordinates of joints in the design pose [rad or m].
    independent : collection of str
        Joints that are to lead their loops; where they are too few, others are chosen besides.
    stops : (float, float), optional
        Stiffness [N m/rad or N/m] and dissipation [s/rad or s/m] of a `JointStop` at every limit; limits are
        noted only if not given.
    ignore : collection of str
        Elements to leave out although they act on the motion: kinds as named by the error, such as
        ``"dynamics@damping"``, names of elements, or ``"all"`` for all unknown ones.
    right_angles : float
        Angles ``rpy`` as near as this to a multiple of a right angle are taken as such [rad]: π/2 with eleven
        digits is.  A loop whose axes are parallel but for 1e-8 rad cannot be closed; notes name angles that
        look meant to be right ones.
    armature : mapping of str to float, optional
        Inertia of joints' own rates by the name of the joint, such as that of rotors seen through their gears
        [kg m² or kg]; it replaces ``<dynamics armature>``.
    tolerance : float
        Precision of the geometry [rad, or sizes of a loop], as of `System`: loops that are closed no better
        in any pose are taken to be closed.

    Returns
    -------
    System
        ``system.notes`` lists skipped elements.

    Raises
    ------
    DataError
        The message names file, line and element: for elements outside ``ignore`` that cannot be represented,
        missing or malformed values, names used twice, links that are not joined to a tree, moving links
        without mass.
    ModelError
        For another ``base``, or a string as ``ignore``.
    """
    checks.choice("read_urdf: base", base, BASES)
    given = ReadingOptions(**options)
    given.check("read_urdf")
    ignore = given.ignore
    root, robot, beside, motors = read_description(path, loops, given, given.right_angles)
    findings = [*survey([root], GRAMMAR), *losses(robot, ignore), *limits(robot, given.stops, motors)]
    check_ignored(root.path.name, ignore, root, findings, GRAMMAR, more=(*beside.others, *robot.loops))
    notes = refuse(root.path.name, findings, ignore)
    system, more = build(without(robot, ignore), given, gravity, motors, base)
    more = [*beside.notes, *more]
    if robot.loops:
        more += nearly_right(root, given.right_angles)
    annotate(system, [*notes, *more])
    return system


class Described(NamedTuple):
    """Contents of a URDF file and its additions: root, robot, additions, and joints with motors."""

    root: Element
    robot: Robot
    beside: Additions
    motors: tuple[str, ...]


def read_description(
    path: str | Path, loops: Loops | None, options: PoseOptions, right_angles: float = RIGHT_ANGLES
) -> Described:
    """Read both, and check that the joints that are to be independent are there."""
    root = parse(path, "robot")
    refuse_macros(root, options.ignore)
    beside = additions(loops, options.ignore)
    robot = with_loops(read_robot(root, right_angles), beside)
    for name in options.independent:
        if name not in robot.joints:
            raise DataError(f"{root.path.name}: there is no joint {checks.show(name)} to be independent")
    return Described(root, robot, beside, find_motors(robot, beside))


def refuse_macros(robot: Element, ignore: Collection[str]) -> None:
    """Reject elements of Xacro, which must be expanded first."""
    for element in robot:
        if element.tag.startswith(MACROS) and not {EVERYTHING, element.tag} & set(ignore):
            raise element.error(
                "macros are not expanded here: expand the file with the command xacro, read what that writes"
            )


def nearly_right(element: Element, right_angles: float) -> list[str]:
    """Return notes on angles below an element that are not right ones but look meant to be."""
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
