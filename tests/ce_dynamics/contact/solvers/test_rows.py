"""Projections of the natural map: a box as a normal row."""

import numpy as np
import pytest

from ce_dynamics.contact.conditions import Conditions, Kind
from ce_dynamics.contact.newton import MapPoint, natural_map, normal_impulse, residual
from ce_dynamics.contact.solvers.rows import sliding_shift

BOX = np.array((int(Kind.BOX),))
LOWER, UPPER = np.array((-0.5,)), np.array((2.0,))


@pytest.mark.parametrize("y", [-3.0, -0.5, 0.3, 1.9, 5.0])
def test_box_clips_with_the_derivative_of_its_clipping(y: float) -> None:
    value, slope = normal_impulse(0, np.array((y,)), BOX, LOWER, UPPER)
    assert value == pytest.approx(np.clip(y, -0.5, 2.0), abs=1e-15)
    if y not in (-0.5, 2.0):
        assert slope == (1.0 if -0.5 < y < 2.0 else 0.0)


def test_friction_on_a_box_is_bounded_by_it() -> None:
    """A normal force of at most 2 N and μ = 0.5: friction of at most 1 N, whatever presses."""
    kind = np.array((int(Kind.BOX), int(Kind.FRICTION)))
    point = MapPoint(*np.zeros((4, 2)))
    limits = np.array((-0.5, -np.inf)), np.array((2.0, np.inf))
    conditions = Conditions(kind, np.array((-1, 0)), np.array((0.0, 0.5)), *limits)
    natural_map(np.array((7.0, 9.0)), conditions, point)
    assert point.P.tolist() == [2.0, 1.0]


def test_normal_rows_are_shifted_by_sliding() -> None:
    """De Saxcé's s_n = Σ μ |w_t|, of a disc by both its components, of a row by itself; of others nothing."""
    U, F, D, E = (int(k) for k in (Kind.UNILATERAL, Kind.FRICTION, Kind.DISC_1, Kind.DISC_2))
    kind = np.array((U, D, E, U, F, int(Kind.BILATERAL), U))
    w = np.array((0.1, 3.0, -4.0, 0.2, -7.0, 9.0, 0.3))
    mu = np.array((0.0, 0.5, 0.5, 0.0, 0.25, 0.0, 0.0))
    members = np.array((1, 4))  # of each normal row those of the first rows of its friction
    starts = np.array((0, 1, 1, 1, 2, 2, 2, 2))
    s = np.full(7, np.nan)
    nothing = np.zeros(7)
    sliding_shift.py_func(w, Conditions(kind, kind, mu, nothing, nothing), (starts, members), s)
    np.testing.assert_allclose(s, (0.5 * 5.0, 0.0, 0.0, 0.25 * 7.0, 0.0, 0.0, 0.0), rtol=1e-15)


def test_residual_is_nan_if_any_number_is() -> None:
    """A NaN before or behind the largest part, of a row that moves or of one that moves nothing."""
    rows = Conditions.of([Kind.UNILATERAL] * 3)
    assert residual(np.ones(3), np.array((1.0, -2.0, 0.5)), rows, np.zeros(3)) == 2.0
    assert residual(np.array((1.0, 1.0, 0.0)), np.array((0.0, 1.0, -3.0)), rows, np.zeros(3)) == 3.0
    for k in range(3):
        w = np.array((1.0, -2.0, 0.5))
        w[k] = np.nan
        for d in (np.ones(3), np.where(np.arange(3) == k, 0.0, 1.0)):
            assert np.isnan(residual(d, w, rows, np.zeros(3)))
