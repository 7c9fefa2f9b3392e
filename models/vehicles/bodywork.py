"""Bodywork of vehicles in pictures: shells lofted over the wheels, by class of vehicle.

Profiles are drawn over the axles.  A station X is a distance ahead of the first axle in wheel radii (X < 0),
a part of the wheelbase (0 to 1), or a distance behind the last axle in wheel radii, plus one.  Heights are
above the ground, in wheel radii.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
import yaml

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.views.scene.shapes import Shape, block, mesh, rod, surface

Points = Sequence[tuple[float, float]]

GLASS, TRIM, LAMP, BRAKE_LAMP, PLATE = "#10161b", "#17191b", "#f4f6f8", "#a3141a", "#e8e9e4"
EYES = 1.15, 0.45, 0.42
"""Place of a driver's eyes: behind the windscreen's foot [m], in half tracks, in parts of belt to roof."""
DASHBOARD = 0.15, 0.4, 0.08, 0.25
"""Distance behind the windscreen's foot, length, height over the foot, depth [m]."""
STEERING_WHEEL = 0.52, 0.0, -0.25, 0.18
"""Place from the driver's eyes, and radius [m]."""


@dataclass(frozen=True)
class Style:
    """Profiles of a class of vehicles.

    ``deck`` is the upper edge of the lower body from front to rear, ``cabin`` the roof line from the foot of
    the windscreen (empty without one), ``width`` the half width by station in parts of the largest, ``sill``
    the height of the lower edge [wheel radii], ``tumble`` the part by which the cabin narrows to its roof,
    ``windows`` the stations between which side windows lie, ``wall`` the section of the lower body,
    ``slots`` the number of upright slots of the grille (one across if 0).
    """

    paint: str
    deck: Points
    cabin: Points
    width: Points
    sill: float
    tumble: float
    windows: Sequence[float]
    wall: Points
    slots: int = 0


@cache
def styles() -> dict[str, Style]:
    """Return classes of vehicles that a shell over profiles shows."""
    text = (files("ce_dynamics.models.vehicles") / "bodywork.yaml").read_text("utf-8")
    return {name: Style(**fields) for name, fields in yaml.safe_load(text).items()}


@dataclass(frozen=True)
class FrameSizes:
    """Sizes of the running gear under a body [m].

    ``front``, ``rear`` and ``axles`` are x of the first, the last and all axles, ``half`` the largest half
    track, ``ground`` z of the ground, ``radius`` and ``tyre`` the largest radius and half width of a tyre.
    """

    front: float
    rear: float
    axles: tuple[float, ...]
    half: float
    ground: float
    radius: float
    tyre: float

    def x(self, stations: Sequence[float]) -> Floats:
        """Return the x of stations [m]."""
        X = np.asarray(stations, dtype=float)
        ahead, between = self.front - np.minimum(X, 0.0) * self.radius, np.clip(X, 0.0, 1.0)
        found: Floats = ahead - between * (self.front - self.rear) - np.maximum(X - 1.0, 0.0) * self.radius
        return found

    def z(self, heights: Sequence[float] | Floats) -> Floats:
        """Return the z of heights [m]."""
        return self.ground + self.radius * np.asarray(heights, dtype=float)

    @property
    def width(self) -> float:
        """Half width of a body that covers the tyres [m]."""
        return self.half + 1.12 * self.tyre

    def line(self, points: Points, x: Floats) -> Floats:
        """Return heights of a profile at some x [m]."""
        stations, heights = zip(*points, strict=True)
        known = self.x(stations)
        found: Floats = np.interp(-x, -known, self.z(heights))
        return found


def choose_style(frame: FrameSizes, mass_height: float) -> str:
    """Return the class of a vehicle by its sizes: wheelbase, wheels, height of the mass centre [m]."""
    base, R = frame.front - frame.rear, frame.radius
    if mass_height < 0.42:
        return "single-seater"
    if len(frame.axles) > 2 or (R > 0.48 and base > 3.4) or R > 0.55:
        return "truck"
    if R > 0.43:
        return "hmmwv"
    if base > 2.95 and mass_height > 0.68:
        return "van"
    if R > 0.345 and mass_height > 0.6:
        return "off-roader"
    return "hatchback" if base < 2.66 else "saloon"


def look(shape: Shape, look: str, colour: str, opacity: float = 1.0) -> Shape:
    """Return the shape with a material."""
    return replace(shape.paint(colour, opacity), look=look)


def box(
    edges: Sequence[float], at: Sequence[float], material: str, colour: str, axes: Floats | None = None
) -> Shape:
    """Return a block with a material."""
    return look(block(edges, at, axes), material, colour, 0.9 if material == "glass" else 1.0)


def pair(edges: Sequence[float], at: Sequence[float], material: str, colour: str) -> Iterator[Shape]:
    """Yield a block on either side; its place is that on the left."""
    x, y, z = at
    yield from (box(edges, (x, side * y, z), material, colour) for side in (-1.0, 1.0))


def bar(
    a: Sequence[float] | Floats, b: Sequence[float] | Floats, radius: float, material: str, colour: str
) -> Shape:
    """Return a rod with a material."""
    return look(rod(a, b, radius), material, colour)


def stations(
    frame: FrameSizes, ends: Sequence[float], corners: Sequence[float], arches: Sequence[float], reach: float
) -> Floats:
    """Return places along x of sections: even ones, corners of profiles, wheel arches."""
    first, last = frame.x(ends)
    around = [at + 1.001 * reach * np.cos(np.linspace(0.0, np.pi, 19)) for at in arches]
    edges = [at + side * (reach + 2e-3) for at in arches for side in (-1.0, 1.0)]
    places = np.concatenate((np.linspace(last, first, 40), frame.x(corners), *around, edges))
    places = np.sort(places[(places >= last) & (places <= first)])
    return places[np.concatenate(([True], np.diff(places) > 1e-4))]


def loft(x: Floats, rings: Floats) -> Shape:
    """Return a shell through sections (n, m, 2) of (y, z), each of the left side from below to the middle."""
    n, m, _ = rings.shape
    left = np.concatenate((np.broadcast_to(x[:, None, None], (n, m, 1)), rings), axis=2)
    right = left[:, ::-1] * (1.0, -1.0, 1.0)
    whole = np.concatenate((left, right), axis=1)
    points, sides = surface(whole, turned=True)
    k, faces = np.arange(len(points)).reshape(n, 2 * m), [sides]
    for row, way in ((k[0], -1), (k[-1], 1)):
        fan = np.stack((np.full(2 * m - 2, row[0]), row[1:-1], row[2:]), axis=1)
        faces.append(fan[:, ::way])
    triangles = np.concatenate(faces)
    corners = points[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return mesh(points, triangles[area > 1e-9])


def shell(style: Style, frame: FrameSizes) -> Iterator[Shape]:
    """Yield a body with a cabin, windows, lamps and wheel houses."""
    R, W, arch = frame.radius, frame.width, 1.13 * frame.radius
    ends = style.deck[0][0], style.deck[-1][0]
    x = stations(frame, ends, [X for X, _ in style.deck], frame.axles, arch)
    deck, sill = frame.line(style.deck, x), np.full_like(x, float(frame.z([style.sill])[0]))
    for at in frame.axles:
        inside = np.abs(x - at) <= arch
        rise = frame.ground + R + np.sqrt(np.maximum(arch**2 - (x - at) ** 2, 0.0))
        sill = np.where(inside, np.minimum(np.maximum(sill, rise), deck - 0.08 * R), sill)
    wide = W * width_at(style, frame, x)
    sections = [
        [
            *((w * part, s + up * (d - s)) for part, up in style.wall),
            (0.45 * w, d + 0.03 * R),
            (0, d + 0.05 * R),
        ]
        for w, s, d in zip(wide, sill, deck, strict=True)
    ]
    yield look(loft(x, np.array(sections)), "paint", style.paint)
    yield from cabin(style, frame)
    yield from cockpit(style, frame)
    yield from wheel_houses(frame, arch)
    yield from lamps(style, frame)
    yield from seams(style, frame, arch)


def seams(style: Style, frame: FrameSizes, arch: float) -> Iterator[Shape]:
    """Yield edges of doors below the pillars, handles behind them, and a dark strip along the sills."""
    R, parts = frame.radius, [(part, up) for part, up in style.wall if up < 0.97]
    for station in (style.windows[0], *style.windows[1:-1]):
        x = float(frame.x([station])[0])
        if min(abs(x - at) for at in frame.axles) < arch:
            continue
        low, high = float(frame.z([style.sill])[0]), float(frame.line(style.deck, np.array([x]))[0])
        w = frame.width * float(width_at(style, frame, x))
        for side in (-1.0, 1.0):
            edge = np.array([(side * (w * part + 0.003), low + up * (high - low)) for part, up in parts])
            rows = [np.column_stack((np.full(len(edge), x + d), edge)) for d in (-0.006, 0.006)]
            yield look(mesh(*surface(np.stack(rows), turned=side < 0.0)), "trim", TRIM)
            if station != style.windows[0]:
                at = (x + 0.35 * R, side * (w * parts[-1][0] + 0.01), high - 0.28 * R)
                yield box((0.45 * R, 0.03, 0.07 * R), at, "metal", "#c9ced2")
    for front, rear in pairwise(frame.axles):
        ends = np.linspace(front - 1.12 * arch, rear + 1.12 * arch, 8)
        wide = frame.width * width_at(style, frame, ends) * style.wall[0][0] + 0.012
        low = float(frame.z([style.sill])[0]) - 0.02 * R
        for side in (-1.0, 1.0):
            rows = [np.column_stack((ends, side * wide, np.full(8, z))) for z in (low, low + 0.2 * R)]
            yield look(mesh(*surface(np.stack(rows), turned=side > 0.0)), "trim", TRIM)


def width_at(style: Style, frame: FrameSizes, x: Floats | float) -> Floats:
    """Return the half width in parts of the largest."""
    known, parts = zip(*style.width, strict=True)
    found: Floats = np.interp(-x, -frame.x(known), parts)
    return found


def cabin(style: Style, frame: FrameSizes) -> Iterator[Shape]:
    """Yield the cabin: a painted shell and dark windows a little outside of it."""
    R = frame.radius
    ends = style.cabin[0][0], style.cabin[-1][0]
    x = stations(frame, ends, [X for X, _ in style.cabin], (), 0.0)
    roof, belt = frame.line(style.cabin, x), frame.line(style.deck, x) - 0.04 * R
    top = float(frame.z([max(z for _, z in style.cabin)])[0])
    roof = np.maximum(roof, belt + 1e-3)

    parts = np.array([0.0, 0.35, 0.7, 0.93])
    rings = []
    for at, low, high in zip(x, belt, roof, strict=True):
        z = low + parts * (high - low)
        *y, last = cabin_half(style, frame, at, (np.append(z, high) - low) / (top - low))
        rings.append(
            [
                *zip(y, z, strict=True),
                (0.88 * last, high),
                (0.45 * last, high + 0.035 * R),
                (0.0, high + 0.05 * R),
            ]
        )
    yield look(loft(x, np.array(rings)), "paint", style.paint)

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
            rows = [
                np.stack(
                    (inner, side * (cabin_half(style, frame, inner, (z - foot) / (top - foot)) + 0.012), z),
                    axis=1,
                )
                for z in (low, 0.5 * (low + high), high)
            ]
            yield look(mesh(*surface(np.stack(rows), turned=side > 0.0)), "glass", GLASS, 0.9)
    yield from screens(style, frame)


def cabin_half(style: Style, frame: FrameSizes, x: Floats | float, up: Floats | float) -> Floats:
    """Return the half width of the cabin at parts of the height from its belt to its roof [m]."""
    found: Floats = (
        0.93 * frame.width * width_at(style, frame, x) * (1.0 - style.tumble * np.clip(up, 0.0, 1.0))
    )
    return found


def screens(style: Style, frame: FrameSizes) -> Iterator[Shape]:
    """Yield windscreen and rear window: on the slopes of the roof line, from its foot to the roof."""
    R = frame.radius
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
        wide = 0.86 * cabin_half(style, frame, px, up)
        px, pz = px + 0.06 * R * out[0], pz + 0.06 * R * out[1]
        rows = [[(a, side * w, h) for side in (1.0, 0.0, -1.0)] for a, h, w in zip(px, pz, wide, strict=True)]
        yield look(mesh(*surface(np.array(rows), turned=slope[0] >= 0.0)), "glass", GLASS, 0.9)


def eye_position(style: Style, frame: FrameSizes) -> Floats:
    """Return the place of a driver's eyes, behind the windscreen on the left."""
    x = float(frame.x([style.cabin[0][0]])[0]) - EYES[0]
    low = float(frame.line(style.deck, np.array([x]))[0])
    high = float(frame.z([max(z for _, z in style.cabin)])[0])
    return np.array([x, EYES[1] * frame.half, low + EYES[2] * (high - low)])


def cockpit(style: Style, frame: FrameSizes) -> Iterator[Shape]:
    """Yield pillars beside the windscreen, a dashboard and a steering wheel, which are seen from inside."""
    top = max(z for _, z in style.cabin)
    ends = [style.cabin[0], next(point for point in style.cabin if point[1] > 0.9 * top)]
    (foot, roof), (low, high) = frame.x([X for X, _ in ends]), frame.z([z for _, z in ends])
    half, narrow = (float(0.82 * cabin_half(style, frame, x, up)) for x, up in ((foot, 0.0), (roof, 1.0)))
    for side in (-1.0, 1.0):
        ends_of_pillar = (foot - 0.1, side * half, low), (roof - 0.1, side * narrow, high - 0.05)
        yield bar(*ends_of_pillar, 0.025, "trim", TRIM)
    behind, length, above, deep = DASHBOARD
    at = (foot - behind - 0.5 * length, 0.0, low + above - 0.5 * deep)
    yield box((length, 2.0 * half, deep), at, "trim", "#24282c")
    inside = (foot - behind - length - 0.5, 0.0, low + above - 0.02)  # the paint below is that of the bonnet
    yield box((1.0, 2.0 * half, 0.02), inside, "trim", "#24282c")
    yield from steering_wheel(eye_position(style, frame), STEERING_WHEEL[3])


def steering_wheel(eyes: Floats, radius: float) -> Iterator[Shape]:
    """Yield the ring and three spokes in front of a driver's eyes."""
    centre = eyes + STEERING_WHEEL[:3]
    turn = np.linspace(0.0, 2.0 * np.pi, 21)
    ring = centre + radius * (
        np.cos(turn)[:, None] * (0.0, 1.0, 0.0) + np.sin(turn)[:, None] * (0.4, 0.0, 0.92)
    )
    spokes = [(centre, ring[k]) for k in (0, 10, 15)]
    for a, b in (*pairwise(ring), *spokes):
        yield bar(a, b, 0.013, "trim", "#33383d")


def wheel_houses(frame: FrameSizes, arch: float) -> Iterator[Shape]:
    """Yield dark linings of the wheel arches, and the floor between them."""
    angles = np.linspace(0.0, np.pi, 15)
    inner, outer = frame.half - 1.3 * frame.tyre, frame.width * 0.97
    for at in frame.axles:
        for side in (-1.0, 1.0):
            x = at + arch * np.cos(angles)
            z = frame.ground + frame.radius + arch * np.sin(angles)
            rows = [[(a, side * y, b) for y in (inner, outer)] for a, b in zip(x, z, strict=True)]
            points, faces = surface(np.array(rows))
            yield look(mesh(points, np.concatenate((faces, faces[:, ::-1]))), "trim", TRIM)


def lamps(style: Style, frame: FrameSizes) -> Iterator[Shape]:
    """Return headlamps, brake lamps, grille, bumpers and number plates."""
    R, W = frame.radius, frame.width
    (nose, low), (_, high) = style.deck[0], style.deck[2]
    (tail, bottom), (_, top) = style.deck[-1], style.deck[-3]
    x_nose, x_tail = frame.x([nose, tail])
    front = W * float(width_at(style, frame, np.array([x_nose]))[0])
    back = W * float(width_at(style, frame, np.array([x_tail]))[0])
    z_front, z_back = frame.z([0.5 * (low + high) + 0.12, 0.55 * bottom + 0.45 * top]).tolist()
    lamp, at = (0.14 * R, 0.3 * front, 0.3 * R), (x_nose - 0.02 * R, 0.78 * front, z_front)
    yield from pair(lamp, at, "headlamp", LAMP)
    lamp, at = (0.12 * R, 0.26 * back, 0.34 * R), (x_tail + 0.02 * R, 0.8 * back, z_back)
    yield from pair(lamp, at, "brakelamp", BRAKE_LAMP)
    grille, plate = float(frame.z([low])[0]), float(frame.z([bottom - 0.1])[0])
    for y in np.linspace(-0.45, 0.45, style.slots) * front:
        yield box((0.06 * R, 0.08 * front, 0.6 * R), (x_nose, y, z_front), "trim", TRIM)
    if not style.slots:
        yield box((0.1 * R, 1.1 * front, 0.32 * R), (x_nose, 0.0, grille), "trim", TRIM)
    yield box((0.06 * R, 0.5, 0.11), (x_tail - 0.02 * R, 0.0, plate), "", PLATE)
    mirror = float(frame.x([style.cabin[0][0] + 0.1])[0])
    belt = float(frame.line(style.deck, np.array([mirror]))[0])
    at = (mirror - 0.1 * R, W + 0.12 * R, belt + 0.25 * R)
    yield from pair((0.3 * R, 0.5 * R, 0.32 * R), at, "trim", TRIM)
