"""Bodywork that is no shell over profiles: trucks, single-seaters, trailers, glTF files; their sizes."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.vehicles.bodywork import (
    BRAKE_LAMP,
    GLASS,
    LAMP,
    TRIM,
    FrameSizes,
    bar,
    box,
    eye_position,
    loft,
    look,
    pair,
    shell,
    steering_wheel,
    styles,
)
from ce_dynamics.views.scene.shapes import Shape, mesh, rod

WIDTH = 0.6
"""Width of a tyre in radii, where the tyre's data have none."""
MOST_TRIANGLES = 200_000
"""Triangles of a body from a file: with the road it stays below 300,000."""
PAINTS = {"truck": "#c8741d", "single-seater": "#14418b", "trailer": "#d9dde0"}
CAB = ((0.96, 0.0), (1.0, 0.1), (1.0, 0.55), (0.96, 0.95), (0.9, 1.0))
"""Section of a cab: parts of the half width and of the height."""
FUSELAGE = (
    (-2.7, 0.1, 0.5, 0.75),
    (-2.2, 0.2, 0.45, 1.0),
    (-1.0, 0.34, 0.4, 1.5),
    (0.0, 0.42, 0.35, 1.75),
    (0.35, 0.5, 0.3, 2.0),
    (0.5, 0.52, 0.3, 1.95),
    (0.62, 0.52, 0.3, 2.1),
    (0.72, 0.48, 0.3, 2.9),
    (0.85, 0.4, 0.35, 2.5),
    (1.0, 0.3, 0.45, 1.9),
    (2.0, 0.18, 0.7, 1.4),
)
"""Outlines of single-seaters: station, half width over the room between the wheels, lower and upper edge."""
EYES = {"truck": (-1.6, 0.45, 4.5), "single-seater": (0.6, 0.0, 2.75)}
"""Places of the driver's eyes: station, part of the half track, height."""
SMALL_WHEEL = 0.13
"""Radius of a single-seater's steering wheel [m]."""


def bodywork(style: str, frame: FrameSizes) -> list[Shape]:
    """Return shapes of a body of some class over its wheels, in the design pose."""
    return list(BODIES[style](frame) if style in BODIES else shell(styles()[style], frame))


def eyes_in(style: str, frame: FrameSizes) -> Floats:
    """Return the place of a driver's eyes."""
    if style not in EYES:
        return eye_position(styles()[style], frame)
    station, aside, high = EYES[style]
    return np.array([float(frame.x([station])[0]), aside * frame.half, float(frame.z([high])[0])])


def truck(frame: FrameSizes) -> Iterator[Shape]:
    """Yield a cab over the front axle and a load bed behind it, on a ladder frame."""
    R, W = frame.radius, frame.width
    paint, base = PAINTS["truck"], frame.front - frame.rear
    nose, back = frame.front + 1.5 * R, frame.front - max(1.2 * R, 0.16 * base)
    floor, roof = frame.z([1.65, 5.6])
    x = np.array([back, back + 0.02, nose - 0.45 * R, nose - 0.12 * R, nose])
    edge = np.array([roof, roof, roof, 0.45 * roof + 0.55 * floor + 0.3 * R, 0.5 * (floor + roof) - 0.1 * R])
    rings = [[*((W * p, floor + up * (z - floor)) for p, up in CAB), (0.0, z + 0.03 * R)] for z in edge]
    yield look(loft(x, np.array(rings)), "paint", paint)
    tall = roof - floor
    window, at = (0.55 * (nose - back), 0.03, 0.26 * tall), (0.5 * (nose + back), W, floor + 0.68 * tall)
    yield from pair(window, at, "glass", GLASS)
    yield from pair((0.1 * R, 0.3 * W, 0.3 * R), (nose, 0.75 * W, floor + 0.28 * R), "headlamp", LAMP)
    at = (nose - 0.2 * R, W + 0.25 * R, floor + 0.62 * tall)
    yield from pair((0.22 * R, 0.35 * R, 0.9 * R), at, "trim", TRIM)
    at = (0.5 * (frame.front + frame.rear) - 0.4 * R, 0.42 * frame.half, float(frame.z([1.35])[0]))
    yield from pair((base + 3.0 * R, 0.12 * R, 0.3 * R), at, "", "#3b4148")
    lean = np.array([-0.33 * R, 0.0, 0.42 * tall])
    lean /= np.linalg.norm(lean)
    axes = np.array([np.cross((0.0, 1.0, 0.0), lean), (0.0, 1.0, 0.0), lean])
    screen, at = (0.04, 1.7 * W, 0.36 * tall), (nose - 0.29 * R, 0.0, floor + 0.73 * tall)
    yield box(screen, at, "glass", GLASS, axes)
    yield box((0.1 * R, 1.3 * W, 0.5 * R), (nose - 0.01, 0.0, floor + 0.85 * R), "trim", TRIM)
    yield box((0.3 * R, 1.96 * W, 0.45 * R), (nose - 0.02 * R, 0.0, floor - 0.1 * R), "trim", TRIM)
    yield from load_bed(frame, back - 0.25 * R, frame.rear - 1.6 * R, float(frame.z([2.25])[0]), paint)


def load_bed(frame: FrameSizes, front: float, rear: float, floor: float, paint: str) -> Iterator[Shape]:
    """Yield a platform with drop sides, and brake lamps at its end."""
    R, W = frame.radius, frame.width
    length, middle, high = front - rear, 0.5 * (front + rear), 0.95 * R
    yield box((length, 2.0 * W, 0.14 * R), (middle, 0.0, floor), "", "#5a4a38")
    lamp, at = (0.08 * R, 0.24 * W, 0.2 * R), (rear - 0.03, 0.8 * W, floor - 0.25 * R)
    yield from pair(lamp, at, "brakelamp", BRAKE_LAMP)
    for side in (-1.0, 1.0):
        yield box((length, 0.05, high), (middle, side * (W - 0.03), floor + 0.5 * high), "paint", paint)
        for x in np.linspace(front - 0.06, rear + 0.06, max(3, round(length / 1.3))):
            yield box((0.08, 0.09, 1.06 * high), (x, side * (W - 0.02), floor + 0.5 * high), "trim", TRIM)
    for x, up in ((front, 1.5), (rear, 1.0)):
        yield box((0.05, 2.0 * W, up * high), (x, 0.0, floor + 0.5 * up * high), "paint", paint)


def single_seater(frame: FrameSizes) -> Iterator[Shape]:
    """Yield a slim body with side pods, wings and a roll hoop; its wheels stand free."""
    R, h, paint = frame.radius, frame.half, PAINTS["single-seater"]
    free = h - 1.25 * frame.tyre
    X, wide, low, high = np.array(FUSELAGE).T
    fine = np.linspace(0.0, len(X) - 1.0, 50)
    at = [
        np.interp(fine, np.arange(len(X)), row)
        for row in (frame.x(X), wide * free, frame.z(low), frame.z(high))
    ]
    x, w, z0, z1 = (row[::-1] for row in at)
    section = ((0.55, 0.0), (0.95, 0.2), (1.0, 0.45), (0.85, 0.75), (0.5, 0.96), (0.0, 1.0))
    rings = np.array(
        [[(a * p, b + up * (c - b)) for p, up in section] for a, b, c in zip(w, z0, z1, strict=True)]
    )
    yield look(loft(x, rings), "paint", paint)
    first, last = frame.x([0.42, 0.98])
    low_pod, high_pod = frame.z([0.85, 0.9]).tolist()
    pod = (0.5 * (first + last), 0.74 * free, low_pod)
    yield from pair((first - last, 0.42 * free, 0.75 * R), pod, "paint", paint)
    yield from pair((0.03, 0.34 * free, 0.55 * R), (first + 0.01, 0.74 * free, high_pod), "trim", TRIM)
    for station, height, chord, deep, plates in ((-2.6, 0.42, 1.0, 0.06, 0.4), (2.1, 2.9, 0.9, 0.06, 0.9)):
        (centre,), (z,) = frame.x([station]), frame.z([height])
        half = h + (frame.tyre if station < 0.0 else -0.6 * frame.tyre)
        yield box((chord * R, 2.0 * half, deep * R), (centre, 0.0, z), "paint", paint)
        yield from pair((1.15 * chord * R, 0.015, plates * R), (centre, half, z), "trim", TRIM)
    strut, hoop, (foot, bottom, top, seat) = (
        0.15 * h,
        float(frame.x([0.68])[0]),
        frame.z([1.3, 1.7, 3.15, 2.02]),
    )
    for side in (-1.0, 1.0):  # of the rear wing
        yield bar((centre + 0.3 * R, side * strut, foot), (centre, side * strut, z), 0.05 * R, "trim", TRIM)
        ends = (hoop, side * 0.3 * free, bottom), (hoop, side * 0.1 * free, top)
        yield bar(*ends, 0.06 * R, "metal", "#7b828a")
    yield bar((hoop, -0.1 * free, top), (hoop, 0.1 * free, top), 0.06 * R, "metal", "#7b828a")
    yield box((0.75 * R, 0.62 * free, 0.03), (float(frame.x([0.5])[0]), 0.0, float(seat)), "trim", TRIM)
    yield from steering_wheel(eyes_in("single-seater", frame), SMALL_WHEEL)


def trailer(frame: FrameSizes) -> Iterator[Shape]:
    """Yield a box body on a frame."""
    R, W = frame.radius, frame.width
    length = max(frame.front - frame.rear + 2.6 * R, 3.2 * frame.half)
    middle, (floor, roof) = 0.5 * (frame.front + frame.rear), frame.z([1.9, 1.9 + 3.8 * frame.half / R * 0.5])
    x = middle + 0.5 * length * np.array([-1.0, -0.97, 0.97, 1.0])
    inset = np.array([0.97, 1.0, 1.0, 0.97])
    wall = ((0.98, 0.0), (1.0, 0.03), (1.0, 0.95), (0.95, 1.0), (0.0, 1.012))
    rings = np.array([[(W * k * p, floor + up * (roof - floor)) for p, up in wall] for k in inset])
    yield look(loft(x, rings), "paint", PAINTS["trailer"])
    yield box((length, 1.3 * frame.half, 0.25 * R), (middle, 0.0, floor - 0.12 * R), "", "#3b4148")
    rear = middle - 0.5 * length
    yield from pair((0.06, 0.3 * W, 0.3 * R), (rear, 0.75 * W, floor + 0.3 * R), "brakelamp", BRAKE_LAMP)
    at = (middle, 1.005 * W, floor + 0.5 * (roof - floor))
    yield from pair((1.02 * length, 0.02, 0.12 * R), at, "", "#b3261e")


BODIES = {"truck": truck, "single-seater": single_seater, "trailer": trailer}
"""Makers of bodies by class."""


def radius_of(tyre: RoadTyre) -> float:
    """Return the unloaded radius [m]."""
    return float(nominal(tyre.model.unloaded_radius))


def drawbar_of(system: System, body: str, tyres: list[RoadTyre]) -> list[Shape]:
    """Return the drawbar from the hitch to the trailer's box."""
    rear, front, half, height, radius = sizes_of(tyres)
    at = nominal(system.find(body).inboard.at).astype(float)
    start = 0.5 * (front + rear) + 0.5 * max(front - rear + 2.2 * radius, 4.0 * half * 0.8)
    if at[0] < start:
        return []
    ends = [(start, side * 0.5 * half, height + 0.35 * radius) for side in (-1.0, 1.0)]
    return [rod(at, end, 0.1 * radius).paint("#5b656d") for end in ends]


def sizes_of(tyres: list[RoadTyre]) -> tuple[float, float, float, float, float]:
    """Return x of the last and first wheels, half the track, height of the centres, largest radius [m]."""
    centres = np.array([nominal(tyre.centre) for tyre in tyres]).astype(float)
    radius = max(radius_of(tyre) for tyre in tyres)
    x, y, z = centres.T
    return float(x.min()), float(x.max()), float(np.abs(y).max()), float(z.mean()), radius


def frame_of(tyres: list[RoadTyre]) -> FrameSizes:
    """Return the running gear of a chassis or trailer."""
    rear, front, half, height, radius = sizes_of(tyres)
    axles = sorted({round(float(nominal(tyre.centre)[0]), 3) for tyre in tyres}, reverse=True)
    return FrameSizes(front, rear, tuple(axles), half, height - radius, radius, 0.5 * WIDTH * radius)


def gltf_body(path: Path) -> list[Shape]:
    """Return the shapes of a glTF file: its axes are y up and z ahead, its origin that of the vehicle."""
    if importlib.util.find_spec("trimesh") is None:
        raise DataError(f"{path.name} needs the package trimesh: pip install 'ce-dynamics[gltf]'")
    import trimesh  # here, because it is an extra

    try:
        parts = trimesh.load_scene(path).dump()
    except Exception as error:  # of many libraries, whatever is wrong with the file
        raise DataError(f"{path.name}: not a glTF file that trimesh reads: {error}") from error
    found, count = [], 0
    for part in parts:
        if not hasattr(part, "faces"):
            continue
        count += len(part.faces)
        material = getattr(part.visual, "material", None)
        rgba = np.asarray(getattr(material, "main_color", (154, 165, 173, 255)), dtype=float) / 255.0
        colour = "#" + "".join(f"{round(255.0 * x):02x}" for x in rgba[:3])
        shape = mesh(np.asarray(part.vertices)[:, [2, 0, 1]], part.faces).paint(colour, float(rgba[3]))
        found.append(replace(shape, look="glass" if rgba[3] < 1.0 else "paint"))
    if not found or count > MOST_TRIANGLES:
        raise DataError(f"{path.name}: {count} triangles; between 1 and {MOST_TRIANGLES} can be drawn")
    return found
