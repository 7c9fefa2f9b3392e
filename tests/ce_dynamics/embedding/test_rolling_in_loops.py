"""Balls that roll in loops: they lead, or are refused, for no closure tells where they are."""

from __future__ import annotations

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import IndependentCoordinatesError
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.mechanisms import add

X, Y, Z = np.eye(3)
RADIUS = 0.3
CENTRE = RADIUS * Z


def ball_with_an_arm(*leading: str) -> System:
    """An arm on the ground and a ball, whose tips a rod joins: four freedoms."""
    system = System(gravity=(0.0, 0.0, -9.81))
    tip, eye = np.array((1.0, 0.2, 0.9)), CENTRE + 0.1 * (X + Z)
    add(system, "arm", "ground", ce.Universal(X, Y, 1.5 * X), 0.5 * (1.5 * X + tip))
    add(system, "ball", "ground", ce.RollingOnPlane(Z, CENTRE, RADIUS), CENTRE)
    system.close_loop("rod", "ball", "arm", ce.Distance(eye, tip), leading)
    return system


def crank_and_ball() -> System:
    """A slider-crank whose slider is a ball: one freedom, which a ball cannot lead with its three."""
    system = System(gravity=(0.0, 0.0, -9.81))
    pivot, pin = CENTRE - 2.0 * X, CENTRE - 2.0 * X + np.array((0.3, 0.0, 0.4))
    add(system, "crank", "ground", ce.Revolute(Y, pivot), 0.5 * (pivot + pin))
    add(system, "rod", "crank", ce.Revolute(Y, pin), 0.5 * (pin + CENTRE))
    add(system, "ball", "ground", ce.RollingOnPlane(Z, CENTRE, RADIUS), CENTRE)
    system.close_loop("axle", "rod", "ball", ce.Revolute(Y, CENTRE))
    return system


def test_a_ball_that_rolls_leads_its_loop() -> None:
    """What it leads has the rates of its place: central differences, off by h² and 1e-15 / h."""
    embedding = embed(ball_with_an_arm())
    (S,) = embedding.aggregates
    assert "ball" in [body.name for body in S.independent]
    layout, rng, h = Layout(embedding), np.random.default_rng(3), 1e-5
    q, v = layout.split(layout.y0)[0], rng.uniform(-1.0, 1.0, embedding.n_v)
    nothing = np.zeros(0)
    for name, part in embedding.q_of.items():
        hinge, rates = embedding.coordinates[name].inboard, v[embedding.v_of[name]]
        q[part] += 0.1 * hinge.q_dot(q[part], rates).astype(float)
    q_dot = Instant(embedding, layout, q, v, nothing, nothing).q_dot.astype(float)
    arm = embedding.system.find("arm").inboard

    def coordinates(s: float) -> Array:
        outward = Instant(embedding, layout, q + s * q_dot, v, nothing, nothing).outward
        return np.asarray(arm.coordinates(outward.motions[S.name].hinge_motions["arm"].c), dtype=float)

    motion = Instant(embedding, layout, q, v, nothing, nothing).outward.motions[S.name].hinge_motions["arm"]
    found = (coordinates(h) - coordinates(-h)) / (2.0 * h)
    theta_dot = np.concatenate([v[embedding.v_of[body.name]] for body in S.independent])
    np.testing.assert_allclose(found, np.asarray(motion.X @ theta_dot, dtype=float), rtol=0.0, atol=1e-8)
    full = FullyAugmented(embedding.system)
    y = full.state_from_embedded(embedding, q, v, nothing, nothing)
    expected = full.accelerations(y, nothing).V_dot.reshape(-1, 6)
    accelerations = compute_accelerations(embedding, q, v, nothing, nothing)
    for body, reference in zip(embedding.system.bodies, expected, strict=True):
        np.testing.assert_allclose(accelerations[body.name], reference, rtol=0.0, atol=1e-9)


def test_ball_whose_place_others_should_tell_is_refused() -> None:
    with pytest.raises(IndependentCoordinatesError, match=r"'ball' rolls.* independent=\['ball', \.\.\.\]"):
        embed(ball_with_an_arm("arm"))
    with pytest.raises(IndependentCoordinatesError, match=r"leads it; use BallRollingOnPlane"):
        embed(crank_and_ball())
