"""Rigid bodies towed by massless, inextensible cables.

    python docs/examples/cable_towing.py [robots|train|pendulum] [--animation]

simulates a scene, reports a set of tensions that is not unique, and writes plots and a page into the current
folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np

from ce_dynamics.contact import (
    Exact,
    GaussSeidel,
    RigidBody,
    Straight,
    Weaving,
    evenly,
    uniqueness,
)
from ce_dynamics.contact.recorder import NEGLIGIBLE
from ce_dynamics.models.demonstrations.cable_towing import (
    CableEnd,
    Tow,
    Towing,
    TowingFoot,
    TowingRun,
    simulate,
    tension_report,
)
from ce_dynamics.views.charts import Chart, Line, save_charts, table
from ce_dynamics.views.scene import Shape, Strand, Take, View, ball, block, plane, plate, rod
from ce_dynamics.views.scene.take import BodyPicture, TimeSeries, upwards

Friction = Literal["disc", "box"]


class TowingScene(NamedTuple):
    """A scene."""

    title: str
    towing: Towing
    duration: float  # [s]
    boxes: Mapping[str, tuple[float, float, float]]  # Edge lengths of the boxes that are drawn [m]
    top: bool = True  # Whether it is seen from above, or from the side


def box(mass: float, edges: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return principal moments of a homogeneous box [kg m²]."""
    a, b, c = edges
    return mass / 12.0 * (b * b + c * c), mass / 12.0 * (a * a + c * c), mass / 12.0 * (a * a + b * b)


def pendulum(friction: Friction = "disc") -> TowingScene:
    """Return a ball on a cable, thrown so that it flies slack, is caught, and swings."""
    edges = (0.2, 0.2, 0.2)
    ball = RigidBody("ball", 2.0, box(2.0, edges), position=(1.0, 0.0, 0.0), velocity=(-1.0, 0.0, 3.0))
    cable = Tow("cable", CableEnd("ball"), Straight((0.0, 0.0, 0.0)), length=1.2)
    return TowingScene("cable pendulum", Towing([ball], [cable]), 3.0, {"ball": edges}, top=False)


def corners(edges: tuple[float, float, float]) -> list[tuple[float, float, float]]:
    """Return lower corners of a box, from its centre."""
    a, b, c = (0.5 * edge for edge in edges)
    return [(i * a, j * b, -c) for i in (1.0, -1.0) for j in (1.0, -1.0)]


def robots(friction: Friction = "disc") -> TowingScene:
    """Return a crate towed by two position-controlled robots, each with two parallel cables."""
    edges = (0.8, 0.6, 0.4)
    mass = 60.0
    crate = RigidBody("crate", mass, box(mass, edges), position=(0.0, 0.0, 0.2))
    feet = [TowingFoot("crate", at, friction=0.4) for at in corners(edges)]
    cables = []
    for name, y, rate in (("left", 1.0, (0.6, 0.15, 0.0)), ("right", -1.0, (0.6, -0.05, 0.0))):
        side = 0.3 if y > 0.0 else -0.3
        robot = Weaving((2.0, y, 0.2), rate, across=(0, 1, 0), amplitude=0.2, frequency=0.4)
        length = float(np.hypot(2.0 - 0.4, y - side)) + 0.1
        # two cables side by side between the same points: their shares of the tension are not determined
        cables += [Tow(f"{name}_{k}", CableEnd("crate", (0.4, side, 0.0)), robot, length) for k in (1, 2)]
    return TowingScene(
        "crate towed by two robots", Towing([crate], cables, feet, friction=friction), 5.0, {"crate": edges}
    )


def train(friction: Friction = "disc") -> TowingScene:
    """Return a dynamic puller tows two sledges one behind the other; the cables go taut with a jerk each."""
    edges = (0.8, 0.6, 0.3)
    bodies, feet = [], []
    for name, mass, x in (("puller", 120.0, 0.0), ("sledge_1", 50.0, -1.5), ("sledge_2", 50.0, -3.0)):
        bodies.append(RigidBody(name, mass, box(mass, edges), position=(x, 0.0, 0.15)))
        feet += [TowingFoot(name, at, friction=0.3) for at in corners(edges)]
    cables = []
    for front, rear in (("puller", "sledge_1"), ("sledge_1", "sledge_2")):
        for side, y in (("left", 0.25), ("right", -0.25)):
            first, second = CableEnd(front, (-0.4, y, 0.0)), CableEnd(rear, (0.4, y, 0.0))
            cables.append(Tow(f"{rear}.{side}", first, second, length=0.9))

    def pull(t: float) -> tuple[float, float, float]:
        return (900.0, 60.0 * np.sin(2.0 * t), 0.0) if t < 2.5 else (0.0, 0.0, 0.0)

    towing = Towing(bodies, cables, feet, {"puller": pull}, friction=friction)
    return TowingScene("a puller and two sledges", towing, 4.0, {body.name: edges for body in bodies})


SCENES: Mapping[str, Callable[..., TowingScene]] = {"pendulum": pendulum, "robots": robots, "train": train}


HAND, ROBOT, BATTEN = 0.06, 0.2, 0.05
"""Radii of an end that moves as given and of the robot under it, thickness of the battens of crates [m]."""


def crate_shapes(edges: tuple[float, float, float]) -> list[Shape]:
    """Return a box of boards with battens along its edges."""
    found = [block(np.array(edges) - BATTEN, np.zeros(3)).paint("#b98d55")]
    for axis in range(3):
        along = np.full(3, BATTEN)
        along[axis] = edges[axis]
        for signs in itertools.product((-0.5, 0.5), repeat=2):
            at = np.insert(np.array(signs) * (np.delete(edges, axis) - BATTEN), axis, 0.0)
            found.append(block(along, at).paint("#8a6337"))
    return found


def end_shapes(height: float) -> list[Shape]:
    """Return the hook of a cable, on a round robot if it is at a height over the ground."""
    hook = ball(np.zeros(3), HAND).paint("#d98032")
    if height <= 2.0 * HAND:
        return [hook]
    turn = np.linspace(0.0, 2.0 * np.pi, 25)[:-1]
    around = ROBOT * np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1)
    low, high = np.array([0.0, 0.0, 0.02 - height]), np.array([0.0, 0.0, -0.4 * height])
    hull = plate([*(around + low), *(around + high)]).paint("#3d4750")
    band = plate([*(1.02 * around + 0.4 * low + 0.6 * high), *(1.02 * around + 0.25 * low + 0.75 * high)])
    return [hull, band.paint("#d98032"), rod(high, np.zeros(3), 0.03).paint("#9aa5ad"), hook]


def page(scene: TowingScene, run: TowingRun) -> View:
    """Return a run, with the tensions as arrows at the first ends."""
    towing = scene.towing
    bodies = [BodyPicture(name, crate_shapes(scene.boxes[name])) for name in towing.bodies.names]
    ends = [towing.ends(state, float(t)) for t, state in zip(run.t, run.states, strict=True)]
    places = [
        np.concatenate((state.r, state.quaternion[:, [1, 2, 3, 0]]), axis=1)[:, None] for state in run.states
    ]
    moving = np.concatenate(places, axis=1).swapaxes(0, 1)
    strands = []
    m = len(towing.cables)
    for k, cable in enumerate(towing.cables):
        if isinstance(cable.second, CableEnd):
            far, at = int(towing.second[k]), towing.at_second[k]
        else:
            far, at = len(bodies), np.zeros(3)
            way = np.zeros((len(run.t), 1, 7))
            way[:, 0, :3] = [end.b[k] for end in ends]
            bodies.append(
                BodyPicture(f"{cable.name} end", end_shapes(float(way[0, 0, 2]) if towing.feet else 0.0))
            )
            way[:, 0, 6] = 1.0
            moving = np.concatenate((moving, way), axis=1)
        near = int(towing.first[k])
        strands.append(Strand("cable", cable.name, near, towing.at_first[k], far, at, float(cable.length)))
    a, b = np.array([end.a for end in ends]), np.array([end.b for end in ends])
    span = np.linalg.norm(b - a, axis=2, keepdims=True)
    tension = run.force[:, :m, None] * (b - a) / np.maximum(span, 1e-12)
    series = [
        TimeSeries(f"tension of {cable.name}", "N", run.force[:, k]) for k, cable in enumerate(towing.cables)
    ]
    series += [
        TimeSeries(f"slack of {cable.name}", "m", run.psi[:, k]) for k, cable in enumerate(towing.cables)
    ]
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
        series=[*series, TimeSeries("energy", "J", run.energy)],
    )
    return View([taken], scene.title, f"follow {bodies[0].name}" if towing.feet else "orbit")


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
        print(f"animation: {view.save(f'cable_towing_{name}.gif')}")


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
