"""Bodies towed by cables: a scene with a table, plots and a page, and a set of tensions that is not unique.

    python docs/examples/cable_towing.py [robots|train|pendulum] [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import Exact, GaussSeidel, RigidBody, Straight, evenly, uniqueness
from ce_dynamics.contact.recorder import NEGLIGIBLE
from ce_dynamics.contact.rigid import rotations
from ce_dynamics.models.demonstrations.cable_towing.model import (
    CableEnd,
    Tow,
    Towing,
    TowingRun,
    simulate,
    tension_report,
)
from ce_dynamics.models.demonstrations.cable_towing.page import SCENES, TowingScene, page
from ce_dynamics.models.demonstrations.output import save_animation, save_figure, table

FRAMES = 40
TAUT, SLACK = "tab:red", "0.6"


def main() -> None:
    name, *_ = [argument for argument in sys.argv[1:] if argument in SCENES] or ["robots"]
    demonstrate(name, animation="--animation" in sys.argv)
    print()
    report()


def demonstrate(name: str, *, animation: bool) -> None:
    """Simulate a scene, print tables, draw it and write a page that plays it."""
    scene = SCENES[name]()
    run = simulate(scene.towing, duration=scene.duration, step=2e-3, solver=GaussSeidel(1e-9))
    print(f"{scene.title}, {scene.duration:g} s in {len(run.t) - 1} steps\n")
    heads = "cable", "taut [s]", "mean [N]", "largest [N]", "longest [m]", "events"
    print(table(heads, cables(scene, run)) + "\n")
    print(table(("quantity", "value", "unit"), summary(scene, run)) + "\n")
    save_figure(figure(scene, run), f"cable_towing_{name}")
    page(scene, run).save(f"cable_towing_{name}.html")
    if animation:
        animate(scene, run, f"cable_towing_{name}")


def cables(scene: TowingScene, run: TowingRun) -> list[tuple[str, float, float, float, float, str]]:
    """Rows of the table of cables."""
    h = run.t[1] - run.t[0]
    rows = []
    for k, cable in enumerate(scene.towing.cables):
        force = run.force[1:, k]
        count = sum(event.row == cable.name for event in run.events)
        longest = float(cable.length - np.min(run.psi[:, k]))
        noticeable = NEGLIGIBLE * np.max(run.force[1:], axis=1)
        taut = h * int(np.count_nonzero(force > noticeable))
        rows.append((cable.name, taut, float(np.mean(force)), float(np.max(force)), longest, str(count)))
    return rows


def summary(scene: TowingScene, run: TowingRun) -> list[tuple[str, float | str, str]]:
    """Figures of a run: label, value, unit."""
    h = float(run.t[1] - run.t[0])
    # the report needs states that are solved well below its own tolerance
    exact = GaussSeidel(1e-13, 200_000) if scene.towing.feet else Exact()
    report = tension_report(scene.towing, run.states[-1], float(run.t[-1]), h, exact)
    m = len(scene.towing.cables)
    free = [
        cable.name
        for k, cable in enumerate(scene.towing.cables)
        if report.highest[k] - report.lowest[k] > 1e-9 * (1.0 + abs(report.lowest[k]))
    ]
    return [
        ("energy at the start", float(run.energy[0]), "J"),
        ("energy at the end", float(run.energy[-1]), "J"),
        ("largest excess length", float(max(0.0, -np.min(run.psi[:, :m]))), "m"),
        ("sweeps per step, mean", float(np.mean(run.sweeps[1:])), ""),
        ("residual, largest", float(np.max(run.residual)), "m/s"),
        ("tensions not unique at the end", ", ".join(free) if free else "none", ""),
    ]


def figure(scene: TowingScene, run: TowingRun) -> Figure:
    """Tensions, slack and speeds over time."""
    picture = Figure(figsize=(9.0, 8.0), layout="constrained")
    axes = picture.subplots(3, 1, sharex=True)
    for k, cable in enumerate(scene.towing.cables):
        axes[0].plot(run.t, run.force[:, k], lw=1.0, label=cable.name)
        axes[1].plot(run.t, 1e3 * run.psi[:, k], lw=1.0, label=cable.name)
    typical = float(np.percentile(run.force[1:, : len(scene.towing.cables)], 99.0))
    axes[0].set(ylabel="tension [N] (jerks cut off)", ylim=(0.0, max(1.5 * typical, 1.0)))
    axes[1].set_ylabel("slack ψ [mm]")
    for k, name in enumerate(scene.towing.bodies.names):
        axes[2].plot(run.t, [np.linalg.norm(state.v[k, :3]) for state in run.states], label=name)
    axes[2].set(ylabel="speed [m/s]", xlabel="time [s]", xlim=(run.t[0], run.t[-1]))
    axes[0].set_title(scene.title, loc="left")
    for one in axes:
        one.grid(visible=True, alpha=0.35)
        one.legend(loc="upper right", fontsize=8, ncols=2)
    return picture


def animate(scene: TowingScene, run: TowingRun, name: str) -> None:
    """Boxes and cables, taut ones red."""
    picture = Figure(figsize=(7.0, 4.2))
    axes = picture.add_subplot()
    limits = extent(scene, run)

    def draw(frame: int) -> None:
        snapshot(axes, scene, run, round(frame * (len(run.t) - 1) / (FRAMES - 1)), limits)

    save_animation(picture, draw, FRAMES, name)


def extent(scene: TowingScene, run: TowingRun) -> Floats:
    """Limits of the two drawn coordinates, (2, 2)."""
    seen = [0, 1] if scene.top else [0, 2]
    points = np.concatenate([state.r for state in run.states])
    ends = [
        scene.towing.ends(state, float(t)) for t, state in zip(run.t[::20], run.states[::20], strict=True)
    ]
    points = np.concatenate((points, *(e.a for e in ends), *(e.b for e in ends)))[:, seen]
    margin = 0.5
    return np.stack((points.min(axis=0) - margin, points.max(axis=0) + margin))


def snapshot(axes: Axes, scene: TowingScene, run: TowingRun, k: int, limits: Floats) -> None:
    """Draw one instant."""
    seen = [0, 1] if scene.top else [0, 2]
    state = run.states[k]
    axes.clear()
    for n, (name, edges) in enumerate(scene.boxes.items()):
        R = rotations(state.quaternion)[scene.towing.bodies.index(name)]
        outline = np.array(((1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)), dtype=float)
        local = np.zeros((5, 3))
        local[:, seen] = 0.5 * outline * np.array(edges)[seen]
        corners = (state.r[scene.towing.bodies.index(name)] + local @ R.T)[:, seen]
        axes.fill(*corners.T, color=f"C{n}", alpha=0.6)
    ends = scene.towing.ends(state, float(run.t[k]))
    for i, cable in enumerate(scene.towing.cables):
        a, b = ends.a[i, seen], ends.b[i, seen]
        taut = run.force[k, i] > 0.0
        points = np.array((a, b)) if taut else hanging(a, b, cable.length, scene.top)
        axes.plot(*points.T, color=TAUT if taut else SLACK, lw=2.0 if taut else 1.2)
        if not isinstance(cable.second, CableEnd):
            axes.plot(*b, "ks", ms=6)
    label = "xy" if scene.top else "xz"
    axes.set(aspect="equal", xlabel=f"{label[0]} [m]", ylabel=f"{label[1]} [m]")
    axes.set(xlim=limits[:, 0], ylim=limits[:, 1])
    axes.set_title(f"{scene.title}, t = {run.t[k]:.2f} s (taut cables red)", loc="left")


def hanging(a: Floats, b: Floats, length: float, top: bool) -> Floats:
    """A slack cable: a curve of about its length, sagging (or, from above, wavy)."""
    s = np.linspace(0.0, 1.0, 41)
    span = float(np.linalg.norm(b - a))
    spare = np.sqrt(max(length**2 - span**2, 0.0))
    straight = a + s[:, None] * (b - a)
    if top:
        across = np.array((-(b - a)[1], (b - a)[0])) / max(span, 1e-9)
        return np.asarray(straight + 0.1 * spare * np.sin(3.0 * np.pi * s)[:, None] * across)
    return np.asarray(straight - 0.6 * spare * (4.0 * s * (1.0 - s))[:, None] * 0.8 * np.array((0.0, 1.0)))


def report() -> None:
    """Two robots pull a crate with cables side by side: any share of the load moves it alike."""
    crate = RigidBody("crate", 2.0, (0.1, 0.1, 0.1))
    cables = [Tow(f"robot {n}", CableEnd("crate"), Straight((n, 0, 0)), float(n)) for n in (2, 3)]
    towing = Towing([crate], cables, gravity=(-9.81, 0.0, 0.0))
    h = 1e-3
    problem = towing.problem(towing.start, 0.0, h)
    solution = Exact().solve(problem)
    found = uniqueness(problem, solution)
    print(f"v⁺ unique: {found.w_unique}; tensions unique: {found.p_unique}")
    even = evenly(problem, solution) / h
    for k, cable in enumerate(cables):
        low, high = found.lowest[k] / h, found.highest[k] / h
        print(
            f"{cable.name}: {solution.p[k] / h:.2f} N found, {low:.2f} to {high:.2f} N possible,"
            f" {even[k]:.2f} N if shared evenly"
        )


if __name__ == "__main__":
    main()
