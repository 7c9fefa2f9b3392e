"""A ball that rolls on a plane, in scenes with known solutions: the same ball in two formulations.

    python docs/examples/rolling_ball.py [SCENE...] [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.mechanism.checked import across
from ce_dynamics.models.demonstrations.rolling_ball import (
    SCENES,
    BallMotion,
    BallScene,
    RollingBall,
    run_constrained,
    run_embedded,
)
from ce_dynamics.views.charts import BLUE, GREEN, ORANGE, Chart, Line, save_charts, table
from ce_dynamics.views.scene import Shape, Take, View, ball, block, line
from ce_dynamics.views.scene.take import BodyPicture, TimeSeries, quaternions, upwards

PROUD = 1.004
"""Radius of the lines on the ball, which show that it turns, over its own."""
BESIDE = "with the ball"
EYE = 8.0, -16.0
"""Position of the camera, above the plane and beside the ball, in radii of the ball."""
THIN = 0.004
"""Half the thickness of a plate [m]."""


def page(scene: BallScene, records: Mapping[str, BallMotion]) -> View:
    """Return runs of both formulations over each other, with the contact force."""
    takes = [take(scene, record, label) for label, record in records.items()]
    return View(takes, f"rolling ball: {scene.title}", "orbit" if scene.plate is not None else BESIDE)


def take(scene: BallScene, record: BallMotion, label: str) -> Take:
    """Return the take of one run."""
    states = [record.ball]
    bodies = [BodyPicture("ball", make_striped_ball(scene.ball.radius))]
    scenery = []
    reach = 0.5 * float(np.ptp(record.centre, axis=0).max()) + 2.0 * scene.ball.radius
    half = reach if scene.half_width is None else scene.half_width
    if scene.plate is not None:
        states.append(record.plate)
        com = np.asarray(scene.plate.hinge.at)
        bodies.append(BodyPicture("plate", [slab(scene, half, com, com)] if half > 0.0 else []))
    elif half > 0.0:
        middle = 0.5 * (record.centre.min(axis=0) + record.centre.max(axis=0))
        scenery.append(slab(scene, half, middle, np.zeros(3)))
    places = np.zeros((len(record.t), len(states), 7))
    for k, body in enumerate(states):
        places[:, k, :3] = [np.asarray(s.r, dtype=float) for s in body]
        places[:, k, 3:] = quaternions(np.array([np.asarray(s.R, dtype=float) for s in body]))
    bodies.append(BodyPicture("place of the ball", []))  # which does not turn: for the camera
    still = np.concatenate((record.centre, np.tile((0.0, 0.0, 0.0, 1.0), (len(record.t), 1))), axis=1)
    places = np.concatenate((places, still[:, None]), axis=1)
    normals = np.array([np.asarray(s.R, dtype=float) @ scene.normal for s in record.plate])
    touching = record.centre - scene.ball.radius * normals
    return Take(
        label=label,
        bodies=bodies,
        t=record.t,
        places=places,
        forces=["contact"],
        arrows=np.concatenate((touching, record.force), axis=1)[:, None],
        cameras=[beside(scene, len(bodies) - 1)],
        scenery=scenery,
        up=upwards(scene.gravity),
        weight=9.81 * scene.ball.mass,
        series=[
            TimeSeries("normal force", "N", record.normal),
            TimeSeries("friction", "N", record.friction),
            TimeSeries("energy", "J", record.energy),
        ],
    )


def beside(scene: BallScene, body: int) -> dict[str, object]:
    """Return a camera that goes with the ball, on its side of the plane."""
    n = np.asarray(scene.normal)
    eye = scene.ball.radius * (EYE[0] * n + EYE[1] * across(n)[1])
    return {"name": BESIDE, "body": body, "eye": eye.tolist(), "target": [0.0] * 3, "steady": True}


def make_striped_ball(radius: float) -> list[Shape]:
    """Return a ball with three great circles."""
    turn = np.linspace(0.0, math.tau, 49)
    circle = PROUD * radius * np.stack((np.cos(turn), np.sin(turn), np.zeros_like(turn)), axis=1)
    turned = [circle, circle[:, [2, 0, 1]], circle[:, [1, 2, 0]]]
    return [ball(np.zeros(3), radius), *(line(list(points)).paint("#202020") for points in turned)]


def slab(scene: BallScene, half: float, near: Floats, origin: Floats) -> Shape:
    """Return a square of the plane that touches the ball, as near to a point as it can be, from an origin."""
    n = np.asarray(scene.normal)
    below = near + float(n @ (scene.contact - near)) * n - THIN * n
    edges = (2.0 * half, 2.0 * half, 2.0 * THIN)
    return block(edges, below - origin, np.stack((*across(n), n))).paint("#a0a4a8", 0.7)


SAMPLES = 121
LIGHT = "#c8ccd0"
ROUNDING = 1e-17
"""Drawn instead of an error of exactly zero, which a logarithmic axis has no place for."""


def main() -> None:
    for name in [argument for argument in sys.argv[1:] if argument in SCENES] or ["turntable", "incline"]:
        demonstrate(SCENES[name](RollingBall()), name, animation="--animation" in sys.argv)


def demonstrate(scene: BallScene, name: str, *, animation: bool) -> None:
    """Run a scene in both formulations, print a table, draw it and write a page that plays it."""
    ball, t = scene.ball, np.linspace(0.0, scene.duration, SAMPLES)
    embedded, augmented = run_embedded(scene, t), run_constrained(scene, t)
    print(f"{scene.title}: {ball.mass:g} kg, radius {ball.radius:g} m, k = {ball.k:.4g}, {t[-1]:g} s\n")
    print(table(("", "theory", "embedded", "augmented"), rows(scene, embedded, augmented)) + "\n")
    save_charts(charts(scene, embedded, augmented), scene.title, f"rolling_ball_{name}")
    page(scene, {"embedded": embedded, "augmented": augmented}).save(f"rolling_ball_{name}.html")
    if animation:
        film = page(scene, {"": embedded}).save(f"rolling_ball_{name}.gif")
        print(f"animation: {film}")


def rows(scene: BallScene, embedded: BallMotion, augmented: BallMotion) -> list[tuple[Any, ...]]:
    """Return the rows of the table."""
    both = (embedded, augmented)
    theory = scene.expected
    centre = None if theory is None else theory.centre(embedded.t)
    friction = None if theory is None else theory.friction(embedded.t)
    result: list[tuple[Any, ...]] = []
    for k, axis in enumerate("xyz"):
        at_end = None if centre is None else centre[-1, k]
        result.append((f"centre at the end, {axis} [m]", at_end, *(r.centre[-1, k] for r in both)))
    at_end = None if theory is None else theory.normal
    result.append(("normal force at the end [N]", at_end, *(r.normal[-1] for r in both)))
    at_end = None if friction is None else friction[-1]
    result.append(("friction at the end [N]", at_end, *(r.friction[-1] for r in both)))
    if centre is not None and friction is not None and theory is not None:
        off = [np.max(np.abs(r.centre - centre)) for r in both]
        result.append(("largest error of the path [m]", None, *off))
        wrong = [
            max(np.max(np.abs(r.normal - theory.normal)), np.max(np.abs(r.friction - friction))) for r in both
        ]
        result.append(("largest error of the forces [N]", None, *wrong))
    result.append(("largest error of the contact [m], [m/s]", None, *(r.error.max() for r in both)))
    apart = (
        np.max(np.abs(embedded.centre - augmented.centre)),
        np.max(np.abs(embedded.force - augmented.force)),
    )
    result.append(("augmented against embedded: path [m]", None, None, apart[0]))
    result.append(("augmented against embedded: forces [N]", None, None, apart[1]))
    return result


def charts(scene: BallScene, embedded: BallMotion, augmented: BallMotion) -> list[Chart]:
    """Return path, forces, differences."""
    t, time = embedded.t, "time [s]"
    forces = (
        Line("normal (negative: sticking)", t, embedded.normal),
        Line("friction", t, embedded.friction),
    )
    apart = np.linalg.norm(embedded.centre - augmented.centre, axis=1)
    found = [
        ("augmented: error of the contact", augmented.error, GREEN),
        ("augmented − embedded", apart, ORANGE),
    ]
    if scene.expected is not None:
        off = np.linalg.norm(embedded.centre - scene.expected.centre(t), axis=1)
        found.insert(0, ("embedded − theory", off, BLUE))
    errors = tuple(
        Line(label, t, np.maximum(values, ROUNDING), colour, width=1.2) for label, values, colour in found
    )
    ends, error = (3e-18, 1e-6), "distance [m], slip [m/s]"
    return [
        path_of(scene, embedded),
        Chart("Contact force", time, "force of the plane on the ball [N]", forces, covers=(0.0,)),
        Chart("Differences", time, error, errors, logarithmic="y", covers=ends, within=ends),
    ]


def path_of(scene: BallScene, record: BallMotion) -> Chart:
    """Return the centre's path: seen against the normal of a plane at rest, else in the world.

    Of a straight path the way over time is drawn.
    """
    moving = scene.plate is not None
    frame = np.eye(3) if moving else np.stack((*across(scene.normal), scene.normal), axis=1)
    names = ("x [m]", "y [m]", "z [m]") if moving else ("along e1 [m]", "along e2 [m]", "")
    paths: list[tuple[Floats, Any]] = [(record.centre @ frame, {"label": "embedded", "colour": BLUE})]
    if scene.expected is not None:
        theory = {"label": "theory", "colour": LIGHT, "width": 5.0}
        paths.insert(0, (scene.expected.centre(record.t) @ frame, theory))
    extent = np.ptp(paths[-1][0], axis=0)
    first, second = np.argsort(-extent, kind="stable")[:2]
    straight = bool(extent[second] < 1e-6 * extent[first])
    i, j = (first, first) if straight else sorted((first, second))
    lines = [Line(x=record.t if straight else path[:, i], y=path[:, j], **how) for path, how in paths]
    if not straight:
        start = paths[-1][0][:1]
        lines.append(Line("start", start[:, i], start[:, j], BLUE))
    x = "time [s]" if straight else names[i]
    return Chart("Path of the centre", x, names[j], tuple(lines), equal=not straight)


if __name__ == "__main__":
    main()
