"""Bodywork of vehicles in pictures: shells lofted over the wheels, by class of vehicle.

Profiles are drawn over the axles.  A station X is a distance ahead of the first axle in wheel radii (X < 0), a part of
the wheelbase (0 to 1), or a distance behind the last axle in wheel radii, plus one.  Heights are above the ground,
in wheel radii.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.views.scene.shapes import Shape, block, mesh, rod

Points = Sequence[tuple[float, float]]

PAINTS = {
    "saloon": "#9c1f24",
    "hatchback": "#1f5fa8",
    "van": "#e8ebee",
    "off-roader": "#4c5b45",
    "hmmwv": "#8a7d5a",
    "truck": "#c8741d",
    "single-seater": "#14418b",
    "trailer": "#d9dde0",
}
GLASS, TRIM, LAMP, BRAKE_LAMP, PLATE = "#10161b", "#17191b", "#f4f6f8", "#5e0d0f", "#e8e9e4"
SIDE_WALL = ((0.94, 0.0), (0.985, 0.22), (1.0, 0.5), (0.985, 0.8), (0.945, 0.95), (0.84, 1.0))
"""Section of a body from its sill to its deck: parts of the half width and of the height."""
FLAT_WALL = ((1.0, 0.0), (1.0, 0.3), (1.0, 0.6), (1.0, 0.9), (1.0, 0.995), (0.98, 1.0))


@dataclass(frozen=True)
class Style:
    """Profiles of a class of vehicles.

    Attributes
    ----------
    deck : sequence of (X, Z)
        Upper edge of the lower body, front to rear.
    cabin : sequence of (X, Z)
        Roof line, from the foot of the windscreen to that of the rear window; empty without one.
    width : sequence of (X, part)
        Half width by station, in parts of the largest.
    sill : float
        Height of the lower edge [wheel radii].
    tumble : float
        Part by which the cabin is narrower at its roof.
    windows : sequence of float
        Stations between which side windows lie, from the front.
    wall : sequence of (part, part)
        Section of the lower body.
    """

    deck: Points
    cabin: Points
    width: Points
    sill: float = 0.62
    tumble: float = 0.22
    windows: Sequence[float] = ()
    wall: Points = SIDE_WALL


CAR_WIDTH = ((-2.6, 0.72), (-2.45, 0.84), (-2.0, 0.93), (-1.1, 1.0), (2.2, 1.0), (3.2, 0.95), (3.8, 0.86), (4.0, 0.76))
STYLES = {
    "saloon": Style(
        deck=(
            (-2.6, 1.3), (-2.52, 1.75), (-2.1, 2.1), (-1.0, 2.42), (0.12, 2.72),
            (0.6, 2.82), (1.0, 2.9), (3.4, 2.92), (3.85, 2.75), (3.95, 2.2), (4.0, 1.5),
        ),
        cabin=((0.1, 2.7), (0.36, 4.05), (0.5, 4.36), (0.62, 4.4), (0.84, 4.3), (1.0, 4.0), (2.25, 2.9)),
        width=CAR_WIDTH,
        windows=(0.1, 0.58, 0.93, 2.25),
    ),
    "hatchback": Style(
        deck=(
            (-2.4, 1.3), (-2.3, 1.8), (-1.9, 2.15), (-1.0, 2.45), (0.1, 2.8),
            (0.6, 2.92), (1.0, 3.0), (2.6, 3.0), (2.85, 2.6), (2.9, 1.5),
        ),
        cabin=((0.05, 2.75), (0.3, 4.1), (0.45, 4.5), (0.6, 4.6), (1.0, 4.45), (2.15, 4.15), (2.7, 2.95)),
        width=((-2.4, 0.74), (-2.25, 0.86), (-1.8, 0.94), (-1.0, 1.0), (1.9, 1.0), (2.6, 0.95), (2.9, 0.84)),
        windows=(0.05, 0.6, 1.0, 2.7),
    ),
    "off-roader": Style(
        deck=(
            (-2.0, 1.6), (-1.95, 2.5), (-1.7, 2.75), (0.18, 2.95), (0.6, 3.0), (1.0, 3.05), (2.6, 3.05), (2.72, 1.6),
        ),
        cabin=((0.2, 2.9), (0.38, 4.5), (0.5, 4.75), (0.9, 4.75), (2.3, 4.65), (2.65, 3.05)),
        width=((-2.0, 0.93), (-1.7, 1.0), (2.4, 1.0), (2.72, 0.95)),
        sill=0.95, tumble=0.14, windows=(0.2, 0.66, 1.2, 2.65),
    ),
    "van": Style(
        deck=(
            (-2.5, 1.2), (-2.45, 1.9), (-2.1, 2.5), (-0.9, 3.1), (0.1, 3.35), (0.5, 3.4), (1.0, 3.4), (3.3, 3.4), (3.35, 1.3),
        ),
        cabin=((-0.6, 3.2), (0.12, 5.3), (0.25, 6.1), (0.4, 6.4), (1.0, 6.45), (3.2, 6.4), (3.3, 3.4)),
        width=((-2.5, 0.78), (-2.3, 0.88), (-1.5, 1.0), (3.1, 1.0), (3.35, 0.97)),
        tumble=0.1, windows=(-0.6, 0.36),
    ),
    "hmmwv": Style(
        deck=((-1.55, 1.55), (-1.5, 2.3), (0.06, 2.75), (0.3, 2.8), (1.0, 2.8), (2.35, 2.75), (2.4, 1.2)),
        cabin=((0.2, 2.75), (0.27, 3.85), (0.36, 3.9), (0.95, 3.9), (2.3, 2.85)),
        width=((-1.55, 0.98), (-1.4, 1.0), (2.3, 1.0), (2.4, 0.98)),
        sill=1.15, tumble=0.08, windows=(0.2, 0.58, 2.3), wall=FLAT_WALL,
    ),
}


@dataclass(frozen=True)
class Frame:
    """Sizes of the running gear under a body [m].

    Attributes
    ----------
    front, rear : float
        x of the first and of the last axle.
    axles : sequence of float
        x of all axles.
    half : float
        Largest half track.
    ground : float
        z of the ground.
    radius, tyre : float
        Largest radius and half width of a tyre.
    """

    front: float
    rear: float
    axles: tuple[float, ...]
    half: float
    ground: float
    radius: float
    tyre: float

    def x(self, stations: Sequence[float]) -> Floats:
        """x of stations [m]."""
        X = np.asarray(stations, dtype=float)
        ahead, between = self.front - np.minimum(X, 0.0) * self.radius, np.clip(X, 0.0, 1.0)
        return ahead - between * (self.front - self.rear) - np.maximum(X - 1.0, 0.0) * self.radius

    def z(self, heights: Sequence[float] | Floats) -> Floats:
        """z of heights [m]."""
        return self.ground + self.radius * np.asarray(heights, dtype=float)

    @property
    def width(self) -> float:
        """Half width of a body that covers the tyres [m]."""
        return self.half + 1.12 * self.tyre

    def line(self, points: Points, x: Floats) -> Floats:
        """Heights of a profile at some x [m]."""
        stations, heights = zip(*points, strict=True)
        known = self.x(stations)
        return np.interp(-x, -known, self.z(heights))


def style_of(frame: Frame, mass_height: float) -> str:
    """Return the class of a vehicle by its sizes: wheelbase, wheels, height of the mass centre [m]."""
    base, R = frame.front - frame.rear, frame.radius
    if mass_height < 0.42:
        return "single-seater"
    if len(frame.axles) > 2 or R > 0.48 and base > 3.4 or R > 0.55:
        return "truck"
    if R > 0.43:
        return "hmmwv"
    if base > 2.95 and mass_height > 0.68:
        return "van"
    if R > 0.345 and mass_height > 0.6:
        return "off-roader"
    return "hatchback" if base < 2.66 else "saloon"


def bodywork(style: str, frame: Frame) -> list[Shape]:
    """Shapes of a body of some class over its wheels, in the design pose."""
    if style == "truck":
        return list(truck(frame))
    if style == "single-seater":
        return list(single_seater(frame))
    if style == "trailer":
        return list(trailer(frame))
    return list(car(STYLES[style], frame, PAINTS[style]))


def look(shape: Shape, look: str, colour: str, opacity: float = 1.0) -> Shape:
    """The shape with a material."""
    return replace(shape.painted(colour, opacity), look=look)


def stations(frame: Frame, ends: Sequence[float], corners: Sequence[float], arches: Sequence[float], reach: float) -> Floats:
    """Places along x where a shell has sections: evenly, at the corners of profiles and around wheel arches."""
    first, last = frame.x(ends)
    around = [at + 1.001 * reach * np.cos(np.linspace(0.0, np.pi, 19)) for at in arches]
    edges = [at + side * (reach + 2e-3) for at in arches for side in (-1.0, 1.0)]
    places = np.concatenate((np.linspace(last, first, 40), frame.x(corners), *around, edges))
    places = np.sort(places[(places >= last) & (places <= first)])
    return places[np.concatenate(([True], np.diff(places) > 1e-4))]


def loft(x: Floats, rings: Floats) -> Shape:
    """A shell through sections (n, m, 2) of (y, z), given for the left side from below to the middle; its ends closed."""
    n, m, _ = rings.shape
    left = np.concatenate((np.broadcast_to(x[:, None, None], (n, m, 1)), rings), axis=2)
    right = left[:, ::-1] * (1.0, -1.0, 1.0)
    whole = np.concatenate((left, right), axis=1)
    k = np.arange(n * 2 * m).reshape(n, 2 * m)
    a, b, c, d = k[:-1, :-1].ravel(), k[1:, :-1].ravel(), k[1:, 1:].ravel(), k[:-1, 1:].ravel()
    faces = [np.stack((a, c, b), axis=1), np.stack((a, d, c), axis=1)]
    for row, way in ((k[0], -1), (k[-1], 1)):
        fan = np.stack((np.full(2 * m - 2, row[0]), row[1:-1], row[2:]), axis=1)
        faces.append(fan[:, ::way])
    points, triangles = whole.reshape(-1, 3), np.concatenate(faces)
    corners = points[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return mesh(points, triangles[area > 1e-9])


def car(style: Style, frame: Frame, paint: str) -> Iterator[Shape]:
    """A body with a cabin, windows, lamps and wheel houses."""
    R, W, arch = frame.radius, frame.width, 1.13 * frame.radius
    ends = style.deck[0][0], style.deck[-1][0]
    x = stations(frame, ends, [X for X, _ in style.deck], frame.axles, arch)
    deck, sill = frame.line(style.deck, x), np.full_like(x, float(frame.z([style.sill])[0]))
    for at in frame.axles:
        inside = np.abs(x - at) <= arch
        rise = frame.ground + R + np.sqrt(np.maximum(arch**2 - (x - at) ** 2, 0.0))
        sill = np.where(inside, np.minimum(np.maximum(sill, rise), deck - 0.08 * R), sill)
    wide = W * width_at(style, frame, x)
    sections = np.array([
        [(w * part, s + up * (d - s)) for part, up in style.wall] + [(0.45 * w, d + 0.03 * R), (0.0, d + 0.05 * R)]
        for w, s, d in zip(wide, sill, deck, strict=True)
    ])  # fmt: skip
    yield look(loft(x, sections), "paint", paint)
    yield from cabin(style, frame, paint)
    yield from wheel_houses(frame, arch)
    yield from lamps(style, frame)


def width_at(style: Style, frame: Frame, x: Floats) -> Floats:
    """Half width in parts of the largest."""
    known, parts = zip(*style.width, strict=True)
    return np.interp(-x, -frame.x(known), parts)


def cabin(style: Style, frame: Frame, paint: str) -> Iterator[Shape]:
    """The cabin: a painted shell and dark windows a little outside of it."""
    R, W = frame.radius, frame.width
    ends = style.cabin[0][0], style.cabin[-1][0]
    x = stations(frame, ends, [X for X, _ in style.cabin], (), 0.0)
    roof, belt = frame.line(style.cabin, x), frame.line(style.deck, x) - 0.04 * R
    top = float(frame.z([max(z for _, z in style.cabin)])[0])
    roof = np.maximum(roof, belt + 1e-3)

    def half(z: Floats, at: Floats, foot: Floats) -> Floats:
        """Half width of the cabin at a height."""
        up = np.clip((z - foot) / (top - foot), 0.0, 1.0)
        return 0.93 * W * width_at(style, frame, at) * (1.0 - style.tumble * up)

    parts = np.array([0.0, 0.35, 0.7, 0.93])
    rings = []
    for at, low, high in zip(x, belt, roof, strict=True):
        z = low + parts * (high - low)
        y = half(z, np.full(4, at), np.full(4, low))
        last = float(half(np.array([high]), np.array([at]), np.array([low]))[0])
        rings.append([*zip(y, z, strict=True), (0.88 * last, high), (0.45 * last, high + 0.035 * R), (0.0, high + 0.05 * R)])
    yield look(loft(x, np.array(rings)), "paint", paint)

    # Side windows: between the belt and the roof, from pillar to pillar.
    for first, last in pairwise(style.windows):
        edges = frame.x([first, last]) + np.array([-1.0, 1.0]) * 0.09 * R
        inner = np.linspace(edges[0], edges[1], 14)
        low = frame.line(style.deck, inner) + 0.06 * R
        high = np.minimum(frame.line(style.cabin, inner) - 0.2 * R, top)
        kept = high > low + 0.05 * R
        if kept.sum() < 2:
            continue
        inner, low, high = inner[kept], low[kept], high[kept]
        foot = frame.line(style.deck, inner) - 0.04 * R
        for side in (-1.0, 1.0):
            rows = [(s, side * (half(s_, inner, foot) + 0.012)) for s, s_ in ((low, low), (0.5 * (low + high), 0.5 * (low + high)), (high, high))]
            yield look(strip(inner, rows, side), "glass", GLASS, 0.9)
    yield from screens(style, frame, half)


def strip(x: Floats, rows: list[tuple[Floats, Floats]], side: float) -> Shape:
    """A surface through rows of (z, y) over x, seen from one side."""
    points = np.stack([np.stack((x, y, z), axis=1) for z, y in rows])
    n, m = points.shape[:2]
    k = np.arange(n * m).reshape(n, m)
    a, b, c, d = k[:-1, :-1].ravel(), k[1:, :-1].ravel(), k[1:, 1:].ravel(), k[:-1, 1:].ravel()
    triangles = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
    return mesh(points.reshape(-1, 3), triangles[:, ::-1] if side > 0.0 else triangles)


def screens(style: Style, frame: Frame, half: object) -> Iterator[Shape]:
    """Windscreen and rear window: on the slopes of the roof line, from its foot to the roof."""
    R, W = frame.radius, frame.width
    line = style.cabin
    top = max(z for _, z in line)
    ahead = [k for k, (_, z) in enumerate(line) if z > 0.9 * top]
    for part in (line[: ahead[0] + 1], line[ahead[-1] :][::-1]):
        if len(part) < 2:
            continue
        X, Z = np.array(part, dtype=float).T
        x, z = frame.x(X), frame.z(Z)
        slope = np.array([x[-1] - x[0], z[-1] - z[0]])
        if slope[1] < 0.5 * R:
            continue
        out = np.array([slope[1], -slope[0]]) / np.hypot(*slope) * np.sign(-slope[0] or 1.0)
        s = np.array([0.14, 0.5, 0.9])
        along = np.interp(s, np.linspace(0.0, 1.0, len(x)), np.arange(len(x)))
        px, pz = np.interp(along, np.arange(len(x)), x), np.interp(along, np.arange(len(x)), z)
        up = (pz - frame.z([line[0][1]])[0]) / (frame.z([top])[0] - frame.z([line[0][1]])[0])
        wide = 0.93 * W * width_at(style, frame, px) * (1.0 - style.tumble * np.clip(up, 0, 1)) * 0.86
        px, pz = px + 0.06 * R * out[0], pz + 0.06 * R * out[1]
        points = np.array([(a, side * w, h) for a, h, w in zip(px, pz, wide, strict=True) for side in (1.0, 0.0, -1.0)])
        k = np.arange(9).reshape(3, 3)
        a, b, c, d = k[:-1, :-1].ravel(), k[1:, :-1].ravel(), k[1:, 1:].ravel(), k[:-1, 1:].ravel()
        triangles = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
        front = slope[0] < 0.0
        yield look(mesh(points, triangles if front else triangles[:, ::-1]), "glass", GLASS, 0.9)


def wheel_houses(frame: Frame, arch: float) -> Iterator[Shape]:
    """Dark linings of the wheel arches, and the floor between them."""
    angles = np.linspace(0.0, np.pi, 15)
    inner, outer = frame.half - 1.3 * frame.tyre, frame.width * 0.97
    for at in frame.axles:
        for side in (-1.0, 1.0):
            x = at + arch * np.cos(angles)
            z = frame.ground + frame.radius + arch * np.sin(angles)
            rows = np.array([(a, side * y, b) for a, b in zip(x, z, strict=True) for y in (inner, outer)])
            k = np.arange(len(angles) - 1) * 2
            faces = np.concatenate((np.stack((k, k + 1, k + 3), axis=1), np.stack((k, k + 3, k + 2), axis=1)))
            yield look(mesh(rows, np.concatenate((faces, faces[:, ::-1]))), "trim", TRIM)


def lamps(style: Style, frame: Frame) -> Iterator[Shape]:
    """Headlamps, brake lamps, grille, bumpers and number plates."""
    R, W = frame.radius, frame.width
    (nose, low), (_, high) = style.deck[0], style.deck[2]
    (tail, bottom), (_, top) = style.deck[-1], style.deck[-3]
    x_nose, x_tail = frame.x([nose, tail])
    front = W * float(width_at(style, frame, np.array([x_nose]))[0])
    back = W * float(width_at(style, frame, np.array([x_tail]))[0])
    z_front, z_back = float(frame.z([0.5 * (low + high) + 0.12])[0]), float(frame.z([0.55 * bottom + 0.45 * top])[0])
    for side in (-1.0, 1.0):
        yield look(block((0.14 * R, 0.3 * front, 0.3 * R), (x_nose - 0.02 * R, side * 0.78 * front, z_front)), "headlamp", LAMP)
        yield look(block((0.12 * R, 0.26 * back, 0.34 * R), (x_tail + 0.02 * R, side * 0.8 * back, z_back)), "brakelamp", BRAKE_LAMP)
    grille, plate = float(frame.z([low])[0]), float(frame.z([bottom - 0.1])[0])
    yield look(block((0.1 * R, 1.1 * front, 0.32 * R), (x_nose, 0.0, grille)), "trim", TRIM)
    yield look(block((0.06 * R, 0.5, 0.11), (x_tail - 0.02 * R, 0.0, plate)), "", PLATE)
    mirror = float(frame.x([style.cabin[0][0] + 0.1])[0])
    belt = float(frame.line(style.deck, np.array([mirror]))[0])
    for side in (-1.0, 1.0):
        yield look(block((0.3 * R, 0.5 * R, 0.32 * R), (mirror - 0.1 * R, side * (W + 0.12 * R), belt + 0.25 * R)), "trim", TRIM)


def truck(frame: Frame) -> Iterator[Shape]:
    """A cab over the front axle and a load bed behind it, on a ladder frame."""
    R, W = frame.radius, frame.width
    paint, base = PAINTS["truck"], frame.front - frame.rear
    nose, back = frame.front + 1.5 * R, frame.front - max(1.2 * R, 0.16 * base)
    floor, roof = frame.z([1.65, 5.6])
    x = np.array([back, back + 0.02, nose - 0.45 * R, nose - 0.12 * R, nose])
    tall = np.array([roof, roof, roof, 0.45 * roof + 0.55 * floor + 0.3 * R, 0.5 * (floor + roof) - 0.1 * R])
    rings = np.array([
        [(W * p, floor + up * (z - floor)) for p, up in ((0.96, 0.0), (1.0, 0.1), (1.0, 0.55), (0.96, 0.95), (0.9, 1.0))] + [(0.0, z + 0.03 * R)]
        for z in tall
    ])  # fmt: skip
    yield look(loft(x, rings), "paint", paint)
    for side in (-1.0, 1.0):
        window = block((0.55 * (nose - back), 0.03, 0.26 * (roof - floor)), (0.5 * (nose + back), side * 1.0 * W, floor + 0.68 * (roof - floor)))
        yield look(window, "glass", GLASS, 0.9)
        yield look(block((0.1 * R, 0.3 * W, 0.3 * R), (nose, side * 0.75 * W, floor + 0.28 * R)), "headlamp", LAMP)
        yield look(block((0.22 * R, 0.35 * R, 0.9 * R), (nose - 0.2 * R, side * (W + 0.25 * R), floor + 0.62 * (roof - floor))), "trim", TRIM)
        rail = block((frame.front - frame.rear + 3.0 * R, 0.12 * R, 0.3 * R), (0.5 * (frame.front + frame.rear) - 0.4 * R, side * 0.42 * frame.half, float(frame.z([1.35])[0])))
        yield look(rail, "", "#3b4148")
    lean = np.array([-0.33 * R, 0.0, (0.42 * (roof - floor))])
    lean /= np.linalg.norm(lean)
    axes = np.array([np.cross((0.0, 1.0, 0.0), lean), (0.0, 1.0, 0.0), lean])
    screen = block((0.04, 1.7 * W, 0.36 * (roof - floor)), (nose - 0.29 * R, 0.0, floor + 0.73 * (roof - floor)), axes)
    yield look(screen, "glass", GLASS, 0.9)
    yield look(block((0.1 * R, 1.3 * W, 0.5 * R), (nose - 0.01, 0.0, floor + 0.85 * R)), "trim", TRIM)
    yield look(block((0.3 * R, 1.96 * W, 0.45 * R), (nose - 0.02 * R, 0.0, floor - 0.1 * R)), "trim", TRIM)
    yield from load_bed(frame, back - 0.25 * R, frame.rear - 1.6 * R, float(frame.z([2.25])[0]), paint)


def load_bed(frame: Frame, front: float, rear: float, floor: float, paint: str) -> Iterator[Shape]:
    """A platform with drop sides, and brake lamps at its end."""
    R, W = frame.radius, frame.width
    length, middle, high = front - rear, 0.5 * (front + rear), 0.95 * R
    yield look(block((length, 2.0 * W, 0.14 * R), (middle, 0.0, floor)), "", "#5a4a38")
    for side in (-1.0, 1.0):
        yield look(block((length, 0.05, high), (middle, side * (W - 0.03), floor + 0.5 * high)), "paint", paint)
        yield look(block((0.08 * R, 0.24 * W, 0.2 * R), (rear - 0.03, side * 0.8 * W, floor - 0.25 * R)), "brakelamp", BRAKE_LAMP)
        for x in np.linspace(front - 0.06, rear + 0.06, max(3, round(length / 1.3))):
            yield look(block((0.08, 0.09, 1.06 * high), (x, side * (W - 0.02), floor + 0.5 * high)), "trim", TRIM)
    for x, up in ((front, 1.5), (rear, 1.0)):
        yield look(block((0.05, 2.0 * W, up * high), (x, 0.0, floor + 0.5 * up * high)), "paint", paint)


def single_seater(frame: Frame) -> Iterator[Shape]:
    """A slim body with side pods, wings and a roll hoop; its wheels stand free."""
    R, h, paint = frame.radius, frame.half, PAINTS["single-seater"]
    free = h - 1.25 * frame.tyre
    shape = (  # station, half width in parts of the free room, bottom, top
        (-2.7, 0.1, 0.5, 0.75), (-2.2, 0.2, 0.45, 1.0), (-1.0, 0.34, 0.4, 1.5), (0.0, 0.42, 0.35, 1.75), (0.35, 0.5, 0.3, 2.0),
        (0.5, 0.52, 0.3, 1.95), (0.62, 0.52, 0.3, 2.1), (0.72, 0.48, 0.3, 2.9), (0.85, 0.4, 0.35, 2.5), (1.0, 0.3, 0.45, 1.9), (2.0, 0.18, 0.7, 1.4),
    )  # fmt: skip
    X, wide, low, high = np.array(shape).T
    fine = np.linspace(0.0, len(X) - 1.0, 50)
    at = [np.interp(fine, np.arange(len(X)), row) for row in (frame.x(X), wide * free, frame.z(low), frame.z(high))]
    x, w, z0, z1 = (row[::-1] for row in at)
    section = ((0.55, 0.0), (0.95, 0.2), (1.0, 0.45), (0.85, 0.75), (0.5, 0.96), (0.0, 1.0))
    rings = np.array([[(a * p, b + up * (c - b)) for p, up in section] for a, b, c in zip(w, z0, z1, strict=True)])
    yield look(loft(x, rings), "paint", paint)
    first, last = frame.x([0.42, 0.98])
    for side in (-1.0, 1.0):
        pod = block((first - last, 0.42 * free, 0.75 * R), (0.5 * (first + last), side * 0.74 * free, float(frame.z([0.85])[0])))
        yield look(pod, "paint", paint)
        intake = block((0.03, 0.34 * free, 0.55 * R), (first + 0.01, side * 0.74 * free, float(frame.z([0.9])[0])))
        yield look(intake, "trim", TRIM)
    for station, height, chord, deep, plates in ((-2.6, 0.42, 1.0, 0.06, 0.4), (2.1, 2.9, 0.9, 0.06, 0.9)):
        (centre,), (z,) = frame.x([station]), frame.z([height])
        half = h + (frame.tyre if station < 0.0 else -0.6 * frame.tyre)
        yield look(block((chord * R, 2.0 * half, deep * R), (centre, 0.0, z)), "paint", paint)
        for side in (-1.0, 1.0):
            yield look(block((1.15 * chord * R, 0.015, plates * R), (centre, side * half, z)), "trim", TRIM)
        if station > 0.0:
            for side in (-1.0, 1.0):
                yield look(rod((centre + 0.3 * R, side * 0.15 * h, float(frame.z([1.3])[0])), (centre, side * 0.15 * h, z), 0.05 * R), "trim", TRIM)
    hoop, (top,) = float(frame.x([0.68])[0]), frame.z([3.15])
    for side in (-1.0, 1.0):
        yield look(rod((hoop, side * 0.3 * free, float(frame.z([1.7])[0])), (hoop, side * 0.1 * free, top), 0.06 * R), "metal", "#7b828a")
    yield look(rod((hoop, -0.1 * free, top), (hoop, 0.1 * free, top), 0.06 * R), "metal", "#7b828a")
    cockpit = block((0.75 * R, 0.62 * free, 0.03), (float(frame.x([0.5])[0]), 0.0, float(frame.z([2.02])[0])))
    yield look(cockpit, "trim", TRIM)


def trailer(frame: Frame) -> Iterator[Shape]:
    """A box body on a frame."""
    R, W = frame.radius, frame.width
    length = max(frame.front - frame.rear + 2.6 * R, 3.2 * frame.half)
    middle, (floor, roof) = 0.5 * (frame.front + frame.rear), frame.z([1.9, 1.9 + 3.8 * frame.half / R * 0.5])
    x = middle + 0.5 * length * np.array([-1.0, -0.97, 0.97, 1.0])
    inset = np.array([0.97, 1.0, 1.0, 0.97])
    wall = ((0.98, 0.0), (1.0, 0.03), (1.0, 0.95), (0.95, 1.0), (0.0, 1.012))
    rings = np.array([[(W * k * p, floor + up * (roof - floor)) for p, up in wall] for k in inset])
    yield look(loft(x, rings), "paint", PAINTS["trailer"])
    yield look(block((length, 1.3 * frame.half, 0.25 * R), (middle, 0.0, floor - 0.12 * R)), "", "#3b4148")
    rear = middle - 0.5 * length
    for side in (-1.0, 1.0):
        yield look(block((0.06, 0.3 * W, 0.3 * R), (rear, side * 0.75 * W, floor + 0.3 * R)), "brakelamp", BRAKE_LAMP)
        yield look(block((1.02 * length, 0.02, 0.12 * R), (middle, side * 1.005 * W, floor + 0.5 * (roof - floor))), "", "#b3261e")
