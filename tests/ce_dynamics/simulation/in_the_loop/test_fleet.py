"""Copies that are stepped together: controllers that sample, copies that begin later, wrong arguments."""

import numpy as np
import pytest

from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.in_the_loop.fleet import Fleet
from tests.ce_dynamics.dynamics.test_control import START, held_exactly, sampled_cart

PERIOD = 0.03


@pytest.fixture(scope="module")
def fleet() -> Fleet:
    return Fleet(sampled_cart(PERIOD), 5, lambda sensors, given: [sensors["force"], given[0]], lanes=4)


def test_sampled_controllers_do_as_they_do_alone(fleet: Fleet) -> None:
    """A cart between samples moves on parabolas, which the method integrates exactly; one begins later."""
    model = fleet.model
    y0, u0 = model.y0, model.inputs_with()
    everybody = range(5)
    fleet.start(everybody, np.tile(y0, (5, 1)), np.tile(u0, (5, 1)), np.arange(5.0)[:, np.newaxis])
    np.testing.assert_array_equal(fleet.seen[:, 1], np.arange(5.0))
    for k in range(10):
        fleet.step(2.0 * PERIOD)
        if k == 3:
            fleet.start([2], y0[np.newaxis], u0[np.newaxis], [[7.0]])
    np.testing.assert_allclose(
        fleet.states[[0, 4], :2], [held_exactly(PERIOD, 0.6)] * 2, rtol=0.0, atol=1e-13
    )
    np.testing.assert_allclose(fleet.states[2, :2], held_exactly(PERIOD, 0.36), rtol=0.0, atol=1e-13)
    assert fleet.seen[2, 1] == 7.0
    assert tuple(y0[:2]) == START
    assert not fleet.failures


def test_inputs_are_one_for_each(fleet: Fleet) -> None:
    model = fleet.model
    rest = np.zeros((5, len(model.y0)))
    fleet.start(range(5), rest, np.tile(model.inputs_with(), (5, 1)), np.zeros((5, 1)))
    pushes = np.arange(5.0)
    seen = fleet.step(PERIOD, {"force": pushes})
    np.testing.assert_array_equal(seen[:, 0], pushes)
    # from rest at the origin the controller holds zero for the first period
    np.testing.assert_allclose(fleet.states[:, 1], pushes / 2.0 * PERIOD, rtol=1e-12)


def test_what_is_wrong_changes_nothing(fleet: Fleet) -> None:
    before = fleet.states
    for dt, inputs, said in (
        (0.5 * PERIOD, {}, "multiples"),
        (1.3 * PERIOD, {}, "multiples"),
        (PERIOD, {"forces": 1.0}, "force"),
        (PERIOD, {"force": np.nan}, "force"),
        (-1.0, {}, "dt"),
    ):
        with pytest.raises(ModelError, match=said):
            fleet.step(dt, inputs)
    np.testing.assert_array_equal(fleet.states, before)
    for arguments, said in (
        ({"lanes": 3}, "lanes"),
        ({"number": 0}, "number"),
        ({"method": "dopri5"}, "rk4"),
        ({"step": 0.0}, "step"),
    ):
        given = {"number": 2, **arguments}
        with pytest.raises(ModelError, match=said):
            Fleet(fleet.model, look=lambda sensors, given: [sensors["force"]], **given)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="copy 3"):
        fleet.start([3], np.full((1, len(fleet.model.y0)), np.nan), [fleet.model.inputs_with()], [[0.0]])
