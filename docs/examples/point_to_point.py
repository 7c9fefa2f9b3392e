"""Two thrown bodies joined by a ball and socket: the 15×15 system, its drift, and the same pair embedded.

    python docs/examples/point_to_point.py [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ce_dynamics.models.demonstrations.output import save_animation, save_figure, table
from ce_dynamics.models.demonstrations.point_to_point.model import (
    BLOCKS,
    RIGHT_HAND_SIDE,
    UNKNOWNS,
    BodyPair,
    Floats,
    PairRun,
    PairState,
    apart,
    example_pair,
    example_state,
    run_embedded,
    simulate,
)
from ce_dynamics.models.demonstrations.point_to_point.page import page

BLUE, ORANGE, GREEN, GREY = "tab:blue", "tab:orange", "tab:green", "0.55"
SAMPLES = 201
FRAMES = 60
ROUNDING = 1e-17
"""Drawn instead of a distance of exactly zero, which a logarithmic axis has no place for."""


ALPHA = BETA = 20.0
"""Baumgarte's gains [1/s]."""


def main() -> None:
    """Integrate the pair with and without stabilisation, and embedded; print tables and draw."""
    pair = example_pair()
    state = example_state(pair)
    t = np.linspace(0.0, 5.0, SAMPLES)
    print_equations(pair, state)
    stabilised = simulate(pair, state, t, alpha=ALPHA, beta=BETA)
    runs = {
        "source's 15×15": simulate(pair, state, t),
        f"with Baumgarte ({ALPHA:g}, {BETA:g})": stabilised,
        "embedded": run_embedded(pair, state, t),
    }
    print(f"two bodies, {t[-1]:g} s; F is the force on body 1 at the joint\n")
    print(table(("", *runs), rows(list(runs.values()))))
    print(f"\naccelerations at the start, 15×15 against embedded: {apart(pair, state):.1e} relative\n")
    save_figure(draw(runs), "point_to_point")
    page(runs).save("point_to_point.html")
    if "--animation" in sys.argv:
        animate(stabilised, "point_to_point")


def rows(runs: Sequence[PairRun]) -> list[tuple[Any, ...]]:
    """The table."""
    end = runs[-1].states[-1]
    return [
        ("largest distance of the two points [m]", *(run.drift.max() for run in runs)),
        ("distance at the end [m]", *(run.drift[-1] for run in runs)),
        ("energy at the end less that at the start [J]", *(run.energy[-1] - run.energy[0] for run in runs)),
        ("largest |F| [N]", *(np.linalg.norm(run.force, axis=1).max() for run in runs)),
        ("smallest |F| [N]", *(np.linalg.norm(run.force, axis=1).min() for run in runs)),
        ("body 1 at the end, off embedded [m]", *(np.linalg.norm(r.states[-1].x1 - end.x1) for r in runs)),
    ]


def print_equations(pair: BodyPair, state: PairState) -> None:
    """The system with its blocks, then with its numbers."""
    grid = [
        (*row, unknown, right) for row, unknown, right in zip(BLOCKS, UNKNOWNS, RIGHT_HAND_SIDE, strict=True)
    ]
    print(table(("matrix", "", "", "", "", "unknown", "right-hand side"), grid) + "\n")
    system = pair.equations(state)
    for row, right in zip(system.matrix, system.right_hand_side, strict=True):
        print(" ".join(f"{value:7.3f}" if value else "      ." for value in row), f" | {right:9.3f}")
    print("\nF = " + " ".join(f"{value:.4f}" for value in system.solve().force) + " N\n")


def draw(runs: dict[str, PairRun]) -> Figure:
    """Drift, force, energy, and the motion in steps."""
    figure = Figure(figsize=(11.0, 7.0), layout="constrained")
    (motion, force), (drift, energy) = figure.subplots(2, 2)
    styles = ((ORANGE, "-"), (GREEN, "-"), (BLUE, "-"))
    stabilised = list(runs.values())[1]
    steps = np.linspace(0, 0.3 * (len(stabilised.t) - 1), 10).astype(int)
    for number, k in enumerate(steps):
        place = np.array((1.8 * (number % 5), -2.0 * (number // 5)))
        draw_pair(motion, stabilised.pair, stabilised.states[k], place)
        motion.text(*(place + (0.0, -1.0)), f"{stabilised.t[k]:.2f} s", ha="center", fontsize=9)
    motion.set(xticks=[], yticks=[], title="from the side, about the common centre of mass")
    motion.set_aspect("equal", adjustable="datalim")
    for component, colour, label in zip(stabilised.force.T, (BLUE, ORANGE, GREEN), "xyz", strict=True):
        force.plot(stabilised.t, component, color=colour, label=f"F{label}")
    force.set(xlabel="time [s]", ylabel="force on body 1 [N]", title="constraint force F")
    force.legend(ncols=3, fontsize=9)
    for (label, run), (colour, style) in zip(runs.items(), styles, strict=True):
        drift.semilogy(run.t, np.maximum(run.drift, ROUNDING), style, color=colour, label=label)
        energy.plot(run.t, (run.energy - run.energy[0]) * 1e3, style, color=colour, label=label)
    drift.set(xlabel="time [s]", ylabel="distance of the points [m]", title="drift", ylim=(3e-18, 1e-2))
    energy.set(xlabel="time [s]", ylabel="change of the energy [mJ]", title="energy (should stay)")
    drift.legend(loc="center right", fontsize=9)
    energy.legend(loc="best", fontsize=9)
    for axes in (motion, force, drift, energy):
        axes.grid(visible=True, alpha=0.35)
    return figure


def ends(pair: BodyPair, state: PairState) -> tuple[Floats, Floats, Floats, Floats]:
    """Free end and joint of body 1, joint and free end of body 2, in the world."""
    c1, c2 = pair.levers(state)
    return state.x1 - c1, state.x1 + c1, state.x2 + c2, state.x2 - c2


def about_centre(pair: BodyPair, state: PairState) -> list[Floats]:
    """`ends` from the common centre of mass."""
    m1, m2 = pair.body_1.mass, pair.body_2.mass
    middle = (m1 * state.x1 + m2 * state.x2) / (m1 + m2)
    return [end - middle for end in ends(pair, state)]


def draw_pair(axes: Axes, pair: BodyPair, state: PairState, place: Floats) -> None:
    """Both bodies as bars, and the joint."""
    a, b, c, d = (end[[0, 2]] + place for end in about_centre(pair, state))
    axes.plot((a[0], b[0]), (a[1], b[1]), color=BLUE, lw=4.0, solid_capstyle="round")
    axes.plot((c[0], d[0]), (c[1], d[1]), color=ORANGE, lw=4.0, solid_capstyle="round")
    axes.plot(b[0], b[1], "o", color="k", ms=5.0)


def animate(run: PairRun, name: str) -> None:
    """The motion seen from the common centre of mass."""
    figure = Figure(figsize=(4.6, 4.2), layout="constrained")
    axes: Any = figure.add_subplot(projection="3d", computed_zorder=False)

    def frame(number: int) -> None:
        k = round(number * 0.6 * (len(run.t) - 1) / (FRAMES - 1))
        state = run.states[k]
        a, b, c, d = about_centre(run.pair, state)
        axes.clear()
        axes.plot(*np.stack((a, b), axis=1), color=BLUE, lw=5.0, solid_capstyle="round")
        axes.plot(*np.stack((c, d), axis=1), color=ORANGE, lw=5.0, solid_capstyle="round")
        axes.plot(*b[:, None], "o", color="k", ms=7.0)
        axes.quiver(*b, *(0.05 * run.force[k]), color=GREEN, lw=2.5, zorder=9)
        axes.set(xlim=(-0.9, 0.9), ylim=(-0.9, 0.9), zlim=(-0.9, 0.9))
        axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title=f"t = {run.t[k]:.2f} s, F in green")
        axes.set_box_aspect((1, 1, 1), zoom=0.85)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_major_locator(MaxNLocator(4))

    save_animation(figure, frame, FRAMES, name)


if __name__ == "__main__":
    main()
