"""Reading MJCF, MuJoCo's format, with its equality constraints."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from ce_dynamics.algebra import checks
from ce_dynamics.mechanism.assumptions import COARSEST, TOLERANCE
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.mjcf.actuators import other_actuators
from ce_dynamics.readers.mjcf.checks import unrepresentable
from ce_dynamics.readers.mjcf.grammar import GRAMMAR
from ce_dynamics.readers.mjcf.limits import MOST_FILES, check_copies
from ce_dynamics.readers.mjcf.model import Compiled
from ce_dynamics.readers.mjcf.system import build
from ce_dynamics.readers.mjcf.tendons import other_tendons
from ce_dynamics.readers.survey import annotate, check_ignored, check_names, refuse, survey
from ce_dynamics.readers.tree import checked_stops
from ce_dynamics.readers.xml_file import Element, parse


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
    """The mechanism of an MJCF file; ``connect``, ``weld`` and ``joint`` constraints become loops.

    Every body becomes a body of its name, on the hinge that the file calls a joint.  Of several joints of one
    body all but the last get a massless body of their own, named ``body/joint``.  Coordinates are ``qpos``
    less ``ref``, zero in the pose of the file; those of free and ball joints are counted from the design
    pose, in world axes.  MuJoCo's constraints give way; here they hold exactly.

    The design pose is the wanted one, that of the file unless ``pose`` says otherwise.  Where loops are open
    or singular there, an assembled pose is searched for as `ce_dynamics.readers.design_pose` describes, and a
    note says which.

    Parameters
    ----------
    path : str or Path
        It may include others.
    keyframe : str, optional
        The keyframe to start from; the pose of the file at rest if not given.  Dependent coordinates follow
        from the independent ones.
    pose : str, or mapping of str to float, optional
        The wanted design pose: the name of a keyframe, or coordinates of hinges and slides [rad or m].
    independent : collection of str
        Joints whose coordinates are to be independent in loops.  Where it names none of a loop, those with
        actuators are if they lead it well, else others are chosen.
    stops : (float, float), optional
        Stiffness [N m/rad or N/m] and dissipation [s/rad or s/m] of a `JointStop` at every range of a hinge
        or slide; ranges are noted only if not given.
    ignore : collection of str
        What to leave out although it acts on the motion: kinds as the error names them, such as
        ``"actuator"`` or ``"joint@damping"``, names of elements, or ``"all"`` for whatever is not known.
    tolerance : float
        Precision of the geometry [rad, or sizes of a loop], as of `System`: loops that are closed no better
        in any pose are taken to be closed.

    Returns
    -------
    System
        ``system.notes`` lists what was skipped or left out.

    Raises
    ------
    DataError
        Naming file, line and element: for what cannot be represented and is not in ``ignore`` (all at once),
        what MuJoCo refuses, NaN, names used twice, files and replicates beyond the limits of
        `ce_dynamics.readers.xml_file` and `ce_dynamics.readers.mjcf.limits`.
    ModelError
        For a string as ``ignore`` or ``independent``, or if lxml or mujoco is not installed.
    """
    for what, value in (("ignore", ignore), ("independent", independent)):
        check_names(f"read_mjcf: {what}", value)
    checks.number("read_mjcf: tolerance", tolerance, at_least=0.0, at_most=COARSEST)
    if keyframe is not None:
        checks.text("read_mjcf: keyframe", keyframe)
    root = parse(path, "mujoco")
    contents = Included(root)
    findings = list(survey([root], GRAMMAR, included=contents))
    check_copies([root], contents)
    compiled = Compiled(root.path)
    findings += [
        *compiled.missing,
        *unrepresentable(compiled),
        *other_tendons(compiled),
        *other_actuators(compiled),
    ]
    check_ignored(root.path.name, ignore, root, findings, GRAMMAR, contents)
    notes = refuse(root.path.name, findings, ignore)
    stops = checked_stops("read_mjcf", stops)
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
