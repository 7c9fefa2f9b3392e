"""Two free bodies joined by a ball and socket: the 15×15 system, its drift, and the same pair embedded.

    python docs/examples/point_to_point.py [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.demonstrations.point_to_point import (
    BLOCKS,
    RIGHT_HAND_SIDE,
    UNKNOWNS,
    BodyPair,
    PairRun,
    PairState,
    apart,
    example_pair,
    example_state,
    run_embedded,
    simulate,
)
from ce_dynamics.views.charts import BLUE, GREEN, ORANGE, Chart, Line, save_charts, table
from ce_dynamics.views.scene import Take, View, ball, rod
from ce_dynamics.views.scene.take import BodyPicture, TimeSeries

ALPHA = BETA = 20.0
"""Baumgarte's gains [1/s]."""
ROUNDING = 1e-17
"""Drawn instead of a distance of exactly zero, which a logarithmic axis has no place for."""
THICKNESS = 0.06
"""Radius of a bar over its length."""


def main() -> None:
    """Integrate the pair with and without stabilisation, and embedded; print tables and draw."""
    pair = example_pair()
    state = example_state(pair)
    t = np.linspace(0.0, 5.0, 201)
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
        print(f"animation: {page({'with Baumgarte': stabilised}).save('point_to_point.gif')}")


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


def rows(runs: Sequence[PairRun]) -> list[tuple[Any, ...]]:
    """Return the rows of the table."""
    end = runs[-1].states[-1]
    forces = [np.linalg.norm(run.force, axis=1) for run in runs]
    return [
        ("largest distance of the two points [m]", *(run.drift.max() for run in runs)),
        ("distance at the end [m]", *(run.drift[-1] for run in runs)),
        ("energy at the end less that at the start [J]", *(run.energy[-1] - run.energy[0] for run in runs)),
        ("largest |F| [N]", *(force.max() for force in forces)),
        ("smallest |F| [N]", *(force.min() for force in forces)),
        ("body 1 at the end, off embedded [m]", *(np.linalg.norm(r.states[-1].x1 - end.x1) for r in runs)),
    ]


def charts(runs: dict[str, PairRun]) -> list[Chart]:
    """Return the motion in steps, the force, drift and energy."""
    stabilised = list(runs.values())[1]
    steps = np.linspace(0, 0.3 * (len(stabilised.t) - 1), 10).astype(int)
    bars = [bar for number, k in enumerate(steps) for bar in draw_pair(stabilised, k, number)]
    every = f"Motion about the mass centre, every {stabilised.t[steps[1]]:.2f} s"
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
        Chart(every, "", "", tuple(bars), equal=True),
        Chart("Constraint force F", time, "force on body 1 [N]", tuple(forces)),
        Chart("Drift", time, distance, drifts, logarithmic="y", covers=ends, within=ends),
        Chart("Energy (should stay)", time, "change of the energy [mJ]", energies),
    ]


def centre(pair: BodyPair, state: PairState) -> Floats:
    """Return the common centre of mass."""
    m1, m2 = pair.body_1.mass, pair.body_2.mass
    return np.asarray((m1 * state.x1 + m2 * state.x2) / (m1 + m2))


def draw_pair(run: PairRun, k: int, number: int) -> list[Line]:
    """Return both bodies as bars, and the joint, about the centre of mass in a place of their own."""
    state, (c1, c2) = run.states[k], run.pair.levers(run.states[k])
    place = np.array((1.8 * (number % 5), -2.0 * (number // 5)))
    ends = (state.x1 - c1, state.x1 + c1, state.x2 + c2, state.x2 - c2)
    a, b, c, d = ((end - centre(run.pair, state))[[0, 2]] + place for end in ends)
    first, second = np.stack((a, b), axis=1), np.stack((c, d), axis=1)
    return [
        Line("", first[0], first[1], BLUE, width=4.0, marker=" "),
        Line("", second[0], second[1], ORANGE, width=4.0, marker=" "),
        Line("", b[:1], b[1:], "#000000"),
    ]


def page(runs: Mapping[str, PairRun]) -> View:
    """Return all runs over each other, seen from the common centre of mass, with the force at the joint."""
    return View([take(run, label) for label, run in runs.items()], "two thrown bodies, joined")


def take(run: PairRun, label: str) -> Take:
    """Return the take of one run."""
    pair, bodies = run.pair, []
    for name, body in (("body 1", pair.body_1), ("body 2", pair.body_2)):
        thick = THICKNESS * 2.0 * float(np.linalg.norm(body.c))
        bodies.append(BodyPicture(name, [rod(-body.c, body.c, thick), ball(body.c, 1.4 * thick)]))
    places, arrows = np.zeros((len(run.t), 2, 7)), np.zeros((len(run.t), 1, 6))
    for k, state in enumerate(run.states):
        middle = centre(pair, state)
        places[k, :, :3] = np.stack((state.x1, state.x2)) - middle
        places[k, :, 3:] = np.stack((state.q1, state.q2))[:, [1, 2, 3, 0]]
        arrows[k, 0] = np.concatenate((state.x1 + pair.levers(state)[0] - middle, run.force[k]))
    return Take(
        label=label,
        bodies=bodies,
        t=run.t,
        places=places,
        forces=["joint"],
        arrows=arrows,
        weight=9.81 * (pair.body_1.mass + pair.body_2.mass),
        series=[TimeSeries("distance of the points", "m", run.drift), TimeSeries("energy", "J", run.energy)],
    )


if __name__ == "__main__":
    main()
