"""The same scene drawn by MuJoCo: shapes of a take at one instant, from the camera of a page."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.views.scene.shapes import Shape
from ce_dynamics.views.scene.take import Take

FIELD = 45.0
"""Vertical field of view of the camera [deg], that of the pages."""
RUBBER, METAL = (0.12, 0.12, 0.13, 1.0), (0.76, 0.79, 0.81, 1.0)


def draw(take: Take, time: float, way: Floats, distance: float, size: tuple[int, int]) -> Any:
    """Return the picture (height, width, 3) of an instant, seen along a way to the first body."""
    os.environ.setdefault("MUJOCO_GL", "egl")
    import mujoco  # here, because the environment says how it draws

    spec = mujoco.MjSpec()
    spec.stat.extent = 5.0
    spec.visual.global_.offwidth, spec.visual.global_.offheight = size
    spec.visual.global_.fovy = FIELD
    spec.visual.quality.shadowsize = 4096
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = (0.35,) * 3, (0.25,) * 3
    spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.81, 0.87, 0.9), rgb2=(0.3, 0.56, 0.8), width=256, height=256,
    )  # fmt: skip
    n = int(np.argmin(np.abs(take.t - time)))
    world, at = spec.worldbody, take.places[n, 0, :3]
    world.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, dir=(-0.45, 0.55, -0.75), diffuse=(0.8,) * 3,
        pos=at + 5.0 * np.array((0.45, -0.55, 0.75)), castshadow=True,
    )  # fmt: skip
    unturned = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    owners: list[tuple[Sequence[Shape], Floats]] = [(take.scenery, unturned)]
    owners += [(body.shapes, place) for body, place in zip(take.bodies, take.places[n], strict=True)]
    for shapes, place in owners:
        body = world.add_body(pos=place[:3], quat=place[[6, 3, 4, 5]])
        for shape in shapes:
            add(mujoco, spec, body, shape)
    eye = at + distance * way / np.linalg.norm(way)
    right = np.cross(at - eye, (0.0, 0.0, 1.0))
    axes = np.array((right, np.cross(right, at - eye), eye - at))  # right, up, backwards
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    world.add_camera(name="page", pos=eye, fovy=FIELD, quat=turned(mujoco, axes))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, size[1], size[0]) as renderer:
        renderer.update_scene(data, camera="page")
        return renderer.render()


def turned(mujoco: Any, axes: Floats) -> Floats:
    """Return the quaternion of a frame from its axes as rows."""
    found = np.empty(4)
    mujoco.mju_mat2Quat(found, axes.T.ravel())
    return found


def add(mujoco: Any, spec: Any, body: Any, shape: Shape) -> None:
    """Add a shape to a body; lines and cones are left out."""
    points, kinds = np.asarray(shape.points, dtype=float), mujoco.mjtGeom
    text = shape.colour or "#9aa5ad"
    rgba = (*(int(text[k : k + 2], 16) / 255.0 for k in (1, 3, 5)), shape.opacity)
    drawn: dict[str, Any] = {"rgba": rgba, "contype": 0, "conaffinity": 0}
    if len(shape.triangles) and len(points) < 4:  # MuJoCo takes no triangle by itself
        return
    if len(shape.triangles):
        name = f"mesh {len(spec.meshes)}"
        spec.add_mesh(
            name=name, uservert=points.ravel(), userface=np.asarray(shape.triangles).ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )  # fmt: skip
        body.add_geom(type=kinds.mjGEOM_MESH, meshname=name, **drawn)
    elif shape.kind == "plane":
        body.add_geom(type=kinds.mjGEOM_PLANE, pos=points[0], size=(300, 300, 1), rgba=(0.35, 0.35, 0.36, 1))
    elif shape.kind == "rod":
        ends = points.ravel()
        body.add_geom(type=kinds.mjGEOM_CAPSULE, fromto=ends, size=(shape.radius, 0, 0), **drawn)
    elif shape.kind == "wheel":
        middle, half = points.mean(axis=0), 0.5 * (points[1] - points[0])
        for part, wide, colour in ((1.0, 1.0, RUBBER), (0.6, 1.03, METAL)):
            ends = np.concatenate((middle - wide * half, middle + wide * half))
            radius = part * shape.radius
            drawn["rgba"] = colour
            body.add_geom(type=kinds.mjGEOM_CYLINDER, fromto=ends, size=(radius, 0, 0), **drawn)
    elif shape.kind == "ball":
        body.add_geom(type=kinds.mjGEOM_SPHERE, pos=points[0], size=(shape.radius, 0, 0), **drawn)
    elif shape.kind == "block":
        halves = points[1:] - points[0]
        lengths = np.linalg.norm(halves, axis=1)
        turn = turned(mujoco, halves / lengths[:, None])
        body.add_geom(type=kinds.mjGEOM_BOX, pos=points[0], quat=turn, size=lengths, **drawn)
