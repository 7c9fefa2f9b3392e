"""10,000 contacts: time and memory of one step, beside MuJoCo on the same wall of spheres.

    python -m tests.benchmarks.many_contacts [--contacts 10000]

The wall stands on the ground, spheres of 1 kg, radius 0.5 m, μ = 0.5.  The laws differ, so that the times
stand beside each other but not for the same task: ours is Coulomb's with unilateral contact, MuJoCo's
a convex and regularised model of it (soft contact, elliptic cone, its own tolerance); Bullet's sweeps
(sequential impulses, 50 of them) bound friction by a pyramid and do not look at a residual.  Both find more
contacts than asked for, those of neighbours in a row.  A peer that is not installed is left out.  Times are
of the processor.
"""

from __future__ import annotations

import argparse
import importlib
import math
import subprocess
import sys
import time

import numpy as np

from ce_dynamics.contact import Chain, GaussSeidel
from tests.benchmarks.timing import most_memory
from tests.ce_dynamics.contact.piles import sphere_wall

RADIUS = 0.5
WIDE = 500
"""Spheres in a row, so that 10,000 contacts make ten rows."""


def megabytes() -> float:
    """Largest memory of this process so far."""
    return most_memory() / 1e6


def ours(contacts: int, seconds: float) -> None:
    """Chain and Gauss–Seidel on the problem of one step."""
    before = megabytes()
    problem = sphere_wall(contacts, 0.5, WIDE)
    print(f"{len(problem.c)} rows; building them took the process from {before:.0f} to {megabytes():.0f} MB")
    for name, solver in (
        ("Gauss–Seidel", GaussSeidel(1e-6 * problem.speed, 500)),
        ("chain", Chain(time_limit=seconds)),
    ):
        began = time.process_time()
        solution = solver.solve(problem)
        spent = time.process_time() - began
        report(f"{name} ({solution.method})", solution.sweeps, solution.residual, spent)
        if name == "chain":
            began = time.process_time()
            again = solver.solve(problem, solution.p * 1.001)
            report(
                f"{name} from 1.001 p ({again.method})",
                again.sweeps,
                again.residual,
                time.process_time() - began,
            )


def report(name: str, count: int, residual: float, seconds: float) -> None:
    """A line of the table."""
    print(f"{name:44s} {count:8d} {residual:9.1e} m/s {seconds:8.2f} s {megabytes():7.0f} MB", flush=True)


def mujoco_wall(contacts: int) -> str:
    """The same wall as MJCF."""
    spheres = max(WIDE, contacts // 2)
    bodies = []
    for k in range(spheres):
        row, column = divmod(k, WIDE)
        x = 2.0 * RADIUS * column + RADIUS * (row % 2)
        z = RADIUS + row * RADIUS * math.sqrt(3.0)
        geom = f'<geom size="{RADIUS}" mass="1" friction="0.5 0 0"/>'
        bodies.append(f'<body pos="{x:.17g} 0 {z:.17g}"><freejoint/>{geom}</body>')
    return (
        '<mujoco><option timestep="0.01" cone="elliptic" gravity="0 0 -9.81"/><size memory="4G"/>'
        '<default><geom type="sphere" condim="3" margin="1e-6"/></default>'
        '<worldbody><geom type="plane" size="1 1 1" friction="0.5 0 0"/>'
        + "".join(bodies)
        + "</worldbody></mujoco>"
    )


def peers(contacts: int) -> None:
    """MuJoCo's solvers."""
    try:
        mujoco = importlib.import_module("mujoco")
    except ImportError:
        print("MuJoCo is not installed")
        return
    model = mujoco.MjModel.from_xml_string(mujoco_wall(contacts))
    for name, number in (("CG", 1), ("Newton", 2)):
        model.opt.solver = number
        data = mujoco.MjData(model)
        began = time.process_time()
        mujoco.mj_step(model, data)
        spent = time.process_time() - began
        count = int(np.sum(data.solver_niter))
        print(
            f"MuJoCo {name}: {data.ncon} contacts, {count} iterations, {spent:.2f} s, {megabytes():.0f} MB",
            flush=True,
        )


def bullet(contacts: int) -> None:
    """Bullet's default solver: one step."""
    try:
        pybullet = importlib.import_module("pybullet")
    except ImportError:
        print("pybullet is not installed")
        return
    pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(0, 0, -9.81)
    pybullet.setTimeStep(0.01)
    pybullet.setPhysicsEngineParameter(numSolverIterations=50, enableConeFriction=0)
    plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE)
    sphere = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=RADIUS)
    began = time.process_time()
    bodies = [pybullet.createMultiBody(0, plane)]
    for k in range(max(WIDE, contacts // 2)):
        row, column = divmod(k, WIDE)
        x = 2.0 * RADIUS * column + RADIUS * (row % 2)
        z = RADIUS + row * RADIUS * math.sqrt(3.0)
        bodies.append(pybullet.createMultiBody(1.0, sphere, basePosition=(x, 0.0, z)))
    for body in bodies:
        pybullet.changeDynamics(body, -1, lateralFriction=0.5**0.5)  # coefficients multiply
    built = time.process_time()
    pybullet.stepSimulation()
    spent = time.process_time() - built
    count = len(pybullet.getContactPoints())
    scene = f"scene {built - began:.1f} s, step {spent:.2f} s, {megabytes():.0f} MB"
    print(f"Bullet: {len(bodies) - 1} spheres, {count} contacts, 50 sweeps, {scene}", flush=True)


def bullet_within(contacts: int, seconds: float) -> None:
    """Bullet in a process of its own, ended after a time: its step of a large island may take very long."""
    command = [sys.executable, "-m", "tests.benchmarks.many_contacts", "--bullet", str(contacts)]
    try:
        subprocess.run(command, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        print(f"Bullet: {contacts} contacts not done after {seconds:.0f} s", flush=True)


def main() -> None:
    """Print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.many_contacts", description=__doc__)
    parser.add_argument("--contacts", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one solver at most")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--bullet", type=int, metavar="CONTACTS", help="run nothing but Bullet")
    given = parser.parse_args()
    if given.bullet:
        bullet(given.bullet)
        return
    Chain().solve(sphere_wall(10, 0.5))  # compile
    GaussSeidel().solve(sphere_wall(10, 0.5))
    ours(given.contacts, given.seconds)
    if not given.no_peers:
        peers(given.contacts)
        for part in (8, 4, 2, 1):
            bullet_within(given.contacts // part, 2.0 * given.seconds)


if __name__ == "__main__":
    main()
