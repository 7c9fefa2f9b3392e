"""The joined pair as a page in three dimensions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ce_dynamics.models.demonstrations.point_to_point.model import PairRun
from ce_dynamics.views.scene import Take, View, ball, rod
from ce_dynamics.views.scene.take import BodyPicture, TimeSeries

THICKNESS = 0.06
"""Radius of a bar over its length."""


def page(runs: Mapping[str, PairRun]) -> View:
    """Return all runs over each other, seen from the common centre of mass, with the force at the joint."""
    return View([take(run, label) for label, run in runs.items()], "two thrown bodies, joined")


def take(run: PairRun, label: str) -> Take:
    """Return the take of one run."""
    pair = run.pair
    bodies = []
    for name, body in (("body 1", pair.body_1), ("body 2", pair.body_2)):
        c = np.asarray(body.c)
        thick = THICKNESS * 2.0 * float(np.linalg.norm(c))
        bodies.append(BodyPicture(name, [rod(-c, c, thick), ball(c, 1.4 * thick)]))
    masses = np.array((pair.body_1.mass, pair.body_2.mass))
    places = np.zeros((len(run.t), 2, 7))
    arrows = np.zeros((len(run.t), 1, 6))
    for k, state in enumerate(run.states):
        r = np.stack((state.x1, state.x2))
        middle = masses @ r / masses.sum()
        places[k, :, :3] = r - middle
        places[k, :, 3:] = np.stack((state.q1, state.q2))[:, [1, 2, 3, 0]]
        arrows[k, 0] = np.concatenate((state.x1 + pair.levers(state)[0] - middle, run.force[k]))
    return Take(
        label=label,
        bodies=bodies,
        t=run.t,
        places=places,
        forces=["joint"],
        arrows=arrows,
        weight=9.81 * float(masses.sum()),
        series=[TimeSeries("distance of the points", "m", run.drift), TimeSeries("energy", "J", run.energy)],
    )
