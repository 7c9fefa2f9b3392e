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
TAKEN = {
    "wheel", "bar", "origin", "W", "tyre", "brake", "chassis", "steering", "axle", "kind", "source",
}  # fmt: skip
RIGHT = "right"
"""Key under which a suspension's numbers have the differences of the right side."""
ONCE: Sections = {"single": True}
SQUARE = 1e-3
"""Largest sine of the angle between the axes of a torsion spring and its joint; largest distance [m]."""
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
    return {
        "beam": {"body": "single", **body(part.part("Axle Tube"))},
        "crank": {"body": "single", **body(crank, com=(pivot + held + pulled) / 3.0)},
        "toe_bar": {"body": "single", **body(bar, com=middle(left, right))},
        "knuckle": {"body": "mirrored", **body(knuckle, R=lean_axes(part))},
        **{
            name: {"distance": "chassis beam", **rod_between(reading, link, "Location Axle")}
            for name, link in links.items()
        },
        "track_bar": {"distance": "chassis beam", **ONCE, **rod_between(reading, track, "Location Axle")},
        "kingpin": {"revolute": "beam knuckle", **line(lower, upper)},
        "crank_pivot": {"revolute": "beam crank", **ONCE, **line(pivot, pivot + UPWARDS)},
        "drag_link": {"distance": "crank steering", **ONCE, **rod_between(reading, drag, pulled)},
        "bar_ball": {"spherical": "toe_bar knuckle.left", **ONCE, "at": quantities(left, "m")},
        "bar_joint": {
            "universal": "toe_bar knuckle.right",
            **ONCE,
            "at": quantities(right, "m"),
            "first": quantities(right + FORWARDS, "m"),
            "second": quantities(right + UPWARDS, "m"),
        },
        "bar_plane": {"point-on-plane": "toe_bar crank", **ONCE, **line(held, held + LEFTWARDS)},
        **{name: {name: "chassis beam", **law} for name, law in laws.items()},
        "wheel": {"carrier": "knuckle"},
    }


def line(at: Matrix, through: Matrix) -> Sections:
    """Return the numbers of a revolute joint."""
    return {"at": quantities(at, "m"), "through": quantities(through, "m")}


def rod_between(reading: Reading, link: JsonObject, end: str | Matrix) -> Sections:
    """Return the numbers of a distance that is a uniform bar, between the chassis or steering and an end."""
    chassis = link.vector("Location Chassis")
    ends = (chassis, link.vector(end)) if isinstance(end, str) else (end, chassis)
    one, other = (quantities(r, "m") for r in ends)
    return {"one": one, "other": other, "rod": rod(reading, link)}


def generic(reading: Reading, part: JsonObject) -> Sections:
    """Return its items by our names; `RIGHT` holds the differences on the right."""
    part.flag("Independent")
    part.has("Vehicle-Frame Inertia")
    graph = GenericGraph(reading, part.flag("Steerable"))
    bodies, joints, distances, springs, torsions = (
        part.list_of_parts(key) if part.has(key) else []
        for key in ("Bodies", "Joints", "Distance Constraints", "TSDAs", "RSDAs")
    )
    for item in bodies:
        graph.add_body(item)
    for item in joints:
        graph.add_joint(item)
    for item in distances:
        ends = {"one": item.point("Point1"), "other": item.point("Point2")}
        graph.items[graph.new_name(item)] = {**graph.join(item, "distance"), **ends}
    for item in springs:
        graph.add_springs(item)
    right: Sections = {}
    for item in torsions:
        name = graph.add_torsion(item, joints)
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
    graph.items["wheel"] = {"carrier": graph.body_name(part.part("Spindle"), "Attachment Body")}
    if part.has("Antiroll Body") and part.data["Antiroll Body"] != "":
        graph.items["bar"] = {"carrier": graph.body_name(part, "Antiroll Body")}
    return {**graph.items, RIGHT: right}


def on_chassis(sections: Sections) -> Sections:
    """Return the sections of an unsteered axle: joints that the steering would move are on the chassis."""
    return {
        name: on_chassis(value)
        if isinstance(value, dict)
        else re.sub(r"\bsteering\b", "chassis", value)
        if isinstance(value, str)
        else value
        for name, value in sections.items()
    }


class GenericGraph:
    """Items of a graph by our names, and our names of Chrono's bodies and joints by theirs."""

    def __init__(self, reading: Reading, steerable: bool) -> None:
        self.reading = reading
        self.items: Sections = {}
        self.bodies = {"Chassis": "chassis", "Steering": "steering" if steerable else "chassis"}
        self.joints: dict[str, str] = {}

    def new_name(self, item: JsonObject, known: dict[str, str] | None = None, suffix: str = "") -> str:
        """Return a name for our files: lower-case letters, digits and underscores, not taken yet.

        It is added to the ``known`` ones, where no other item may have the same name of Chrono's.
        """
        theirs = item.text("Name")
        if known is not None and theirs in known:
            raise item.key_error("Name", f"{checks.show(theirs)} is there twice; choose another")
        spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", theirs).lower()
        name = re.sub(r"\W+", "_", spelled).strip("_")[:24] or "item"
        name = name if name[0].isalpha() else f"item_{name}"
        name = f"{name}{suffix}"
        while name in self.items or name in TAKEN:
            name = f"{name}_2"
        if known is not None:
            known[theirs] = name
        return name

    def body_name(self, item: JsonObject, key: str) -> str:
        """Return our name of a body that a key names, or the one on a side."""
        value = item.data.get(key)
        if isinstance(value, list) and len(value) == 2 and value[1] in ("Left", "Right"):
            item.has(key)
            name, side = str(value[0]), f".{str(value[1]).lower()}"
        else:
            name, side = item.text(key), ""
        if name == "Subchassis":
            return "chassis"
        if name not in self.bodies:
            raise item.key_error(key, f"no body {checks.show(name)}; there are {', '.join(self.bodies)}")
        return f"{self.bodies[name]}{side}"

    def ends(self, item: JsonObject) -> tuple[str, str]:
        """Return our names of the two bodies that an item joins."""
        return self.body_name(item, "Body1"), self.body_name(item, "Body2")

    def join(self, item: JsonObject, kind: str) -> Sections:
        """Return the kind of an item and the bodies that it joins.

        Chrono's lines and planes of points are on the second body, here on the first.
        """
        one, other = self.ends(item)
        bodies = f"{other} {one}" if kind.startswith("point-on") else f"{one} {other}"
        return {kind: bodies, **({} if item.flag("Mirrored") else ONCE)}

    def add_body(self, item: JsonObject) -> None:
        """Add a body."""
        numbers = body(item, com=item.vector("Position"), R=rotation(item, "Rotation"))
        kind = "mirrored" if item.flag("Mirrored") else "single"
        self.items[self.new_name(item, self.bodies)] = {"body": kind, **numbers}

    def add_joint(self, item: JsonObject) -> None:
        """Add a joint."""
        kind = item.text("Type")
        if kind not in JOINTS:
            raise item.key_error("Type", f"{checks.show(kind)} is no joint; known are {', '.join(JOINTS)}")
        if item.has("Bushing Data"):
            self.reading.note(RIGID)
        ours, at, R = JOINTS[kind], item.vector("Position"), rotation(item, "Rotation")
        section: Sections = {**self.join(item, ours), "at": quantities(at, "m")}
        if ours == "universal":
            section |= {
                "first": quantities(at + ALONG * R[:, 0], "m"),
                "second": quantities(at + ALONG * R[:, 1], "m"),
            }
        elif ours in ("revolute", "point-on-plane", "point-on-line"):
            axis = R[:, 0] if ours == "point-on-line" else R[:, 2]
            section["through"] = quantities(at + ALONG * unit(item, "Rotation", np.asarray(axis)), "m")
        self.items[self.new_name(item, self.joints)] = section

    def add_springs(self, item: JsonObject) -> None:
        """Add a spring, a damper, or both."""
        ends: Sections = {"chassis": item.point("Point1"), "arm": item.point("Point2")}
        sprung = item.has("Spring Coefficient") or item.has("Spring Curve Data")
        dampers = [item.has(key) for key in ("Damping Coefficient", "Damping Curve Data", "Map Data")]
        damped = any(dampers)
        if not (sprung or damped):
            raise item.key_error("Spring Coefficient", "neither spring nor damper is described; give one")
        for there, kind, law in ((sprung, "spring", spring_law), (damped, "damper", damper_law)):
            if there:
                name = self.new_name(item, suffix="_damper" if sprung and kind == "damper" else "")
                self.items[name] = {**self.join(item, kind), **ends, **law(self.reading, item)}

    def add_torsion(self, item: JsonObject, joints: Sequence[JsonObject]) -> str:
        """Add a torsion spring on the revolute joint of its two bodies about its axis; return its name.

        Chrono's torque on the second body is P − k (θ − θ0) − c ω with the angle of the second body against
        the first; a preload is an angle P/k more.
        """
        pair, axis = self.ends(item), unit(item, "Axis", item.vector("Axis"))
        for joint in joints:
            bodies, along = self.ends(joint), rotation(joint, "Rotation")[:, 2]
            apart = joint.vector("Position") - item.vector("Position")
            same = {*bodies} == {*pair} and joint.text("Type") == "Revolute"
            if same and max(*np.abs(cross(along, axis)), *np.abs(cross(axis, apart))) < SQUARE:
                break
        else:
            raise item.key_error("Axis", "no revolute joint of its two bodies turns about this line; add one")
        k = item.number("Spring Coefficient", 0.0 if item.has("Damping Coefficient") else None, least=0.0)
        angle = item.number("Free Angle", 0.0)
        preload = item.number("Preload", 0.0)
        if preload and not k:
            raise item.key_error(
                "Preload", "a preload needs a spring; give 'Spring Coefficient' or leave it out"
            )
        if preload:
            angle += preload / k
        # The joint's angle is that of its second body about its own axis.
        sense = float(np.sign(along @ axis)) * (1.0 if bodies == pair else -1.0)
        name = self.new_name(item)
        self.items[name] = {
            "torsion": self.joints[joint.text("Name")],
            **({} if item.flag("Mirrored") else ONCE),
            "stiffness": quantity(k, "N*m/rad"),
            "damping": quantity(item.number("Damping Coefficient", 0.0, least=0.0), "N*m*s/rad"),
            **({"free_angle": quantity(sense * angle, "rad")} if angle else {}),
        }
        return name


def joins_the_steering(graph: Sections) -> bool:
    """Return True if an item of a graph is on the steering."""
    return on_chassis(graph) != graph
