"""Bodies towed by cables as a page in three dimensions."""

from __future__ import annotations

import numpy as np

from ce_dynamics.models.demonstrations.cable_towing.model import End, TowingRun
from ce_dynamics.models.demonstrations.cable_towing.scenes import Scene
from ce_dynamics.views.scene import Strand, Take, View, ball, block, plane
from ce_dynamics.views.scene.take import BodyPicture, Series, upwards

HAND = 0.06
"""Radius of an end that moves as given [m]."""


def page(scene: Scene, run: TowingRun) -> View:
    """A run, with the tensions as arrows at the first ends."""
    towing = scene.towing
    bodies = [BodyPicture(name, [block(scene.boxes[name], np.zeros(3))]) for name in towing.bodies.names]
    ends = [towing.ends(state, float(t)) for t, state in zip(run.t, run.states, strict=True)]
    places = [
        np.concatenate((state.r, state.quaternion[:, [1, 2, 3, 0]]), axis=1)[:, None] for state in run.states
    ]
    moving = np.concatenate(places, axis=1).swapaxes(0, 1)
    strands = []
    m = len(towing.cables)
    for k, cable in enumerate(towing.cables):
        if isinstance(cable.second, End):
            far, at = int(towing.second[k]), towing.at_second[k]
        else:
            far, at = len(bodies), np.zeros(3)
            bodies.append(BodyPicture(f"{cable.name} end", [ball(np.zeros(3), HAND)]))
            way = np.zeros((len(run.t), 1, 7))
            way[:, 0, :3] = [end.b[k] for end in ends]
            way[:, 0, 6] = 1.0
            moving = np.concatenate((moving, way), axis=1)
        near = int(towing.first[k])
        strands.append(Strand("cable", cable.name, near, towing.at_first[k], far, at, float(cable.length)))
    a, b = np.array([end.a for end in ends]), np.array([end.b for end in ends])
    span = np.linalg.norm(b - a, axis=2, keepdims=True)
    tension = run.force[:, :m, None] * (b - a) / np.maximum(span, 1e-12)
    series = [
        Series(f"tension of {cable.name}", "N", run.force[:, k]) for k, cable in enumerate(towing.cables)
    ]
    series += [Series(f"slack of {cable.name}", "m", run.psi[:, k]) for k, cable in enumerate(towing.cables)]
    taken = Take(
        label="",
        bodies=bodies,
        t=run.t,
        places=moving,
        strands=strands,
        forces=[cable.name for cable in towing.cables],
        arrows=np.concatenate((a, tension), axis=2),
        scenery=[plane(np.zeros(3), (0.0, 0.0, 1.0))] if towing.feet else [],
        up=upwards(towing.bodies.gravity),
        weight=9.81 * float(np.sum(towing.bodies.mass)),
        series=[*series, Series("energy", "J", run.energy)],
    )
    return View([taken], scene.title)
