"""Conditions of figures, on motions in closed form."""

import math

import numpy as np
import pytest

from ce_dynamics.models.handling.metrics.validity import first, first_unsteady, lift, spin

T = np.linspace(0.0, 10.0, 1001)
V = np.full(1001, 20.0)


def test_spin_begins_where_side_slip_exceeds_full_lock() -> None:
    found = spin(T, -0.1 * T, V, 0.5)
    assert found is not None
    assert found.t == pytest.approx(5.0, abs=0.011)
    assert "28.6°" in found.condition
    assert spin(T, -0.1 * T, V, 1.01) is None
    assert spin(T, -0.1 * T, 0.0 * V, 0.5) is None  # a vehicle that stands has no side-slip


def test_unsteady_turning_compares_path_and_heading() -> None:
    """a_y = v (ψ̇ + β̇): β̇ = 0.05 t² grows through a tenth of a_y = 8 m/s² at t = √0.8 s."""
    beta_dot = 0.05 * T * T
    found = first_unsteady(T, np.full(1001, 8.0), V, 8.0 / V - beta_dot)
    assert found is not None
    # The mean of t² over a second is t² + 1/12 within the record.
    assert found.t == pytest.approx(math.sqrt(0.8 - 1.0 / 12.0), abs=0.011)
    assert first_unsteady(T, np.full(1001, 8.0), V, np.full(1001, 0.4)) is None


def test_unsteady_turning_ignores_jolts_and_slow_ramps() -> None:
    jolt = np.where(np.abs(T - 5.0) < 0.1, 3.0, 0.0)  # 0.6 m/s over the second around it, of 0.8 allowed
    assert first_unsteady(T, 8.0 + jolt, V, np.full(1001, 0.4)) is None
    ramp = 0.5 * T
    assert first_unsteady(T, ramp, V, (ramp - 0.2) / V) is None


def test_lift_names_the_side_and_the_first_counts() -> None:
    load = np.ones((1001, 2))
    left = load.copy()
    left[500:, 0] = 0.0
    assert lift(T, left, load) is None  # one wheel in the air
    left[700:] = 0.0
    found = lift(T, left, load)
    assert found is not None
    assert found.t == pytest.approx(7.0)
    assert "left" in found.condition
    assert first([None, found, spin(T, 0.1 * T, V, 0.5)]) == spin(T, 0.1 * T, V, 0.5)
    assert first([None]) is None
