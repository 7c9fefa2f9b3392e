"""Turning a vehicle back to where it headed."""

import numpy as np
import pytest

from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.models.vehicles.standing import heading_as


def test_only_the_heading_changes() -> None:
    """The forward axis points where the other's does; heights of all axes, which are its tilt, stay."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        q, wanted = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 4)))
        before, other, after = (
            np.asarray(rotation_from_quaternion(p), dtype=float) for p in (q, wanted, heading_as(q, wanted))
        )
        np.testing.assert_allclose(after[2], before[2], atol=1e-14)
        ahead, theirs = after[:2, 0], other[:2, 0]
        cross = ahead[0] * theirs[1] - ahead[1] * theirs[0]
        assert cross == pytest.approx(0.0, abs=1e-14)
        assert ahead @ theirs > 0.0
