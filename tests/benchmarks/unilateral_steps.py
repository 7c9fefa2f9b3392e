"""Time steps with contact in a second: a body on a cable, the HMMWV towing a sledge, plain bodies.

    python -m tests.benchmarks.unilateral_steps

Times are of the processor; what is compiled is compiled before.  Plain boxes fall for a second.
"""

from __future__ import annotations

import time

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    Box,
    Cable,
    HalfSpace,
    RigidBodies,
    RigidBody,
    RigidContacts,
    RigidShape,
    UnilateralModel,
    simulate_rigid,
    simulate_unilateral,
)
from ce_dynamics.models.vehicles.towing import tow

STEP = 1e-3


def body_on_a_cable() -> tuple[UnilateralModel, Floats]:
    """It falls, is caught and swings."""
    system = ce.System(gravity=(0, 0, -9.81))
    body = system.add_body(
        "body", mass=2.0, inertia=(0.05, 0.09, 0.05), parent=system.ground, hinge=ce.Free()
    )
    model = ce.compile(system)
    y = model.y0.copy()
    y[0], y[2], y[8] = 0.6, -0.8, 1.0
    cable = Cable("cable", body, (0, 0, 0.1), system.ground, (0, 0, 0), length=1.1)
    return UnilateralModel(model, [cable]), y


def report(name: str, unilateral: UnilateralModel, y0: Floats, drive: dict[str, float] | None) -> None:
    """Two seconds with steps of every order."""
    for order in (1, 2, 4):
        for duration in (10.0 * STEP, 2.0):
            began = time.process_time()
            run = simulate_unilateral(
                unilateral, drive, duration=duration, step=STEP, y0=y0, order=order, interval=0.1
            )
            spent = time.process_time() - began
        count = run.statistics.steps
        print(
            f"{name:24s} order {order}: {count / spent:8.0f} steps/s, {2.0 / spent:6.2f} × real time,"
            f" {run.statistics.unresolved} over the tolerance",
            flush=True,
        )


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


def report_plain(count: int) -> None:
    """A second of boxes that fall and tumble."""
    contacts = plain(count)
    simulate_rigid(contacts, duration=STEP, step=STEP)
    began = time.process_time()
    run = simulate_rigid(contacts, duration=1.0, step=STEP)
    spent = time.process_time() - began
    print(
        f"{f'{count} plain boxes':24s} order 1: {1.0 / STEP / spent:8.0f} steps/s, {1.0 / spent:6.2f} × real"
        f" time, {run.unresolved} over the tolerance, {run.contacts[-1]} contacts in the end",
        flush=True,
    )


def main() -> None:
    """Print."""
    for count in (2, 12, 60):
        report_plain(count)
    report("one body, one cable", *body_on_a_cable(), None)
    case = tow()
    report("HMMWV towing a sledge", case.unilateral, case.y0, {"drive": 900.0})


if __name__ == "__main__":
    main()
