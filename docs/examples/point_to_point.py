"""Two thrown bodies joined by a ball and socket: the 15×15 system, its drift, and the same pair embedded.

    python docs/examples/point_to_point.py [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ce_dynamics.models.demonstrations.output import save_charts, save_film, table
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
from ce_dynamics.views.charts import BLUE, GREEN, ORANGE, Chart, Line

SAMPLES = 201
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
    save_charts(charts(runs), "two thrown bodies, joined", "point_to_point")
    page(runs).save("point_to_point.html")
    if "--animation" in sys.argv:
        save_film(page({"with Baumgarte": stabilised}), "point_to_point")


def rows(runs: Sequence[PairRun]) -> list[tuple[Any, ...]]:
    """Return the rows of the table."""
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
    """Print the system with its blocks, then with its numbers."""
    grid = [
        (*row, unknown, right) for row, unknown, right in zip(BLOCKS, UNKNOWNS, RIGHT_HAND_SIDE, strict=True)
    ]
    print(table(("matrix", "", "", "", "", "unknown", "right-hand side"), grid) + "\n")
    system = pair.equations(state)
    for row, right in zip(system.matrix, system.right_hand_side, strict=True):
        print(" ".join(f"{value:7.3f}" if value else "      ." for value in row), f" | {right:9.3f}")
    print("\nF = " + " ".join(f"{value:.4f}" for value in system.solve().force) + " N\n")


def charts(runs: dict[str, PairRun]) -> list[Chart]:
    """Return the motion in steps, the force, drift and energy."""
    stabilised = list(runs.values())[1]
    steps = np.linspace(0, 0.3 * (len(stabilised.t) - 1), 10).astype(int)
    bars = [bar for number, k in enumerate(steps) for bar in draw_pair(stabilised, k, number)]
    forces = [
        Line(f"F{label}", stabilised.t, component)
        for component, label in zip(stabilised.force.T, "xyz", strict=True)
    ]
    drifts, energies = (
        tuple(
            Line(label, run.t, values(run), colour)
            for (label, run), colour in zip(runs.items(), (ORANGE, GREEN, BLUE), strict=True)
        )
        for values in (
            lambda run: np.maximum(run.drift, ROUNDING),
            lambda run: (run.energy - run.energy[0]) * 1e3,
        )
    )
    time, ends = "time [s]", (3e-18, 1e-2)
    distance = "distance of the points [m]"
    return [
        Chart(
            f"Motion about the mass centre, every {stabilised.t[steps[1]]:.2f} s",
            "",
            "",
            tuple(bars),
            equal=True,
        ),
        Chart("Constraint force F", time, "force on body 1 [N]", tuple(forces)),
        Chart("Drift", time, distance, drifts, logarithmic="y", covers=ends, within=ends),
        Chart("Energy (should stay)", time, "change of the energy [mJ]", energies),
    ]


def ends(pair: BodyPair, state: PairState) -> tuple[Floats, Floats, Floats, Floats]:
    """Return free end and joint of body 1, joint and free end of body 2, in the world."""
    c1, c2 = pair.levers(state)
    return state.x1 - c1, state.x1 + c1, state.x2 + c2, state.x2 - c2


def about_centre(pair: BodyPair, state: PairState) -> list[Floats]:
    """Return `ends` from the common centre of mass."""
    m1, m2 = pair.body_1.mass, pair.body_2.mass
    middle = (m1 * state.x1 + m2 * state.x2) / (m1 + m2)
    return [end - middle for end in ends(pair, state)]


def draw_pair(run: PairRun, k: int, number: int) -> list[Line]:
    """Return both bodies as bars, and the joint, in a place of their own."""
    place = np.array((1.8 * (number % 5), -2.0 * (number // 5)))
    a, b, c, d = (end[[0, 2]] + place for end in about_centre(run.pair, run.states[k]))
    first, second = np.stack((a, b), axis=1), np.stack((c, d), axis=1)
    return [
        Line("", first[0], first[1], BLUE, width=4.0, marker=" "),
        Line("", second[0], second[1], ORANGE, width=4.0, marker=" "),
        Line("", b[:1], b[1:], "#000000"),
    ]


if __name__ == "__main__":
    main()
