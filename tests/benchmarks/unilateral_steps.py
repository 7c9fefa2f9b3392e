"""Time steps with unilateral elements in a second: one body on a cable and the HMMWV towing a sledge.

    python -m tests.benchmarks.unilateral_steps

Times are of the processor; what is compiled is compiled before.
"""

from __future__ import annotations

import time

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity import Cable, UnilateralModel, simulate_unilateral
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


def main() -> None:
    """Print."""
    report("one body, one cable", *body_on_a_cable(), None)
    case = tow()
    report("HMMWV towing a sledge", case.unilateral, case.y0, {"drive": 900.0})


if __name__ == "__main__":
    main()
