"""A ball on a turntable and down an incline, in two formulations, against theory.

    python docs/examples/rolling_ball.py [SCENE...] [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]  # no stubs

from ce_dynamics.mechanism.checked import across
from ce_dynamics.models.demonstrations.output import save_animation, save_figure, table
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

BLUE, ORANGE, GREEN, GREY = "tab:blue", "tab:orange", "tab:green", "0.55"
SAMPLES = 121
FRAMES = 50
ELEVATION, AZIMUTH = 25.0, -60.0
"""Of the eye [deg]."""
TOWARDS_EYE = np.array(
    (
        math.cos(math.radians(ELEVATION)) * math.cos(math.radians(AZIMUTH)),
        math.cos(math.radians(ELEVATION)) * math.sin(math.radians(AZIMUTH)),
        math.sin(math.radians(ELEVATION)),
    )
)
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
    save_figure(draw(scene, embedded, augmented), f"rolling_ball_{name}")
    page(scene, {"embedded": embedded, "augmented": augmented}).save(f"rolling_ball_{name}.html")
    if animation:
        animate(scene, embedded, f"rolling_ball_{name}")


def rows(scene: BallScene, embedded: BallMotion, augmented: BallMotion) -> list[tuple[Any, ...]]:
    """The table."""
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


def draw(scene: BallScene, embedded: BallMotion, augmented: BallMotion) -> Figure:
    """Path, forces, differences."""
    figure = Figure(figsize=(11.0, 4.2), layout="constrained")
    path, forces, errors = figure.subplots(1, 3)
    draw_path(path, scene, embedded)
    forces.plot(embedded.t, embedded.normal, color=BLUE, label="normal (negative: sticking)")
    forces.plot(embedded.t, embedded.friction, color=ORANGE, label="friction")
    forces.axhline(0.0, color=GREY, lw=0.8)
    forces.set(xlabel="time [s]", ylabel="force of the plane on the ball [N]", title="contact force")
    low, high = forces.get_ylim()
    forces.set_ylim(low - 0.05 * (high - low), high + 0.3 * (high - low))
    forces.legend(loc="upper left", fontsize=9)
    apart = np.linalg.norm(embedded.centre - augmented.centre, axis=1)
    lines = [
        ("augmented: error of the contact", augmented.error, GREEN),
        ("augmented − embedded", apart, ORANGE),
    ]
    if scene.expected is not None:
        off = np.linalg.norm(embedded.centre - scene.expected.centre(embedded.t), axis=1)
        lines.insert(0, ("embedded − theory", off, BLUE))
    for label, values, colour in lines:
        errors.semilogy(embedded.t, np.maximum(values, ROUNDING), color=colour, label=label, lw=1.2)
    errors.set(xlabel="time [s]", ylabel="distance [m], slip [m/s]", title="differences", ylim=(3e-18, 1e-6))
    errors.legend(loc="upper left", fontsize=9)
    for axes in (path, forces, errors):
        axes.grid(visible=True, alpha=0.35)
    return figure


def draw_path(axes: Axes, scene: BallScene, record: BallMotion) -> None:
    """The centre's path: seen against the normal of a plane at rest, else in the world.

    Of a straight path the way over time is drawn.
    """
    moving = scene.plate is not None
    frame = np.eye(3) if moving else np.stack((*across(scene.normal), scene.normal), axis=1)
    names = ("x [m]", "y [m]", "z [m]") if moving else ("along e1 [m]", "along e2 [m]", "")
    lines: list[tuple[Floats, Any]] = [(record.centre @ frame, {"color": BLUE, "label": "embedded"})]
    if scene.expected is not None:
        theory = {"color": GREY, "lw": 5.0, "alpha": 0.5, "label": "theory"}
        lines.insert(0, (scene.expected.centre(record.t) @ frame, theory))
    extent = np.ptp(lines[-1][0], axis=0)
    first, second = np.argsort(-extent, kind="stable")[:2]
    straight = extent[second] < 1e-6 * extent[first]
    i, j = (first, first) if straight else sorted((first, second))
    for path, style in lines:
        axes.plot(record.t if straight else path[:, i], path[:, j], **style)
    axes.set(xlabel="time [s]" if straight else names[i], ylabel=names[j])
    axes.set_title(f"{scene.title}: path of the centre")
    if not straight:
        axes.plot(lines[-1][0][0, i], lines[-1][0][0, j], "o", color=BLUE, label="start")
        axes.set_aspect("equal", adjustable="datalim")
    if straight:
        low, high = axes.get_ylim()
        axes.set_ylim(low, high + 0.2 * (high - low))
    axes.legend(loc="upper right" if straight else "best", ncols=2 if straight else 1, fontsize=9)


def animate(scene: BallScene, record: BallMotion, name: str) -> None:
    """The scene in space, with the contact force."""
    figure = Figure(figsize=(5.2, 4.4), layout="constrained")
    axes: Any = figure.add_subplot(projection="3d", computed_zorder=False)
    middle = 0.5 * (record.centre.min(axis=0) + record.centre.max(axis=0))
    reach = 0.5 * float(np.max(np.ptp(record.centre, axis=0))) + 2.0 * scene.ball.radius
    half = reach if scene.half_width is None else scene.half_width
    corners = drawn_plane(scene, record, middle, half)
    shown = np.vstack(corners)
    per_newton = 5.0 * scene.ball.radius / max(float(np.max(np.linalg.norm(record.force, axis=1))), 1e-12)
    room = np.vstack((shown, record.centre + per_newton * record.force, record.centre))
    low, high = room.min(axis=0), room.max(axis=0)

    def frame(number: int) -> None:
        k = round(number * (len(record.t) - 1) / (FRAMES - 1))
        axes.clear()
        hidden = float((record.plate[k].R @ scene.normal) @ TOWARDS_EYE) < 0.0  # the ball is behind the plane
        if half > 0.0:
            style = {"facecolor": "0.85", "edgecolor": "0.5", "alpha": 0.5, "zorder": 3 if hidden else 0}
            axes.add_collection3d(Poly3DCollection([corners[k]], **style))
        axes.plot(*record.centre[: k + 1].T, color=BLUE, lw=1.5, zorder=1)
        for circle in circles(scene, record, k):
            axes.plot(*circle.T, color="k", lw=1.0, zorder=2)
        C = record.centre[k] - scene.ball.radius * (record.plate[k].R @ scene.normal)
        axes.quiver(*C.astype(float), *(per_newton * record.force[k]), color=ORANGE, lw=2.0, zorder=2)
        axes.set(xlabel="x [m]", ylabel="y [m]", title=f"{scene.title}, t = {record.t[k]:.2f} s")
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        axes.set_box_aspect(high - low, zoom=0.95)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_major_locator(MaxNLocator(4))
        axes.view_init(elev=ELEVATION, azim=AZIMUTH)

    save_animation(figure, frame, FRAMES, name)


def drawn_plane(scene: BallScene, record: BallMotion, middle: Floats, half: float) -> list[Floats]:
    """Corners (4, 3) of the square that shows the plane, at every instant.

    Of a plane at rest, which has no middle, it lies below (or above) the middle of the path.
    """
    if scene.plate is None:
        return [ground_patch(scene, middle, half)] * len(record.t)
    return [plane_corners(scene, record, k, half) for k in range(len(record.t))]


def plane_corners(scene: BallScene, record: BallMotion, k: int, half: float) -> Floats:
    """Corners of the plate's square in the world, (4, 3)."""
    state = record.plate[k]
    design = square(scene.normal, half)
    foot = np.zeros(3) if scene.plate is None else scene.plate.hinge.at
    height = float(scene.normal @ (scene.contact - foot)) * scene.normal
    return np.asarray(state.r + (design + height) @ np.asarray(state.R).T, dtype=float)


def ground_patch(scene: BallScene, middle: Floats, half: float) -> Floats:
    """A square of a plane at rest below (or above) a point, (4, 3)."""
    n = scene.normal
    below = middle - float(n @ (middle - scene.contact)) * n
    return below + square(n, half)


def square(n: Floats, half: float) -> Floats:
    """Corners of a square across n around the origin, (4, 3)."""
    e1, e2 = across(n)
    return half * np.array((e1 + e2, -e1 + e2, -e1 - e2, e1 - e2))


def circles(scene: BallScene, record: BallMotion, k: int) -> list[Floats]:
    """Three great circles that turn with the ball."""
    angle = np.linspace(0.0, 2.0 * math.pi, 25)
    c, s, o = np.cos(angle), np.sin(angle), np.zeros_like(angle)
    R = np.asarray(record.ball[k].R, dtype=float)
    shapes = ((c, s, o), (o, c, s), (s, o, c))
    return [record.centre[k] + scene.ball.radius * np.stack(shape, axis=1) @ R.T for shape in shapes]


if __name__ == "__main__":
    main()
