"""Vehicles in three dimensions: wheels, a body on them, the road, cameras."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.parts.roads.contract import Friction, FrictionPatch, Road, SplitFriction, SumRoad
from ce_dynamics.models.parts.roads.surfaces import FlatRoad, HillsRoad, InclinedRoad
from ce_dynamics.models.tyres.element import RoadTyre, single_tyres
from ce_dynamics.models.vehicles.bodywork import FrameSizes, choose_style
from ce_dynamics.models.vehicles.corner import sprung_body
from ce_dynamics.models.vehicles.special_bodies import (
    WIDTH,
    bodywork,
    drawbar_of,
    eyes_in,
    frame_of,
    gltf_body,
    radius_of,
)
from ce_dynamics.models.vehicles.summary import check_run
from ce_dynamics.views.scene.shapes import Shape, line, mesh, plane, plate, rod, surface, terrain, wheel
from ce_dynamics.views.scene.take import Camera, Instruments, TyreGauge
from ce_dynamics.views.scene.view import View, view

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike

    from ce_dynamics.models.parts.manoeuvres.base import Manoeuvre
    from ce_dynamics.models.vehicles.case import Case

SIDE = 12.0
"""Width of the road that is drawn on both sides of the way [m]."""
FINEST, COARSEST = 0.03, 20.0
"""Distances at which a road's height is looked at, and at most drawn [m]."""
EVEN = 1e-4
"""By how much a road may differ from what is drawn between places where it is looked at [m]."""
CONES, CONE = 5.0, 0.15
"""Largest distance between cones, and their radius [m]."""
PROFILES = 40
"""Along and across, to see where a road is uneven."""
MOST_POINTS = 20_000
"""Most points of a road; a road that would take more is drawn less finely."""
GATE_FIRST, GATE_EVERY, GATE_HALF, GATE_HEIGHT = 10.0, 20.0, 4.0, 3.5
"""Gates on inclined roads: place of the first, distance to the next, half their width, height [m]."""
LEVEL = 0.02
"""Slope over 8 and 20 m below which a road counts as level."""
ABOVE, SLIPPERY = 0.008, 0.5
"""Height of tinted patches over the road [m], and the friction below which a patch is drawn as slippery."""
SIGN, SIGN_HEIGHT, SIGN_AT = 0.35, 1.5, (14.0, 4.5)
"""Radius of a sign and height of its edge [m]; its place, ahead of the start and to the right of it [m]."""
SEGMENTS = {
    "a": ((0, 1), (1, 1)), "b": ((1, 1), (1, 0)), "c": ((1, 0), (1, -1)), "d": ((0, -1), (1, -1)),
    "e": ((0, 0), (0, -1)), "f": ((0, 1), (0, 0)), "g": ((0, 0), (1, 0)),
}  # fmt: skip
"""Strokes of digits, from corner to corner of two squares over one another."""
LIT = "abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"
"""Strokes of each digit."""
MARK_WIDTH, MARK_EVERY = 0.12, 1.0
"""Width of painted marks, and distance of the points along them [m]."""
GATE = "#c86a2a"
TRAIL = "#ffb300"


def picture_of(case: Case, results: xr.Dataset) -> View:
    """Return the page that plays a run of a vehicle."""
    if not isinstance(getattr(case, "model", None), Model):
        raise DataError(f"case {checks.show(case)} must be a prepared one (hmmwv.prepare)")
    check_run(results, None)
    system = case.model.system
    start = None if "chassis" not in {body.name for body in system.bodies} else "follow chassis"
    way = np.stack([results[name].values for name in ("x", "y")], axis=1) if tyres_of(system) else None
    found = instruments(case.model, names_in_results(case.model))
    marks: list[Shape] = []
    if way is not None:
        ground = tyres_of(system)[0].road
        marks = [*gates(system, way)]
        marks += [*cones_of(case.manoeuvre, ground), *lanes_of(case.manoeuvre, ground)]
        if case.manoeuvre is not None:
            marks += draw_speed_sign(float(nominal(case.manoeuvre.speed)), ground, way)
    return view(
        case.model,
        results,
        shapes=shapes_of(system, case.body_file),
        scenery=[] if way is None else [*road_of(system, way), *trail(system, way), *marks],
        cameras=list(cameras_of(system)),
        camera=start,
        instruments=found,
        title=f"{case.title}, on {case.attributes['road']}" if "road" in case.attributes else case.title,
    )


def names_in_results(model: Model) -> dict[str, str]:
    """Return the series of a page by the entry of the results that each shows, as `series_of` names them."""
    members = model.system.groups
    return {
        entry: f"{variable.name} {member}" if variable.dimension else variable.name
        for variable in model.variables
        for entry, member in zip(variable.entries, members.get(variable.dimension or "", ("",)), strict=True)
    }


def names_of_outputs(model: Model) -> dict[str, str]:
    """Return the outputs and inputs of a page that has the physics inside, by themselves."""
    return {name: name for name in (*(entry.name for entry in model.output_entries), *model.system.inputs)}


def instruments(model: Model, named: Mapping[str, str]) -> Instruments | None:
    """Return a vehicle's instruments from outputs and inputs as the page names them; None without a speed."""
    if "speed" not in named:
        return None
    wheels = []
    for tyre in tyres_of(model.system):
        x, y, _ = nominal(tyre.centre).astype(float)
        corner, radius = tyre.name.rpartition(".")[0], radius_of(tyre)
        of = [named.get(f"{corner}.{what}", "") for what in ("tyre.Fz", "tyre.bounded_slip", "brake.torque")]
        wheels.append(TyreGauge(tyre.wheel.name, x, y, radius, WIDTH * radius, *of))
    names = ("speed", "ax", "ay", "steering_wheel_angle", "throttle", "brake", "driveline.gear")
    speed, ax, ay, angle, throttle, brake, gear = (named.get(name, "") for name in names)
    return Instruments(speed, ax, ay, angle, throttle, brake, gear, wheels)


def cones_of(manoeuvre: Manoeuvre | None, road: Road) -> Iterator[Shape]:
    """Yield the cones of a manoeuvre's gates, on both sides and not more than `CONES` apart."""
    feet = []
    for gate in getattr(manoeuvre, "gates", ()):
        for x in np.linspace(gate.start, gate.end, 1 + math.ceil((gate.end - gate.start) / CONES)):
            feet += [(x, gate.left + CONE), (x, gate.right - CONE)]
    if feet:
        points = np.array([((x, y, z), (x, y, z + 0.5)) for x, y in feet for z in [height(road, x, y)]])
        yield Shape("cones", points.reshape(-1, 3), CONE)


def lanes_of(manoeuvre: Manoeuvre | None, road: Road) -> Iterator[Shape]:
    """Yield painted marks along both sides of the lanes of a manoeuvre."""
    for gate in getattr(manoeuvre, "gates", ()):
        x = np.linspace(gate.start, gate.end, 1 + math.ceil((gate.end - gate.start) / MARK_EVERY))
        for y in (gate.left, gate.right):
            yield stripe([(at, y, height(road, at, y)) for at in x.tolist()])


def stripe(points: ArrayLike) -> Shape:
    """Return a mark painted on the ground through points (n, 3)."""
    way = np.asarray(points, dtype=float) + (0.0, 0.0, ABOVE)
    ahead = np.gradient(way, axis=0)
    left = np.stack((-ahead[:, 1], ahead[:, 0], 0.0 * ahead[:, 2]), axis=1)
    left *= 0.5 * MARK_WIDTH / np.linalg.norm(left, axis=1, keepdims=True)
    grid = np.stack((way - left, way + left), axis=1)
    return replace(mesh(*surface(grid)).paint("#e8e8e2"), look="marking")


def draw_speed_sign(speed: float, road: Road, way: Floats) -> Iterator[Shape]:
    """Yield a sign beside the way with a speed [m/s] in km/h, which faces who arrives."""
    shown = round(3.6 * speed)
    far = np.linalg.norm(way - way[0], axis=1)
    if not 0 < shown < 1000 or far[-1] < SIGN_AT[0]:
        return
    ahead = way[np.searchsorted(far, 1.0)] - way[0]
    ahead = ahead / np.linalg.norm(ahead)
    right = np.array([ahead[1], -ahead[0]])
    foot = way[0] + SIGN_AT[0] * ahead + SIGN_AT[1] * right
    low = np.array([*foot, height(road, *foot)])
    across, up, back = np.array([*right, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([*ahead, 0.0])
    middle = low + (SIGN_HEIGHT + SIGN) * up
    yield rod(low, middle + 0.03 * back, 0.03).paint("#8d949a")
    turn = np.linspace(0.0, 2.0 * np.pi, 33)[:-1]
    faces = (SIGN, -0.012, "#8d949a"), (SIGN, 0.0, "#c4161c"), (0.78 * SIGN, 0.012, "#f4f4f0")
    for radius, near, colour in faces:
        ring = radius * (np.cos(turn)[:, None] * across + np.sin(turn)[:, None] * up)
        yield plate([middle + at - near * back for at in ring]).paint(colour)
    digits = str(shown)
    size = 0.6 * SIGN / max(2, len(digits))
    for k, digit in enumerate(digits):
        column = 1.6 * size * (k - 0.5 * (len(digits) - 1))
        for stroke in LIT[int(digit)]:
            a, b = (
                middle + (column + size * (x - 0.5)) * across + size * z * up - 0.03 * back
                for x, z in SEGMENTS[stroke]
            )
            yield rod(a, b, 0.11 * size).paint("#16181a")


def tyres_of(system: System) -> list[RoadTyre]:
    """Return its tyres."""
    return [force for force in system.forces if isinstance(force, RoadTyre)]


def wheel_shape(tyre: RoadTyre) -> Shape:
    """Return a tyre with its rim."""
    radius = radius_of(tyre)
    return wheel(tyre.centre, tyre.spin_axis, radius, WIDTH * radius).paint("#c3c9ce")


def shapes_of(system: System, body_file: Path | None = None) -> dict[str, list[Shape]]:
    """Return the shapes of wheels, chassis and trailers by body; links are drawn from their hinges.

    A glTF file replaces the chassis' own bodywork.
    """
    shapes: dict[str, list[Shape]] = {}
    for tyre in (one for force in system.forces for one in single_tyres(force)):
        shapes.setdefault(tyre.wheel.name, []).append(wheel_shape(tyre))
    for body, own in units_of(system).items():
        frame = frame_of(own)
        if body == "chassis" and body_file is not None:
            shapes[body] = gltf_body(body_file)
        elif body == "chassis":
            shapes[body] = bodywork(style_in(system, frame), frame)
        else:
            shapes[body] = [*bodywork("trailer", frame), *drawbar_of(system, body, own)]
    return shapes


def units_of(system: System) -> dict[str, list[RoadTyre]]:
    """Return tyres by the body, chassis or trailer, that their suspensions are on."""
    found: dict[str, list[RoadTyre]] = {}
    for tyre in tyres_of(system):
        found.setdefault(sprung_body(system, tyre.carrier).name, []).append(tyre)
    return found


def cameras_of(system: System) -> Iterator[Camera]:
    """Yield the driver's, and one beside every wheel; all on the chassis or on the wheel's trailer."""
    tyres = tyres_of(system)
    if not tyres:
        return
    frame = frame_of(units_of(system)["chassis"])
    radius, style = frame.radius, style_in(system, frame)
    eye = eyes_in(style, frame)
    yield Camera("driver", "chassis", eye, eye + (10.0, 0.0, -1.2))
    for tyre in tyres:
        W, unit = nominal(tyre.centre).astype(float), sprung_body(system, tyre.carrier).name
        out = np.array([0.0, np.sign(W[1]) or 1.0, 0.0])
        name = tyre.name.rpartition(".")[0]
        yield Camera(f"wheel {name}", unit, W + 4.5 * radius * out + (1.2 * radius, 0, 0.6 * radius), W)
        inside = W - 2.2 * radius * out + (3.0 * radius, 0.0, 0.8 * radius)
        yield Camera(f"suspension {name}", unit, inside, W - 0.6 * radius * out)


def style_in(system: System, frame: FrameSizes) -> str:
    """Return the class of a vehicle with some running gear."""
    return choose_style(frame, float(nominal(system.find("chassis").com)[2]) - frame.ground)


def road_of(system: System, way: Floats) -> list[Shape]:
    """Return the road along a way (n, 2): a plane, or as finely drawn as it is uneven."""
    roads: dict[int, Road] = {id(tyre.road): tyre.road for tyre in tyres_of(system)}
    found = []
    for road in roads.values():
        if isinstance(road, (FlatRoad, InclinedRoad)):
            origin = (0.0, 0.0, float(nominal(road.height(0.0, 0.0))))
            found.append(replace(plane(origin, road.normal(0.0, 0.0).astype(float)), look="asphalt"))
        elif hills := hills_of(road):
            found.append(replace(plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), look="asphalt"))
            for hill in hills:
                v = hill.values
                corner = np.array([v["x"], v["y"]])
                found.append(relief(hill, np.array([corner, corner + (v["length"], v["width"])]), 0.0))
        else:
            found.append(relief(road, way, max(SIDE, length_behind(system) + 0.3 * SIDE)))
        found += patches_of(road, way)
    return found


def hills_of(road: Road) -> list[HillsRoad]:
    """Return the hills of a road that has nothing but hills on a plane, none of another road."""
    parts = road.parts if isinstance(road, SumRoad) else (road,)
    hills = [part for part in parts if isinstance(part, HillsRoad)]
    return hills if len(hills) == len(parts) else []


def patches_of(road: Road, way: Floats) -> Iterator[Shape]:
    """Yield rectangles, close over a road, where friction differs from that around them."""
    friction: float | Friction = road.given_friction
    low, high = way.min(axis=0) - SIDE, way.max(axis=0) + SIDE
    while isinstance(friction, FrictionPatch):
        ends = np.clip(np.array([friction.x, friction.y]), low[:, None], high[:, None])
        yield patch(road, ends, friction.mu)
        friction = friction.around
    if isinstance(friction, SplitFriction):
        left = friction.left < friction.right
        y = (friction.y, high[1]) if left else (low[1], friction.y)
        yield patch(road, np.array([(low[0], high[0]), y]), min(friction.left, friction.right))


def patch(road: Road, ends: Floats, mu: float) -> Shape:
    """Return a tinted rectangle from (2, 2) ends along x and y: blue where slippery, brown where it grips."""
    x, y = (np.linspace(low, high, PROFILES) for low, high in ends.tolist())
    X, Y = np.meshgrid(x, y, indexing="ij")
    z, _ = sample_heights(road, x, y)
    points = mesh(*surface(np.stack((X, Y, z + ABOVE), axis=2)))
    return points.paint("#a9d4ee" if mu < SLIPPERY else "#8a6f52", 0.45)


def length_behind(system: System) -> float:
    """Return the distance from the chassis' centre of mass back to the last wheel centre [m]."""
    last = min(float(nominal(tyre.centre)[0]) for tyre in tyres_of(system))
    return float(nominal(system.find("chassis").com)[0]) - last


def relief(road: Road, way: Floats, side: float = SIDE) -> Shape:
    """Return the road's heights as triangles, with closer lines where it curves and at its edges."""
    (x_low, y_low), (x_high, y_high) = way.min(axis=0) - side, way.max(axis=0) + side
    y = np.linspace(y_low, y_high, max(2, int((y_high - y_low) / FINEST)))
    x = np.linspace(x_low, x_high, max(2, int((x_high - x_low) / FINEST)))
    z, inside = sample_heights(road, x[:: max(1, len(x) // PROFILES)], y)
    ys = y[find_uneven(y, np.concatenate((z, inside)).T)]
    z, inside = sample_heights(road, x, ys[:: max(1, len(ys) // PROFILES)])
    xs = x[find_uneven(x, np.concatenate((z, inside), axis=1))]
    while len(xs) * len(ys) > MOST_POINTS:
        xs, ys = (np.unique(np.append(part[::2], part[-1])) for part in (xs, ys))
    z, inside = sample_heights(road, xs, ys)
    X, Y = np.meshgrid(xs, ys, indexing="ij")
    points, triangles = surface(np.stack((X, Y, z), axis=2))
    there = inside.ravel()[triangles].all(axis=1)
    return replace(terrain(points, triangles[there]), look="asphalt")


def sample_heights(road: Road, x: Floats, y: Floats) -> tuple[Floats, Array]:
    """Sample heights (n, m) of a road at n places along and m across; return the mask of road too."""

    def function(x: Scalar, y: Scalar) -> dict[str, Scalar]:
        margin = road.margin(x, y)
        return {"z": road.height(x, y) + 0.0 * x, "margin": 1.0 + 0.0 * x if margin is None else margin}

    X, Y = np.meshgrid(x, y, indexing="ij")
    found = trace("road", function, {"x": (), "y": ()}).evaluate_many(x=X.ravel(), y=Y.ravel())
    return found["z"].reshape(X.shape), found["margin"].reshape(X.shape) >= 0.0


def height(road: Road, x: float, y: float) -> float:
    """Return the height of the road [m]."""
    return float(nominal(road.height(x, y)))


def find_uneven(places: Floats, heights: Floats) -> list[int]:
    """Return the indices of places between which profiles (places, m) are straight to within `EVEN`."""
    kept, last = [0], 0
    for k in range(2, len(places)):
        part = (places[last : k + 1] - places[last]) / (places[k] - places[last])
        straight = heights[last] + part[:, None] * (heights[k] - heights[last])
        far = places[k] - places[last] > COARSEST
        if far or np.abs(straight - heights[last : k + 1]).max() > EVEN:
            last = k - 1
            kept.append(last)
    return [*kept, len(places) - 1]


def gates(system: System, way: Floats) -> Iterator[Shape]:
    """Return gates over the way on graded and banked roads, with plumb posts and level beams."""
    road = tyres_of(system)[0].road
    apart = np.linalg.norm(np.diff(way, axis=0), axis=1)
    driven = np.concatenate(([0.0], np.cumsum(apart)))
    if driven[-1] < 1.0:  # it stands: there is no way
        return
    for s in np.arange(GATE_FIRST, driven[-1] + GATE_FIRST, GATE_EVERY):
        k = min(int(np.searchsorted(driven, s)), len(way) - 1)
        before = min(int(np.searchsorted(driven, driven[k] - 1.0)), k - 1)
        ahead = way[k] - way[max(before, 0)]
        ahead = ahead / np.linalg.norm(ahead)
        middle = way[k] + max(0.0, s - driven[k]) * ahead
        feet = [middle + side * GATE_HALF * np.array([-ahead[1], ahead[0]]) for side in (-1.0, 1.0)]
        chords = [(middle - GATE_FIRST * ahead, middle + GATE_FIRST * ahead), (feet[0], feet[1])]
        slopes = [(height(road, *b) - height(road, *a)) / np.linalg.norm(b - a) for a, b in chords]
        if not all(road_there(road, foot) for foot in feet) or max(map(abs, slopes)) < LEVEL:
            continue
        low = [np.array([*foot, height(road, *foot)]) for foot in feet]
        top = max(float(foot[2]) for foot in low) + GATE_HEIGHT
        high = [np.array([*foot, top]) for foot in feet]
        for a, b in ((low[0], high[0]), (low[1], high[1]), (high[0], high[1])):
            yield rod(a, b, 0.05).paint(GATE)


def road_there(road: Road, at: Floats) -> bool:
    """Return True if a map has a road at a place."""
    margin = road.margin(float(at[0]), float(at[1]))
    return margin is None or float(nominal(margin)) >= 0.0


def trail(system: System, way: Floats) -> Iterator[Shape]:
    """Yield the track of the vehicle as a line on the road."""
    road = tyres_of(system)[0].road
    if len(way) > 1:
        points = [(x, y, height(road, x, y) + 0.01) for x, y in way[:: max(1, len(way) // 500)]]
        yield line(points).paint(TRAIL)
