"""Poses of the frames of an SDF model, by name; frames of models within models."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.errors import DataError
from ce_dynamics.readers.frames import WORLD, Pose, from_rpy
from ce_dynamics.readers.xml_file import Element

MODEL = "__model__"
TRUE = ("true", "1")


class Frames:
    """All named frames of a model, in the axes of the model.

    Parameters
    ----------
    model : Element
    right_angles : float
        Angles as near as this to a multiple of a right angle are taken as such [rad].
    """

    def __init__(self, model: Element, right_angles: float) -> None:
        self.right_angles = right_angles
        self._elements: dict[str, tuple[Element, str]] = {}
        for tag, base in (("link", ""), ("joint", "child"), ("frame", "attached_to")):
            for element in model.children(tag):
                name = checks.name_of(f"{element.place}: name", element.text("name"), DataError)
                if name in self._elements:
                    other, _ = self._elements[name]
                    raise element.error(f"the name is taken by line {other.line}; every frame has its own")
                self._elements[name] = element, base
        self._known: dict[str, Pose] = {MODEL: WORLD, "": WORLD, "world": WORLD}
        self._asked: list[str] = []

    def __call__(self, name: str, asking: Element) -> Pose:
        """Return a frame by its name."""
        if name not in self._known:
            if name not in self._elements:
                raise asking.error(f"there is no frame {checks.show(name)}; known are {[*self._elements]}")
            if name in self._asked:
                raise asking.error(f"frames refer to each other in a circle: {' → '.join(self._asked)}")
            self._asked.append(name)
            element, base = self._elements[name]
            self._known[name] = self._place(element, self._default(element, base))
            self._asked.pop()
        return self._known[name]

    def carrier(self, name: str) -> str:
        """Return the link that a frame or a joint is attached to; the name itself where there is none."""
        followed: list[str] = []
        while name in self._elements and self._elements[name][1] and name not in followed:
            followed.append(name)
            name = self._default(*self._elements[name])
        return followed[0] if name == MODEL and followed else name

    def _default(self, element: Element, base: str) -> str:
        """Return the name of the frame that the pose of an element is relative to by default."""
        if base == "child":
            return element.find_required("child").content
        return element.attributes.get(base, MODEL) if base else MODEL

    def _place(self, element: Element, default: str) -> Pose:
        given = element.child("pose")
        relative = default if given is None else given.attributes.get("relative_to") or default
        return self(relative, element) @ self.pose(given)

    def pose(self, element: Element | None) -> Pose:
        """Return the content of a `<pose>`; that of nothing is at rest."""
        if element is None or not element.content:
            return WORLD
        if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
            *r, x, y, z, w = element.values(7).tolist()
            quaternion = np.array((w, x, y, z))
            length = float(np.linalg.norm(quaternion))
            if length == 0.0:
                raise element.error("the quaternion is zero, which is no rotation")
            return Pose(rotation_from_quaternion(quaternion / length).astype(float), np.array(r))
        numbers = element.values(6)
        degrees = element.attributes.get("degrees", "false").lower() in TRUE
        rpy = numbers[3:] * (math.pi / 180.0 if degrees else 1.0)
        return Pose(from_rpy(rpy, self.right_angles), numbers[:3])


def inverse(pose: Pose) -> Pose:
    """Return the world as seen from a frame."""
    return Pose(pose.R.T, -pose.R.T @ pose.r)


SCOPE = "::"
FRAMES = ("link", "joint", "frame")
WORLD_NAME = "world"


def flatten(model: Element) -> None:
    """Move the elements of inner models to the outer one, in place."""
    for inner in model.children("model"):
        flatten(inner)
        name = inner.text("name")
        for refused in ("placement_frame", "merge"):
            if inner.attributes.get(refused, "false") != "false":
                raise inner.error(
                    f"{refused} of a model within a model is not read; place its <pose> instead"
                )
        for element in inner:
            if element.tag in FRAMES:
                place_within(element, name)
                model.append(element)
        own = inner.child("pose")
        frame = model.add("frame", {"name": scope_name(MODEL, name), "attached_to": MODEL}, inner)
        if own is not None:
            frame.append(own)
        model.remove(inner)


def scope_name(name: str, model: str) -> str:
    """Return a name as seen from outside a model."""
    return name if name == WORLD_NAME else f"{model}{SCOPE}{name}"


def place_within(element: Element, model: str) -> None:
    """Refer to frames of an inner model by their names outside."""
    home = scope_name(MODEL, model)
    element.attributes["name"] = scope_name(element.text("name"), model)
    pose = element.child("pose")
    given = "" if pose is None else pose.attributes.get("relative_to", "")
    if pose is None and element.tag == "link":
        pose = element.add("pose", {}, element)
    if element.tag == "frame":
        base = element.attributes.get("attached_to", "")
        element.attributes["attached_to"] = scope_name(base, model) if base else home
    if given or element.tag == "link":
        assert pose is not None
        pose.attributes["relative_to"] = scope_name(given, model) if given else home
    for tag in ("parent", "child", "gearbox_reference_body"):
        for end in element.children(tag) if element.tag == "joint" else ():
            end.content = scope_name(end.content, model)
    for axis in (*element.children("axis"), *element.children("axis2")):
        by_model = any(flag.content.lower() in TRUE for flag in axis.children("use_parent_model_frame"))
        for xyz in axis.children("xyz"):
            if by_model and not xyz.attributes.get("expressed_in"):
                xyz.attributes["expressed_in"] = MODEL
            if xyz.attributes.get("expressed_in"):
                xyz.attributes["expressed_in"] = scope_name(xyz.attributes["expressed_in"], model)
        for mimic in axis.children("mimic"):
            mimic.attributes["joint"] = scope_name(mimic.text("joint"), model)
