"""States of any vehicle that are nothing special, and its bodies' accelerations by two formulations."""

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.system import System
from tests.support.close import assert_close


def driven(system: System, body: str) -> System:
    """The vehicle with what steers it given by its position, rate and acceleration."""
    for name in ("driven", "driven_rate", "driven_acceleration"):
        system.add_input(name, "")
    del system.prescribed[body]
    system.prescribe(body, Driven("driven"))
    return system


def random_instant(
    system: System, rng: np.random.Generator, height: float, travel: float, steer: float
) -> Instant:
    """Near a height of the chassis, moving anyhow, suspensions within ± travel, steered within ± steer."""
    embedding = embed(system)
    layout = Layout(embedding)
    q, v, x = (np.array(part) for part in layout.split(layout.y0))
    wheels = {f"{corner}.wheel" for corner in system.groups["corner"]}
    for k, entry in enumerate(layout.q):
        if not entry.name.startswith("chassis."):
            q[k] = rng.uniform(-10.0, 10.0) if entry.name in wheels else rng.uniform(-travel, travel)
    turn_trailers(system, [entry.name for entry in layout.q], q, rng)
    for k, entry in enumerate(layout.v):
        if not entry.name.startswith("chassis."):
            v[k] = (30.0 if entry.name.removesuffix("_rate") in wheels else 3.0) * rng.normal()
    q[:3] = rng.normal(size=3) * (5.0, 5.0, 0.005) + (0.0, 0.0, height)
    quaternion = np.array((1.0, *(0.01 * rng.normal(size=2)), rng.normal()))
    q[3:7] = quaternion / np.linalg.norm(quaternion)
    v[:6] = rng.normal(size=6) * (1.0, 1.0, 1.0, 10.0, 10.0, 1.0)
    x[:] = 0.01 * rng.normal(size=len(x))
    given = {"throttle": 0.5, "brake": 0.5, "driven": rng.uniform(-steer, steer)}
    given |= {"driven_rate": rng.uniform(1.0, 2.0) * steer, "driven_acceleration": -20.0 * steer}
    u = np.array([given.get(entry.name, 0.0) for entry in layout.u])
    return Instant(embedding, layout, q, v, x, u)


def turn_trailers(system: System, names: list[str], q: Array, rng: np.random.Generator) -> None:
    """Trailers pitch and roll as far as suspensions travel, and turn by half a radian about the vertical."""
    for name in system.groups.get("trailer", ()):
        yaw = rng.uniform(-0.5, 0.5)
        if f"{name}.qw" in names:
            turned = [names.index(f"{name}.q{k}") for k in "wxyz"]
            q[turned[0]], q[turned[3]] = 1.0, np.tan(0.5 * yaw)
            q[turned] /= np.linalg.norm(q[turned])
        else:
            q[names.index(f"{name}.2")] = yaw


def assert_accelerations(instant: Instant, relative: float = 1e-10) -> None:
    """Assert that each body accelerates as with all hinges cut, to a part of its own acceleration."""
    system = instant.embedding.system
    full = FullyAugmented(system)
    state = (instant.q, instant.v, instant.x, instant.u)
    at = full.at(full.state_from_embedded(instant.embedding, *state), instant.u)
    assert np.max(np.abs(at.constraints.g)) < 1e-12  # the same poses: the loops are closed
    assert np.max(np.abs(at.constraints.rate)) < 1e-11  # the same velocities: some 10 m/s and rad/s
    rows = full.solve(at).V_dot.reshape(-1, 6)
    expected = {body.name: row for body, row in zip(system.bodies, rows, strict=True)}
    assert_close(compute_accelerations(instant.embedding, *state), expected, relative)
