"""Steps of environments per second and core, beside bare steps of the same vehicle and published figures.

``python -m tests.benchmarks.environments [vehicle]``
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from ce_dynamics.models.environments import VehicleEnv, VehicleVectorEnv
from ce_dynamics.models.environments.task import DrivenVehicle, Task
from ce_dynamics.simulation.in_the_loop.fleet import Fleet

PUBLISHED = (
    (
        "MetaDrive",
        "300 steps/s",
        "its README (1,000 is said elsewhere); a rigid body on four rays, traffic and sensors included",
    ),
    ("racecar_gym", "10 x real time", "its issue 3, one core of an i9-9900K; a miniature car on PyBullet"),
)
NUMBER, DT, SECONDS, ROUNDS = 64, 0.02, 0.6, 5


def rates(*those: Callable[[], int]) -> list[float]:
    """Steps per second of the processor, the best of several rounds in turn."""
    best = [0.0] * len(those)
    for _ in range(ROUNDS):
        for k, steps in enumerate(those):
            began, made = time.process_time(), 0
            while (spent := time.process_time() - began) < SECONDS:
                made += steps()
            best[k] = max(best[k], made / spent)
    return best


def bare(vehicle: DrivenVehicle) -> Callable[[], int]:
    """Nothing but the physics: equations and integrator, in the same lanes."""
    fleet = Fleet(vehicle.model, NUMBER, lambda sensors, given: [sensors["x"]])
    fleet.start(range(NUMBER), *(np.repeat(part[None], NUMBER, axis=0) for part in start(vehicle)))
    groups = fleet._groups

    def steps() -> int:
        for group in groups:
            group.y[:] = vehicle.y0[:, None]
            group.march(20, 1e-3)
        return NUMBER

    return steps


def start(vehicle: DrivenVehicle) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """State, inputs, nothing given."""
    return vehicle.y0, vehicle.model.inputs_with(), np.zeros(1)


def vectored(task: str, vehicle: str) -> tuple[Task, Callable[[], int]]:
    """The vector environment under actions drawn at random, episodes and their ends included."""
    env = VehicleVectorEnv(task, vehicle, NUMBER, dt=DT)
    env.reset(seed=0)
    random = np.random.default_rng(1)
    actions = random.uniform(-0.3, 0.3, (50, NUMBER, len(env.task.actions))).astype(np.float32)
    k = 0

    def steps() -> int:
        nonlocal k
        env.step(actions[k % 50])
        k += 1
        return NUMBER

    return env.task, steps


def single(task: str, vehicle: str) -> Callable[[], int]:
    """One environment by itself."""
    env = VehicleEnv(task, vehicle, dt=DT)
    env.reset(seed=0)
    random = np.random.default_rng(1)
    actions = random.uniform(-0.3, 0.3, (50, len(env.task.actions))).astype(np.float32)
    k = 0

    def steps() -> int:
        nonlocal k
        *_, ended, cut, _ = env.step(actions[k % 50])
        if ended or cut:
            env.reset()
        k += 1
        return 1

    return steps


def main(vehicle: str = "hmmwv") -> None:
    """Print the figures."""
    print(f"{vehicle}, one core, {DT * 1e3:.0f} ms per step in 20 steps of RK4; {NUMBER} vehicles in 8 lanes")
    for name in ("path-following", "lane-change", "parking"):
        task, steps = vectored(name, vehicle)
        alone = bare(task.vehicle)
        physics, vector, one = rates(alone, steps, single(name, vehicle))
        print(
            f"{name:16} vector {vector:8,.0f} steps/s ({vector * DT:4.0f} x real time), "
            f"{vector / physics:.2f} of bare steps ({physics:,.0f}); single {one:7,.0f} steps/s"
        )
    for name, figure, source in PUBLISHED:
        print(f"{name:16} {figure} ({source})")


if __name__ == "__main__":
    main(*sys.argv[1:])
