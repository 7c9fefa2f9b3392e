"""Derivatives of the projection onto friction cones and of De Saxcé's shift, beside central differences."""

from __future__ import annotations

import numpy as np

from ce_dynamics.complementarity.conditions import Conditions, Kind
from ce_dynamics.complementarity.solvers.cone_derivative import projection_derivative, shift_derivative
from ce_dynamics.complementarity.solvers.rows import Rows

KINDS = [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2, Kind.FRICTION, Kind.DISC_1, Kind.DISC_2]
KINDS += [Kind.UNILATERAL, Kind.BILATERAL, Kind.BOX, Kind.UNILATERAL, Kind.FRICTION]
NORMAL = [-1, 0, 0, 0, 0, 0, -1, -1, -1, -1, 9]
MU = [0.0, 0.5, 0.5, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4]
BOUNDS = 0.5 * (np.array(KINDS) == Kind.BOX)
"""Sliding, rolling and a disc of μ = 0 on one normal row; one alone, bilateral, a box, planar friction."""


def rows() -> Rows:
    m = len(KINDS)
    return Rows(
        np.eye(m), np.zeros(m), Conditions.of(KINDS, NORMAL, MU, -BOUNDS, BOUNDS), np.arange(m), np.ones(m), m
    )


def test_derivatives_are_those_of_differences(rng: np.random.Generator) -> None:
    """Away from edges differences are off by h² times third derivatives, those of y/|y| at most 6/|y|³, and
    by rounding ε/h: with h = 1e-6 and |y| > 0.05 below 5e-8 + 1e-9.  What bends within h is skipped."""
    given, h, compared = rows(), 1e-6, 0
    steps = h * np.eye(len(given))
    for _ in range(200):
        y = rng.normal(size=len(given)) * rng.choice([0.3, 1.0, 3.0], size=len(given))
        discs = np.hypot(y[[1, 4]], y[[2, 5]])
        D = projection_derivative(given, y, given.project(y)).toarray()
        there = given.project(y)
        right = np.array([given.project(y + e) for e in steps]).T
        left = np.array([given.project(y - e) for e in steps]).T
        bent = np.abs(right - 2.0 * there[:, None] + left).max()
        S = np.array([given.shift(y + e) - given.shift(y - e) for e in steps]).T / (2.0 * h)
        if bent > 1e-9 or min(discs.min(), np.abs(y[[3, 10]]).min()) < 0.05:
            continue
        compared += 1
        np.testing.assert_allclose(D, (right - left) / (2.0 * h), atol=1e-7)
        np.testing.assert_allclose(shift_derivative(given, y).toarray(), S, atol=1e-7)
        np.testing.assert_allclose(D, D.T, atol=1e-15)
        values = np.linalg.eigvalsh(D)
        assert values[0] > -1e-14
        assert values[-1] < 1.0 + 1e-14
    assert compared > 100
