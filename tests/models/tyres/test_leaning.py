"""Tyres that lean too far: their forces fade, smoothly, and their states do not notice."""

from __future__ import annotations

import numpy as np
import pytest

from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad
from ce_dynamics.models.tyres.leaning import LeaningTyre
from ce_dynamics.models.tyres.tmeasy import TMeasyTyre
from tests.models.components import TYRE

LEAN = np.radians(50.0)
PLAIN = TMeasyTyre(TYRE)


def answer(model: TyreModel, gamma: float) -> TyreAnswer:
    r = TYRE.unloaded_radius
    wheel = WheelOnRoad(r - 0.02, 0.0, 10.0, 0.5, 10.2 / r, gamma, 0.0, 0.8)
    return model.evaluate(wheel, np.array([0.002, 0.001]))


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(
    ("degrees", "share"), [(0.0, 1.0), (50.0, 1.0), (57.5, 0.5), (65.0, 0.0), (90.0, 0.0), (170.0, 0.0)]
)
def test_forces_fade_beyond_the_lean(degrees: float, share: float, side: float) -> None:
    gamma = side * np.radians(degrees)
    plain, leaning = answer(PLAIN, gamma), answer(LeaningTyre(PLAIN, LEAN), gamma)
    for name in ("Fx", "Fy", "Fz", "Mx", "My", "Mz", "potential"):
        expected = share * float(getattr(plain, name))
        assert float(getattr(leaning, name)) == pytest.approx(expected, rel=1e-12, abs=1e-9), name
    assert tuple(map(float, leaning.x_dot)) == tuple(map(float, plain.x_dot))
    assert leaning.slip == plain.slip
    assert float(plain.Fz) > 1e3


def test_it_is_the_same_tyre_else() -> None:
    leaning = LeaningTyre(PLAIN, LEAN)
    assert (leaning.unloaded_radius, leaning.tread_width) == (PLAIN.unloaded_radius, PLAIN.tread_width)
    assert leaning.states == PLAIN.states
