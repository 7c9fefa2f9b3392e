"""Accelerations of embedded systems against the fully augmented equations, which share no kinematics."""

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import Augmented, FullyAugmented, TreeAugmented, compute_accelerations
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding

NOTHING = np.zeros(0)


def assert_agrees(
    embedding: Embedding,
    q: Array,
    v: Array,
    x: Array = NOTHING,
    u: Array = NOTHING,
    *,
    relative: float = 1e-10,
    closed: float = 1e-12,
    moving: float = 1e-11,
    tree: bool = False,
) -> tuple[FullyAugmented, Array]:
    """Assert equal poses, velocities and accelerations of all bodies; return the model of (8) and its state.

    Constraints hold to ``closed``, their rates to ``moving``; ``tree`` compares with the cut tree too.
    Accelerations may differ by ``relative`` of the largest one: rounding 1e-16 times the condition of the
    constraint equations, which is below 1e4, and two digits.
    """
    system = embedding.system
    full, found = FullyAugmented(system), compute_accelerations(embedding, q, v, x, u)
    scale = max(float(np.max(np.abs(a))) for a in found.values())
    y = full.state_from_embedded(embedding, q, v, x, u)
    forms: list[tuple[Augmented, Array]] = [(full, y)]
    for body, a in zip(system.bodies, full.accelerations(y, u).V_dot.reshape(-1, 6), strict=True):
        np.testing.assert_allclose(found[body.name], a, rtol=0.0, atol=relative * scale, err_msg=body.name)
    if tree:
        cut = TreeAugmented(system)
        forms.append((cut, cut.state_from_embedded(embedding, q, v, x, u)))
        V_dot = cut.accelerations(*forms[-1][1:], u).V_dot
        v_dot = Instant(embedding, Layout(embedding), q, v, x, u).accelerations.v_dot.astype(float)
        for name, where in embedding.v_of.items():
            rates = V_dot[cut.embedding.v_of[name]]
            np.testing.assert_allclose(rates, v_dot[where], rtol=0.0, atol=relative * scale, err_msg=name)
    for form, state in forms:
        rows = form.at(state, u).constraints
        assert np.max(np.abs(rows.g.astype(float)), initial=0.0) < closed
        assert np.max(np.abs(rows.rate.astype(float)), initial=0.0) < moving
    return full, y


def largest_difference(embedding: Embedding, around: float, states: int = 2, seed: int = 1) -> float:
    """Largest difference over the largest acceleration, in random states around the design pose."""
    dae, rng, none = FullyAugmented(embedding.system), np.random.default_rng(seed), np.zeros(0)
    q0 = np.concatenate([body.inboard.neutral for body in embedding.coordinates.values()])
    worst = 0.0
    for _ in range(states):
        q = q0 + around * rng.uniform(-1.0, 1.0, len(q0))
        v = rng.uniform(-1.0, 1.0, embedding.n_v)
        found = np.concatenate(list(compute_accelerations(embedding, q, v, none, none).values()))
        state = dae.state_from_embedded(embedding, q, v, none)
        expected = dae.accelerations(state).V_dot.reshape(-1)
        difference = np.max(np.abs(found - expected)) / np.max(np.abs(expected))
        worst = float("inf") if np.isnan(difference) else max(worst, float(difference))
    return worst
