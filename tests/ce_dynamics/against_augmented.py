"""Accelerations of embedded systems against the fully augmented equations, which share no kinematics."""

from __future__ import annotations

import numpy as np

from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.embedding.aggregate import Embedding


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
