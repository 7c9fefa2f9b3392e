"""The rolling ball as a page in three dimensions."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ce_dynamics.mechanism.checked import across
from ce_dynamics.models.demonstrations.rolling_ball.model import BallMotion, BallScene, Floats
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
