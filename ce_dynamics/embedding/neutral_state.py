"""Initial coordinates and velocities of an embedded system."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.whole_loop import led_by_no_hinge, start_led_by_no_hinge
from ce_dynamics.errors import IndependentCoordinatesError


def neutral_state(embedding: Embedding) -> tuple[Array, Array]:
    """Initial coordinates and velocities: the design pose at rest, or what `System.start` was told.

    Raises
    ------
    IndependentCoordinatesError
        If it was told of a hinge that is not independent, or of two hinges of one path.
    """
    system = embedding.system
    for name in dict.fromkeys((*system.initial, *system.initial_rates)):
        S = embedding.owner.get(name)
        if name not in embedding.q_of and not (S is not None and led_by_no_hinge(S)):
            what = f"coordinate {name!r}" if S is None else f"body {name!r}"
            which = "it" if S is None else "its hinge"
            raise IndependentCoordinatesError(
                f"{what}: initial values were given, but {which} is not independent; those are"
                f" {list(embedding.q_of)}"
            )
    q, v = np.zeros(embedding.n_q), np.zeros(embedding.n_v)
    for name, body in embedding.coordinates.items():
        q[embedding.q_of[name]] = system.initial.get(name, body.inboard.neutral)
        v[embedding.v_of[name]] = system.initial_rates.get(name, np.zeros(body.inboard.n_v))
    for S in embedding.aggregates:
        if led_by_no_hinge(S):
            (body,) = S.independent
            q[embedding.q_of[body.name]], v[embedding.v_of[body.name]] = start_led_by_no_hinge(system, S)
    return q, v
