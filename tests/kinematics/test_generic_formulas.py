"""Closed forms against the generic loop kinematics (12)-(14) on dense matrices, and in their closures.

The generic formulas see the tree with every hinge independent; they use the closures only.  What is compared
and how much rounding is allowed is in `ce_dynamics.kinematics.checking`, where users find it as well.
"""

import numpy as np
import pytest

from ce_dynamics.kinematics.checking import accept_errors, closure_figures, generic_figures
from tests.kinematics.bench import BenchState, bench
from tests.kinematics.registry import LINKAGES

EPS = np.finfo(float).eps


@pytest.mark.parametrize("name", LINKAGES)
def test_X_S_and_bias_solve_the_generic_equations(name: str) -> None:
    b = bench(name)
    rng = np.random.default_rng(sum(map(ord, name)) + 1)
    for _ in range(20):
        state = b.sample(rng)
        accept_errors(b, generic_figures(b, state), state.q)


@pytest.mark.parametrize("name", LINKAGES)
def test_closures_hold_to_rounding(name: str) -> None:
    b = bench(name)
    rng = np.random.default_rng(sum(map(ord, name)) + 2)
    for _ in range(50):
        state = b.sample(rng)
        accept_errors(b, closure_figures(b, state), state.q)


@pytest.mark.parametrize("name", LINKAGES)
def test_design_pose_is_the_zero_of_every_hinge(name: str) -> None:
    b = bench(name)
    motion = b.motion(BenchState(np.zeros(b.N), np.zeros(b.N), np.zeros(3)))
    assert np.abs(b.coordinates(motion)).max() <= 1e-14


@pytest.mark.parametrize("name", LINKAGES)
def test_directions_are_of_unit_length(name: str) -> None:
    """(cos, sin) pairs come out of algebra, not of cos and sin."""
    b = bench(name)
    rng = np.random.default_rng(3)
    for _ in range(20):
        motion = b.motion(b.sample(rng))
        for dependent in b.dependents:
            c = motion.hinge_motions[dependent].c
            pairs = c.reshape(-1, 2) if len(c) > 1 else np.zeros((0, 2))
            assert np.abs((pairs**2).sum(axis=1) - 1.0).max(initial=0.0) <= 20 * EPS
