"""The joined pair, as a table, pictures: ``python -m ce_dynamics.models.demonstrations.point_to_point``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ce_dynamics.algebra.interrupts import leave
from ce_dynamics.augmented.embedded_states import embedded_accelerations
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.variables import plain
from ce_dynamics.embedding.embed import embed
from ce_dynamics.models.demonstrations.command import (
    Options,
    execute,
    positive_number,
    save_animation,
    save_figure,
    save_view,
    table,
)
from ce_dynamics.models.demonstrations.point_to_point.model import (
    BLOCKS,
    RIGHT_HAND_SIDE,
    UNKNOWNS,
    Floats,
    Pair,
    PairRun,
    PairState,
    example_pair,
    example_state,
    simulate,
)
from ce_dynamics.simulation.simulate import simulate as simulate_embedded

BLUE, ORANGE, GREEN, GREY = "tab:blue", "tab:orange", "tab:green", "0.55"
SAMPLES = 201
FRAMES = 60
ROUNDING = 1e-17
"""Drawn instead of a distance of exactly zero, which a logarithmic axis has no place for."""


def demonstrate(arguments: Sequence[str] | None) -> None:
    """Integrate the pair with and without stabilisation, and embedded; print a table and draw."""
    options = Options(
        "ce_dynamics.models.demonstrations.point_to_point", "Two thrown bodies joined by a ball and socket."
    )
    options.add_argument("--alpha", type=float, default=20.0, help="Baumgarte's velocity gain [1/s]")
    options.add_argument("--beta", type=float, default=20.0, help="Baumgarte's position gain [1/s]")
    options.add_argument("--rtol", type=float, default=1e-6, help="relative error per step")
    options.add_argument("--matrix", action="store_true", help="print the 15×15 system at the start")
    given = options.parse_args(arguments)
    duration = positive_number("--duration", 5.0 if given.duration is None else given.duration)
    rtol = positive_number("--rtol", given.rtol)
    pair = example_pair()
    state = example_state(pair)
    t = np.linspace(0.0, duration, SAMPLES)
    if given.matrix:
        print_equations(pair, state)
    drifting = simulate(pair, state, t, rtol=rtol)
    stabilised = simulate(pair, state, t, alpha=given.alpha, beta=given.beta, rtol=rtol)
    embedded = run_embedded(pair, state, t, rtol)
    runs = {
        "source's 15×15": drifting,
        f"with Baumgarte ({given.alpha:g}, {given.beta:g})": stabilised,
        "embedded": embedded,
    }
    print(f"two bodies, {duration:g} s, rtol = {rtol:g}; F is the force on body 1 at the joint\n")
    print(table(("", *runs), rows(pair, list(runs.values()))))
    print(f"\naccelerations at the start, 15×15 against embedded: {apart(pair, state):.1e} relative\n")
    save_figure(draw(runs), given.output, "point_to_point")
    if given.view:
        from ce_dynamics.models.demonstrations.point_to_point.page import (
            page,
        )  # here, because only pages need it

        save_view(page(runs), given.output, "point_to_point")
    if given.animation:
        animate(stabilised, given.output, "point_to_point")


def run_embedded(pair: Pair, state: PairState, t: Floats, rtol: float) -> PairRun:
    """The same motion by the embedded system, whose joint cannot drift; RK45 as well."""
    model = Model(pair.embedded())
    q, v = pair.embedded_state(state)
    data = simulate_embedded(
        model,
        duration=float(t[-1]),
        y0=np.concatenate((q, v)),
        interval=float(t[1] - t[0]),
        method="RK45",
        rtol=rtol,
        atol=1e-9,
    )
    entries = (*model.layout.q, *model.layout.v)
    Y = np.stack([data[plain(entry.name)].values for entry in entries], axis=1)
    return PairRun(pair, data.time.values, [world_state(pair, model, y) for y in Y], 0.0, 0.0)


def world_state(pair: Pair, model: Model, y: Floats) -> PairState:
    """A state of the embedded system in absolute terms."""
    outward = model.instant(y, model.u0).outward
    parts: list[Floats] = []
    for name, b in (("body 1", y[3:7]), ("body 2", y[7:11])):
        place = outward.placement(model.system.find(name), model.system.ground)
        quaternion = b if name == "body 1" else product(y[3:7], b)
        parts += [np.asarray(part, dtype=float) for part in (place.r, quaternion, place.v, place.w)]
    return PairState(*parts)


def product(a: Floats, b: Floats) -> Floats:
    """Quaternion product a ⊗ b."""
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.array((scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))))


def apart(pair: Pair, state: PairState) -> float:
    """Largest difference of the accelerations by the 15×15 system and embedded, over the largest of them."""
    a = pair.equations(state).solve()
    q, v = pair.embedded_state(state)
    b = embedded_accelerations(embed(pair.embedded()), q, v, np.zeros(0), np.zeros(0))
    ours = np.concatenate((a.w1_dot, a.x1_ddot, a.w2_dot, a.x2_ddot))
    theirs = np.concatenate((b["body 1"], b["body 2"]))
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))


def rows(pair: Pair, runs: Sequence[PairRun]) -> list[tuple[Any, ...]]:
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


def print_equations(pair: Pair, state: PairState) -> None:
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


def ends(pair: Pair, state: PairState) -> tuple[Floats, Floats, Floats, Floats]:
    """Free end and joint of body 1, joint and free end of body 2, in the world."""
    c1, c2 = pair.levers(state)
    return state.x1 - c1, state.x1 + c1, state.x2 + c2, state.x2 - c2


def about_centre(pair: Pair, state: PairState) -> list[Floats]:
    """`ends` from the common centre of mass."""
    m1, m2 = pair.body_1.mass, pair.body_2.mass
    middle = (m1 * state.x1 + m2 * state.x2) / (m1 + m2)
    return [end - middle for end in ends(pair, state)]


def draw_pair(axes: Axes, pair: Pair, state: PairState, place: Floats) -> None:
    """Both bodies as bars, and the joint."""
    a, b, c, d = (end[[0, 2]] + place for end in about_centre(pair, state))
    axes.plot((a[0], b[0]), (a[1], b[1]), color=BLUE, lw=4.0, solid_capstyle="round")
    axes.plot((c[0], d[0]), (c[1], d[1]), color=ORANGE, lw=4.0, solid_capstyle="round")
    axes.plot(b[0], b[1], "o", color="k", ms=5.0)


def animate(run: PairRun, folder: Any, name: str) -> None:
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

    save_animation(figure, frame, FRAMES, folder, name)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return execute(demonstrate, arguments)


if __name__ == "__main__":
    leave(main())
