"""Boxes thrown on a plane, friction and restitution over their ranges: every run ends, contacts do no work.

    python -m tests.benchmarks.thrown_boxes [--count 1000] [--seconds 1] [--step 0.001]

A slender box falls with a random velocity and spin on a plane; its eight corners may touch.  Printed are runs
that stopped, steps whose impulses leave more than the solver's tolerance, and the largest work that the rows
gained in one step, as a share of the initial energy.  ½ pᵀ(w⁻ + w⁺) of a single rebound with e ≤ 1 is never
positive but for the gap that is left when it begins; for several impacts at once Newton's law can gain.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import Contact, ContactRun, Plane, UnilateralModel, simulate_unilateral

CORNERS = [(x, y, z) for x in (-1.0, 1.0) for y in (-0.2, 0.2) for z in (0.0, 0.1)]
FRICTION = (0.0, 0.1, 0.3, 0.6, 1.0, 1.5)


class Throw(NamedTuple):
    """One run.

    Attributes
    ----------
    mu, e : float
    reached : float
        Time at which it ended [s].
    unresolved : int
        Steps taken with the best impulses found.
    residual : float
        Largest [m/s].
    gained : float
        Largest rise of the work of the rows between stored instants, as a share of the initial energy.
    """

    mu: float
    e: float
    reached: float
    unresolved: int
    residual: float
    gained: float


def box() -> tuple[ce.Model, ce.Body]:
    """A slender free box."""
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
    """Above the ground, anyhow turned, thrown and spun."""
    y0 = np.zeros(13)
    y0[2] = 1.2
    turn = rng.normal(size=4)
    y0[3:7] = turn / np.linalg.norm(turn)
    y0[7:10] = rng.normal(size=3) * 2.0
    y0[10:13] = rng.normal(size=3) * (2.0, 2.0, 1.0)
    return y0


def standing(model: ce.Model, body: ce.Body, mu: float) -> UnilateralModel:
    """The box with contacts at its corners."""
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


def main(arguments: list[str] | None = None) -> None:
    """Throw, count, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.thrown_boxes", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each run")
    parser.add_argument("--step", type=float, default=1e-3, help="h [s]")
    given = parser.parse_args(arguments)
    model, body = box()
    began = time.perf_counter()
    models = [(mu, standing(model, body, mu)) for mu in FRICTION]
    throws = [
        throw(models[seed % len(models)][1], models[seed % len(models)][0], seed, given.seconds, given.step)
        for seed in range(given.count)
    ]
    wall = time.perf_counter() - began
    ended = [one for one in throws if abs(one.reached - given.seconds) < 1e-9]
    print(f"{len(throws)} boxes of {given.seconds:g} s in {wall:.0f} s; {len(throws) - len(ended)} stopped")
    steps = round(given.seconds / given.step) * len(throws)
    print(f"{sum(one.unresolved for one in ended)} of {steps} steps over the tolerance", end=", ")
    print(f"largest residual {max(one.residual for one in ended):.1e} m/s")
    for low, high in ((0.0, 1e-9), (1e-9, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.01)):
        part = [one.gained for one in ended if low <= one.e < high]
        print(f"e {low:g} … {high:g}: {len(part)} runs, largest gain {max(part, default=0.0):.1e}")


if __name__ == "__main__":
    main()
