"""Views as RRD files, which Rerun plays: frames and shapes of bodies, quantities over time."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra.files import path_of, shown_path
from ce_dynamics.errors import ModelError
from ce_dynamics.views.scene.mcap import WORLD, primitives
from ce_dynamics.views.scene.page import replace_picture
from ce_dynamics.views.scene.shapes import Shape
from ce_dynamics.views.scene.take import Take

APPLICATION = "ce-dynamics"
REMEDY = "pip install 'ce-dynamics[rerun]'"
TIMELINE = "time"


def save_rrd(take: Take, title: str, path: str | Path) -> Path:
    """Write a run; bodies are at ``world/<name>``, series at ``quantities/<name>``.

    Raises
    ------
    ModelError
        If the package rerun-sdk is missing, or the file cannot be written.
    """
    file = path_of("view: path", path, ModelError)
    if importlib.util.find_spec("rerun") is None:
        raise ModelError(f"{shown_path(file)} needs the package rerun-sdk: {REMEDY}")
    import rerun as rr  # here, because it is an extra

    with replace_picture(file) as part:
        part.touch()
        stream = rr.RecordingStream(APPLICATION)
        stream.save(part)
        stream.send_recording_name(", ".join(filter(None, (title, take.label))))
        owners = [(WORLD, take.scenery), *((entity(body.name), body.shapes) for body in take.bodies)]
        for owner, shapes in owners:
            for k, shape in enumerate(shapes):
                for kind, drawn in primitives(shape):
                    stream.log(f"{owner}/{kind}_{k}", make_primitive(rr, kind, drawn, shape), static=True)
        time = rr.TimeColumn(TIMELINE, duration=take.t)
        for k, body in enumerate(take.bodies):
            rows = take.places[:, k]
            columns = rr.Transform3D.columns(translation=rows[:, :3], quaternion=rows[:, 3:])
            stream.send_columns(entity(body.name), [time], columns)
        for series in take.series:
            stream.send_columns(
                f"quantities/{escape_name(series.name)}",
                [time],
                rr.Scalars.columns(scalars=series.values),
            )
        stream.flush()
        stream.disconnect()
    return file


def entity(body: str) -> str:
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
