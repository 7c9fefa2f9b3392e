"""Contact: steps in a second, a thousand boxes thrown on a plane, a wall of 10,000 contacts.

Times are of the processor; code is compiled before.  Thrown boxes are slender, fall with random velocities
and spins, and may touch by eight corners.  Their table counts runs that stopped and steps whose impulses
leave more than the solver's tolerance.  Its largest gain is that of the work of rows in one step, as a share
of the initial energy: ½ pᵀ(w⁻ + w⁺) of a single rebound with e ≤ 1 is never positive but for the gap that is
left when it begins; for several impacts at once Newton's law can gain.
"""

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    Box,
    Cable,
    Chain,
    Contact,
    ContactRun,
    GaussSeidel,
    HalfSpace,
    Plane,
    RigidBodies,
    RigidBody,
    RigidContacts,
    RigidShape,
    UnilateralModel,
    simulate_rigid,
    simulate_unilateral,
)
from ce_dynamics.models.vehicles.towing import tow
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import most_memory
from tests.ce_dynamics.contact.piles import sphere_wall

STEP = 1e-3
CORNERS = [(x, y, z) for x in (-1.0, 1.0) for y in (-0.2, 0.2) for z in (0.0, 0.1)]
FRICTION = (0.0, 0.1, 0.3, 0.6, 1.0, 1.5)
RESTITUTION = (0.0, 1e-9, 0.25, 0.5, 0.75, 1.01)
"""Bounds of the rows of thrown boxes."""
BOXES, WALL, WIDE = 1000, 10_000, 500
"""Thrown boxes; contacts of the wall, and spheres in a row of it."""


def body_on_a_cable() -> tuple[UnilateralModel, Floats]:
    system = ce.System(gravity=(0, 0, -9.81))
    body = system.add_body(
        "body", mass=2.0, inertia=(0.05, 0.09, 0.05), parent=system.ground, hinge=ce.Free()
    )
    model = ce.compile(system)
    y = model.y0.copy()
    y[0], y[2], y[8] = 0.6, -0.8, 1.0
    cable = Cable("cable", body, (0, 0, 0.1), system.ground, (0, 0, 0), length=1.1)
    return UnilateralModel(model, [cable]), y


def plain(count: int) -> RigidContacts:
    """Return boxes of 0.25 m, turned at random, above a floor; in columns of four."""
    rng = np.random.default_rng(1)
    bodies, shapes = [], [RigidShape(None, HalfSpace())]
    for k in range(count):
        turn = rng.normal(size=4)
        at = (0.5 * (k % 4), 0.5 * (k // 4 % 4), 0.4 + 0.5 * (k // 16))
        bodies.append(RigidBody(f"b{k}", 1.0, (0.1,) * 3, at, turn / np.linalg.norm(turn)))
        shapes.append(RigidShape(f"b{k}", Box((0.25,) * 3)))
    return RigidContacts(RigidBodies(bodies), shapes, mu=0.4)


def contact_steps(options: Options) -> Result:
    """Count steps in a second: plain boxes, a body on a cable, the HMMWV that tows a sledge."""
    rows = [plain_row(count) for count in ((2,) if options.quick else (2, 12, 60))]
    rows += cable_rows("one body, one cable", *body_on_a_cable(), None)
    if not options.quick:
        case = tow()
        rows += cable_rows("HMMWV towing a sledge", case.unilateral, case.y0, {"drive": 900.0})
    head = ("system", "order", "steps/s", "× real time", "over the tolerance")
    return Result((Table("Steps with contact", head, tuple(rows)),))


def plain_row(count: int) -> tuple[str, ...]:
    """Time a second of boxes that fall and tumble."""
    contacts = plain(count)
    simulate_rigid(contacts, duration=STEP, step=STEP)
    began = time.process_time()
    run = simulate_rigid(contacts, duration=1.0, step=STEP)
    spent = time.process_time() - began
    return f"{count} plain boxes", "1", number(1.0 / STEP / spent), number(1.0 / spent), str(run.unresolved)


def cable_rows(
    name: str, unilateral: UnilateralModel, y0: Floats, drive: dict[str, float] | None
) -> Iterator[tuple[str, ...]]:
    given: dict[str, Any] = {"step": STEP, "y0": y0, "interval": 0.1}
    for order in (1, 2, 4):
        simulate_unilateral(unilateral, drive, duration=10.0 * STEP, order=order, **given)
        began = time.process_time()
        run = simulate_unilateral(unilateral, drive, duration=2.0, order=order, **given)
        spent = time.process_time() - began
        made = run.statistics
        yield name, str(order), number(made.steps / spent), number(2.0 / spent), str(made.unresolved)


class Throw(NamedTuple):
    """One run."""

    mu: float
    e: float
    reached: float  # time at which it ended [s]
    unresolved: int  # steps taken with the best impulses found
    residual: float  # largest [m/s]
    # largest rise of the work of the rows between stored instants, as a share of the initial energy
    gained: float


def box() -> tuple[ce.Model, ce.Body]:
    system = ce.System(gravity=(0, 0, -9.81))
    body = system.add_body(
        "box",
        mass=1.0,
        com=(0, 0, 0.05),
        inertia=(0.02, 0.35, 0.35),
        parent=system.ground,
        hinge=ce.Free((0, 0, 0.05)),
    )
    return ce.compile(system), body


def start(rng: np.random.Generator) -> Floats:
    y0 = np.zeros(13)
    y0[2] = 1.2
    turn = rng.normal(size=4)
    y0[3:7] = turn / np.linalg.norm(turn)
    y0[7:10] = rng.normal(size=3) * 2.0
    y0[10:13] = rng.normal(size=3) * (2.0, 2.0, 1.0)
    return y0


def standing(model: ce.Model, body: ce.Body, mu: float) -> UnilateralModel:
    return UnilateralModel(
        model, [Contact(f"c{k}", body, at, Plane(mu), restitution=1.0) for k, at in enumerate(CORNERS)]
    )


def throw(unilateral: UnilateralModel, mu: float, seed: int, duration: float, h: float = 1e-3) -> Throw:
    """One run with a random e, one of four in a hundred 0 and 1."""
    rng = np.random.default_rng(seed)
    e = float(np.clip(rng.uniform(-0.04, 1.04), 0.0, 1.0))
    unilateral.restitution = np.where(unilateral.unilateral, e, 0.0)
    try:
        run = simulate_unilateral(unilateral, duration=duration, step=h, y0=start(rng), interval=h)
    except ce.SimulationError as error:
        partial = error.partial
        assert isinstance(partial, ContactRun)
        return Throw(mu, e, float(partial.results.time[-1]), 0, np.inf, np.inf)
    work, energy = run.results.contact_work.values, float(run.results.energy.values[0])
    rise = float(np.max(np.diff(work), initial=0.0)) / energy
    return Throw(mu, e, duration, run.statistics.unresolved, run.statistics.residual_max, rise)


def thrown_boxes(options: Options) -> Result:
    """Throw boxes for a second each, friction and restitution over their ranges."""
    count = 4 if options.quick else BOXES
    model, body = box()
    models = [(mu, standing(model, body, mu)) for mu in FRICTION]
    throws = [throw(one, mu, seed, 1.0) for seed in range(count) for mu, one in (models[seed % len(models)],)]
    rows = []
    for low, high in pairwise(RESTITUTION):
        part = [one for one in throws if low <= one.e < high]
        ended = [one for one in part if abs(one.reached - 1.0) < 1e-9]
        gained, residual = (
            max((getattr(one, name) for one in ended), default=0.0) for name in ("gained", "residual")
        )
        over = str(sum(one.unresolved for one in ended))
        rows.append(
            (f"{low:g} to {high:g}", str(len(part)), str(len(part) - len(ended)), over)
            + (f"{residual:.1e}", f"{gained:.1e}")
        )
    head = ("restitution", "boxes", "stopped", "steps over the tolerance", "residual, m/s", "largest gain")
    return Result((Table("Boxes thrown on a plane, steps of 1 ms", head, tuple(rows)),))


def wall(options: Options) -> Result:
    """Solve the problem of one step of a wall of spheres of 1 kg that stands on the ground, μ = 0.5."""
    Chain().solve(sphere_wall(10, 0.5))  # compile
    GaussSeidel().solve(sphere_wall(10, 0.5))
    problem = sphere_wall(WALL // 20 if options.quick else WALL, 0.5, WIDE)
    chain = Chain(time_limit=60.0)
    rows: list[tuple[str, ...]] = []

    def solved(name: str, solver: Chain | GaussSeidel, start: Floats | None = None) -> Floats:
        began = time.process_time()
        found = solver.solve(problem) if start is None else solver.solve(problem, start)
        spent, memory = time.process_time() - began, most_memory() / 1e6
        title = f"{name} ({found.method})"
        rows.append((title, str(found.sweeps), f"{found.residual:.1e}", number(spent), f"{memory:.0f}"))
        return np.asarray(found.p)

    solved("Gauss–Seidel", GaussSeidel(1e-6 * problem.speed, 500))
    solved("chain from 1.001 p", chain, 1.001 * solved("chain", chain))
    head = ("solver", "sweeps", "residual, m/s", "s", "MB of the process at most")
    return Result((Table(f"A wall of {len(problem.c)} rows", head, tuple(rows)),))
