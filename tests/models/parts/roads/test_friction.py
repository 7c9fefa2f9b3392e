"""Friction over the road: where it changes, and what is refused."""

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.contract import Friction, FrictionMap, FrictionPatch, SplitFriction
from ce_dynamics.models.parts.roads.surfaces import FlatRoad
from tests.ce_dynamics.opaque import Opaque, reveal_scalar

ICE = FrictionPatch(0.1, (10.0, 20.0), (0.0, 3.0), around=SplitFriction(0.9, 0.5))
MAP = FrictionMap([[0.2, 0.4], [0.8, 1.0]], (0.0, 2.0), (-1.0, 2.0))


@pytest.mark.parametrize(
    ("friction", "x", "y", "mu"),
    [
        (SplitFriction(0.9, 0.2), 5.0, 0.06, 0.9),
        (SplitFriction(0.9, 0.2), 5.0, -0.06, 0.2),
        (SplitFriction(0.9, 0.2, y=1.0), 5.0, 1.0, 0.55),
        (ICE, 15.0, 1.0, 0.1),
        (ICE, 9.9, 1.0, 0.9),
        (ICE, 15.0, -1.0, 0.5),
        (MAP, 1.0, 0.0, 0.6),
        (MAP, 99.0, 99.0, 1.0),
    ],
)
def test_friction_is_where_it_was_put(friction: Friction, x: float, y: float, mu: float) -> None:
    assert FlatRoad(friction).friction(x, y) == pytest.approx(mu, abs=1e-14)
    assert reveal_scalar(friction.at(Opaque(x), Opaque(y))) == friction.at(x, y)


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(DataError, match="left"):
        SplitFriction(0.0, 0.5)
    with pytest.raises(DataError, match="rising order"):
        FrictionPatch(0.1, (20.0, 10.0), (0.0, 1.0), 0.8)
    with pytest.raises(DataError, match=r"positive numbers; \(0, 1\) is -0.4, in all 1 of 4"):
        FrictionMap(np.array([[0.2, -0.4], [0.8, 1.0]]), (0.0, 1.0), (0.0, 1.0))
    with pytest.raises(DataError, match=r"ice: .* \(1, 0\) is nan, in all 1 of 4"):
        FrictionMap(np.array([[0.2, 0.4], [np.nan, 1.0]]), (0.0, 1.0), (0.0, 1.0), "ice")
