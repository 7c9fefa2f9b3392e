"""Runs beyond a dead centre: found by the balance of energy near it, for given states."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.simulation import jump_in
from ce_dynamics.simulation.monitors.reach import Jump
from tests.support.systems import four_bar

LENGTHS = 2.0, 2.5, 2.0, 4.0


@pytest.fixture(scope="module")
def model() -> ce.Model:
    """A double rocker led by its lever."""
    return ce.compile(four_bar(LENGTHS, 1.0))


def way(model: ce.Model, last: float, kept: float) -> tuple[Floats, Floats]:
    """Times and states of a lever on its way to the end of its reach and back, with a part of its energy.

    The end is where coupler and rocker, b and c, are in line: there a² + d² − 2 a d cos α = (b + c)².  θ is
    sin φ of half the reach around its middle; the rates are those that energy asks for.
    """
    a, b, c, d = LENGTHS
    half = np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    reach = np.sort((half - 1.0, -half - 1.0))  # from the design pose
    theta = reach.mean() + 0.5 * np.ptp(reach) * np.sin(np.linspace(1.2, last, 40))
    at_rest, moving = (np.array([model.outputs([q, v])["energy"] for q in theta]) for v in (0.0, 1.0))
    rate = np.sqrt((at_rest[0] + 400.0 - at_rest) / (moving - at_rest))
    there = np.stack((theta, rate), axis=1)
    back = np.stack((theta, -np.sqrt(kept) * rate), axis=1)[-2::-1]
    Y = np.vstack((there, back))
    between = 2.0 * np.abs(np.diff(Y[:, 0])) / (np.abs(Y[1:, 1]) + np.abs(Y[:-1, 1]))
    return np.append(0.0, np.cumsum(between)), Y


def jump(model: ce.Model, t: Floats, Y: Floats) -> Jump | None:
    return jump_in(model, t, Y, np.zeros(len(t)), lambda t, y: model.u0, False)


def test_what_loses_energy_at_dead_centre_was_thrown(model: ce.Model) -> None:
    t, Y = way(model, 1.56, kept=0.25)
    found = jump(model, t, Y)
    assert found is not None
    assert 0.9 * t[39] < found.t <= t[39]
    assert "dead centre of 'crank'" in found.what


def test_turning_back_away_from_dead_centres_is_legitimate(model: ce.Model) -> None:
    """A stop may take the energy: that is no matter of the loop's."""
    assert jump(model, *way(model, 1.4, kept=0.25)) is None
