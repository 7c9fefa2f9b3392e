"""The way between two coordinates of a hinge: it leads there, the short way round."""

from __future__ import annotations

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.embedding.numeric.substeps import way
from ce_dynamics.mechanism.hinges.base import Hinge

HINGES = {
    "revolute": ce.Revolute((0, 0, 1)),
    "revolute from 0.7 rad": ce.Revolute((0, 0, 1), q_design=0.7),
    "slide": ce.Prismatic((1, 0, 0)),
    "slide from 0.4 m": ce.Prismatic((1, 0, 0), q_design=0.4),
    "cylindrical": ce.Cylindrical((0, 0, 1)),
    "universal": ce.Universal((1, 0, 0), (0, 1, 0)),
}


@pytest.mark.parametrize("hinge", HINGES.values(), ids=HINGES)
def test_the_way_leads_there_by_less_than_half_a_turn(hinge: Hinge, rng: np.random.Generator) -> None:
    for _ in range(10):
        start, target = hinge.neutral + rng.uniform(-2.5, 2.5, (2, hinge.n_q))
        step = way(hinge, start, target, short=True)
        there, meant = (np.asarray(hinge.configuration(q), float) for q in (start + step, target))
        np.testing.assert_allclose(there, meant, atol=1e-14)
        angles = [unit == "rad" for unit in hinge.coordinate_units]
        assert np.all(np.abs(np.asarray(step, float)[angles]) <= np.pi + 1e-14)
        np.testing.assert_array_equal(way(hinge, start, start, short=True), np.zeros(hinge.n_q))
