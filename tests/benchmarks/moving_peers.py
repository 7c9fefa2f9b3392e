"""Other engines over time: what the accuracy and the drift of the ride model are compared with."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from tests.benchmarks.mechanism import Floats, ride_laws, ride_mechanism
from tests.benchmarks.mujoco_peer import Setting, Soft
from tests.benchmarks.timing import best_of, python_loop

MUJOCO_INTEGRATORS = ("RK4", "implicitfast")
STEPS = (5e-3, 2e-3, 1e-3, 5e-4, 2e-4)


class Mover(Protocol):
    """A model that goes from one instant to the next."""

    @property
    def chassis(self) -> Floats:
        """Position of the chassis [m]."""

    @property
    def closure_error(self) -> float:
        """Largest opening of a loop [m]."""


class Track(NamedTuple):
    """A run.

    Attributes
    ----------
    chassis : (n, 3) array
        At the stored instants.
    closure : (n,) array
        Largest opening of a loop [m].
    seconds : float
        What the engine has taken.
    evaluations : int
        Of accelerations.
    """

    chassis: Floats
    closure: Floats
    seconds: float
    evaluations: int


class Peer(NamedTuple):
    """An engine with a method.

    Attributes
    ----------
    run : callable
        Of a duration with a step, stored at an interval [s].
    steps : tuple of float
        Those to try [s]; they divide 0.01 s.
    """

    run: Callable[[float, float, float], Track]
    steps: tuple[float, ...]


def peers() -> dict[str, Peer]:
    """Those that are installed, by name and method."""
    found: dict[str, Peer] = {}
    if importlib.util.find_spec("mujoco"):
        for name in MUJOCO_INTEGRATORS:
            found[f"MuJoCo, {name}"] = Peer(mujoco_peer(name), (*STEPS, 1e-4, 5e-5))
    if importlib.util.find_spec("pinocchio"):
        found["Pinocchio, rk4 outside"] = Peer(pinocchio_peer, STEPS)
    return found


def mujoco_peer(integrator: str) -> Callable[[float, float, float], Track]:
    """MuJoCo's own steps, in its own loop; closures as hard as twice the step allows."""

    def run(duration: float, step: float, interval: float) -> Track:
        soft = Soft(ride_mechanism(), Setting("Newton", "dense", integrator, step), ride_laws())
        pieces = round(interval / step)
        seconds = 0.0

        def advance() -> None:
            nonlocal seconds
            start = time.perf_counter()
            soft.step(pieces)
            seconds += time.perf_counter() - start

        chassis, closure = tracked(soft, advance, round(duration / interval))
        per_step = 4 if integrator == "RK4" else 1
        return Track(chassis, closure, seconds, per_step * pieces * round(duration / interval))

    return run


def pinocchio_peer(duration: float, step: float, interval: float) -> Track:
    """constraintDynamics in our own Runge-Kutta method.

    Time is that of the evaluations of Pinocchio alone, without the binding: integration and forces, which are
    Python here, are for nothing.
    """
    from tests.benchmarks.pinocchio_peer import Moving

    moving = Moving(ride_mechanism(rods=True), ride_laws())
    pieces = round(interval / step)

    def advance() -> None:
        for _ in range(pieces):
            moving.step(step)

    chassis, closure = tracked(moving, advance, round(duration / interval))
    one = best_of(python_loop(moving.constraint_dynamics, moving), 20)
    one -= best_of(python_loop(moving.nothing, moving), 20)
    return Track(chassis, closure, one * moving.evaluations, moving.evaluations)


def tracked(mover: Mover, advance: Callable[[], None], instants: int) -> tuple[Floats, Floats]:
    """Positions and openings at the start and after every advance."""

    def look() -> Iterator[tuple[Floats, float]]:
        yield mover.chassis, mover.closure_error
        for _ in range(instants):
            advance()
            yield mover.chassis, mover.closure_error

    chassis, closure = zip(*look(), strict=True)
    return np.array(chassis), np.array(closure)
