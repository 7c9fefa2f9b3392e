"""Free graphs of bodies, joints, distances and springs: ``GenericWheeledSuspension``, ``SolidAxle``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import cross
from ce_dynamics.models.vehicles.chrono.bodies import (
    RIGID,
    Matrix,
    body,
    lean_axes,
    middle,
    rod,
    rotation,
    unit,
)
from ce_dynamics.models.vehicles.chrono.force_laws import damper_law, spring_and_damper, spring_law
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections

ALONG = 0.1
"""[m] from a joint to the points that define its axes."""
TAKEN = {"wheel", "bar", "origin", "tyre", "brake", "chassis", "steering", "axle"}
GRAPH, RIGHT = "graph", "right"
"""Key under which the words of a graph stand among its numbers, until the vehicle's file is written."""
GEAR = "gear"
"""Key under which the kind of a beam's steering gear stands there, if it is not the usual one."""
Words = dict[str, Sections]
JOINTS: Mapping[str, str] = {
    "Lock": "fixed",
    "Revolute": "revolute",
    "Spherical": "spherical",
    "Universal": "universal",
    "Point Line": "point-on-line",
    "Point Plane": "point-on-plane",
}
FORWARDS, LEFTWARDS, UPWARDS = ALONG * np.eye(3)
MIRRORED = np.array([1.0, -1.0, 1.0])


def four_links_and_crank(reading: Reading, part: JsonObject) -> Sections:
    """Return ``SolidAxle``: four links and a track bar; a crank on the beam shifts the toe bar along itself.

    The crank's point moves in a plane of the toe bar, across it; ball joint and universal joint of the bar
    are on the left and on the right knuckle.
    """
    if not part.has("Trackbar"):
        raise part.key_error("Trackbar", "it is missing; give the bar that holds the axle sideways")
    knuckle, crank, drag = part.part("Knuckle"), part.part("Bell Crank"), part.part("Draglink")
    bar, track = part.part("Tierod"), part.part("Trackbar")
    lower, upper = knuckle.vector("Location Lower"), knuckle.vector("Location Upper")
    pivot, held, pulled = (
        crank.vector("Location Axle"), crank.vector("Location Tierod"), drag.vector("Location Bell Crank"),
    )  # fmt: skip
    left = bar.vector("Location Knuckle")
    right = MIRRORED * left
    laws = spring_and_damper(reading, part, arm="Location Axle")
    links = {name: part.part(f"{name.capitalize()} Link") for name in ("upper", "lower")}
    reading.note("inertias of bell cranks and drag links: in the axes of the vehicle")
    words: Sections = {
        "beam": {"body": "single"},
        "crank": {"body": "single"},
        "toe_bar": {"body": "single"},
        "knuckle": {"body": "mirrored"},
        "upper": {"distance": "chassis beam"},
        "lower": {"distance": "chassis beam"},
        "track_bar": {"distance": "chassis beam", "single": "yes"},
        "kingpin": {"revolute": "beam knuckle"},
        "crank_pivot": {"revolute": "beam crank", "single": "yes"},
        "drag_link": {"distance": "crank steering", "single": "yes"},
        "bar_ball": {"spherical": "toe_bar knuckle.left", "single": "yes"},
        "bar_joint": {"universal": "toe_bar knuckle.right", "single": "yes"},
        "bar_plane": {"point-on-plane": "toe_bar crank", "single": "yes"},
        "spring": {"spring": "chassis beam"},
        "damper": {"damper": "chassis beam"},
        "wheel": {"carrier": "knuckle"},
    }
    return {
        GRAPH: words,
        "beam": body(part.part("Axle Tube")),
        "crank": body(crank, com=(pivot + held + pulled) / 3.0),
        "toe_bar": body(bar, com=middle(left, right)),
        "knuckle": body(knuckle, R=lean_axes(part)),
        **{
            name: distance(link.vector("Location Chassis"), link.vector("Location Axle"), rod(reading, link))
            for name, link in links.items()
        },
        "track_bar": distance(
            track.vector("Location Chassis"), track.vector("Location Axle"), rod(reading, track)
        ),
        "kingpin": line(lower, upper),
        "crank_pivot": line(pivot, pivot + UPWARDS),
        "drag_link": distance(pulled, drag.vector("Location Chassis"), rod(reading, drag)),
        "bar_ball": {"at": quantities(left, "m")},
        "bar_joint": {
            "at": quantities(right, "m"),
            "first": quantities(right + FORWARDS, "m"),
            "second": quantities(right + UPWARDS, "m"),
        },
        "bar_plane": line(held, held + LEFTWARDS),
        **laws,
    }


def line(at: Matrix, through: Matrix) -> Sections:
    """Return the numbers of a revolute joint."""
    return {"at": quantities(at, "m"), "through": quantities(through, "m")}


def distance(one: Matrix, other: Matrix, bar: Sections | None = None) -> Sections:
    """Return the numbers of a distance, of a uniform bar if one is given."""
    ends: Sections = {"one": quantities(one, "m"), "other": quantities(other, "m")}
    return ends if bar is None else {**ends, "rod": bar}


def generic(reading: Reading, part: JsonObject) -> Sections:
    """Return its items by our names; `GRAPH` holds their kinds, `RIGHT` the differences on the right."""
    part.flag("Independent")
    steerable = part.flag("Steerable")
    part.has("Vehicle-Frame Inertia")
    words: Words = {}
    numbers: Sections = {}
    names = {"Chassis": "chassis", "Steering": "steering" if steerable else "chassis"}
    for item in items(part, "Bodies"):
        name = names[unique_name(item, names)] = own_name(item, words)
        words[name] = {"body": "mirrored" if item.flag("Mirrored") else "single"}
        numbers[name] = body(item, com=item.vector("Position"), R=rotation(item, "Rotation"))
    joints: dict[str, str] = {}
    for item in items(part, "Joints"):
        joints[unique_name(item, joints)] = add_joint(reading, item, names, words, numbers)
    for item in items(part, "Distance Constraints"):
        name = own_name(item, words)
        words[name] = join_bodies(item, names, "distance")
        points = {"one": "Point1", "other": "Point2"}
        numbers[name] = {key: item.point(theirs) for key, theirs in points.items()}
    for item in items(part, "TSDAs"):
        add_springs(reading, item, names, words, numbers)
    right: Sections = {}
    for item in items(part, "RSDAs"):
        name = add_torsion(item, items(part, "Joints"), joints, names, words, numbers)
        axis = unit(item, "Axis", item.vector("Axis"))
        if not (item.flag("Mirrored") and axis[1]):
            continue
        if reading.like_chrono and abs(axis[1]) == 1.0:
            # Chrono's axis on the right is (-a_x, 0, -a_z), here of length 0: its angle remains 0
            right[name] = {"stiffness": quantity(0.0, "N*m/rad"), "damping": quantity(0.0, "N*m*s/rad")}
            reading.note("torsion springs on the right about y, which do not act in Chrono: nor here")
        else:
            reading.note(
                "torsion springs on the right, whose axes Chrono turns wrongly: they are mirror images"
            )
    words["wheel"] = {"carrier": body_name(part.part("Spindle"), "Attachment Body", names)}
    if part.has("Antiroll Body") and part.data["Antiroll Body"] != "":
        words["bar"] = {"carrier": body_name(part, "Antiroll Body", names)}
    graph: Sections = {**words}
    return {GRAPH: graph, **({RIGHT: {"source": "chrono", **right}} if right else {}), **numbers}


def words_unsteered(graph: Sections) -> Sections:
    """Return the words of an unsteered axle's graph: parts that the steering would move are fixed."""
    return {
        name: words_unsteered(word) if isinstance(word, dict) else re.sub(r"\bsteering\b", "chassis", word)
        for name, word in graph.items()
    }


def items(part: JsonObject, key: str) -> list[JsonObject]:
    """Return a list that need not be there."""
    return part.list_of_parts(key) if part.has(key) else []


def unique_name(item: JsonObject, known: Mapping[str, str]) -> str:
    """Return the name of an item, which no other may have."""
    name = item.text("Name")
    if name in known:
        raise item.key_error("Name", f"{checks.show(name)} is there twice; choose another")
    return name


def joins_the_steering(graph: Sections) -> bool:
    """Return True if an item of a graph is on the steering."""
    return any(
        joins_the_steering(word) if isinstance(word, dict) else bool(re.search(r"\bsteering\b", word))
        for word in graph.values()
    )


def own_name(item: JsonObject, words: Mapping[str, object], suffix: str = "") -> str:
    """Return a name for our files: lower-case letters, digits and underscores, not taken yet."""
    spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", item.text("Name")).lower()
    name = re.sub(r"\W+", "_", spelled).strip("_")[:24] or "item"
    name = name if name[0].isalpha() else f"item_{name}"
    name = f"{name}{suffix}"
    while name in words or name in TAKEN:
        name = f"{name}_2"
    return name


def body_name(item: JsonObject, key: str, names: Mapping[str, str]) -> str:
    """Return our name of a body that a key names, or the one on a side."""
    value = item.data.get(key)
    if isinstance(value, list) and len(value) == 2 and value[1] in ("Left", "Right"):
        item.has(key)
        name, side = str(value[0]), f".{str(value[1]).lower()}"
    else:
        name, side = item.text(key), ""
    if name == "Subchassis":
        return "chassis"
    if name not in names:
        raise item.key_error(key, f"no body {checks.show(name)}; there are {', '.join(names)}")
    return f"{names[name]}{side}"


def join_bodies(item: JsonObject, names: Mapping[str, str], kind: str, *, swapped: bool = False) -> Sections:
    """Return the words of an item that joins two bodies."""
    one, other = (body_name(item, key, names) for key in ("Body1", "Body2"))
    words: Sections = {kind: f"{other} {one}" if swapped else f"{one} {other}"}
    if not item.flag("Mirrored"):
        words["single"] = "yes"
    return words


def add_joint(
    reading: Reading, item: JsonObject, names: Mapping[str, str], words: Words, numbers: Sections
) -> str:
    """Add a joint by our name; Chrono's lines and planes of points are on the second body, here the first."""
    kind = item.text("Type")
    if kind not in JOINTS:
        raise item.key_error("Type", f"{checks.show(kind)} is no joint; known are {', '.join(JOINTS)}")
    if item.has("Bushing Data"):
        item.part("Bushing Data").read.update(item.part("Bushing Data").data)
        reading.note(RIGID)
    name, ours = own_name(item, words), JOINTS[kind]
    words[name] = join_bodies(item, names, ours, swapped=ours.startswith("point-on"))
    at, R = item.vector("Position"), rotation(item, "Rotation")
    section: Sections = {"at": quantities(at, "m")}
    if ours == "universal":
        section |= {
            "first": quantities(at + ALONG * R[:, 0], "m"),
            "second": quantities(at + ALONG * R[:, 1], "m"),
        }
    elif ours in ("revolute", "point-on-plane", "point-on-line"):
        axis = R[:, 0] if ours == "point-on-line" else R[:, 2]
        section["through"] = quantities(at + ALONG * unit(item, "Rotation", np.asarray(axis)), "m")
    numbers[name] = section
    return name


def add_springs(
    reading: Reading, item: JsonObject, names: Mapping[str, str], words: Words, numbers: Sections
) -> None:
    """Add a spring, a damper, or both."""
    points = {"chassis": "Point1", "arm": "Point2"}
    ends: Sections = {ours: item.point(theirs) for ours, theirs in points.items()}
    sprung = item.has("Spring Coefficient") or item.has("Spring Curve Data")
    dampers = [item.has(key) for key in ("Damping Coefficient", "Damping Curve Data", "Map Data")]
    damped = any(dampers)
    if not (sprung or damped):
        raise item.key_error("Spring Coefficient", "neither spring nor damper is described; give one")
    for there, kind, law in ((sprung, "spring", spring_law), (damped, "damper", damper_law)):
        if there:
            name = own_name(item, words, "_damper" if sprung and kind == "damper" else "")
            words[name] = join_bodies(item, names, kind)
            numbers[name] = {**ends, **law(reading, item)}


SQUARE = 1e-3
"""Largest sine of the angle between the axes of a torsion spring and its joint; largest distance [m]."""


def add_torsion(
    item: JsonObject,
    joints: Sequence[JsonObject],
    called: Mapping[str, str],
    names: Mapping[str, str],
    words: Words,
    numbers: Sections,
) -> str:
    """Add a torsion spring on the revolute joint of its two bodies about its axis; return its name.

    Chrono's torque on the second body is P − k (θ − θ0) − c ω with the angle of the second body against the
    first; a preload is an angle P/k more.
    """
    pair = join_bodies(item, names, "revolute")
    one, other = str(pair["revolute"]).split()
    axis = unit(item, "Axis", item.vector("Axis"))
    for joint in joints:
        ours, theirs = (body_name(joint, key, names) for key in ("Body1", "Body2"))
        along = rotation(joint, "Rotation")[:, 2]
        apart = joint.vector("Position") - item.vector("Position")
        same = {ours, theirs} == {one, other} and joint.text("Type") == "Revolute"
        if same and max(*np.abs(cross(along, axis)), *np.abs(cross(axis, apart))) < SQUARE:
            break
    else:
        raise item.key_error("Axis", "no revolute joint of its two bodies turns about this line; add one")
    k = item.number("Spring Coefficient", 0.0 if item.has("Damping Coefficient") else None, least=0.0)
    angle = item.number("Free Angle", 0.0)
    preload = item.number("Preload", 0.0)
    if preload and not k:
        raise item.key_error("Preload", "a preload needs a spring; give 'Spring Coefficient' or leave it out")
    if preload:
        angle += preload / k
    # The joint's angle is that of its second body about its own axis.
    sense = float(np.sign(along @ axis)) * (1.0 if (ours, theirs) == (one, other) else -1.0)
    name = own_name(item, words)
    words[name] = {"torsion": called[joint.text("Name")]}
    if not item.flag("Mirrored"):
        words[name]["single"] = "yes"
    numbers[name] = {
        "stiffness": quantity(k, "N*m/rad"),
        "damping": quantity(item.number("Damping Coefficient", 0.0, least=0.0), "N*m*s/rad"),
        **({"free_angle": quantity(sense * angle, "rad")} if angle else {}),
    }
    return name
