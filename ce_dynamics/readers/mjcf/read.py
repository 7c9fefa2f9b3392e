"""Reading MJCF, MuJoCo's format, with its equality constraints."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

from ce_dynamics.algebra import checks
from ce_dynamics.mechanism.assumptions import COARSEST, TOLERANCE
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.mjcf.actuators import other_actuators
from ce_dynamics.readers.mjcf.model import Compiled, find_unrepresentable
from ce_dynamics.readers.mjcf.system import build
from ce_dynamics.readers.mjcf.tendons import other_tendons
from ce_dynamics.readers.survey import (
    LOOKS,
    NOTED,
    Grammar,
    Rule,
    annotate,
    check_ignored,
    check_names,
    make_rule,
    refuse,
    survey,
)
from ce_dynamics.readers.tree import check_stops
from ce_dynamics.readers.xml_file import Element, parse

MOST_COPIES = 10_000
"""Largest number of copies of one element, by all nested ``<replicate>`` elements together.

Also of keyframes, and of users' numbers of one element.
"""
MOST_BYTES = 2**30
"""Largest size of a height field or texture in memory, as of maps of roads."""
RASTERS = {"hfield": (("nrow", "ncol"), 4), "texture": (("width", "height"), 3)}
"""Attributes of an element whose product is its number of nodes, and bytes of each node."""
MOST_FILES = 100
"""Largest number of files that a file may include."""


def check_sizes(
    elements: Iterable[Element], included: Callable[[Element], Iterable[Element]], copies: int = 1
) -> None:
    """Refuse sizes that MuJoCo would not refuse itself: it takes all memory, or ends the process.

    Replicates, alone or within one another, make at most `MOST_COPIES`.
    """
    for element in elements:
        if element.tag == "include":
            check_sizes(included(element), included, copies)
            continue
        refuse_devices(element)
        refuse_large(element)
        own = copies
        if element.tag == "replicate":
            given, count = element.text("count"), find_count(element, "count")
            if count < 0:  # none for MuJoCo
                raise element.error(f"count={checks.show(given)} must be at least 0")
            own = copies * max(count, 1)
            if own > MOST_COPIES:
                raise element.error(f"count={given} makes {own:,} copies, {MOST_COPIES:,} are allowed")
        check_sizes(element, included, own)


def refuse_large(element: Element) -> None:
    """Refuse numbers and rasters that take more memory than a file may use."""
    for name in element.attributes if element.tag == "size" else ():
        if (name == "nkey" or name.startswith("nuser_")) and find_count(element, name) > MOST_COPIES:
            raise element.error(f"{name}={element.text(name)} must be at most {MOST_COPIES:,}")
    names, bytes_each = RASTERS.get(element.tag, ((), 0))
    size = bytes_each * math.prod(find_count(element, name) for name in names)
    if size > MOST_BYTES:
        shown = " ".join(f"{name}={element.text(name)}" for name in names)
        raise element.error(f"{shown} take {size / 2**30:.3g} GiB, 1 GiB is allowed")


def find_count(element: Element, name: str) -> int:
    """Return an attribute that is an integer; 0 for anything else, which MuJoCo refuses."""
    given = element.text(name, "0").strip()
    return int(given) if re.fullmatch(r"[+-]?0*[0-9]{1,18}", given) else 0


def refuse_devices(element: Element) -> None:
    """Refuse files of an element (meshes, textures, models) that are folders, pipes or devices.

    MuJoCo reads them itself, and would never come to the end of some.
    """
    name = element.attributes.get("file", "")
    path = element.path.parent / name
    if name and "\0" not in name and path.exists() and not path.is_file():
        raise element.error(f"file={checks.show(name)} must be a file, and is a folder, a pipe or a device")


ANY = Rule(None, "anything")
"""Read by MuJoCo; what becomes of it is read or checked in the compiled model."""

ORIENTATION = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
SOFTNESS = ("solref", "solimp")
SOLVER = [
    "timestep",
    "apirate",
    "impratio",
    "tolerance",
    "ls_tolerance",
    "noslip_tolerance",
    "ccd_tolerance",
    "sleep_tolerance",
    "integrator",
    "cone",
    "jacobian",
    "solver",
    "iterations",
    "ls_iterations",
    "noslip_iterations",
    "ccd_iterations",
    "sdf_iterations",
    "sdf_initpoints",
    "actuatorgroupdisable",
    "o_margin",
    "o_solref",
    "o_solimp",
    "o_friction",
    "magnetic",
]
LIMITS = ["solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"]
JOINT = make_rule(
    *["name", "class", "type", "pos", "axis", "ref", "range", "limited"],
    *["stiffness", "damping", "springref", "springdamper", "armature", "frictionloss", "springyield"],
    *["actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp"],
    settings=("group", "user", *LIMITS),
)
PLACED = ("name", "pos", *ORIENTATION, "childclass")
DEFAULTS = "mesh material camera light site pair flex plugin"
ACTUATORS = "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor"

GRAMMAR: Grammar = {
    "file": {"mujoco": make_rule("model", children="mujoco")},
    "mujoco": {
        "compiler": Rule(None, "compiler"),
        "option": make_rule(
            *["gravity", "density", "viscosity", "wind", "actuatorgroupdisable"],
            children="option",
            settings=SOLVER,
        ),
        "default": make_rule("class", children="default"),
        "worldbody": make_rule(children="body"),
        "equality": make_rule(children="equality"),
        "contact": make_rule(children="contact"),
        "keyframe": make_rule(children="keyframe"),
        "actuator": make_rule(children="actuator"),
        "tendon": make_rule(children="tendon"),
        **dict.fromkeys(["size", "visual", "statistic", "asset", "custom", "sensor"], LOOKS),
    },
    "compiler": {"lengthrange": LOOKS},
    "option": {"flag": ANY},
    "default": {
        "default": make_rule("class", children="default"),
        "joint": JOINT,
        "geom": ANY,
        "equality": make_rule(settings=SOFTNESS),
        "tendon": ANY,
        **dict.fromkeys(ACTUATORS.split(), ANY),
        **dict.fromkeys(DEFAULTS.split(), LOOKS),
    },
    "body": {
        "body": make_rule(*PLACED, "gravcomp", "mocap", children="body", settings=("user",)),
        "frame": make_rule(*PLACED, children="body"),
        "replicate": make_rule("count", "offset", "euler", "sep", "childclass", children="body"),
        "inertial": make_rule("pos", *ORIENTATION, "mass", "diaginertia", "fullinertia"),
        "joint": JOINT,
        "attach": ANY,
        "freejoint": make_rule("name", "align", settings=("group",)),
        "geom": ANY,
        **dict.fromkeys(("site", "camera", "light"), LOOKS),
    },
    "equality": {
        "connect": make_rule(
            *["name", "class", "active", "body1", "body2", "anchor", "site1", "site2"], settings=SOFTNESS
        ),
        "weld": make_rule(
            *["name", "class", "active", "body1", "body2", "anchor", "relpose", "site1", "site2"],
            settings=(*SOFTNESS, "torquescale"),
        ),
        "joint": make_rule(*["name", "class", "active", "joint1", "joint2", "polycoef"], settings=SOFTNESS),
        "tendon": make_rule(
            *["name", "class", "active", "tendon1", "tendon2", "polycoef"], settings=SOFTNESS
        ),
    },
    "tendon": {"fixed": Rule(None, "fixed"), "spatial": Rule(None, "spatial")},
    "spatial": {
        "site": make_rule("site"),
        "pulley": make_rule("divisor"),
        "geom": make_rule("geom", "sidesite"),
    },
    "fixed": {"joint": make_rule("joint", "coef")},
    "contact": {"exclude": ANY, "pair": NOTED},
    "keyframe": {"key": ANY},
    "actuator": dict.fromkeys(ACTUATORS.split(), ANY),
    "nothing": {},
    "anything": {},
}


def read_mjcf(
    path: str | Path,
    *,
    keyframe: str | None = None,
    pose: str | Mapping[str, float] | None = None,
    independent: Collection[str] = (),
    stops: tuple[float, float] | None = None,
    ignore: Collection[str] = (),
    tolerance: float = TOLERANCE,
) -> System:
    """Return the mechanism of an MJCF file; ``connect``, ``weld`` and ``joint`` constraints become loops.

    Every body becomes a body of its name, on the hinge that the file calls a joint.  Of several joints of one
    body all but the last get a massless body of their own, named ``body/joint``.  Coordinates are ``qpos``
    less ``ref``, zero in the pose of the file; those of free and ball joints are counted from the design
    pose, in world axes.  MuJoCo's constraints give way; here they hold exactly.

    The design pose is that of the file unless ``pose`` is given.  If loops are open
    or singular there, an assembled pose is searched for as `ce_dynamics.readers.design_pose` describes, and a
    note names it.

    Parameters
    ----------
    path : str or Path
        It may include others.
    keyframe : str, optional
        The keyframe to start from; the pose of the file at rest if not given.  Dependent coordinates follow
        from the independent ones.
    pose : str, or mapping of str to float, optional
        Design pose: the name of a keyframe, or coordinates of hinges and slides [rad or m].
    independent : collection of str
        Joints whose coordinates are to be independent in loops.  Where it names none of a loop, those with
        actuators are if they lead it well, else others are chosen.
    stops : (float, float), optional
        Stiffness [N m/rad or N/m] and dissipation [s/rad or s/m] of a `JointStop` at every range of a hinge
        or slide; ranges are noted only if not given.
    ignore : collection of str
        Elements to leave out although they act on the motion: kinds as named by the error, such as
        ``"actuator"`` or ``"joint@damping"``, names of elements, or ``"all"`` for all unknown ones.
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
        what MuJoCo refuses, NaN, names used twice, files and replicates beyond the limits of
        `ce_dynamics.readers.xml_file` and `ce_dynamics.readers.mjcf.read`.
    ModelError
        For a string as ``ignore`` or ``independent``, or if mujoco is not installed.
    """
    for what, value in (("ignore", ignore), ("independent", independent)):
        check_names(f"read_mjcf: {what}", value)
    checks.number("read_mjcf: tolerance", tolerance, at_least=0.0, at_most=COARSEST)
    if keyframe is not None:
        checks.text("read_mjcf: keyframe", keyframe)
    root = parse(path, "mujoco")
    contents = Included(root)
    findings = list(survey([root], GRAMMAR, included=contents))
    check_sizes([root], contents)
    compiled = Compiled(root.path)
    findings += [
        *compiled.missing,
        *find_unrepresentable(compiled),
        *other_tendons(compiled),
        *other_actuators(compiled),
    ]
    check_ignored(root.path.name, ignore, root, findings, GRAMMAR, contents)
    notes = refuse(root.path.name, findings, ignore)
    stops = check_stops("read_mjcf", stops)
    system, more = build(compiled, keyframe, independent, ignore, stops, pose, tolerance)
    annotate(system, [*notes, *more])
    return system


class Included:
    """Elements of included files, each read once.

    MuJoCo includes no file twice either, so that none can include itself.
    """

    def __init__(self, root: Element) -> None:
        self.root = root
        self._places: dict[Path, str] = {root.path.resolve(): "as the main file"}
        self._roots: dict[tuple[Path, int, str], Element] = {}

    def __call__(self, element: Element) -> Iterator[Element]:
        """Return the elements of the file that an element includes.

        File names are relative to the folder of the main file.
        """
        place = element.path, element.line, element.text("file")
        if place not in self._roots:
            path = self.root.path.parent / place[2]
            before = self._places.setdefault(path.resolve(), f"in line {element.line}")
            if before != f"in line {element.line}" or len(self._places) > MOST_FILES:
                raise element.error(f"{path.name} is read already, {before}; a file is included once")
            self._roots[place] = parse(path, None, included=True)
        return iter(self._roots[place])
