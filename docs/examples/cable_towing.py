"""Bodies towed by cables: a scene with a table, plots and a page, and a set of tensions that is not unique.

    python docs/examples/cable_towing.py [robots|train|pendulum] [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys

import numpy as np

from ce_dynamics.contact import Exact, GaussSeidel, RigidBody, Straight, evenly, uniqueness
from ce_dynamics.contact.recorder import NEGLIGIBLE
from ce_dynamics.models.demonstrations.cable_towing.model import (
    CableEnd,
    Tow,
    Towing,
    TowingRun,
    simulate,
    tension_report,
)
from ce_dynamics.models.demonstrations.cable_towing.page import SCENES, TowingScene, page
from ce_dynamics.models.demonstrations.output import save_charts, save_film, table
from ce_dynamics.views.charts import Chart, Line


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
    save_charts(charts(scene, run), scene.title, f"cable_towing_{name}")
    view = page(scene, run)
    view.save(f"cable_towing_{name}.html")
    if animation:
        save_film(view, f"cable_towing_{name}")


def cables(scene: TowingScene, run: TowingRun) -> list[tuple[str, float, float, float, float, str]]:
    """Return rows of the table of cables."""
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
    """Return figures of a run: label, value, unit."""
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


def charts(scene: TowingScene, run: TowingRun) -> list[Chart]:
    """Return tensions, slack and speeds over time."""
    cables, time = scene.towing.cables, "time [s]"
    typical = float(np.percentile(run.force[1:, : len(cables)], 99.0))
    tensions = [Line(cable.name, run.t, run.force[:, k], width=1.0) for k, cable in enumerate(cables)]
    slacks = [Line(cable.name, run.t, 1e3 * run.psi[:, k], width=1.0) for k, cable in enumerate(cables)]
    speeds = [
        Line(name, run.t, np.linalg.norm([state.v[k, :3] for state in run.states], axis=1))
        for k, name in enumerate(scene.towing.bodies.names)
    ]
    ends = 0.0, max(1.5 * typical, 1.0)
    return [
        Chart("Tensions", time, "tension [N] (jerks cut off)", tuple(tensions), covers=ends, within=ends),
        Chart("Slack", time, "slack ψ [mm]", tuple(slacks)),
        Chart("Speeds", time, "speed [m/s]", tuple(speeds)),
    ]


def report() -> None:
    """Report two robots that pull a crate with cables side by side: any share of the load moves it alike."""
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
