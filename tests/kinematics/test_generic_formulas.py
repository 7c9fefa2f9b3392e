"""Closed forms against the generic loop kinematics (12)-(14) on dense matrices, and in their closures.

The generic formulas see the tree with every hinge independent; they know the closures only.
"""

from __future__ import annotations

import numpy as np
import pytest

from ce_dynamics.body import Body
from ce_dynamics.loops.closure_errors import ClosureErrors, closure_errors
from ce_dynamics.motion import HingeMotion, SubgraphMotion
from ce_dynamics.system import LoopClosure
from tests.kinematics.bench import Bench, Recorded, State, bench
from tests.kinematics.registry import LINKAGES

EPS = np.finfo(float).eps


def closures(b: Bench, motion: SubgraphMotion) -> list[LoopClosure]:
    def named(name: str) -> Body:
        body = motion.body(name)
        return Body(name, 0.0, body.at, np.zeros((3, 3)), None, None)

    return [
        LoopClosure(cut.name, named(cut.body_a), named(cut.body_b), cut.closure, ())
        for cut in b.linkage.cuts()
    ]


def spread(b: Bench, motion: Recorded, state: State) -> SubgraphMotion:
    """The same pose and velocities with every hinge of the tree independent, dependent ones first."""
    recorded = motion.__dict__["recorded"]
    order = [*b.dependents, *b.independents]
    sizes = [motion.hinge(name).n_v for name in order]
    starts = np.cumsum([0, *sizes])
    rates = np.concatenate([recorded[name].X @ state.v + recorded[name].eta for name in order])
    tree = SubgraphMotion(b.parent, b.bodies, rates, b.siblings(state.s))
    columns = {
        name: slice(start, start + size) for name, start, size in zip(order, starts, sizes, strict=False)
    }
    for body in b.bodies:
        n_v = body.inboard.n_v
        X = np.zeros((n_v, len(rates)))
        X[:, columns[body.name]] = np.eye(n_v)
        tree.set(body.name, HingeMotion(recorded[body.name].c, X, np.zeros(n_v), np.zeros(n_v)))
    return tree


@pytest.mark.parametrize("name", LINKAGES)
def test_X_S_and_bias_solve_the_generic_equations(name: str) -> None:
    b = bench(name)
    rng = np.random.default_rng(sum(map(ord, name)) + 1)
    for _ in range(20):
        state = b.sample(rng)
        motion = b.motion(state)
        tree = spread(b, motion, state)
        errors = closure_errors(tree, closures(b, tree))
        n = errors.Y.shape[1] - b.N
        Y1, Y2 = errors.Y[:, :n], errors.Y[:, n:]
        singular = np.linalg.svd(Y1, compute_uv=False)
        assert singular[-1] > 1e-3  # else the comparison below says nothing
        kappa = singular[0] / singular[-1]
        X = -np.linalg.lstsq(Y1, Y2, rcond=None)[0]  # (13)
        bias = -np.linalg.lstsq(Y1, errors.delta_dot, rcond=None)[0]  # (14)
        eta = -np.linalg.lstsq(Y1, errors.drift, rcond=None)[0]
        size = 1.0 + np.abs(X).max()
        speed = 1.0 + np.abs(tree.theta_dot).max() + np.abs(state.s[1:]).max()
        # least squares loses kappa ulps, the closed form about as many
        assert np.abs(b.stacked(motion, "X") - X).max() <= 100 * EPS * kappa * size
        assert np.abs(b.stacked(motion, "eta") - eta).max() <= 100 * EPS * kappa * size * speed
        assert np.abs(b.stacked(motion, "bias") - bias).max() <= 100 * EPS * kappa * (size * speed) ** 2


def rows(b: Bench, state: State) -> ClosureErrors:
    motion = b.motion(state)
    return closure_errors(motion, closures(b, motion))


@pytest.mark.parametrize("name", LINKAGES)
def test_closures_hold_to_rounding(name: str) -> None:
    """Positions within 1e-14 of the mechanism's size, rates and accelerations in proportion."""
    b = bench(name)
    rng = np.random.default_rng(sum(map(ord, name)) + 2)
    size = max(1.0, *(float(np.abs(joint.hinge.at).max()) for joint in b.joints))
    for _ in range(50):
        state = b.sample(rng)
        errors = rows(b, state)
        motion = b.motion(state)
        X, eta = b.stacked(motion, "X"), b.stacked(motion, "eta")
        v = 1.0 + np.abs(X).max() + np.abs(eta).max() + np.abs(state.v).max()
        assert np.abs(errors.residual).max() <= 1e-14 * size
        assert np.abs(errors.Y).max() <= 1e-14 * size * v
        assert np.abs(errors.drift).max() <= 1e-14 * size * v
        a = v**2 + np.abs(b.stacked(motion, "bias")).max()
        assert np.abs(errors.delta_dot).max() <= 1e-14 * size * a * 4


@pytest.mark.parametrize("name", LINKAGES)
def test_the_design_pose_is_the_zero_of_every_hinge(name: str) -> None:
    b = bench(name)
    motion = b.motion(State(np.zeros(b.N), np.zeros(b.N), np.zeros(3)))
    assert np.abs(b.coordinates(motion)).max() <= 1e-14


@pytest.mark.parametrize("name", LINKAGES)
def test_directions_are_of_unit_length(name: str) -> None:
    """(cos, sin) pairs come out of algebra, not of cos and sin."""
    b = bench(name)
    rng = np.random.default_rng(3)
    for _ in range(20):
        motion = b.motion(b.sample(rng))
        for dependent in b.dependents:
            c = motion.__dict__["recorded"][dependent].c
            pairs = c.reshape(-1, 2) if len(c) > 1 else np.zeros((0, 2))
            assert np.abs((pairs**2).sum(axis=1) - 1.0).max(initial=0.0) <= 20 * EPS
