"""Substeps along a path: the way of a hinge, and steps that are compiled once."""

from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import array, sin, where
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.codegen.fused import code_of
from ce_dynamics.compiler.codegen.outliner import outline
from ce_dynamics.embedding.numeric.substeps import Linearised, continue_along, coordinate_change
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
def test_way_leads_there_by_less_than_half_turn(hinge: Hinge, rng: np.random.Generator) -> None:
    for _ in range(10):
        start, target = hinge.neutral + rng.uniform(-2.5, 2.5, (2, hinge.n_q))
        step = coordinate_change(hinge, start, target, short=True)
        there, meant = (np.asarray(hinge.configuration(q), float) for q in (start + step, target))
        np.testing.assert_allclose(there, meant, atol=1e-14)
        angles = [unit == "rad" for unit in hinge.coordinate_units]
        assert np.all(np.abs(np.asarray(step, float)[angles]) <= np.pi + 1e-14)
        np.testing.assert_array_equal(coordinate_change(hinge, start, start, short=True), np.zeros(hinge.n_q))


@pytest.mark.parametrize("substeps", [8, 16])
def test_substeps_are_compiled_once(substeps: int) -> None:
    """Only the first, where nothing has moved, the last, and what surrounds them are kinds of their own."""

    def follow(x: Any) -> dict[str, Any]:
        def linearise(q: Any, s: float) -> Linearised:
            p, r = s * x[0], s * x[1]
            residual = array((q[0] + 0.2 * sin(q[1] * q[1]) - p, q[1] - 0.3 * sin(q[0] + p) * q[0] - r))
            Y = array(((1.0 + p * q[1], 0.4 * q[1] + r), (q[0] - 0.3 * sin(q[0] * r), 2.0 + p * q[0])))
            return Linearised(residual, PivotedLU(Y))

        q0 = array((x[0], x[1]))
        q, regular = continue_along(linearise, lambda q, d: q + d, q0, substeps)
        return {"q": where(regular, q, q0)}

    traced = trace("follow", follow, {"x": 2})
    parts = outline(traced, code_of(traced))
    assert len(parts.order) >= substeps
    assert len(parts.kinds) <= 4
