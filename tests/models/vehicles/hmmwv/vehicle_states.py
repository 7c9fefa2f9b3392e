"""States of the full vehicle that are nothing special, for comparing formulations."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from tests.models.vehicles.any_vehicle import driven

PITMAN_ARM = "steering.pitman_arm"
RIDE_HEIGHT = 0.45
"""[m] of the chassis origin; the wheel centres are then within some centimetres of the tyres' radius."""


class State(NamedTuple):
    q: Array
    v: Array
    x: Array
    u: Array


def driven_vehicle() -> System:
    """The full vehicle with the Pitman arm's angle, rate and acceleration as inputs."""
    return driven(build(), PITMAN_ARM)


def random_state(
    embedding: Embedding, rng: np.random.Generator, upright: bool, inputs: Mapping[str, float] | None = None
) -> State:
    """Anywhere, moving anyhow: arms within ±0.35 rad, all wheels spinning.

    Upright, with a random heading, tilt of some degrees and tyres on the road; otherwise in any attitude.
    """
    layout = Layout(embedding)
    q, v, x = (np.array(part) for part in layout.split(layout.y0))
    q[:3] = 0.0, 0.0, RIDE_HEIGHT
    q[:3] += rng.normal(size=3) * (5.0, 5.0, 0.02)
    heading, tilt = rng.uniform(-np.pi, np.pi), 0.03 * rng.normal(size=2)
    quaternion = np.array((np.cos(heading / 2), *tilt, np.sin(heading / 2)))
    quaternion = quaternion if upright else rng.normal(size=4)
    q[3:7] = quaternion / np.linalg.norm(quaternion)
    v[:6] = rng.normal(size=6) * (1.0, 1.0, 1.0, 10.0, 10.0, 1.0)
    for name in CORNERS:
        q[embedding.q_of[f"{name}.lower_arm"]] = rng.uniform(-0.35, 0.35)
        v[embedding.v_of[f"{name}.lower_arm"]] = 3.0 * rng.normal()
        q[embedding.q_of[f"{name}.wheel"]] = rng.uniform(-10.0, 10.0)
        v[embedding.v_of[f"{name}.wheel"]] = 30.0 * rng.normal()
    x[:] = 0.02 * rng.normal(size=len(x))
    given = dict(inputs or {})
    u = np.array([given.get(entry.name, 0.0) for entry in layout.u])
    return State(q, v, x, u)


def random_inputs(rng: np.random.Generator) -> dict[str, float]:
    """Steering within its range and quicker than any driver, pedals half way."""
    return {
        "throttle": 0.5,
        "brake": 0.5,
        "driven": rng.uniform(-0.5, 0.5),
        "driven_rate": rng.choice((-1.0, 1.0)) * rng.uniform(1.0, 4.0),
        "driven_acceleration": rng.choice((-1.0, 1.0)) * rng.uniform(20.0, 100.0),
    }


def random_instant(system: System, rng: np.random.Generator, upright: bool = True) -> Instant:
    embedding = embed(system)
    inputs = random_inputs(rng) if PITMAN_ARM in system.prescribed else {}
    return Instant(embedding, Layout(embedding), *random_state(embedding, rng, upright, inputs))


def measured(what: str, value: float) -> None:
    """Print a number that docs/verification.md quotes; ``pytest -rP`` shows it."""
    print(f"measured: {what} {value:.2g}")
