"""Coordinates that leave their guards: by their place, or within a step."""

import math

import numpy as np
import pytest

from ce_dynamics.simulation.integrators.kernels import leaves

FREE = (1, 3, -9.0, 9.0, 0.0)
"""A coordinate q_1 with its rate v_1, of (q_0, q_1, v_0, v_1), that stays far inside its bounds."""


@pytest.mark.parametrize(
    ("theta", "rate", "expected"),
    [
        (0.0, 2.0, -1),  # comes to 0.4 in 2 h
        (0.0, 2.6, 1),  # to 0.52
        (0.0, -2.6, 1),
        (0.45, 0.1, -1),
        (0.45, 0.5, 1),  # to 0.55
        (0.45, -0.5, -1),
        (0.6, -2.0, 1),  # back inside in a step, but outside now
    ],
)
@pytest.mark.parametrize("turns", [0, 3])
def test_coordinate_may_not_leap_over_its_bounds(
    theta: float, rate: float, expected: int, turns: int
) -> None:
    """On the way into a dead centre the distance that is left is half the time left times the rate."""
    guards = np.array((FREE, (0, 2, -0.5, 0.5, 2.0 * math.pi if turns else 0.0)))
    y = np.array((theta + 2.0 * math.pi * turns, 0.0, rate, 1.0))
    assert leaves.py_func(guards, y, 0.1) == expected
