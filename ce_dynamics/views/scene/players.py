"""Views as files that other programs play: frames and shapes of bodies, quantities over time.

Foxglove plays MCAP files of JSON messages, Rerun plays RRD files.  Message types are Foxglove's:
``foxglove.FrameTransforms`` on ``/tf``, ``foxglove.SceneUpdate`` on ``/scene``;
``/quantities`` has all series by name.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.files import path_of, shown_path
from ce_dynamics.errors import ModelError
from ce_dynamics.views.scene.page import replace_picture
from ce_dynamics.views.scene.shapes import Shape
from ce_dynamics.views.scene.take import Take, quaternions

WORLD = "world"
GREY = "#9aa5ad"
"""Colour of shapes that have none of their own."""
ALWAYS = {"sec": 0, "nsec": 0}


def save_mcap(take: Take, title: str, path: str | Path) -> Path:
    """Write a run for Foxglove.

    Raises
    ------
    ModelError
        If the package mcap is missing, or the file cannot be written.
    """
    file = path_of("view: path", path, ModelError)
    if importlib.util.find_spec("mcap") is None:
        raise ModelError(f"{shown_path(file)} needs the package mcap: pip install 'ce-dynamics[tables]'")
    from mcap.writer import Writer  # here, because it is an extra

    with replace_picture(file) as part, part.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        channels = {}
        for topic, schema in TOPICS.items():
            known = writer.register_schema(schema["title"], "jsonschema", json.dumps(schema).encode())
            channels[topic] = writer.register_channel(topic, "json", known)
        writer.add_metadata("run", {"title": title, "label": take.label})
        for t, topic, message in messages(take):
            time = round(1e9 * t)
            writer.add_message(channels[topic], time, json.dumps(message).encode(), time)
        writer.finish()
    return file


def messages(take: Take) -> Iterator[tuple[float, str, dict[str, Any]]]:
    """Yield all messages of a run with their times [s] and topics."""
    first = float(take.t[0])
    owners = [(body.name, body.shapes) for body in take.bodies]
    entities = [entity(name, shapes, first) for name, shapes in [(WORLD, take.scenery), *owners] if shapes]
    yield first, "/scene", {"deletions": [], "entities": entities}
    for n, t in enumerate(take.t.tolist()):
        rows = zip(take.bodies, take.places[n].tolist(), strict=True)
        transforms = [
            {
                "timestamp": stamp(t),
                "parent_frame_id": WORLD,
                "child_frame_id": body.name,
                "translation": dict(zip("xyz", row[:3], strict=True)),
                "rotation": dict(zip("xyzw", row[3:], strict=True)),
            }
            for body, row in rows
        ]
        yield t, "/tf", {"transforms": transforms}
        yield t, "/quantities", {series.name: float(series.values[n]) for series in take.series}


def stamp(t: float) -> dict[str, int]:
    """Return a time as whole seconds and nanoseconds."""
    sec, nsec = divmod(round(1e9 * t), 1_000_000_000)
    return {"sec": sec, "nsec": nsec}


def entity(name: str, shapes: Sequence[Shape], t: float) -> dict[str, Any]:
    """Return the shapes of a body, which move with its frame."""
    found: dict[str, list[Any]] = {"triangles": [], "spheres": [], "cubes": [], "cylinders": [], "lines": []}
    for shape in shapes:
        for kind, primitive in primitives(shape):
            found[kind].append(primitive)
    none: dict[str, list[Any]] = {"arrows": [], "texts": [], "models": [], "metadata": []}
    about = {"timestamp": stamp(t), "frame_id": name, "id": name, "lifetime": ALWAYS, "frame_locked": True}
    return {**about, **none, **found}


def primitives(shape: Shape) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the list that a shape belongs to, and the shape as Foxglove describes it; planes are left out."""
    points = np.asarray(shape.points, dtype=float)
    plain: dict[str, Any] = {"color": colour_of(shape)}
    if len(shape.triangles) or shape.kind == "line":
        corners = [dict(zip("xyz", point, strict=True)) for point in points.tolist()]
        plain |= {"pose": pose_at(np.zeros(3)), "points": corners, "colors": []}
    if len(shape.triangles):
        yield "triangles", {**plain, "indices": np.asarray(shape.triangles).ravel().tolist()}
    elif shape.kind == "ball":
        yield "spheres", {**plain, "pose": pose_at(points[0]), "size": edges(3 * [2.0 * shape.radius])}
    elif shape.kind == "block":
        halves = points[1:] - points[0]
        lengths = np.linalg.norm(halves, axis=1)
        pose = pose_at(points[0], (halves / lengths[:, None]).T)
        yield "cubes", {**plain, "pose": pose, "size": edges((2.0 * lengths).tolist())}
    elif shape.kind in ("rod", "wheel"):
        way = points[1] - points[0]
        size = edges([2.0 * shape.radius, 2.0 * shape.radius, float(np.linalg.norm(way))])
        pose = pose_at(points.mean(axis=0), rotation_along(way))
        yield "cylinders", {**plain, "pose": pose, "size": size, "bottom_scale": 1.0, "top_scale": 1.0}
    elif shape.kind == "line":
        yield "lines", {**plain, "type": 0, "thickness": 2.0, "scale_invariant": True, "indices": []}


def rotation_along(way: Floats) -> Floats:
    """Return a rotation whose third axis has a direction."""
    z = way / (np.linalg.norm(way) or 1.0)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.stack((x, np.cross(z, x), z), axis=1)


def pose_at(at: Floats, R: Floats | None = None) -> dict[str, Any]:
    """Return a pose; without a turn if no rotation is given."""
    turn = [0.0, 0.0, 0.0, 1.0] if R is None else quaternions(R).tolist()
    return {
        "position": dict(zip("xyz", at.tolist(), strict=True)),
        "orientation": dict(zip("xyzw", turn, strict=True)),
    }


def edges(lengths: list[float]) -> dict[str, float]:
    """Return edges [m]."""
    return dict(zip("xyz", lengths, strict=True))


def colour_of(shape: Shape) -> dict[str, float]:
    """Return a colour as parts of red, green, blue, and its opacity."""
    text = shape.colour if shape.colour.startswith("#") and len(shape.colour) == 7 else GREY
    parts = [int(text[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
    return dict(zip("rgba", [*parts, shape.opacity], strict=True))


def schema(title: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON schema of objects."""
    return {"title": title, "type": "object", "properties": properties}


LISTED = {"type": "array", "items": {"type": "object"}}
TOPICS = {
    "/tf": schema("foxglove.FrameTransforms", transforms=LISTED),
    "/scene": schema("foxglove.SceneUpdate", deletions=LISTED, entities=LISTED),
    "/quantities": schema("quantities"),
}
"""Schemas of messages by topic."""


def save_rrd(take: Take, title: str, path: str | Path) -> Path:
    """Write a run for Rerun; bodies are at ``world/<name>``, series at ``quantities/<name>``.

    Raises
    ------
    ModelError
        If the package rerun-sdk is missing, or the file cannot be written.
    """
    file = path_of("view: path", path, ModelError)
    if importlib.util.find_spec("rerun") is None:
        raise ModelError(f"{shown_path(file)} needs the package rerun-sdk: pip install 'ce-dynamics[rerun]'")
    import rerun as rr  # here, because it is an extra

    with replace_picture(file) as part:
        part.touch()
        stream = rr.RecordingStream("ce-dynamics")
        stream.save(part)
        stream.send_recording_name(", ".join(filter(None, (title, take.label))))
        owners = [(WORLD, take.scenery), *((rerun_path(body.name), body.shapes) for body in take.bodies)]
        for owner, shapes in owners:
            for k, shape in enumerate(shapes):
                for kind, drawn in primitives(shape):
                    stream.log(f"{owner}/{kind}_{k}", make_primitive(rr, kind, drawn, shape), static=True)
        time = rr.TimeColumn("time", duration=take.t)
        for k, body in enumerate(take.bodies):
            rows = take.places[:, k]
            columns = rr.Transform3D.columns(translation=rows[:, :3], quaternion=rows[:, 3:])
            stream.send_columns(rerun_path(body.name), [time], columns)
        for series in take.series:
            stream.send_columns(
                f"quantities/{escape_name(series.name)}",
                [time],
                rr.Scalars.columns(scalars=series.values),
            )
        stream.flush()
        stream.disconnect()
    return file


def rerun_path(body: str) -> str:
    """Return the path of a body among Rerun's entities."""
    return f"{WORLD}/{escape_name(body)}"


def escape_name(name: str) -> str:
    """Return a name as one part of a path of entities."""
    return re.sub(r"([^\w.-])", r"\\\1", name)


def make_primitive(rr: Any, kind: str, drawn: dict[str, Any], shape: Shape) -> Any:
    """Return a primitive of Foxglove as Rerun describes it."""
    colour = [drawn["color"][channel] for channel in "rgba"]
    if kind == "triangles":
        vertices = np.asarray(shape.points, dtype=float)
        return rr.Mesh3D(vertex_positions=vertices, triangle_indices=shape.triangles, albedo_factor=colour)
    if kind == "lines":
        return rr.LineStrips3D([np.asarray(shape.points, dtype=float)], colors=[colour])
    at = [[drawn["pose"]["position"][axis] for axis in "xyz"]]
    turn = [[drawn["pose"]["orientation"][axis] for axis in "xyzw"]]
    size = [drawn["size"][axis] for axis in "xyz"]
    placed = {"centers": at, "quaternions": turn, "colors": [colour], "fill_mode": "solid"}
    if kind == "cylinders":
        return rr.Cylinders3D(lengths=[size[2]], radii=[0.5 * size[0]], **placed)
    half = [[0.5 * edge for edge in size]]
    return (rr.Boxes3D if kind == "cubes" else rr.Ellipsoids3D)(half_sizes=half, **placed)
