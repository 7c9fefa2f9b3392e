"""Tyres that lean any way: their load and its moment are the gradient of what they store."""

import numpy as np
import pytest

from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad
from ce_dynamics.models.tyres.element import LeaningTyre
from ce_dynamics.models.tyres.tmeasy import TMeasyTyre
from tests.models.components import TYRE

PLAIN = TMeasyTyre(TYRE)
R = TYRE.unloaded_radius


def standing(model: TyreModel, height: float, gamma: float) -> TyreAnswer:
    """At rest with a height of the centre over the road [m] and a lean [rad]."""
    radius = height / np.cos(gamma)
    return model.evaluate(WheelOnRoad(radius, 0.0, 0.0, 0.0, 0.0, gamma, 0.0, 0.8), np.zeros(2))


@pytest.mark.parametrize("gamma", [-1.5, -0.9, 0.0, 0.02, 0.6, 1.2, 1.45])
def test_load_and_moment_are_gradient_of_the_energy(gamma: float) -> None:
    """By central differences of the height and of the lean: 1e-6 leaves 1e-9 of some kN and kN m."""
    tyre = LeaningTyre(PLAIN)
    height, h = R * np.cos(gamma) - 0.02, 1e-6
    f = standing(tyre, height, gamma)
    by_height = standing(tyre, height + h, gamma).potential - standing(tyre, height - h, gamma).potential
    by_lean = standing(tyre, height, gamma + h).potential - standing(tyre, height, gamma - h).potential
    assert float(f.Fz) == pytest.approx(TYRE.cz * 0.02, rel=1e-9)  # of the depth, whatever the lean
    assert float(f.Fz) == pytest.approx(-float(by_height) / (2.0 * h), rel=1e-6)
    # about the wheel's centre: the force acts the deflected radius below it in the wheel's plane, γ about x
    moment = float(f.Mx) + float(f.Fz) * height / np.cos(gamma) * np.sin(gamma)
    assert moment == pytest.approx(-float(by_lean) / (2.0 * h), rel=1e-6, abs=1e-3)


def test_upright_it_is_the_same_tyre() -> None:
    wheel = WheelOnRoad(R - 0.02, 0.1, 10.0, 0.5, 10.2 / R, 0.0, 0.1, 0.8)
    x = np.array([0.002, 0.001])
    assert LeaningTyre(PLAIN).evaluate(wheel, x) == PLAIN.evaluate(wheel, x)
    leaning = LeaningTyre(PLAIN)
    assert (leaning.unloaded_radius, leaning.tread_width) == (PLAIN.unloaded_radius, PLAIN.tread_width)
    assert leaning.states == PLAIN.states


def test_lying_flat_it_carries_nothing() -> None:
    f = standing(LeaningTyre(PLAIN), 0.05, 0.5 * np.pi - 0.05)
    assert float(f.Fz) == float(f.Mx) == 0.0
