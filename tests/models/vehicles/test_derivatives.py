"""Exact derivatives of a vehicle against differences: a small sample of the campaign vehicle_derivatives."""

from __future__ import annotations

import numpy as np

from tests.campaigns.vehicle_derivatives import parts
from tests.campaigns.vehicle_derivatives.differences import compared
from tests.campaigns.vehicle_derivatives.sample import Sample

FREE = ["front.L.z", "front.spring.linear", "chassis.mass", "tyre.cz"]


def test_outputs_of_driving() -> None:
    sample = Sample("sedan", np.random.default_rng(3), FREE)
    tally = parts.outputs(sample, sample.built(), 12)
    assert not tally.wrong
    assert tally.compared > 20
    assert tally.silent < 0.2 * tally.compared


def test_wrong_derivatives_are_found() -> None:
    """The derivative of e^x at 0 is off by 1e-6, more than the error of differences, 3 h²/6 = 5e-9."""
    names, f = ["right", "wrong", "zero", "not zero"], lambda d: np.array((np.exp(d), np.exp(d), 0.0, d))
    found = compared(names, np.array((1.0, 1.0 + 1e-6, 0.0, 0.0)), f, 1e-4)
    assert [name for name, *_ in found.wrong] == ["wrong", "not zero"]
    assert (found.compared, found.zero, found.silent) == (3, 1, 0)


def test_a_kink_says_nothing() -> None:
    found = compared(["kink"], np.array((0.5,)), lambda d: np.array((max(d, 0.0),)), 1e-4)
    assert (found.compared, found.silent) == (0, 1)
