"""A ball on a turntable and down an incline, in two formulations, against theory.

    python docs/examples/rolling_ball.py [SCENE...] [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ce_dynamics.mechanism.checked import across
from ce_dynamics.models.demonstrations.output import save_charts, save_film, table
from ce_dynamics.models.demonstrations.rolling_ball.model import (
    SCENES,
    BallMotion,
    BallScene,
    Floats,
    RollingBall,
    run_constrained,
    run_embedded,
)
from ce_dynamics.models.demonstrations.rolling_ball.page import page
from ce_dynamics.views.charts import BLUE, GREEN, ORANGE, Chart, Line

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
        save_film(page(scene, {"": embedded}), f"rolling_ball_{name}")


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
