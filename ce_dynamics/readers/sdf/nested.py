"""Models within models: their links, joints and frames as those of the outer one, named ``inner::name``."""

from __future__ import annotations

from ce_dynamics.readers.sdf.frames import MODEL, TRUE
from ce_dynamics.readers.xml_file import Element

SCOPE = "::"
FRAMES = ("link", "joint", "frame")
WORLD = "world"


def flatten(model: Element) -> None:
    """Bring what stands in inner models out to the outer one, in place."""
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
                element.move_to(model)
        own = inner.child("pose")
        frame = model.add("frame", {"name": within(MODEL, name), "attached_to": MODEL}, inner)
        if own is not None:
            own.move_to(frame)
        inner.remove()


def within(name: str, model: str) -> str:
    """A name as seen from outside a model."""
    return name if name == WORLD else f"{model}{SCOPE}{name}"


def place_within(element: Element, model: str) -> None:
    """Refer to frames of an inner model by their names outside."""
    home = within(MODEL, model)
    element.set("name", within(element.text("name"), model))
    pose = element.child("pose")
    given = "" if pose is None else pose.attributes.get("relative_to", "")
    if pose is None and element.tag == "link":
        pose = element.add("pose", {}, element)
    if element.tag == "frame":
        base = element.attributes.get("attached_to", "")
        element.set("attached_to", within(base, model) if base else home)
    if given or element.tag == "link":
        assert pose is not None
        pose.set("relative_to", within(given, model) if given else home)
    for tag in ("parent", "child", "gearbox_reference_body"):
        for end in element.children(tag) if element.tag == "joint" else ():
            end.content = within(end.content, model)
    for axis in (*element.children("axis"), *element.children("axis2")):
        by_model = any(told.content.lower() in TRUE for told in axis.children("use_parent_model_frame"))
        for xyz in axis.children("xyz"):
            if by_model and not xyz.attributes.get("expressed_in"):
                xyz.set("expressed_in", MODEL)
            if xyz.attributes.get("expressed_in"):
                xyz.set("expressed_in", within(xyz.attributes["expressed_in"], model))
        for mimic in axis.children("mimic"):
            mimic.set("joint", within(mimic.text("joint"), model))
